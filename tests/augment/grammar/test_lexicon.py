"""Which stretch of a target is a word of the source."""

from __future__ import annotations

from itertools import product

import pytest

from recombine.augment.grammar.lexicon import find_words, has_part, learn_lexicon, word_links
from recombine.augment.grammar.words import CLASS

SYMBOLS = {"the": "the", "man": f"{CLASS}1", "dog": f"{CLASS}1", "saw": f"{CLASS}2"}


def tokens(text: str) -> tuple[str, ...]:
    """A text cut at its spaces."""
    return tuple(text.split())


@pytest.mark.parametrize(
    ("whole", "part", "has"),
    [
        ("a b c", "a b", True), ("a b c", "b c", True), ("a b c", "a b c", True),
        ("a b c", "a c", False), ("a b c", "b a", False), ("a b", "a b c", False),
        ("a a b", "a b", True), ("a b", "c", False),
    ],
)  # fmt: skip
def test_a_row_of_tokens_stands_in_another(whole, part, has):
    """One after the other, at the beginning, inside and at the end."""
    assert has_part(tokens(whole), tokens(part)) is has


LEXICON = {
    "man": [tokens("Mann"), tokens("Mannes")],
    "dog": [tokens("Hund")],
    "saw": [tokens("sah"), tokens("hat gesehen")],
}


@pytest.mark.parametrize(
    ("source", "target", "links", "places"),
    [
        ("the man saw the dog", "der Mann sah den Hund", [], {1: (1, 2), 2: (2, 3), 4: (4, 5)}),
        # The longer of two translations that both stand there.
        ("saw", "sah hat gesehen", [], {0: (1, 3)}),
        # A linked one before a longer one that is not.
        ("saw", "sah hat gesehen", [(0, 0)], {0: (0, 1)}),
        # Two words of one translation take one place each, in the order of the sentence.
        ("dog dog", "Hund Hund", [], {0: (0, 1), 1: (1, 2)}),
        ("dog dog", "Hund Hund", [(0, 1), (1, 0)], {0: (1, 2), 1: (0, 1)}),
        ("dog dog", "Hund", [], None),
        ("the man saw", "der Mensch sah", [], None),
        ("the", "der", [], {}),
    ],
)
def test_every_open_word_has_a_place_of_its_own(source, target, links, places):
    """The word with the fewest choices first; None where one is nowhere."""
    assert find_words(tokens(source), tokens(target), links, SYMBOLS, LEXICON) == places


def test_the_word_with_one_choice_is_placed_first():
    """The other one takes what is left."""
    lexicon = {"man": [tokens("x"), tokens("y")], "dog": [tokens("x")]}
    assert find_words(tokens("man dog"), tokens("x y"), [], SYMBOLS, lexicon) == {
        0: (1, 2), 1: (0, 1)
    }  # fmt: skip


def test_translations_are_learned_from_links():
    """Of one word, of several, and of two forms, the more frequent one first."""
    nouns = {"man": "Mann", "dog": "Hund", "cat": "Katze", "cow": "Kuh"}
    nouns |= {"owl": "Eule", "fox": "Fuchs", "hen": "Henne", "pig": "Sau"}
    verbs = {"saw": "sah", "fed": "gab Futter", "hit": "schlug"}
    pairs = [
        (f"the {one} {verb} the {other}", f"die {nouns[one]} {verbs[verb]} die {nouns[other]}")
        for one, verb, other in product(nouns, verbs, nouns)
    ]
    pairs = [
        (source, target.replace("Hund", "Hunde") if number % 4 == 0 else target)
        for number, (source, target) in enumerate(pairs)
    ]
    sources, targets = ([tokens(pair[side]) for pair in pairs] for side in (0, 1))
    links = word_links(sources, targets)
    assert all(row == sorted(set(row)) for row in links)
    assert all(
        i < len(source) and j < len(target)
        for source, target, row in zip(sources, targets, links, strict=True)
        for i, j in row
    )
    symbols = {word: word if word == "the" else f"{CLASS}1" for word in ("the", *nouns, *verbs)}
    lexicon = learn_lexicon(sources, targets, links, symbols)
    assert set(lexicon) == {*nouns, *verbs}
    assert lexicon["man"] == [("Mann",)]
    assert lexicon["fed"] == [("gab", "Futter")]
    assert lexicon["dog"] == [("Hund",), ("Hunde",)]
