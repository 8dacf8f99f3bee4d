"""Logistic regression with clustered errors, where it has an answer and where it has none."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from recombine.statistics.logistic import clustered_logistic, estimable_columns, separated

NAMES = ["(base)", "category B", "category C", "noise"]
TRUTH = np.array([-0.5, 0.8, -0.6, 0.0])
SIZE = 5

pytest.importorskip("statsmodels")


def simulated(seed, compounds=300, truth=TRUTH):
    """Return shares of errors with exactly the given log odds, alike within a compound."""
    stream = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(compounds), SIZE)
    category = np.repeat(stream.integers(0, 3, compounds), SIZE)
    noise = np.repeat(stream.normal(size=compounds), SIZE)
    design = np.column_stack([np.ones(len(clusters)), category == 1, category == 2, noise])
    # A sentence takes its luck from its compound half of the time: the odds stay what they are.
    luck = np.where(
        stream.random(len(clusters)) < 0.5,
        np.repeat(stream.random(compounds), SIZE),
        stream.random(len(clusters)),
    )
    chance = 1 / (1 + np.exp(-design @ truth))
    return design, (luck < chance).astype(float), clusters


@pytest.fixture(autouse=True)
def _no_warning():
    """Whatever the data, the console stays clean."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def plain(design, outcome, clusters):
    """Return parameters and intervals as statsmodels gives them by itself."""
    from statsmodels.api import GLM, families

    fit = GLM(outcome, design, family=families.Binomial()).fit(
        cov_type="cluster", cov_kwds={"groups": clusters}
    )
    return np.column_stack([fit.params, fit.conf_int(), fit.pvalues])


def test_the_known_truth_lies_in_the_intervals():
    """95% intervals hold the simulated log odds about 95 times in 100."""
    inside = []
    for seed in range(60):
        fit = clustered_logistic(NAMES, *simulated(seed, compounds=200))
        assert fit.notes == ()
        effects = list(fit.effects.values())
        inside += [
            effect.low < truth < effect.high
            for effect, truth in zip(effects, TRUTH[1:], strict=True)
        ]
    assert 0.9 < np.mean(inside) <= 0.99


def test_data_that_behaves_gets_the_plain_fit():
    """Nothing is dropped, shrunk or rounded."""
    data = simulated(1)
    fit = clustered_logistic(NAMES, *data)
    assert np.array_equal(np.array(list(fit.effects.values())), plain(*data)[1:])


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_level_that_is_always_wrong_has_no_odds_ratio(value):
    """It is said why, and the others are what they are without its sentences."""
    design, outcome, clusters = simulated(2)
    level = design[:, 1] == 1
    outcome[level] = value
    fit = clustered_logistic(NAMES, design, outcome, clusters)
    assert fit.effects["category B"] is None
    rest = plain(design[~level][:, [0, 2, 3]], outcome[~level], clusters[~level])
    found = np.array([fit.effects[name] for name in ("category C", "noise")])
    assert found == pytest.approx(rest[1:])
    (note,) = fit.notes
    word = "wrong" if value else "right"
    assert f"all {level.sum()} where 'category B' holds are {word}" in note
    assert f"{level.sum()} of 1,500 sentences are left out" in note


def test_the_others_are_the_limit_of_the_plain_fit():
    """Left to run, the estimates of the rest go where ours are."""
    design, outcome, clusters = simulated(3)
    outcome[design[:, 1] == 1] = 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runaway = plain(design, outcome, clusters)
    assert abs(runaway[1, 0]) > 15
    fit = clustered_logistic(NAMES, design, outcome, clusters)
    assert [fit.effects[name].value for name in NAMES[2:]] == pytest.approx(
        runaway[2:, 0], abs=1e-6
    )


def test_a_number_that_tells_every_outcome_leaves_nothing():
    """Complete separation: no effect is estimable, and no number is printed."""
    design, _, clusters = simulated(4)
    fit = clustered_logistic(NAMES, design, (design[:, 3] > 0.3).astype(float), clusters)
    assert set(fit.effects.values()) == {None}
    assert "tell right from wrong without exception" in fit.notes[0]


def test_shares_of_seeds_keep_a_level_alive():
    """A sentence that one seed of three gets right is no separation."""
    design, outcome, _ = simulated(5)
    level = design[:, 1] == 1
    outcome[level] = 1.0
    assert np.array_equal(separated(design, outcome), level)
    outcome[np.flatnonzero(level)[0]] = 2 / 3
    assert not separated(design, outcome).any()


def test_two_levels_apart_are_both_found():
    """One always right, one always wrong."""
    design, outcome, clusters = simulated(6)
    outcome[design[:, 1] == 1] = 1.0
    outcome[design[:, 2] == 1] = 0.0
    fit = clustered_logistic(NAMES, design, outcome, clusters)
    assert fit.effects["category B"] is fit.effects["category C"] is None
    assert fit.effects["noise"] is not None


def test_errors_of_one_compound_carry_no_interval():
    """The clustered variance of two coefficients cannot come from one compound."""
    design = np.column_stack([np.ones(100), np.tile([-2.0, -1.0, 0.0, 1.0, 2.0], 20)])
    clusters = np.repeat(np.arange(20), SIZE)
    outcome = np.ones(100)
    outcome[[1, 3]] = 0.0
    assert not separated(design, outcome).any()
    fit = clustered_logistic(["(base)", "length"], design, outcome, clusters)
    assert fit.effects == {"length": None}
    assert "only 1 of the compounds have a right answer, for 2 coefficients" in fit.notes[0]


def test_few_rare_answers_are_announced():
    """Estimable, but not to be leant on."""
    fit = clustered_logistic(NAMES, *simulated(8, 100, np.array([2.5, 0.8, -0.6, 0.0])))
    assert None not in fit.effects.values()
    assert "have a right answer, fewer than 10 for each of 4 coefficients" in fit.notes[0]


def test_what_the_rest_determines():
    """A column that is the sum of two others frees all three, and none else."""
    design = np.array([[1, 0, 1, 2], [1, 1, 0, -1], [1, 0, 1, 5], [1, 1, 0, 3]], dtype=float)
    determined, kept = estimable_columns(design)
    assert determined == [False, False, False, True]
    assert kept == [0, 1, 3]
    assert estimable_columns(design[:0]) == ([False] * 4, [])
