"""The power planner against statsmodels."""

from __future__ import annotations

import pytest
from statsmodels.stats.power import TTestIndPower

from recombine.errors import DataError
from recombine.statistics.power import (
    plan_power,
    pooled_sd,
    power_of_seeds,
    seeds_needed,
    smallest_gain,
)


@pytest.mark.parametrize("gain", [1.0, 2.0, 4.0])
@pytest.mark.parametrize("seeds", [2, 5, 20])
def test_power_equals_statsmodels(gain, seeds):
    """The chance to see a gain is that of the two-sample t-test."""
    expected = TTestIndPower().power(gain / 2.3, seeds, 0.05)
    assert power_of_seeds(gain, 2.3, seeds) == pytest.approx(expected, abs=1e-6)


def test_seeds_needed_is_the_smallest_that_suffices():
    """One seed fewer would miss the wanted power."""
    needed = seeds_needed(2.0, 2.3)
    assert power_of_seeds(2.0, 2.3, needed) >= 0.8 > power_of_seeds(2.0, 2.3, needed - 1)


def test_published_spread_needs_many_seeds():
    """With the published spread of 2.3 points six seeds see 4.2 points, one point needs 85."""
    assert smallest_gain(2.3, 6) == pytest.approx(4.16, abs=0.05)
    assert seeds_needed(1.0, 2.3) == pytest.approx(84.1, abs=1.5)


def test_plan_is_cautious_about_few_seeds():
    """The cautious answer is never smaller than the plain one."""
    plan = plan_power([[25.0, 31.9, 28.0], [30.0, 27.0]], gains=(1.0, 5.0))
    assert plan.sd_upper > plan.sd
    assert all(row.seeds_cautious >= row.seeds for row in plan.rows)


def test_unknown_spread_is_an_error():
    """Single seeds say nothing about the spread."""
    with pytest.raises(DataError, match="two or more seeds"):
        pooled_sd([[1.0], [2.0]])
