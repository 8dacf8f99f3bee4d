"""Probes: what the metrics need beside the pairs."""

from __future__ import annotations

import numpy as np

from recombine.builders.consistency.examples import (
    clause_probes,
    phrase_probes,
    repeat_probes,
    word_probes,
)
from recombine.builders.consistency.wordlists import Idiom, SynonymPair


def test_phrases_and_clauses() -> None:
    """A noun alone names its form; a clause alone is a sentence, once."""
    (phrase,) = phrase_probes([("kings", "The kings .", "De koningen .")])
    assert (phrase.focus[0].text, phrase.role) == ("kings", "phrase")
    assert phrase.references == ("De koningen .",)
    assert [one.source for one in clause_probes(["he runs .", "he runs .", "I go ."])] == [
        "He runs .",
        "I go .",
    ]


def test_words_stand_alone_and_in_a_frame() -> None:
    """Every term and keyword once, bare and in the frame of the paper."""
    probes = list(word_probes([SynonymPair("boat", "ship")], [Idiom("by heart", ("heart",))]))
    assert [one.source for one in probes] == [
        "boat", "This is a boat .", "ship", "This is a ship .", "heart", "This is a heart .",
    ]  # fmt: skip
    assert len({one.id for one in probes}) == 6


def test_repeats_are_different_sentences() -> None:
    """A seeded subset in order, no sentence twice."""
    sources = [f"s {i}" for i in range(10)] * 2
    probes = [one.source for one in repeat_probes(sources, 4, np.random.default_rng(1))]
    assert len(set(probes)) == 4
    assert probes == sorted(probes)
