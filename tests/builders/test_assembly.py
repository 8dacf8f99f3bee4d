"""Pieces of the assembly that stand alone; tests/builders/test_compounds.py runs the whole."""

from __future__ import annotations

from recombine.builders.assembly import seen_in, words_of


def test_seen_texts_are_found_as_words():
    """Consecutive words only, and no pieces of words."""
    corpus = [["a", "small", "dog", "ran"], ["small", "dogs"]]
    assert seen_in(corpus, {"small dog", "dog small", "small", "mall dog"}) == {
        "small dog",
        "small",
    }


def test_words_are_lower_case():
    """As the novelty check compares them."""
    assert words_of("The Dog ran.") == ("the", "dog", "ran", ".")
