"""Where a constituent begins and ends in the target."""

from __future__ import annotations

import itertools

from recombine.augment.grammar.constituents import Constituents
from recombine.augment.grammar.derivations import derive_pairs
from recombine.augment.grammar.words import CLASS

NAME, NOUN, VERB, MASCULINE, FEMININE = (f"{CLASS}{number}" for number in range(5))


def rules(pairs, classes, translations, constituents):
    """Return the rules of the derivations of pairs, as text."""
    sources, targets = ([tuple(pair[side].split()) for pair in pairs] for side in (0, 1))
    symbols = {word: classes.get(word, word) for source in sources for word in source}
    lexicon = {word: [(translation,)] for word, translation in translations.items()}
    links = [[] for _ in pairs]
    derived = derive_pairs(sources, targets, links, symbols, lexicon, constituents, "next")
    assert len(derived) == len(pairs)
    return {str(part.rule) for whole in derived.values() for part in whole.walk()}


def test_a_head_with_modifiers_has_no_article():
    """*gato nuevo* stands where *gato* stands, though only masculine nouns are *nuevo* here."""
    translations = {"cat": "gato", "cow": "vaca", "new": "nuevo", "old": "vieja", "ran": "corrió"}
    classes = {"cat": NOUN, "cow": NOUN, "new": MASCULINE, "old": FEMININE, "ran": VERB}
    short = {(article, NOUN): NAME for article in ("the", "a")}
    modified = {(adjective, NOUN): NOUN for adjective in (MASCULINE, FEMININE)}
    constituents = Constituents(NAME, [NOUN], modified, short, {})
    pairs = [
        ("the new cat ran", "el gato nuevo corrió"),
        ("a new cat ran", "un gato nuevo corrió"),
        ("the old cow ran", "la vaca vieja corrió"),
        ("a old cow ran", "una vaca vieja corrió"),
    ]
    found = rules(pairs * 25, classes, translations, constituents)
    assert "_ N | N2 _1" in found
    assert not [rule for rule in found if rule.startswith("_ N | ") and rule != "_ N | N2 _1"]


def test_an_edge_depends_on_the_phrase_at_this_edge():
    """*the cat in a box* begins with the box where modifiers go before their heads."""
    translations = {"cat": "mao", "dog": "gou", "box": "he", "car": "che", "ran": "pao"}
    classes = {**dict.fromkeys(("cat", "dog", "box", "car"), NOUN), "ran": VERB}
    articles = {"the": "na", "a": "yi"}
    short = {(article, NOUN): NAME for article in articles}
    constituents = Constituents(NAME, [NOUN], {}, short, {(NAME, "in", NAME): NAME})
    pairs = [
        (f"{outer} {animal} in {inner} {place} ran",
         f"{articles[inner]} {translations[place]} li {articles[outer]} {translations[animal]} pao")
        for outer, animal, inner, place in itertools.product(
            articles, ("cat", "dog"), articles, ("box", "car")
        )
    ]  # fmt: skip
    found = rules(pairs * 5, classes, translations, constituents)
    assert {"the N | na N1", "a N | yi N1", "X _ | X1 _2"} <= found
