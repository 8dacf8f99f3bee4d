"""Samples of several systems and seeds: coverage, size, and what is too little to tell."""

from __future__ import annotations

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest
from scipy import special

from recombine.metrics.base import aggregator_of
from recombine.metrics.surface import Chrf
from recombine.statistics.aggregate import Aggregator
from recombine.statistics.intervals import TOO_FEW, wilson
from recombine.statistics.sample import Sample

SHARE = Aggregator("mean", 1.0, (0.0, 1.0))
WORDS = ("the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "big", "red", "and", "then")


def translations(generator: np.random.Generator, references: list[str], noise: float) -> list[str]:
    """References with a share of words replaced."""
    return [
        " ".join(
            WORDS[int(generator.integers(len(WORDS)))] if generator.random() < noise else word
            for word in text.split()
        )
        for text in references
    ]


def corpus(seed: int, first_noise: float, second_noise: float, size: int = 60):
    """References and two systems' outputs."""
    generator = np.random.default_rng(seed)
    references = [
        " ".join(WORDS[i] for i in generator.integers(len(WORDS), size=generator.integers(5, 15)))
        for _ in range(size)
    ]
    return (
        references,
        translations(generator, references, first_noise),
        translations(generator, references, second_noise),
    )


def statistics_of(metric, hypotheses, references):
    """Rows of sufficient statistics and the aggregator of a sacrebleu metric."""
    rows = np.array(metric._extract_corpus_statistics(hypotheses, [references]), dtype=float)
    return rows, Aggregator(
        "sums",
        aggregate=lambda stats: metric._compute_score_from_stats(stats.sum(axis=0).tolist()).score,
    )


def interval(tables, aggregator=SHARE, clusters=None):
    """The interval of one system."""
    return Sample({"a": tables}, aggregator, clusters).interval("a")


def difference(first, second, aggregator=SHARE, clusters=None, **options):
    """Second minus first."""
    return Sample({"a": first, "b": second}, aggregator, clusters, **options).difference("a", "b")


def verdicts(generator, seeds, share, clusters, spread, ease=0.0, ease_spread=0.0):
    """Right/wrong tables of one system; sentences of a cluster share ease, taste and luck."""
    words = int(clusters.max()) + 1
    luck = generator.normal(0, spread, (seeds, 1))
    taste = generator.normal(0, 0.5, words)
    total = np.sqrt(1 + 0.5**2 + spread**2 + ease_spread**2)
    level = special.ndtri(share) * total + (ease + taste)[clusters] + luck
    noise = generator.normal(0, 1, (seeds, len(clusters)))
    return [row[:, None].astype(float) for row in level + noise > 0]


@pytest.mark.parametrize("words", [3, 5, 10, 20, 60])
def test_few_clusters_cover_the_truth(words):
    """93% at least; the percentile bootstrap covered 75% with three clusters and 91 with ten."""
    clusters = np.repeat(np.arange(words), 5)
    for share in (0.5, 0.9):
        generator = np.random.default_rng(words)
        hits = 0
        for _ in range(1_000):
            span = interval(verdicts(generator, 1, share, clusters, 0.0), SHARE, clusters)
            hits += span.low <= share <= span.high
        assert hits / 1_000 >= 0.925


def test_clusters_of_unequal_sizes_know_less():
    """Counted as equal ones they covered 87% of grades; their degrees of freedom are fewer."""
    generator = np.random.default_rng(4)
    spread = np.hypot(0.5, 0.5)
    level = special.ndtri(0.05) * np.hypot(1, spread)
    truth = float(special.ndtr(generator.normal(level, spread, 200_000)).mean())
    hits = 0
    for _ in range(1_000):
        clusters = np.repeat(np.arange(4), np.minimum(generator.geometric(0.25, 4), 15))
        right = special.ndtr(generator.normal(level, spread, 4))[clusters]
        grades = generator.beta(3 * right + 0.05, 3 * (1 - right) + 0.05)[:, None]
        span = interval([grades], SHARE, clusters)
        hits += span.low <= (3 * truth + 0.05) / 3.1 <= span.high
    assert hits / 1_000 >= 0.91


def test_single_sentences_of_clusters_deceive():
    """Ignoring clusters covers far too little, where clusters matter."""
    generator = np.random.default_rng(1)
    clusters = np.repeat(np.arange(40), 10)
    hits = sum(
        abs(span.value - 0.5) <= (span.high - span.low) / 2
        for span in (interval(verdicts(generator, 1, 0.5, clusters, 0.0)) for _ in range(400))
    )
    assert hits / 400 < 0.85


@pytest.mark.parametrize("seeds", [(1, 2), (1, 3), (2, 2), (3, 3), (1, 5)])
def test_equal_systems_with_seeds_differ_in_five_percent(seeds):
    """A borrowed variance counted as independent made that 16% for one seed against two."""
    generator = np.random.default_rng(sum(seeds))
    clusters = np.arange(200)
    alarms = 0
    for _ in range(800):
        ease = generator.normal(0, 0.5, 200)
        first, second = (
            verdicts(generator, count, 0.5, clusters, 0.2, ease, 0.5) for count in seeds
        )
        alarms += difference(first, second).p_value < 0.05
    assert 0.02 <= alarms / 800 <= 0.073


def test_clustered_differences_have_size_five_percent():
    """Whole words are exchanged; single sentences deceive."""
    generator = np.random.default_rng(12)
    clusters = np.repeat(np.arange(40), 10)
    honest = naive = 0
    for _ in range(500):
        first, second = (verdicts(generator, 1, 0.5, clusters, 0.0) for _ in range(2))
        honest += difference(first, second, clusters=clusters, trials=300).p_value < 0.05
        naive += difference(first, second).p_value < 0.05
    assert 0.025 <= honest / 500 <= 0.075
    assert naive / 500 > 0.15


def test_no_verdict_rests_on_zero_variance():
    """Three seeds that all get three sentences right against none: what one seed says, .25."""
    right, wrong = np.ones((3, 1)), np.zeros((3, 1))
    for seeds in (1, 3):
        found = difference([wrong] * seeds, [right] * seeds)
        assert (found.p_value, found.method) == (0.25, TOO_FEW)
        assert found.low < 0.5 < found.high == 1.0
    many = difference([np.zeros((30, 1))] * 2, [np.ones((30, 1))] * 2)
    assert many.p_value == pytest.approx(2**-29)
    same = difference([right] * 2, [right] * 2)
    assert (same.value, same.p_value) == (0.0, 1.0)
    # A little variance is no better: one seed that misses one sentence.
    nearly = difference([wrong] * 3, [right, right, np.array([[1.0], [1.0], [0.0]])])
    assert nearly.p_value >= 0.25


def test_all_right_in_every_seed_is_not_certainty():
    """100% over three seeds of 40 sentences leaves room for rare errors, of 8 words for more."""
    assert interval([np.ones((40, 1))] * 3).span == pytest.approx(wilson(40, 40).span)
    clusters = np.arange(40) // 5
    assert interval([np.ones((40, 1))], SHARE, clusters).span == pytest.approx(wilson(8, 8).span)


def test_what_could_not_be_judged_is_no_unit():
    """Nothing judged literal in 50 of 90 idioms is 0 to 7.1 percent, as for 50 of 50."""
    rows = np.array([[0.0, 1.0]] * 50 + [[0.0, 0.0]] * 40)
    span = interval([rows], Aggregator("ratio"))
    assert (span.value, span.low) == (0, 0)
    assert span.high == pytest.approx(7.13, abs=0.01)
    assert span == interval([rows[:50, :1]], Aggregator("mean"))
    nothing = interval([np.zeros((9, 2))], Aggregator("ratio"))
    clustered = interval([np.zeros((9, 2))], Aggregator("ratio"), np.arange(9) // 3)
    for found in (nothing, clustered):
        assert np.isnan([found.low, found.high]).all()
        assert found.method == TOO_FEW


@pytest.mark.parametrize("units", [1, 2])
def test_one_or_two_units_have_no_interval(units):
    """How others would score is not known from them, with one seed or several."""
    rows = np.array([[10.0, 10.0, 7.0] * 6, [10.0, 10.0, 4.0] * 6])[:units]
    chrf = aggregator_of(Chrf())
    for seeds in (1, 2):
        span = interval([rows] * seeds, chrf)
        assert np.isnan([span.low, span.high]).all()
        found = difference([rows] * seeds, [rows[:, ::-1]] * seeds, chrf)
        assert (found.p_value, np.isnan(found.low)) == (1.0, True)
    # A verdict is one trial: Wilson's interval knows what that is worth.
    assert interval([np.ones((1, 1))]).low == pytest.approx(0.2065, abs=0.001)


def test_a_standard_error_is_one():
    """Not the half-width of a t interval by the normal quantile, which three seeds double."""
    generator = np.random.default_rng(2)
    tables = [generator.normal(level, 1, (400, 1)) for level in (48, 50, 52)]
    span = interval(tables, Aggregator("mean", 1.0, (0.0, 100.0)))
    means = [table.mean() for table in tables]
    assert span.error == pytest.approx(np.std(means, ddof=1) / np.sqrt(3), rel=0.02)
    assert interval([np.repeat([[1.0], [0.0]], 50, axis=0)]).error == pytest.approx(0.05)


def test_a_mean_on_another_scale_is_no_share():
    """Though all its values are 0 or 1."""
    rows = np.r_[np.ones(30), np.zeros(30)][:, None]
    assert interval([rows], Aggregator("mean")).method == "Wilson"
    assert interval([rows], Aggregator("mean", 100.0, (0.0, 200.0))).method != "Wilson"


def test_an_interval_says_over_what_it_is():
    """Seeds, items or clusters of them."""
    generator = np.random.default_rng(3)
    tables = [generator.integers(0, 2, (40, 1)).astype(float) for _ in range(2)]
    assert interval(tables).method == "seeds and items"
    assert interval(tables, SHARE, np.arange(40) // 2).method == "seeds and clusters"
    assert interval(tables[:1], SHARE, np.arange(40) // 2).method == "Student's t over clusters"


def test_mcnemar_is_for_single_verdicts_alone():
    """Not for shares, verdicts that belong together or several seeds; all judged is a mean."""
    one, other = np.array([[1.0], [0.0]] * 20), np.array([[1.0], [1.0]] * 20)
    assert difference([one], [other]).method == "McNemar"
    assert difference([one], [other], clusters=np.arange(40) // 2).method != "McNemar"
    assert difference([one / 2], [other / 2]).method == "approximate randomisation"
    assert "seeds" in difference([one] * 2, [other] * 2).method
    judged = [np.column_stack([part, np.ones(40)]) for part in (one, other)]
    found = difference(*([part] for part in judged), Aggregator("ratio", 1.0, (0.0, 1.0)))
    assert (found.value, found.method) == (0.5, "McNemar")


@pytest.mark.parametrize("noises", [(0.30, 0.29), (0.30, 0.22)])
@pytest.mark.parametrize(("make", "ours"), [(BLEU, "bleu"), (CHRF, "chrf")])
def test_p_values_agree_with_sacrebleu(noises, make, ours):
    """Approximate randomisation gives sacrebleu's p-values."""
    from recombine.registry import create

    references, first, second = corpus(11, *noises)
    systems = [("first", first), ("second", second)]
    test = PairedTest(systems, {"it": make()}, [references], test_type="ar", n_samples=600)
    _, scores = test()
    (theirs,) = (rows[1] for name, rows in scores.items() if name != "System")
    tables = [
        [np.array(make()._extract_corpus_statistics(texts, [references]), dtype=float)]
        for texts in (first, second)
    ]
    found = difference(*tables, aggregator_of(create("metric", ours, {})))
    # Two Monte Carlo estimates with 600 and 2,000 trials differ by up to about .06 near p = .5.
    assert found.p_value == pytest.approx(theirs.p_value, abs=0.06)
    assert found.value == pytest.approx(
        make().corpus_score(second, [references]).score
        - make().corpus_score(first, [references]).score
    )


def test_a_score_of_rows_is_exchanged_row_by_row():
    """The same trials as a mean, and whole clusters; a p-value by rows is that by sums."""
    generator = np.random.default_rng(13)
    first, second = (generator.random((40, 1)) + shift for shift in (0.0, 0.1))
    wide = Aggregator("mean", 1.0, (-10.0, 10.0))
    by_row = Aggregator("rows", 1.0, (-10.0, 10.0), aggregate=wide.from_rows)
    for clusters in (None, np.arange(40) // 4):
        one, other = (
            difference([first], [second], made, clusters, trials=200) for made in (wide, by_row)
        )
        assert one.p_value == other.p_value
        assert one.span == pytest.approx(other.span)


def test_a_clear_difference_survives_any_number_of_comparisons():
    """2,000 trials have no p below .0005, which 105 pairs of 15 systems multiply to .0525."""
    generator = np.random.default_rng(5)
    poor, good = (generator.poisson(rate, (100, 18)).astype(float) + 5 for rate in (1, 1))
    good[:, 2::3] = good[:, 0::3]
    good[:, 1::3] = good[:, 0::3]
    poor[:, 2::3] = 0
    poor[:5, 2::3] = 1
    found = difference([poor], [good], aggregator_of(Chrf()))
    assert found.value > 90
    assert found.p_value < 1e-9
    few = difference([poor[:7]], [good[:7]], aggregator_of(Chrf()))
    assert few.p_value >= 2**-6


def test_the_same_seed_gives_the_same_trials():
    """And all pairs of systems meet the same ones."""
    generator = np.random.default_rng(6)
    tables = {name: [generator.random((50, 1))] for name in "abc"}
    three = Sample(tables, SHARE, seed=4)
    two = Sample({name: tables[name] for name in "ac"}, SHARE, seed=4)
    assert three.difference("a", "c") == two.difference("a", "c")


def test_five_seeds_on_few_clusters_keep_their_coverage():
    """Where chance left nothing but the seeds' variance, 95% intervals covered 92%."""
    generator = np.random.default_rng(11)
    clusters = np.repeat(np.arange(8), 5)
    hits = 0
    experiments = 400
    total = np.sqrt(1 + 0.5**2 + 0.5**2 + 0.2**2 + 0.3**2)
    for _ in range(experiments):
        ease = generator.normal(0, np.hypot(0.5, 0.5), 8)
        luck = generator.normal(0, 0.3, (5, 1)) + generator.normal(0, 0.2, (5, 8))
        level = -1.6449 * total + (ease + luck)[:, clusters] + generator.normal(0, 1, (5, 40))
        rows = [(row > 0).astype(float)[:, None] for row in level]
        span = Sample({"a": rows}, Aggregator("mean"), clusters).interval("a")
        hits += span.low <= 5 <= span.high
    assert 100 * hits / experiments >= 95
