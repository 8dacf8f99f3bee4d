"""The power planner against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from recombine.errors import DataError
from recombine.statistics.power import (
    MOST_SEEDS,
    plan_power,
    pooled_sd,
    seeds_needed,
    smallest_gain,
)


def chance(gain: float, sd: float, seeds: int) -> float:
    """Share of simulated experiments whose two-sample t-test sees the gain."""
    generator = np.random.default_rng(seeds)
    first = generator.normal(0, sd, (20_000, seeds))
    second = generator.normal(gain, sd, (20_000, seeds))
    return float((scipy_stats.ttest_ind(first, second, axis=1).pvalue < 0.05).mean())


@pytest.mark.parametrize("gain", [2.0, 4.0])
def test_seeds_needed_is_the_smallest_that_suffices(gain):
    """In simulation so many seeds have the wanted power, and one fewer misses it."""
    needed = seeds_needed(gain, 2.3)
    assert chance(gain, 2.3, needed) >= 0.79
    assert chance(gain, 2.3, needed - 1) < 0.8


def test_the_ends_of_the_range():
    """Two seeds are the fewest; what ten thousand do not show is not asked for."""
    assert seeds_needed(500.0, 2.3) == 2
    assert seeds_needed(0.001, 2.3) == MOST_SEEDS
    with pytest.raises(ValueError, match="gain of zero"):
        seeds_needed(0.0, 2.3)


def test_published_spread_needs_many_seeds():
    """With the published spread of 2.3 points six seeds see 4.2 points, one point needs 85."""
    assert smallest_gain(2.3, 6) == pytest.approx(4.16, abs=0.05)
    assert seeds_needed(1.0, 2.3) == pytest.approx(84.1, abs=1.5)


def test_plan_is_cautious_about_few_seeds():
    """The cautious answer is never smaller than the plain one."""
    plan = plan_power([[25.0, 31.9, 28.0], [30.0, 27.0]], gains=(1.0, 5.0))
    assert plan.sd_upper > plan.sd
    assert all(row.seeds_cautious >= row.seeds for row in plan.rows)


def test_a_plan_rests_on_the_pooled_spread():
    """Of systems with several seeds; the upper limit is that of chi-square at 80%."""
    groups = [[25.0, 31.9, 28.0], [9.0], [30.0, 27.0]]
    squares = 2 * np.var(groups[0], ddof=1) + np.var(groups[2], ddof=1)
    assert pooled_sd(groups) == (pytest.approx(np.sqrt(squares / 3)), 3)
    plan = plan_power(groups, gains=(5.0,), alpha=0.1, power=0.9)
    assert plan.sd == pytest.approx(np.sqrt(squares / 3))
    assert plan.sd_upper == pytest.approx(np.sqrt(squares / scipy_stats.chi2.ppf(0.2, 3)))
    assert (plan.systems, plan.seeds, plan.alpha, plan.power) == (3, 2, 0.1, 0.9)
    assert plan.smallest_gain_now == smallest_gain(plan.sd, 2, 0.1, 0.9)
    (row,) = plan.rows
    assert (row.gain, row.seeds) == (5.0, seeds_needed(5.0, plan.sd, 0.1, 0.9))
    assert row.seeds_cautious == seeds_needed(5.0, plan.sd_upper, 0.1, 0.9) > row.seeds


def test_unknown_spread_is_an_error():
    """Single seeds say nothing about the spread."""
    with pytest.raises(DataError, match="two or more seeds"):
        pooled_sd([[1.0], [2.0]])
    with pytest.raises(DataError, match="no system has seeds with different scores"):
        plan_power([[40.0, 40.0, 40.0], [0.0, 0.0]])
