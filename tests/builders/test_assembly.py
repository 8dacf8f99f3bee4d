"""Pieces of the assembly that stand alone; tests/builders/test_compounds.py runs the whole."""

from __future__ import annotations

from builders.test_templates import CLEAR
from recombine.builders.assembly import dependency_distance, seen_in, words_of


def test_seen_texts_are_found_as_words():
    """Consecutive words only, and no pieces of words."""
    corpus = [["a", "small", "dog", "ran"], ["small", "dogs"]]
    assert seen_in(corpus, {"small dog", "dog small", "small", "mall dog"}) == {
        "small dog",
        "small",
    }


def test_dependency_distance_leaves_out_root_and_punctuation():
    """Liu 2008, as in section 6.6."""
    # the->dog 1, dog->saw 1, a->cat 1, cat->saw 2, near->saw 3, the->house 1, house->near 2
    assert dependency_distance(CLEAR) == round(11 / 7, 3)


def test_words_are_lower_case():
    """As the novelty check compares them."""
    assert words_of("The Dog ran.") == ("the", "dog", "ran", ".")
