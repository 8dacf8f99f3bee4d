"""Renderings from links."""

from __future__ import annotations

from recombine.builders.compounds.renderings import (
    links_of_words,
    phrase_rendering,
    renderings,
    same_word,
)
from recombine.corpus.alignment import Alignment, number


def test_forms_of_one_word_are_one_cluster():
    """Inflection does not make a word inconsistent."""
    assert same_word("kleine", "kleinen")
    assert not same_word("klein", "klar")
    found = renderings({"kleine": 50, "kleinen": 30, "gering": 10, "x": 5, "y": 5}, clusters=2)
    assert found.forms == ("kleine", "kleinen", "gering")
    assert found.coverage == 0.9


def test_accidents_of_the_aligner_are_dropped():
    """A form seen once is not accepted."""
    assert renderings({"hund": 99, "hunds": 1}, clusters=1).forms == ("hund",)


def test_links_are_counted_over_the_corpus():
    """Punctuation is never a rendering."""
    import numpy as np

    source, target = number([["a", "b"], ["a"]]), number([["X", "."], ["X"]])
    alignment = Alignment(source, target, np.array([0, 1, 0], np.int32))
    assert links_of_words(alignment) == {"a": {"X": 2}}


def test_a_phrase_is_one_stretch():
    """Words that are linked far apart are no rendering of a phrase."""
    target = ["im", "alten", "haus", "da", "bald", "."]
    assert phrase_rendering(target, [0, 2], 0, 2) == "im alten haus"
    assert phrase_rendering(target, [0, 4], 0, 2) is None
    assert phrase_rendering(target, [-1, -1], 0, 2) is None
    assert phrase_rendering(target, [4, 5], 0, 2) is None


def test_forms_of_the_same_stem_are_accepted():
    """A rare adjective was not linked in every gender; another word is another word."""
    vocabulary = sorted(["neue", "neuem", "neueste", "neun", "rote"])
    found = renderings({"neuen": 9, "neue": 9}, clusters=1, vocabulary=vocabulary)
    assert found.forms == ("neue", "neuen", "neuem")
