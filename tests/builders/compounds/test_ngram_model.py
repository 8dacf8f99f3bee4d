"""The n-gram model prefers what the corpus has."""

from __future__ import annotations

import pytest

from recombine.builders.compounds.contexts import NgramModel

CORPUS = [["the", "dog", "sleeps"], ["the", "cat", "sleeps"], ["a", "dog", "runs"]] * 5


def test_probabilities_sum_to_one():
    """Over the vocabulary and the end, up to the mass of unknown words."""
    model = NgramModel(CORPUS)
    total = sum(model.probability("<s>", "the", word) for word in model.vocabulary[2:])
    assert total == pytest.approx(1, abs=0.05)


def test_known_sentences_read_better():
    """A word that never followed makes a window worse."""
    model = NgramModel(CORPUS)
    good = model.window(["the", "dog", "sleeps"], 0, 2)
    bad = model.window(["the", "runs", "sleeps"], 0, 2)
    assert good > bad
