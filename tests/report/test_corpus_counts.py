"""Counting compounds and atoms in a corpus."""

from __future__ import annotations

import pytest

from recombine.benchmark import Example, Focus
from recombine.report.corpus_counts import CorpusCounts, equal_bins, frequency_class


def compound(*atoms):
    """Return an example with these atoms."""
    return Example.make(
        source=" ".join(atoms),
        tags={"compound": " ".join(atoms)},
        focus=[Focus(text=atom, role="X") for atom in atoms],
    )


def test_occurrences_are_counted_as_words():
    """Phrases too, whatever the case; 'cat' is not in 'category'."""
    counts = CorpusCounts(
        ["Every dog he liked ran.", "A dog category."], [compound("dog", "he liked", "cat")]
    )
    assert counts.occurrences == {"dog": 2, "he liked": 1}


def test_words_that_meet_are_associated():
    """More often together than chance: positive; never together: negative."""
    corpus = ["a b x x x x x x"] * 5 + ["x x x c x x x x x x"] * 5
    counts = CorpusCounts(corpus, [compound("a", "b"), compound("a", "c")])
    assert counts.association(["a", "b"]) > 0 > counts.association(["a", "c"])
    assert counts.association(["a", "nowhere"]) is None


def test_bins_have_equal_sizes():
    """Ties stay together."""
    bins = equal_bins({str(n): float(n) for n in range(10)}, 5)
    assert len(set(bins.values())) == 5
    assert bins["0"] == bins["1"] == "0 to 1"
    assert set(equal_bins(dict.fromkeys("abcd", 1.0), 2).values()) == {"1"}


@pytest.mark.parametrize(("count", "name"), [(0, "zero"), (1, "few"), (9, "few"), (10, "many")])
def test_shots_are_named(count, name):
    """Section 6.1."""
    assert frequency_class(count).startswith(name)
