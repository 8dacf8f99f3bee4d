"""Rank correlations of few systems."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as distributions

from recombine.statistics.ranks import agreement, kendall, redrawn, spearman


def test_rows_agree_with_scipy():
    """Both statistics, many rows at once."""
    one, other = np.random.default_rng(3).standard_normal((2, 20, 6))
    for mine, theirs in (
        (kendall, distributions.kendalltau), (spearman, distributions.spearmanr),
    ):  # fmt: skip
        found = mine(one, other)
        assert found == pytest.approx(
            [theirs(a, b).statistic for a, b in zip(one, other, strict=True)]
        )


def test_four_systems_in_the_same_order_prove_little():
    """The interval around a perfect 1 is wide, and narrows with more systems."""
    few, many = (agreement(range(n), range(n)) for n in (4, 12))
    assert few.tau.value == pytest.approx(1) == few.rho.value
    assert few.tau.low < 0.2 < many.tau.low
    assert few.tau.high == few.rho.high == pytest.approx(1)
    assert few.p == pytest.approx(2 / math.factorial(4))


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_bounds_are_where_the_observed_order_is_as_rare_as_the_tail(confidence):
    """Systems of a population at the lower end are in one order in half of what is left out."""
    low = agreement(range(4), range(4), confidence).tau.low
    correlation = math.sin(math.pi / 2 * low)
    one, noise = np.random.default_rng(5).standard_normal((2, 100_000, 4))
    taus = kendall(one, correlation * one + math.sqrt(1 - correlation**2) * noise)
    tail = (1 - confidence) / 2
    assert np.mean(taus > 0.999) == pytest.approx(tail, rel=0.15)


def test_opposite_order_is_the_mirror_image():
    """Turning one suite around turns the interval around, up to the draws."""
    same, turned = agreement(range(6), range(6)), agreement(range(6), range(6, 0, -1))
    assert turned.tau.value == pytest.approx(-1)
    assert turned.tau.high == pytest.approx(-same.tau.low, abs=0.06)


def test_suites_on_which_all_tie_correlate_with_nothing():
    """There is no rank to compare, and so no interval either."""
    for sides in (([1, 2, 3], [5, 5, 5]), ([5, 5, 5], [1, 2, 3])):
        found = agreement(*sides)
        assert np.isnan([*found.tau.span, *found.rho.span, found.p]).all()


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.0, 0.6, 0.9])
def test_intervals_cover_the_truth(correlation):
    """At least 95 in 100 intervals hold tau of the population that six systems come from."""
    generator = np.random.default_rng(11)
    truth = 2 / math.pi * math.asin(correlation)
    held, rounds = 0, 300
    for _ in range(rounds):
        one, noise = generator.standard_normal((2, 6))
        other = correlation * one + math.sqrt(1 - correlation**2) * noise
        found = agreement(list(one), list(other)).tau
        held += found.low <= truth <= found.high
    assert held / rounds > 0.925


def test_noisy_scores_have_no_sure_order():
    """Scores that are known exactly keep their order; others may come in any."""
    exact = [(float(place), 1e-6) for place in range(5)]
    assert redrawn(exact, exact) == (1.0, 1.0)
    low, high = redrawn(exact, [(score, 10.0) for score, _ in exact])
    assert low < 0 < high


def test_scores_without_any_order_have_the_quantiles_of_chance():
    """Twenty equal systems: tau is nearly normal, its variance is 2 (2n + 5) / 9n (n - 1)."""
    exact = [(float(place), 1e-6) for place in range(20)]
    low, high = redrawn(exact, [(0.0, 1.0)] * 20)
    reach = 1.96 * math.sqrt(2 * 45 / (9 * 20 * 19))
    assert (low, high) == pytest.approx((-reach, reach), abs=0.02)
