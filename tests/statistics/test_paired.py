"""Paired tests against sacrebleu, statsmodels and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests

from recombine.statistics.intervals import Aggregator
from recombine.statistics.paired import (
    approximate_randomisation,
    holm,
    mcnemar,
    p_value_from_trials,
    paired_bootstrap,
    sacrebleu_bootstrap_p,
    tied_sets,
)
from recombine.statistics.resample import Draws

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


@pytest.mark.parametrize("noises", [(0.30, 0.29), (0.30, 0.22)])
@pytest.mark.parametrize("make", [BLEU, CHRF])
def test_p_values_agree_with_sacrebleu(noises, make):
    """Paired bootstrap and approximate randomisation give sacrebleu's p-values."""
    references, first, second = corpus(11, *noises)
    metric = make()
    rows_first, aggregator = statistics_of(metric, first, references)
    rows_second, _ = statistics_of(metric, second, references)
    systems = [("first", first), ("second", second)]
    theirs = {}
    for kind, count in (("bs", 600), ("ar", 600)):
        test = PairedTest(systems, {"it": make()}, [references], test_type=kind, n_samples=count)
        _, scores = test()
        (result,) = (rows[1] for name, rows in scores.items() if name != "System")
        theirs[kind] = result.p_value
    pair = [rows_first, rows_second]
    mine_bs = sacrebleu_bootstrap_p(*pair, aggregator, Draws(pair), 2000)
    mine_ar = approximate_randomisation(*pair, aggregator, Draws(pair), trials=2000).p_value
    # Two Monte Carlo estimates with 600 and 2,000 trials differ by up to about .06 near p = .5.
    assert mine_bs == pytest.approx(theirs["bs"], abs=0.06)
    assert mine_ar == pytest.approx(theirs["ar"], abs=0.06)


@pytest.mark.parametrize("size", [30, 400])
def test_mcnemar_equals_statsmodels(size):
    """Exact for few, chi-square with correction for many discordant pairs."""
    generator = np.random.default_rng(size)
    first, second = generator.random(size) < 0.6, generator.random(size) < 0.7
    found = mcnemar(first, second)
    table = [
        [np.sum(first & second), np.sum(first & ~second)],
        [np.sum(~first & second), np.sum(~first & ~second)],
    ]
    exact = found.only_first + found.only_second < 25
    expected = statsmodels_mcnemar(table, exact=exact, correction=True).pvalue
    assert found.p_value == pytest.approx(expected)


def test_size_of_paired_tests_is_five_percent():
    """Two systems that are equal by construction differ significantly in about 5% of cases."""
    generator = np.random.default_rng(3)
    aggregator = Aggregator("mean", 1.0, (0.0, 1.0))
    rejected = dict.fromkeys(("mcnemar", "bootstrap", "randomisation"), 0)
    for trial in range(2000):
        hard = generator.random(200)
        first = (generator.random(200) < hard).astype(float)[:, None]
        second = (generator.random(200) < hard).astype(float)[:, None]
        rejected["mcnemar"] += mcnemar(first[:, 0] == 1, second[:, 0] == 1).p_value < 0.05
        draws = Draws([first, second], trial)
        found = paired_bootstrap(first, second, aggregator, draws, samples=300)
        rejected["bootstrap"] += found.p_value < 0.05
        if trial < 600:
            found = approximate_randomisation(
                first, second, aggregator, draws, trials=300, bootstrap_samples=10
            )
            rejected["randomisation"] += found.p_value < 0.05
    # McNemar's continuity correction is conservative; it may reject less, never more.
    assert 0.015 <= rejected["mcnemar"] / 2000 <= 0.06
    assert 0.035 <= rejected["bootstrap"] / 2000 <= 0.065
    assert 0.025 <= rejected["randomisation"] / 600 <= 0.08


def test_paired_difference_interval_covers_the_truth():
    """The interval of a paired difference holds the true gain in 93 to 97% of 2,000 experiments."""
    generator = np.random.default_rng(4)
    aggregator = Aggregator("mean", 1.0, (0.0, 1.0))
    hits = 0
    for trial in range(2000):
        hard = generator.random(300)
        first = (generator.random(300) < hard).astype(float)[:, None]
        second = (generator.random(300) < np.minimum(hard + 0.1, 1)).astype(float)[:, None]
        draws = Draws([first, second], trial)
        found = paired_bootstrap(first, second, aggregator, draws, samples=400)
        hits += found.low <= 0.095 <= found.high  # E[min(h + .1, 1)] - E[h] for uniform h
    assert 0.93 <= hits / 2000 <= 0.97


def clustered_pair(generator, words=40, per_word=10, gain=0.0):
    """Verdicts of two systems whose luck is shared by the sentences of one target word."""
    clusters = np.repeat(np.arange(words), per_word)
    ease = generator.normal(0, 1, words)
    verdicts = []
    for shift in (0.0, gain):
        taste = generator.normal(shift, 0.8, words)
        noise = generator.normal(0, 1, words * per_word)
        verdicts.append(((ease + taste)[clusters] + noise > 0).astype(float)[:, None])
    return verdicts[0], verdicts[1], clusters


def test_clustered_paired_test_has_size_five_percent():
    """Equal systems that favour whole words differ in 5% of experiments; single keys deceive."""
    generator = np.random.default_rng(12)
    share = Aggregator("mean", 1.0, (0.0, 1.0))
    rejected = dict.fromkeys(("clusters", "keys", "bootstrap"), 0)
    for trial in range(1000):
        first, second, clusters = clustered_pair(generator)
        draws = Draws([first, second], trial, clusters)
        found = approximate_randomisation(
            first, second, share, draws, trials=300, bootstrap_samples=10
        )
        rejected["clusters"] += found.p_value < 0.05
        rejected["keys"] += mcnemar(first[:, 0] == 1, second[:, 0] == 1).p_value < 0.05
        drawn = paired_bootstrap(first, second, share, draws, samples=300)
        rejected["bootstrap"] += drawn.low > 0 or drawn.high < 0
    assert 0.03 <= rejected["clusters"] / 1000 <= 0.07
    assert 0.03 <= rejected["bootstrap"] / 1000 <= 0.08
    assert rejected["keys"] / 1000 > 0.15


def test_clusters_of_one_key_change_nothing():
    """With every key its own cluster the randomisation swaps the same keys."""
    generator = np.random.default_rng(13)
    first, second, _ = clustered_pair(generator, gain=0.3)
    share = Aggregator("mean", 1.0, (0.0, 1.0))
    plain = approximate_randomisation(first, second, share, Draws([first, second]), trials=500)
    draws = Draws([first, second], clusters=np.arange(len(first)))
    alone = approximate_randomisation(first, second, share, draws, trials=500)
    assert alone.p_value == plain.p_value
    by_row = Aggregator("rows", aggregate=share.from_rows)
    rowwise = approximate_randomisation(
        first, second, by_row, draws, trials=500, bootstrap_samples=5
    )
    assert rowwise.p_value == plain.p_value


def test_holm_equals_statsmodels():
    """Holm's adjustment is that of statsmodels, ties included."""
    for seed in range(20):
        values = np.round(np.random.default_rng(seed).random(12) ** 3, 3)
        assert holm(list(values)) == pytest.approx(multipletests(values, method="holm")[1])


def test_tied_sets_split_only_where_everyone_differs():
    """A chain of indistinguishable neighbours stays together."""
    pairs = {frozenset(pair) for pair in (("a", "c"), ("a", "d"), ("b", "d"), ("c", "d"))}
    assert tied_sets(["a", "b", "c", "d"], pairs) == [["a", "b", "c"], ["d"]]
    assert tied_sets(["a", "b"], set()) == [["a", "b"]]
    assert tied_sets([], set()) == []


def test_no_trial_beyond_is_no_certainty():
    """With 99 trials the least p-value is 1 in 100 (Noreen 1989), and ties count."""
    assert p_value_from_trials(np.zeros(99), 5.0) == 0.01
    assert p_value_from_trials(np.array([0.0, 5.0, 6.0]), 5.0) == 0.75


@pytest.mark.parametrize(("observed", "margin"), [(0.25, 1e-9), (1.0, 1e-9), (2e6, 2e-3)])
def test_ties_are_ties_up_to_rounding(observed, margin):
    """A billionth of the scale, which is that of percents at least."""
    assert p_value_from_trials(np.array([0.0, observed - 0.9 * margin]), observed) == 2 / 3
    assert p_value_from_trials(np.array([0.0, observed - 1.1 * margin]), observed) == 1 / 3


def test_two_items_have_an_interval_and_one_has_none():
    """A single item cannot differ from itself; two can, if only in two ways."""
    share = Aggregator("mean", 1.0, (0.0, 1.0))
    for count in (1, 2):
        first, second = np.zeros((count, 1)), np.arange(count, 0, -1.0)[:, None]
        found = paired_bootstrap(first, second, share, Draws([first, second]))
        ends = (found.low, found.high)
        assert ends == (1.0, 2.0) if count == 2 else np.isnan(ends).all()


def test_systems_with_the_same_verdicts_are_not_told_apart():
    """No sentence speaks for either."""
    verdicts = np.array([True, False, True])
    assert mcnemar(verdicts, verdicts) == (0, 0, 1.0)
