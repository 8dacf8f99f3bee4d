"""Renderings from links."""

from __future__ import annotations

from recombine.builders.compounds.renderings import (
    RenderingRules,
    links_of_words,
    phrase_rendering,
    same_word,
)
from recombine.corpus.alignment import Alignment, number


def test_forms_of_one_word_are_one_cluster():
    """Inflection does not make a word inconsistent."""
    assert same_word("kleine", "kleinen")
    assert not same_word("klein", "klar")
    found = RenderingRules(2).of({"kleine": 50, "kleinen": 30, "gering": 10, "x": 5, "y": 5})
    assert found.forms == ("kleine", "kleinen", "gering")
    assert found.coverage == 0.9


def test_accidents_of_the_aligner_are_dropped():
    """A form seen once is not accepted."""
    assert RenderingRules(1).of({"hund": 99, "hunds": 1}).forms == ("hund",)


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
    found = RenderingRules(1, vocabulary).of({"neuen": 9, "neue": 9})
    assert found.forms == ("neue", "neuen", "neuem")


def test_rarer_renderings_are_accepted_by_their_share():
    """A word with many translations has many groups; a word linked by chance is none of them."""
    links = {"nehmen": 40, "fassen": 30, "treffen": 20, "ergreifen": 7, "nicht": 3}
    rates = {"ergreifen": 0.001, "nicht": 0.02}
    narrow, wide = RenderingRules(3), RenderingRules(3, (), 0.02, rates)
    assert narrow.of(links).forms == ("nehmen", "fassen", "treffen")
    assert wide.of(links).forms == ("nehmen", "fassen", "treffen", "ergreifen")
    assert wide.of(links).coverage == narrow.of(links).coverage
