"""Intervals against independent code; their coverage is in benchmarks/interval_coverage.py."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import proportion_confint

from recombine.statistics.intervals import (
    TOO_FEW,
    Component,
    Estimate,
    crossed_components,
    lower_quantile,
    residual_mean_square,
    scaled_interval,
    two_sided_p,
    wilson,
)

FREE = (-math.inf, math.inf)


@given(st.integers(1, 500), st.data(), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_equals_statsmodels(trials, data, confidence):
    """Wilson's interval is the one of statsmodels, including at 0 and at all."""
    successes = data.draw(st.integers(0, trials))
    low, high = proportion_confint(successes, trials, 1 - confidence, method="wilson")
    found = wilson(successes, trials, confidence)
    assert (low, high) == pytest.approx((found.low, found.high), abs=1e-9)


def test_wilson_covers_the_truth():
    """A 95% Wilson interval holds the true share in 93 to 97% of 2,000 experiments."""
    generator = np.random.default_rng(1)
    for share in (0.02, 0.3, 0.9):
        drawn = generator.binomial(400, share, size=2000)
        spans = [wilson(int(count), 400) for count in drawn]
        assert 0.93 <= np.mean([span.low <= share <= span.high for span in spans]) <= 0.97


def test_nothing_judged_is_too_few():
    """Neither 0 to 100 nor a number."""
    found = wilson(0, 0)
    assert np.isnan(found.span).all()
    assert found.method == TOO_FEW


@pytest.mark.parametrize("freedom", [1, 4, 30])
def test_one_part_gives_the_interval_and_test_of_scipy(freedom):
    """Without limits it is Student's; p is the level at which an interval just reaches zero."""
    parts = [Component(4.0, freedom)]
    found = scaled_interval(3.0, parts, 9, FREE, 0.9, "t")
    assert found.span[1:] == pytest.approx(scipy_stats.t.interval(0.9, freedom, 3.0, 2.0))
    assert found.error == 2.0
    assert two_sided_p(3.0, parts) == pytest.approx(2 * scipy_stats.t.sf(1.5, freedom))


def test_two_parts_weigh_their_quantiles():
    """Cochran and Cox: by the share of the variance, whatever brings fewer degrees of freedom."""
    parts = [Component(3.0, 2), Component(1.0, 50)]
    student = 0.75 * scipy_stats.t.ppf(0.025, 2) + 0.25 * scipy_stats.t.ppf(0.025, 50)
    assert lower_quantile(parts, 0.025) == pytest.approx(student)
    assert two_sided_p(2 * -student, parts) == pytest.approx(0.05)
    assert two_sided_p(0.0, parts) == 1.0
    assert two_sided_p(1e6, [Component(1.0, math.inf)]) < 1e-200


def test_an_interval_stays_on_its_scale():
    """It bends away from an end that is near; without ends, or off its scale, it is symmetric."""
    parts = [Component(16.0, 9)]
    bent = scaled_interval(95.0, parts, 30, (0.0, 100.0), 0.95, "x")
    assert 0 < bent.low < 95 < bent.high < 100
    assert 95 - bent.low > bent.high - 95
    for limits in (FREE, (0.0, 90.0)):
        free = scaled_interval(95.0, parts, 30, limits, 0.95, "x")
        assert 95 - free.low == pytest.approx(free.high - 95)
        assert free.high > 100


def test_where_a_scale_begins_does_not_matter():
    """A difference on -100 to 100 has the interval of the same place on 0 to 200."""
    parts = [Component(16.0, 9)]
    moved = scaled_interval(190.0, parts, 30, (0.0, 200.0), 0.95, "x")
    found = scaled_interval(90.0, parts, 30, (-100.0, 100.0), 0.95, "x")
    assert found.span == pytest.approx([end - 100 for end in moved.span])
    assert found.high < 100
    small = scaled_interval(0.9, [Component(0.0016, 9)], 30, (-1.0, 1.0), 0.95, "x")
    assert small.span == pytest.approx([end / 100 for end in found.span])


def test_what_was_not_judged_might_count():
    """All of it: the number would be that much higher."""
    assert Estimate(40.0, undecided=8.0).upper_if_unjudged == 48
    assert Estimate(40.0, undecided=8.0).in_digits() == "40.0 to 48.0"
    assert math.isnan(Estimate(40.0).upper_if_unjudged)
    assert Estimate(40.0).in_digits() == "40.0"


def test_what_does_not_vary_is_as_sure_as_its_units():
    """Twenty of twenty right is Wilson's limit; in the middle the unseen may go both ways."""
    still = [Component(0.0, 19)]
    right = scaled_interval(100.0, still, 20, (0.0, 100.0), 0.95, "x")
    assert right.span[1:] == pytest.approx([100 * part for part in wilson(20, 20).span[1:]])
    half = scaled_interval(50.0, still, 20, (0.0, 100.0), 0.95, "x")
    assert half.low == pytest.approx(50 - 50 * wilson(0, 20).high)
    assert half.high == pytest.approx(50 + 50 * wilson(0, 20).high)
    assert right.error > 0
    assert np.isnan(scaled_interval(3.0, still, 20, FREE, 0.95, "x").low)


def test_the_residual_is_what_seed_and_unit_do_not_explain():
    """Its sum of squares by its degrees of freedom, (seeds - 1) (units - 1)."""
    table = np.array([[1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 1.0]])
    left = table - table.mean(0) - table.mean(1, keepdims=True) + table.mean()
    assert residual_mean_square(table) == pytest.approx((left**2).sum() / 6)
    assert residual_mean_square(table[:1]) == residual_mean_square(table[:, :1]) == 0.0


def test_parts_have_one_degree_of_freedom_less_than_they_have_members():
    """Seeds and units; one seed has no part of its own."""
    table = np.random.default_rng(0).random((4, 6))
    assert [part.freedom for part in crossed_components(table, 5)] == [3, 5]
    assert [part.freedom for part in crossed_components(table[:1], 5)] == [5]
    assert crossed_components(table[:1], 5)[0].variance == pytest.approx(table[0].var(ddof=1) / 6)


def test_crossed_variance_equals_the_mixed_model():
    """REML of a crossed random-effects model (statsmodels) gives the same standard error."""
    import pandas as pd
    import statsmodels.formula.api as formula

    generator = np.random.default_rng(12)
    seeds, items = 8, 40
    table = (
        generator.normal(0, 0.5, (seeds, 1))
        + generator.normal(0, 1.0, (1, items))
        + generator.normal(0, 1.0, (seeds, items))
    )
    frame = pd.DataFrame(
        {
            "value": table.ravel(),
            "seed": np.repeat(np.arange(seeds), items),
            "item": np.tile(np.arange(items), seeds),
            "all": 1,
        }
    )
    parts = {"seed": "0 + C(seed)", "item": "0 + C(item)"}
    fitted = formula.mixedlm(
        "value ~ 1", frame, groups="all", vc_formula=parts, re_formula="0"
    ).fit()
    # Components come back in the order of the formula names: item, then seed.
    item_variance, seed_variance = fitted.vcomp
    error = np.sqrt(seed_variance / seeds + item_variance / items + fitted.scale / (seeds * items))
    found = scaled_interval(
        float(table.mean()), crossed_components(table, items - 1), items, FREE, 0.95, "x"
    )
    assert found.error == pytest.approx(error, rel=0.02)
    quantile = (found.high - found.low) / 2 / found.error
    assert 1.96 < quantile < special.stdtrit(seeds - 1, 0.975)
