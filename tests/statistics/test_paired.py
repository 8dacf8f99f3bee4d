"""Exact tests and corrections against statsmodels and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests

from recombine.statistics.intervals import residual_mean_square
from recombine.statistics.paired import (
    FEWEST_UNITS,
    difference_components,
    holm,
    least_p,
    mcnemar,
    p_value_from_trials,
    tied_sets,
)


@pytest.mark.parametrize("size", [30, 400])
def test_mcnemar_equals_statsmodels(size):
    """The exact test, however many pairs are discordant."""
    generator = np.random.default_rng(size)
    first, second = generator.random(size) < 0.6, generator.random(size) < 0.7
    table = [
        [np.sum(first & second), np.sum(first & ~second)],
        [np.sum(~first & second), np.sum(~first & ~second)],
    ]
    expected = statsmodels_mcnemar(table, exact=True).pvalue
    found = mcnemar(first, second)
    assert found.p_value == pytest.approx(expected)
    assert (found.only_first, found.only_second) == (table[0][1], table[1][0])


def test_systems_with_the_same_verdicts_are_not_told_apart():
    """No sentence speaks for either."""
    verdicts = np.array([True, False, True])
    assert mcnemar(verdicts, verdicts) == (0, 0, 1.0)


def test_units_that_all_agree_are_as_sure_as_a_sign_test():
    """Five of five are .0625: six are the fewest that can be significant."""
    ones = np.ones(5, dtype=bool)
    assert least_p(5) == mcnemar(ones, ~ones).p_value == 0.0625
    assert least_p(FEWEST_UNITS) < 0.05 < least_p(FEWEST_UNITS - 1)
    assert (least_p(0), least_p(1)) == (1.0, 1.0)


def test_a_borrowed_variance_brings_no_degrees_of_freedom():
    """Three seeds against one: two degrees of freedom, not two and two; pooled where both know."""
    generator = np.random.default_rng(4)
    three, one, five = (generator.normal(0, 1, (seeds, 40)) for seeds in (3, 1, 5))
    seeds, units = difference_components(one, three, 39)
    assert (seeds.freedom, units.freedom) == (2, 39)
    assert seeds.variance == pytest.approx(three.mean(axis=1).var(ddof=1) * (1 + 1 / 3))
    seeds, units = difference_components(three, five, 39)
    pooled = (2 * three.mean(axis=1).var(ddof=1) + 4 * five.mean(axis=1).var(ddof=1)) / 6
    assert seeds == (pytest.approx(pooled * (1 / 3 + 1 / 5)), 6)
    residual = (2 * residual_mean_square(three) + 4 * residual_mean_square(five)) / 6
    gain = five.mean(axis=0) - three.mean(axis=0)
    left = gain.var(ddof=1) - residual * (1 / 3 + 1 / 5)
    assert units.variance == pytest.approx(max(left, 0) / 40)
    two = generator.normal(0, 1, (2, 40))
    _, units = difference_components(one, two, 39)
    gain = two.mean(axis=0) - one[0]
    assert units.variance == pytest.approx(gain.var(ddof=1) / 40)
    assert difference_components(one, one[:, ::-1], 39)[0].freedom == 39


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
