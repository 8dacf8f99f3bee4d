"""Intervals against independent implementations and simulations with known truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import proportion_confint

from recombine.metrics.base import aggregator_of
from recombine.metrics.surface import Chrf
from recombine.statistics.intervals import (
    Aggregator,
    bootstrap_scores,
    cluster_codes,
    clustered_table,
    interval,
    percentile_interval,
    some_clusters,
    student_interval,
    wilson,
)
from recombine.statistics.resample import Draws, resample_sums

SHARE = Aggregator("mean", 1.0, (0.0, 1.0))


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


def test_bootstrap_of_shares_has_the_binomial_spread():
    """The fast path for 0/1 values has the mean and sd of a true bootstrap."""
    rows = np.r_[np.ones(300), np.zeros(700)][:, None]
    scores = bootstrap_scores(rows, SHARE, Draws([rows]), samples=20_000)
    assert scores.mean() == pytest.approx(0.3, abs=0.001)
    assert scores.std() == pytest.approx(np.sqrt(0.3 * 0.7 / 1000), rel=0.03)


def test_bootstrap_agrees_with_scipy():
    """Percentile intervals of a skewed sample equal scipy's within Monte Carlo error."""
    values = np.random.default_rng(2).exponential(1.0, 300)
    rows = values[:, None]
    scores = bootstrap_scores(rows, SHARE, Draws([rows]), samples=8000)
    theirs = scipy_stats.bootstrap(
        (values,), np.mean, n_resamples=8000, method="percentile", rng=3
    ).confidence_interval
    assert np.quantile(scores, [0.025, 0.975]) == pytest.approx(
        [theirs.low, theirs.high], abs=0.012
    )


def test_clustered_bootstrap_covers_the_truth():
    """Resampling clusters covers the truth 93 to 97% of 2,000 times; ignoring them fails."""
    generator = np.random.default_rng(4)
    clusters = np.repeat(np.arange(60), 5)
    honest = naive = 0
    for _ in range(2000):
        chance = np.clip(0.5 + generator.normal(0, 0.3, 60), 0, 1)
        rows = (generator.random(300) < chance[clusters]).astype(float)[:, None]
        draws = Draws([rows], int(generator.integers(9e9)), clusters)
        span = interval(rows, SHARE, draws, samples=400)
        honest += span.low <= 0.5 <= span.high
        naive_span = wilson(float(rows.sum()), 300)
        naive += naive_span.low <= 0.5 <= naive_span.high
    assert 0.93 <= honest / 2000 <= 0.97
    assert naive / 2000 < 0.90


def test_resampled_sums_are_exact_for_few_and_many_distinct_rows():
    """Both ways of resampling give sums with the same mean and covariance."""
    generator = np.random.default_rng(5)
    narrow = generator.integers(0, 3, size=(500, 2)).astype(float)
    wide = np.concatenate([narrow, generator.random((500, 6)) * 1e-9], axis=1)
    fast = np.concatenate(list(resample_sums(narrow, 4000, generator)))
    slow = np.concatenate(list(resample_sums(wide, 4000, generator)))[:, :2]
    assert fast.mean(axis=0) == pytest.approx(slow.mean(axis=0), rel=0.01)
    assert np.cov(fast.T) == pytest.approx(np.cov(slow.T), rel=0.12, abs=25)


def test_every_kind_is_aggregated_by_its_declaration():
    """A score of rows is the score of their sums, and a percentage is a hundred times a share."""
    rows = np.random.default_rng(6).integers(0, 2, size=(50, 2)).astype(float)
    total = rows.sum(axis=0, keepdims=True)
    for made, expected in (
        (Aggregator("mean"), 100 * rows[:, 0].mean()),
        (Aggregator("mean", 1.0), rows[:, 0].mean()),
        (Aggregator("ratio"), 100 * rows[:, 0].sum() / rows[:, 1].sum()),
        (Aggregator("sums", aggregate=lambda r: float(r.sum() ** 2)), rows.sum() ** 2),
    ):
        assert made.from_rows(rows) == pytest.approx(expected)
        assert made.from_sums(total, np.array([50.0])) == pytest.approx([expected])
    assert np.isnan(Aggregator("ratio").from_rows(np.zeros((3, 2))))
    assert np.isnan(Aggregator("mean").from_rows(np.empty((0, 1))))


def test_what_could_not_be_judged_has_no_part_in_a_share():
    """Nothing judged literal in 50 of 90 idioms is 0 to 7.1 percent, as for 50 of 50."""
    rows = np.array([[0.0, 1.0]] * 50 + [[0.0, 0.0]] * 40)
    span = interval(rows, Aggregator("ratio"), Draws([rows]))
    assert (span.estimate, span.low) == (0, 0)
    assert span.high == pytest.approx(7.13, abs=0.01)
    alone = interval(rows[:50, :1], Aggregator("mean"), Draws([rows[:50, :1]]))
    assert span == alone


def test_wilson_is_for_shares_only():
    """A mean on another scale, though all its values are 0 or 1, is resampled."""
    rows = np.r_[np.ones(30), np.zeros(30)][:, None]
    assert interval(rows, Aggregator("mean"), Draws([rows])).method == "wilson"
    wide = interval(rows, Aggregator("mean", 100.0, (0.0, 200.0)), Draws([rows]))
    assert wide.method == "bootstrap"


@pytest.mark.parametrize("metric", ["bleu", "chrf", "chrf++"])
def test_vectorised_corpus_scores_equal_sacrebleu(metric):
    """aggregate_many gives sacrebleu's own score for sums of every kind, zeros included."""
    from recombine.benchmark import Example
    from recombine.metrics.base import Scored
    from recombine.registry import create

    scorer = create("metric", metric, {})
    pairs = [
        ("the cat sat on the mat", "the cat sat on a mat"), ("", "nothing at all"),
        ("completely different words", "not one of these"), ("a b", "a b"),
        ("one two three four five", "one two three five four"),
    ]  # fmt: skip
    rows = np.array(
        [
            scorer.observe([Scored(Example.make(source="x", references=(ref,)), hyp)]).stats
            for hyp, ref in pairs
        ]
    )
    sums = np.array(
        [rows[list(part)].sum(axis=0) for part in ([0], [1], [2], [3, 4], [0, 1, 2, 3, 4])]
    )
    expected = [scorer.aggregate(row[None, :]) for row in sums]
    assert scorer.aggregate_many(sums) == pytest.approx(expected, abs=1e-9)


def test_one_observation_has_no_interval():
    """How other sentences would score is not known from one; no width of zero is claimed."""
    chrf = Chrf()
    rows = np.array([[10.0, 10.0, 7.0] * 6])
    found = interval(rows, aggregator_of(chrf), Draws([rows]))
    assert found.estimate == pytest.approx(70)
    assert np.isnan([found.low, found.high]).all()
    # Nor is it where one of many could be judged.
    judged = np.array([[3.5, 5.0], [0.0, 0.0], [0.0, 0.0]])
    assert np.isnan(interval(judged, Aggregator("ratio"), Draws([judged])).low)
    # A verdict is one trial: Wilson's interval knows what that is worth.
    right = np.array([[1.0]])
    assert interval(right, Aggregator("mean"), Draws([right])).low == pytest.approx(20.65, abs=0.1)


def test_a_percentile_interval_leaves_half_the_rest_on_each_side():
    """95% of the samples lie inside, 2.5% below and 2.5% above."""
    found = percentile_interval(500.0, np.arange(1001.0))
    assert (found.low, found.high) == pytest.approx((25.0, 975.0))
    assert percentile_interval(500.0, np.arange(1001.0), 0.5)[1:3] == pytest.approx((250.0, 750.0))


def test_labels_become_clusters_and_an_empty_one_stays_alone():
    """Equal labels share a number, no two empty ones do; where nothing is shared there is none."""
    codes = cluster_codes(["a", "", "b", "", "a"])
    assert codes is not None
    assert codes[0] == codes[4]
    assert len(set(codes.tolist())) == 4
    assert cluster_codes(["a", "b", "c"]) is None
    assert cluster_codes(["a", "a", "a"]) is None
    assert cluster_codes(["a", "a", "b"]) is not None  # two clusters are enough


def test_clusters_of_a_part_are_those_of_its_observations():
    """A part of one cluster, or one of each, is not clustered."""
    clusters = np.array([0, 0, 1, 1, 2])
    assert some_clusters(None, [0, 1]) is None
    assert some_clusters(clusters, None) is clusters
    assert some_clusters(clusters, [0, 1]) is None
    assert some_clusters(clusters, [0, 2, 4]) is None
    assert some_clusters(clusters, [1, 2, 3]).tolist() == [0, 1, 1]


def test_a_clustered_table_keeps_the_mean_and_has_the_variance_of_the_ratio():
    """Its standard error is Cochran's for a ratio of cluster totals, sizes differing."""
    values = np.array([[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]])
    clusters = np.array([0, 0, 1, 1, 1, 2])
    table = clustered_table(values, clusters)
    assert table.shape == (1, 3)
    assert table.mean() == pytest.approx(values.mean())
    mean, mean_size = values.mean(), 2.0
    residuals = np.array([1 - 2 * mean, 2 - 3 * mean, 1 - mean])
    assert table[0] - mean == pytest.approx(residuals / mean_size)


def test_rows_are_resampled_one_by_one():
    """A score of rows is computed for every sample; a mean never looks at other columns."""
    rows = np.array([[1.0, 9.0], [3.0, 9.0], [5.0, 9.0]])
    median = Aggregator("rows", aggregate=lambda drawn: float(np.median(drawn[:, 0])))
    scores = bootstrap_scores(rows, median, Draws([rows]), samples=300)
    assert scores.shape == (300,)
    assert set(scores) == {1.0, 3.0, 5.0}
    means = bootstrap_scores(rows, SHARE, Draws([rows]), samples=300)
    assert means.shape == (300,)
    assert means.mean() == pytest.approx(3.0, abs=0.3)


def test_a_share_is_of_verdicts_in_every_column_that_counts():
    """A mean looks at one column, a ratio at two; nothing tried may be any share."""
    rows = np.array([[1.0, 0.5], [0.0, 1.0]])
    assert Aggregator("mean").is_share(rows)
    assert not Aggregator("ratio").is_share(rows)
    weighed = np.array([[1.0, 1.0, 7.0], [0.0, 1.0, 7.0]])
    assert Aggregator("ratio").is_share(weighed)
    assert wilson(0, 0)[1:3] == (0.0, 1.0)
    assert np.isnan(wilson(0, 0).estimate)


@pytest.mark.parametrize("freedom", [1, 4, 30])
def test_a_student_interval_is_that_of_scipy(freedom):
    """Also with less than one degree of freedom, which counts as one; no variance has no width."""
    found = student_interval(3.0, 4.0, freedom, 0.9, "t")
    assert found[1:3] == pytest.approx(scipy_stats.t.interval(0.9, freedom, 3.0, 2.0))
    assert student_interval(3.0, 4.0, 0.2, 0.9, "t") == student_interval(3.0, 4.0, 1, 0.9, "t")
    assert student_interval(3.0, 0.0, freedom, 0.9, "t")[1:3] == (3.0, 3.0)
    assert np.isnan(student_interval(3.0, float("inf"), freedom, 0.9, "t").low)


def test_all_right_in_clusters_is_one_trial_a_cluster():
    """Ten right answers of four words are worth four trials."""
    rows = np.ones((10, 1))
    clusters = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3, 3])
    found = interval(rows, Aggregator("mean"), Draws([rows], 0, clusters))
    assert found.method == "wilson over clusters"
    assert found[:3] == pytest.approx([100 * part for part in wilson(4, 4)[:3]])
    # Also where a single one could be judged.
    judged = np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    alone = interval(judged, Aggregator("ratio"), Draws([judged], 0, np.array([0, 0, 1])))
    assert alone[:3] == pytest.approx([100 * part for part in wilson(1, 1)[:3]])
