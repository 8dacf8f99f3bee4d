"""An invented parsed corpus, English to a word-by-word German, for the compound builder's tests."""

from __future__ import annotations

import numpy as np

WORDS = {
    "the": "der", "every": "jeder", "this": "dieser", "another": "anderer",
    "big": "große", "red": "rote", "old": "alte",
    "dog": "hund", "cat": "katze", "house": "haus", "car": "auto", "man": "mann", "tree": "baum",
    "saw": "sah", "found": "fand", "liked": "mochte",
    "near": "bei", "behind": "hinter", "with": "mit",
    "today": "heute", "yesterday": "gestern", "often": "oft", "again": "wieder",
}  # fmt: skip
LEMMAS = {"saw": "see", "found": "find", "liked": "like"}
DETERMINERS = ["the", "every", "this", "another"]
ADJECTIVES = ["big", "red", "old"]
NOUNS = ["dog", "cat", "house", "car", "man", "tree"]
VERBS = ["saw", "found", "liked"]
PREPOSITIONS = ["near", "behind", "with"]
ADVERBS = ["today", "yesterday", "often", "again"]

# Options that make a benchmark of this corpus small.
SMALL = [
    "benchmark.source='en'",
    "benchmark.target='de'",
    "dev=20",
    "test=20",
    "floor=5",
    "contexts=3",
    "reuse=50",
    "keep_seen=true",
    "worst_drop=9.0",
    "longest=30",
    "roles.DET={count=2, relations=['det'], unchecked=true}",
    "roles.ADJ={count=2, relations=['amod']}",
    "roles.N={count=2}",
    "roles.MOD={count=1, relations=['prep'], coverage=0.1}",
    "roles.V={count=2}",
    "roles.P={count=2}",
]


def noun_phrase(pick, relation, head, place, modifier=False):
    """Return words, relations and heads of a noun phrase whose noun depends on `head`."""
    words = [pick(DETERMINERS)]
    if pick([0, 1]):
        words.append(pick(ADJECTIVES))
    words.append(pick(NOUNS))
    noun = place + len(words)
    relations = ["det", *["amod"] * (len(words) - 2), relation]
    heads = [noun] * (len(words) - 1) + [head]
    if modifier:
        place = pick([["home"], ["town"], ["the", "home"], ["the", "town"]])
        words += ["near", *place]
        relations += ["prep", *["det"] * (len(place) - 1), "pobj"]
        heads += [noun, *[noun + 1 + len(place)] * (len(place) - 1), noun + 1]
    return words, relations, heads


def sentence(pick):
    """Return one parsed sentence as columns."""
    subject = noun_phrase(pick, "nsubj", 0, 0, bool(pick([0, 0, 1])))
    verb = len(subject[0]) + 1
    subject[2][subject[1].index("nsubj")] = verb
    thing = noun_phrase(pick, "dobj", verb, verb, bool(pick([0, 0, 1])))
    preposition = verb + len(thing[0]) + 1
    place = noun_phrase(pick, "pobj", preposition, preposition, bool(pick([0, 0, 1])))
    words = [*subject[0], pick(VERBS), *thing[0], pick(PREPOSITIONS), *place[0], pick(ADVERBS), "."]
    relations = [*subject[1], "root", *thing[1], "prep", *place[1], "advmod", "punct"]
    heads = [*subject[2], 0, *thing[2], verb, *place[2], verb, verb]
    target = [WORDS.get(word, word) for word in words]
    text = " ".join(words[:-1]).capitalize() + "."
    return (
        text,
        " ".join(target[:-1]).capitalize() + ".",
        " ".join(LEMMAS.get(word, word) for word in words),
        " ".join(relations),
        " ".join(map(str, heads)),
    )


def write_corpus(path, sentences=800, seed=3):
    """Write a corpus of parsed sentence pairs."""
    generator = np.random.default_rng(seed)

    def pick(options):
        return options[int(generator.integers(len(options)))]

    rows = ["en\tde\tlemmas\trelations\theads"]
    rows += ["\t".join(sentence(pick)) for _ in range(sentences)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path
