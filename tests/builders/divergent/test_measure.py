"""Divergences and novelty from counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsed_corpora import counted
from recombine.builders.divergent import measure
from recombine.builders.divergent.measure import (
    MeasureOptions,
    chernoff_divergence,
    contributions,
    divergences,
    length_class,
    novel_shares,
    novelty_class,
)
from recombine.corpus.conllu import ParsedSentence
from recombine.errors import ConfigError

VECTORS = st.lists(st.integers(0, 40), min_size=4, max_size=4).map(
    lambda numbers: np.array(numbers, np.int64)
)
ALPHAS = st.floats(0.05, 0.95)


@given(VECTORS, VECTORS, ALPHAS)
def test_divergence_is_between_zero_and_one(left, right, alpha) -> None:  # type: ignore[no-untyped-def]
    """A divergence is a share; of equal distributions it is 0."""
    assert 0 <= chernoff_divergence(left, right, alpha) <= 1
    if left.sum():
        assert chernoff_divergence(left, left * 3, alpha) == pytest.approx(0, abs=1e-12)


@given(VECTORS, VECTORS, ALPHAS)
def test_contributions_sum_to_the_divergence(left, right, alpha) -> None:  # type: ignore[no-untyped-def]
    """What the items add up to is the divergence, and no item adds a negative part."""
    if left.sum() and right.sum():
        parts = contributions(left, right, alpha)
        assert (parts > -1e-12).all()
        assert parts.sum() == pytest.approx(chernoff_divergence(left, right, alpha), abs=1e-9)


def test_one_occurrence_is_all_of_them() -> None:
    """Equal distributions of a single thing do not differ, and nothing is half of it."""
    once = np.array([1, 0, 0])
    assert contributions(once, once, 0.5).tolist() == [0.0, 0.0, 0.0]
    assert contributions(once, 7 * once, 0.1) == pytest.approx([0.0, 0.0, 0.0])


def test_divergence_is_one_exactly_when_nothing_is_shared() -> None:
    """Disjoint sets have divergence 1 without rounding; so does an empty one."""
    assert chernoff_divergence(np.array([3, 0]), np.array([0, 5]), 0.1) == 1.0
    assert chernoff_divergence(np.array([3, 0]), np.array([0, 0]), 0.1) == 1.0


def test_a_set_without_counts_shares_nothing() -> None:
    """Whichever of the two it is."""
    nothing, some = np.zeros(2, np.int64), np.array([1, 2], np.int64)
    assert chernoff_divergence(nothing, some, 0.5) == 1
    assert chernoff_divergence(some, nothing, 0.5) == 1


@pytest.mark.parametrize("name", ["atom_alpha", "compound_alpha"])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_exponents_lie_between_zero_and_one(name: str, value: float) -> None:
    """At either end one of the two sets would not count."""
    with pytest.raises(ConfigError, match=f"{name} = {value} is not between 0 and 1"):
        MeasureOptions(**{name: value})
    assert MeasureOptions(**{name: 0.3})


def test_a_worked_example() -> None:
    """D_C = 1 - .5^.1 x .25^.9 when half of train is a quarter of test."""
    train, test = np.array([1, 1, 1, 0]), np.array([1, 1, 1, 3])
    found = divergences(np.append([2], train[1:]), np.append([2], test[1:]), 1)
    assert found.atom == pytest.approx(0.0)
    assert found.compound == pytest.approx(1 - 2 * 0.5**0.1 * 0.2**0.9)


def test_shares_of_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the second sentence is in the first; a sentence without compounds has no share."""
    sentences = [
        ParsedSentence("a b", ["a", "b"], ["nsubj", "root"], [2, 0]),
        ParsedSentence("a b c", ["a", "b", "c"], ["nsubj", "root", "obj"], [2, 0, 2]),
    ]
    _, counts = counted(sentences, tmp_path, edition="all")
    assert novel_shares(counts, np.array([0])).tolist() == [0.0, 0.5]
    assert novel_shares(counts, np.array([1])).tolist() == [0.0, 0.0]
    for size in (1, 2):  # rows looked at together
        monkeypatch.setattr(measure, "SLICE_ROWS", size)
        assert novel_shares(counts, np.array([0])).tolist() == [0.0, 0.5]


@pytest.mark.parametrize(
    ("share", "name"),
    [
        (float("nan"), "no compound"),
        (0.0, "none novel"),
        (0.2, "under half novel"),
        (0.5, "half or more novel"),
        (1.0, "all novel"),
    ],
)
def test_classes(share: float, name: str) -> None:
    """Each share has one class."""
    assert novelty_class(share) == name


def test_length_classes() -> None:
    """Lengths are classed by tens."""
    assert [length_class(n) for n in (1, 10, 11, 30)] == [
        "1-10 words", "1-10 words", "11-20 words", "21-30 words",
    ]  # fmt: skip
