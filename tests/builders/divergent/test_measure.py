"""Divergences obey their definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.builders.divergent.measure import chernoff_divergence, contributions, divergences

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


def test_divergence_is_one_exactly_when_nothing_is_shared() -> None:
    """Disjoint sets have divergence 1 without rounding; so does an empty one."""
    assert chernoff_divergence(np.array([3, 0]), np.array([0, 5]), 0.1) == 1.0
    assert chernoff_divergence(np.array([3, 0]), np.array([0, 0]), 0.1) == 1.0


def test_a_worked_example() -> None:
    """D_C = 1 - .5^.1 x .25^.9 when half of train is a quarter of test."""
    train, test = np.array([1, 1, 1, 0]), np.array([1, 1, 1, 3])
    found = divergences(np.append([2], train[1:]), np.append([2], test[1:]), 1)
    assert found.atom == pytest.approx(0.0)
    assert found.compound == pytest.approx(1 - 2 * 0.5**0.1 * 0.2**0.9)
