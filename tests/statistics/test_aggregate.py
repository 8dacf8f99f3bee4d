"""From statistics to a score, and what each unit adds to it."""

from __future__ import annotations

import numpy as np
import pytest

from recombine.metrics.base import aggregator_of
from recombine.metrics.surface import Bleu, Chrf
from recombine.statistics.aggregate import (
    MOST_CALLS,
    Aggregator,
    SampleUnits,
    cluster_codes,
    some_clusters,
)


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
    """One of each is not clustered, nor is exactly one cluster; a part of one is a single unit."""
    clusters = np.array([0, 0, 0, 1, 1, 2])
    assert some_clusters(None, np.array([0, 1])) is None
    assert some_clusters(clusters, None) is clusters
    assert some_clusters(clusters, np.array([0, 1, 2])) is None
    assert some_clusters(clusters, np.array([0, 1])).tolist() == [0, 0]
    assert some_clusters(clusters, np.array([0, 3, 5])) is None
    assert some_clusters(clusters, np.array([2, 3, 4])).tolist() == [0, 1, 1]


def test_contributions_have_the_score_as_mean_and_the_variance_of_the_ratio():
    """Of clusters of equal size Cochran's residuals; the variance of a ratio where they differ."""
    rows = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])[:, None]
    found = SampleUnits(6, np.array([0, 0, 1, 1, 2, 2])).contributions(rows, Aggregator("mean"))
    assert found == pytest.approx([50.0, 100.0, 50.0])
    generator = np.random.default_rng(1)
    clusters = np.repeat(np.arange(400), generator.integers(1, 9, 400))
    rows = generator.integers(0, 2, (len(clusters), 1)).astype(float)
    units = SampleUnits(len(rows), clusters)
    found = units.contributions(rows, Aggregator("mean"))
    residuals = 100 * (units.sums(rows)[:, 0] - rows.mean() * units.sizes) / units.sizes.mean()
    assert found.mean() == pytest.approx(100 * rows.mean())
    assert found.std() == pytest.approx(residuals.std(), rel=0.01)


@pytest.mark.parametrize("metric", [Bleu(), Chrf()])
def test_contributions_of_a_corpus_score_vary_like_bootstrap_samples(metric):
    """The standard error by leaving out is that of 4,000 samples drawn with replacement."""
    from recombine.benchmark import Example
    from recombine.metrics.base import Scored

    generator = np.random.default_rng(2)
    words = [
        "the",
        "a",
        "cat",
        "dog",
        "sat",
        "ran",
        "on",
        "under",
        "mat",
        "big",
        "red",
        "and",
        "then",
    ]
    rows = []
    for _ in range(150):
        reference = list(generator.choice(words, 12))
        output = [w if generator.random() < 0.7 else generator.choice(words) for w in reference]
        example = Example.make(source="x", references=(" ".join(reference),))
        rows.append(metric.observe([Scored(example, " ".join(output))]).stats)
    table = np.array(rows)
    found = SampleUnits(150, None).contributions(table, aggregator_of(metric))
    assert found.mean() == pytest.approx(metric.aggregate(table))
    counts = generator.multinomial(150, np.full(150, 1 / 150), 4_000)
    drawn = metric.aggregate_many(counts @ table)
    assert found.std(ddof=1) / np.sqrt(150) == pytest.approx(drawn.std(), rel=0.06)


def test_a_score_that_needs_python_leaves_out_groups():
    """3,000 calls of an aggregate are 1,000, and the standard error is nearly the same."""
    rows = np.random.default_rng(3).normal(50, 10, (3_000, 1))
    calls = []
    slow = Aggregator("rows", aggregate=lambda part: calls.append(1) or float(part.mean()))
    found = SampleUnits(3_000, None).contributions(rows, slow)
    assert (len(found), len(calls)) == (MOST_CALLS, MOST_CALLS + 1)
    errors = found.std(ddof=1) / np.sqrt(len(found)), rows.std(ddof=1) / np.sqrt(3_000)
    assert errors[0] == pytest.approx(errors[1], rel=0.1)


def test_a_share_is_of_verdicts_in_every_column_that_counts():
    """A mean looks at one column, a ratio at two."""
    rows = np.array([[1.0, 0.5], [0.0, 1.0]])
    assert Aggregator("mean").is_share(rows)
    assert not Aggregator("ratio").is_share(rows)
    assert Aggregator("ratio").is_share(np.array([[1.0, 1.0, 7.0], [0.0, 1.0, 7.0]]))
    assert Aggregator("ratio").counts(np.array([[0.0, 0.0], [0.0, 2.0]])).tolist() == [False, True]


@pytest.mark.parametrize(
    ("clusters", "effective"),
    [([0, 0, 1, 1, 2, 2], 3.0), ([0, 1, 2, 3], 4.0), ([0, 0, 0, 0, 1, 2], 2.0)],
)
def test_units_of_unequal_sizes_are_fewer(clusters, effective):
    """(sum of sizes)^2 / sum of squared sizes, which is their number where all are alike."""
    assert SampleUnits(len(clusters), np.array(clusters)).effective == pytest.approx(effective)


def test_nothing_has_no_units():
    """Nor a row of zeros in their place."""
    units = SampleUnits(0, None)
    assert (units.count, units.sums(np.empty((0, 2))).shape) == (0, (0, 2))
