"""Case, gender and government are learnt as restrictions on slots; nothing names them."""

from __future__ import annotations

import random

import pytest

from recombine.augment import AugmentOptions, Pair, Recombiner

# Nominative, accusative, dative of the definite and of the indefinite article.
ARTICLES = {
    "m": {"the": ("der", "den", "dem"), "a": ("ein", "einen", "einem")},
    "f": {"the": ("die", "die", "der"), "a": ("eine", "eine", "einer")},
    "n": {"the": ("das", "das", "dem"), "a": ("ein", "ein", "einem")},
}
NOUNS = {
    **{f"man{n}": (f"Mann{n}", "m") for n in "abcdef"},
    **{f"wife{n}": (f"Frau{n}", "f") for n in "abcdef"},
    **{f"child{n}": (f"Kind{n}", "n") for n in "abcdef"},
}
NAMES = tuple(f"Name{n}" for n in "abcdef")
# Verbs of the accusative, and of the dative.
VERBS = {
    **{f"see{n}": (f"seht{n}", 1) for n in "abcd"},
    **{f"aid{n}": (f"hilf{n}", 2) for n in "ab"},
}


def phrase(words: str, case: int) -> str:
    """Translate a phrase."""
    article, _, noun = words.partition(" ")
    if not noun:
        return article
    german, gender = NOUNS[noun]
    return f"{ARTICLES[gender][article][case]} {german}"


def translated(source: str) -> str:
    """Translate a sentence by the grammar, which the recombiner does not know."""
    words = source.rstrip(".").split()
    at = next(n for n, word in enumerate(words) if word in VERBS)
    subject, verb, obj = " ".join(words[:at]), words[at], " ".join(words[at + 1 :])
    german, case = VERBS[verb]
    first = subject if subject.startswith("Name") else subject[0].lower() + subject[1:]
    text = f"{phrase(first, 0)} {german} {phrase(obj, case)}."
    return text[0].upper() + text[1:]


@pytest.fixture(scope="module")
def drawn():
    """Pairs drawn from 1,500 sentences in which one noun is an object only, one a subject only."""
    stream = random.Random(1)
    phrases = [*NAMES, *(f"{article} {noun}" for noun in NOUNS for article in ("the", "a"))]
    rows = {}
    while len(rows) < 1500:
        subject, obj = stream.choice(phrases), stream.choice(phrases)
        if "mana" in subject or "wifea" in obj:
            continue
        if ("mana" in obj or "wifea" in subject) and stream.random() < 0.85:
            continue  # A frequent word with neighbours of its own would be a closed one.
        source = f"{subject} {stream.choice(list(VERBS))} {obj}."
        source = source[0].upper() + source[1:]
        rows[source] = translated(source)
    pairs = [Pair(source, target, str(n)) for n, (source, target) in enumerate(rows.items())]
    options = AugmentOptions(source_language="en", target_language="de")
    return list(Recombiner.learn(pairs, options).draw(2000, seed=1))


def test_forms_agree_in_case_gender_and_with_their_verb(drawn):
    """The right article in every place, beside every verb."""
    assert len(drawn) == 2000
    wrong = [(r.source, r.target) for r in drawn if r.target != translated(r.source)]
    assert len(wrong) <= 20, wrong[:5]


def test_a_noun_gets_into_places_that_it_was_never_in(drawn):
    """An object becomes a subject and a subject an object, with the article of that case."""
    subjects = [
        row for row in drawn if "mana " in row.source and row.target == translated(row.source)
    ]
    objects = [
        row for row in drawn if "wifea." in row.source and row.target == translated(row.source)
    ]
    assert any(row.target.startswith("Der Manna") for row in subjects)
    assert objects
