"""Differences between samples of different sentences, by formulas written out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from recombine.statistics.aggregate import Aggregator
from recombine.statistics.intervals import TOO_FEW
from recombine.statistics.sample import Sample

FREE = Aggregator("mean", 1.0, (-math.inf, math.inf))


def sample(**tables):
    """Systems by name, each an array of seeds x sentences."""
    rows = {name: [seed[:, None] for seed in table] for name, table in tables.items()}
    return Sample(rows, FREE)


def scores(seeds, sentences, start=0):
    """Made-up scores, with some luck for each seed and sentence."""
    generator = np.random.default_rng(start)
    luck = generator.normal(0, 1, (seeds, 1)) + generator.normal(0, 1, (1, sentences))
    return luck + generator.normal(0, 0.5, (seeds, sentences))


def of_units(table, residual):
    """The variance of a mean over its sentences, without what the seeds' variance holds."""
    by_unit = table.mean(axis=0).var(ddof=1)
    return max(by_unit - residual / len(table), by_unit / 2) / table.shape[1], table.shape[1] - 1


def unexplained(table):
    """The residual mean square of seeds x sentences."""
    seeds, units = table.shape
    left = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    return (left**2).sum() / (seeds - 1) / (units - 1)


def by_hand(value, *parts):
    """The ends of a 95% interval: Student's quantiles weighed by the parts of the variance."""
    total = sum(variance for variance, _ in parts)
    student = sum(variance * stats.t.ppf(0.975, freedom) for variance, freedom in parts) / total
    half = student * math.sqrt(total)
    return pytest.approx((value, value - half, value + half))


def test_one_seed_each_is_of_the_sentences_alone():
    """Each sample brings the variance of its mean, with its own degrees of freedom."""
    first, second = scores(1, 12), scores(1, 20, 1)
    span = sample(a=first).unpaired_interval("a", sample(b=second), "b").span
    parts = [(table.var(ddof=1) / table.shape[1], table.shape[1] - 1) for table in (first, second)]
    assert span == by_hand(second.mean() - first.mean(), *parts)


def test_two_systems_have_one_variance_over_seeds():
    """It is pooled over both, with the degrees of freedom of both."""
    first, second = scores(2, 12), scores(4, 9, 1)
    pooled = [(table, (len(table) - 1) / 4) for table in (first, second)]
    by_seed = sum(weight * table.mean(axis=1).var(ddof=1) for table, weight in pooled)
    residual = sum(weight * unexplained(table) for table, weight in pooled)
    span = sample(a=first).unpaired_interval("a", sample(b=second), "b").span
    assert span == by_hand(
        second.mean() - first.mean(),
        (by_seed * (1 / 2 + 1 / 4), 4),
        of_units(first, residual),
        of_units(second, residual),
    )


def test_a_system_has_the_same_seeds_in_both_samples():
    """What varies is the difference of its seeds; a seed that is better in both changes nothing."""
    first, second = scores(3, 12), scores(3, 9, 1)
    between = second.mean(axis=1) - first.mean(axis=1)
    expected = by_hand(
        between.mean(),
        (between.var(ddof=1) / 3, 2),
        of_units(first, unexplained(first)),
        of_units(second, unexplained(second)),
    )
    luck = np.array([[-5.0], [0.0], [5.0]])
    for shift in (0, luck):
        span = sample(a=first + shift).unpaired_interval("a", sample(a=second + shift), "a").span
        assert span == expected
    two = sample(a=first + luck).unpaired_interval("a", sample(b=second + luck), "b")
    assert two.high - two.low > 10


def test_a_gain_has_no_luck_of_what_it_is_compared_with():
    """The neutral outputs are the same whatever the seed: only how the gain varies counts."""
    here, there = scores(3, 12), scores(3, 9, 1)
    neutral, elsewhere = scores(2, 12, 2), scores(2, 9, 3)
    gain, other = neutral.mean(axis=0) - here, elsewhere.mean(axis=0) - there
    between = gain.mean(axis=1) - other.mean(axis=1)
    expected = by_hand(
        between.mean(),
        (between.var(ddof=1) / 3, 2),
        of_units(gain, unexplained(gain)),
        of_units(other, unexplained(other)),
    )
    for luck in (0.0, np.array([[-7.0], [7.0]])):
        found = sample(a=here, n=neutral + luck).gain_interval(
            "a", "n", sample(a=there, n=elsewhere + luck)
        )
        assert found.span == expected


@pytest.mark.parametrize("few", [1, 2])
def test_two_sentences_on_either_side_say_nothing(few):
    """How others would score is not known from them; of three something is."""
    small, large = (
        sample(a=scores(1, few), n=scores(1, few, 1)),
        sample(a=scores(1, 9, 2), n=scores(1, 9, 3)),
    )
    for one, other in ((small, large), (large, small)):
        for span in (one.unpaired_interval("a", other, "n"), one.gain_interval("a", "n", other)):
            assert math.isfinite(span.value)
            assert math.isnan(span.low)
            assert span.method == TOO_FEW
    assert math.isnan(small.paired_interval("a", "n").low)
    three = sample(a=scores(1, 3), n=scores(1, 3, 1))
    assert math.isfinite(three.unpaired_interval("a", large, "n").low)
    assert math.isfinite(three.gain_interval("a", "n", large).low)
    assert math.isfinite(three.paired_interval("a", "n").low)


def test_what_has_no_score_has_no_interval():
    """Nothing was judged in one of the samples."""
    nothing = Sample({"a": [np.zeros((9, 2))], "n": [np.zeros((9, 2))]}, Aggregator("ratio"))
    some = Sample({name: [np.ones((9, 2))] for name in "an"}, Aggregator("ratio"))
    for span in (
        nothing.unpaired_interval("a", some, "n"),
        nothing.gain_interval("a", "n", some),
        nothing.paired_interval("a", "n"),
    ):
        assert np.isnan(span.span).all()
        assert span.method == TOO_FEW


def test_a_score_that_rests_on_one_unit_has_no_interval():
    """Without that unit there is no score, so nobody knows what another sample would give."""
    share = Aggregator(
        "sums",
        limits=(0.0, 1.0),
        aggregate=lambda rows: (
            float(rows[:, 0].sum() / rows[:, 1].sum()) if rows[:, 1].sum() else math.nan
        ),
    )
    rows = np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    both = Sample({"a": [rows], "b": [rows / 2]}, share)
    for found in (both.interval("a"), both.difference("a", "b"), both.paired_interval("a", "b")):
        assert math.isfinite(found.value)
        assert math.isnan(found.low)
        assert found.method == TOO_FEW
    assert math.isnan(both.unpaired_interval("a", both, "b").low)
