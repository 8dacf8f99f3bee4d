"""Seed noise: coverage, test size and the mixed model."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from recombine.metrics.base import aggregator_of
from recombine.metrics.surface import Chrf
from recombine.statistics.intervals import Aggregator
from recombine.statistics.paired import paired_bootstrap
from recombine.statistics.resample import Draws
from recombine.statistics.seeds import (
    Component,
    _limits,
    _paired_item_part,
    _residual_mean_square,
    _seed_and_item_parts,
    compare_systems,
    component_interval,
    crossed_interval,
    system_interval,
)

SHARE = Aggregator("mean", 1.0, (0.0, 1.0))


def compared(first, second, aggregator=SHARE, clusters=None):
    """The difference of two systems, by draws of their own."""
    return compare_systems(first, second, aggregator, Draws([*first, *second], 0, clusters))


def experiment(generator, seeds, items, share, seed_sd, item_sd, item=None):
    """Right/wrong table of a probit model with known marginal share."""
    middle = special.ndtri(share) * np.sqrt(1 + seed_sd**2 + item_sd**2)
    item = generator.normal(0, item_sd, (1, items)) if item is None else item
    noise = generator.normal(0, 1, (seeds, items))
    table = middle + generator.normal(0, seed_sd, (seeds, 1)) + item + noise > 0
    return table.astype(float)


def test_a_share_of_what_could_be_judged_is_compared_too():
    """A metric with two statistics is a mean where all could be judged; it gets both of them."""
    judged = Aggregator("ratio", 1.0, (0.0, 1.0))
    first = np.array([[1.0, 1.0]] * 30 + [[0.0, 1.0]] * 30)
    second = np.array([[1.0, 1.0]] * 50 + [[0.0, 1.0]] * 10)
    found = compared([first], [second], judged)
    assert found.difference == pytest.approx(1 / 3)
    assert found.test == "McNemar"


@pytest.mark.parametrize(
    ("seeds", "items", "share", "seed_sd", "item_sd"),
    [(5, 400, 0.5, 0.1, 1.0), (3, 300, 0.3, 0.15, 0.5), (5, 200, 0.8, 0.3, 1.0)],
)
def test_crossed_interval_covers_the_truth(seeds, items, share, seed_sd, item_sd):
    """Seeds and items random: the truth is inside in 93 to 97% of 2,000 experiments."""
    generator = np.random.default_rng(seeds * items)
    hits = 0
    for _ in range(2000):
        table = experiment(generator, seeds, items, share, seed_sd, item_sd)
        span = crossed_interval(table, limits=(0.0, 1.0))
        hits += span.low <= share <= span.high
    assert 0.93 <= hits / 2000 <= 0.972


def test_resampling_items_alone_is_too_sure():
    """The interval most papers print misses the truth far too often when seeds differ."""
    generator = np.random.default_rng(8)
    hits = 0
    for _ in range(400):
        table = experiment(generator, 1, 2000, 0.5, 0.2, 0.5)
        tables = [table[0][:, None]]
        span = system_interval(tables, SHARE, Draws(tables))
        hits += span.low <= 0.5 <= span.high
    assert hits / 400 < 0.5


def test_comparison_with_seeds_has_size_five_percent():
    """Equal systems with seed noise differ significantly in about 5% of 1,000 experiments."""
    generator = np.random.default_rng(9)
    rejected = 0
    for _ in range(1000):
        item = generator.normal(0, 1, (1, 300))
        first, second = (
            [row[:, None] for row in experiment(generator, 4, 300, 0.5, 0.15, 1, item)]
            for _ in range(2)
        )
        rejected += compared(first, second).p_value < 0.05
    assert 0.02 <= rejected / 1000 <= 0.065


def clustered_experiment(generator, seeds, share, clusters, ease):
    """Right/wrong tables of one system; sentences of a cluster share ease, taste and luck."""
    words = int(clusters.max()) + 1
    taste = generator.normal(0, 0.5, words)
    luck = (
        generator.normal(0, 0.15, (seeds, 1))
        + generator.normal(0, 0.3, (seeds, words))[:, clusters]
    )
    noise = generator.normal(0, 1, (seeds, len(clusters)))
    spread_of_all = np.sqrt(1 + ease[1] ** 2 + 0.5**2 + 0.15**2 + 0.3**2)
    middle = special.ndtri(share) * spread_of_all
    return (middle + (ease[0] + taste)[clusters] + luck + noise > 0).astype(float)


def test_clustered_seeds_keep_size_and_coverage():
    """Seeds x clusters of unequal size: 5% false alarms, 93 to 97% coverage; keys deceive."""
    generator = np.random.default_rng(21)
    clusters = np.repeat(np.arange(40), np.tile([4, 8, 12, 16], 10))
    rejected = naive = covered = 0
    for _ in range(1000):
        ease = generator.normal(0, 0.8, 40)
        first, second = (
            [row[:, None] for row in clustered_experiment(generator, 4, 0.5, clusters, (ease, 0.8))]
            for _ in range(2)
        )
        rejected += compared(first, second, clusters=clusters).p_value < 0.05
        naive += compared(first, second).p_value < 0.05
        span = system_interval(first, SHARE, Draws(first, 0, clusters))
        covered += span.low <= 0.5 <= span.high
    assert 0.02 <= rejected / 1000 <= 0.07
    assert naive / 1000 > 0.12
    assert 0.925 <= covered / 1000 <= 0.975


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
    span = crossed_interval(table)
    by_seed = table.mean(axis=1).var(ddof=1) / seeds
    quantile = (span.high - span.low) / 2 / error
    assert by_seed > 0
    assert 1.96 < quantile < special.stdtrit(seeds - 1, 0.975) * 1.05


def test_all_right_in_every_seed_is_not_certainty():
    """100% over three seeds of 40 items still leaves room for rare errors."""
    span = crossed_interval(np.ones((3, 40)), limits=(0.0, 1.0))
    assert span.high == 1.0
    assert 0.9 < span.low < 0.95


@pytest.mark.parametrize("clusters", [None, np.array([0, 0, 1, 1, 2, 2])])
def test_few_items_leave_few_degrees_of_freedom(clusters):
    """One less than what is drawn from, items or clusters of them; and one less than the seeds."""
    tables = [np.random.default_rng(seed).random((6, 18)) for seed in range(4)]
    draws = Draws(tables, 0, clusters)
    _, parts = _seed_and_item_parts(tables, aggregator_of(Chrf()), 50, draws)
    assert [part.freedom for part in parts] == [3, draws.count - 1]
    assert draws.count == (6 if clusters is None else 3)


def test_one_seed_borrows_the_spread_of_the_other():
    """Against a system with one seed, the known seed noise still widens the interval."""
    generator = np.random.default_rng(13)
    many = [row[:, None] for row in experiment(generator, 5, 500, 0.5, 0.3, 1)]
    one = [experiment(generator, 1, 500, 0.5, 0.3, 1)[0][:, None]]
    found = compared(one, many)
    alone = compared(one, many[:1])
    assert found.test == "seeds + paired items"
    assert found.high - found.low > alone.high - alone.low


def test_one_item_says_nothing_of_others():
    """Two seeds that agree on one sentence are no certainty, and no difference either."""
    chrf = aggregator_of(Chrf())
    one, other = np.array([[10.0, 10.0, 7.0] * 6]), np.array([[10.0, 10.0, 4.0] * 6])
    both = [one, one.copy()]
    found = system_interval(both, chrf, Draws(both))
    assert np.isnan([found.low, found.high]).all()
    seeds = compared(both, [other, other.copy()], chrf)
    assert seeds.difference == pytest.approx(-30)
    assert (seeds.p_value, np.isnan(seeds.low)) == (1.0, True)
    single = compared([one], [other], chrf)
    assert (single.p_value, np.isnan(single.low)) == (1.0, True)
    mean = Aggregator("mean")
    shares = [np.array([[0.3]]), np.array([[0.6]])]
    assert np.isnan(system_interval(shares, mean, Draws(shares)).low)
    bootstrapped = paired_bootstrap(one, other, chrf, Draws([one, other]))
    assert bootstrapped.p_value == 1.0


def test_an_interval_stays_on_its_scale():
    """It is symmetric where there are no ends, and bends away from one that is near."""
    parts = [Component(16.0, 9)]
    free = component_interval(95.0, parts, 0.95, "x")
    bent = component_interval(95.0, parts, 0.95, "x", (0.0, 100.0))
    assert free.high > 100 > bent.high > 95
    assert 95 - free.low == pytest.approx(free.high - 95)
    assert 95 - bent.low > bent.high - 95
    for end in (0.0, 100.0):  # at an end there is nothing to bend
        span = component_interval(end, parts, 0.95, "x", (0.0, 100.0))
        assert (span.low + span.high) / 2 == pytest.approx(end)


@pytest.mark.parametrize(("clusters", "unit"), [(None, "items"), (np.arange(40) // 2, "clusters")])
def test_an_interval_says_over_what_it_is(clusters, unit):
    """Items that belong together are counted as one."""
    generator = np.random.default_rng(3)
    tables = [generator.integers(0, 2, (40, 1)).astype(float) for _ in range(2)]
    assert unit in system_interval(tables, SHARE, Draws(tables, 0, clusters)).method


def test_the_residual_is_what_seed_and_item_do_not_explain():
    """Its sum of squares by its degrees of freedom, (seeds - 1) (items - 1)."""
    table = np.array([[1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 1.0]])
    left = table - table.mean(0) - table.mean(1, keepdims=True) + table.mean()
    assert _residual_mean_square(table) == pytest.approx((left**2).sum() / 6)
    assert _residual_mean_square(table[:1]) == _residual_mean_square(table[:, :1]) == 0.0


def test_a_scale_holds_its_own_ends():
    """A metric that leaves its scale has none; one that reaches an end stays on it."""
    ends = np.array([[0.0], [1.0]])
    assert _limits([ends], SHARE) == (0.0, 1.0)
    assert _limits([ends, ends + 0.5], SHARE) is None
    assert _limits([ends - 0.5, ends], SHARE) is None


def test_mcnemar_is_for_single_verdicts_alone():
    """Not for shares, and not for verdicts that belong together."""
    verdicts = [np.array([[1.0], [0.0]] * 20), np.array([[1.0], [1.0]] * 20)]
    assert compared(verdicts[:1], verdicts[1:]).test == "McNemar"
    assert compared(verdicts[:1], verdicts[1:], clusters=np.arange(40) // 2).test != "McNemar"
    shares = [one / 2 for one in verdicts]
    assert compared(shares[:1], shares[1:]).test != "McNemar"


def test_the_choice_of_items_has_one_degree_of_freedom_less():
    """Of a corpus score as of a mean."""
    generator = np.random.default_rng(3)
    stats = [generator.integers(0, 9, (12, 18)).astype(float) for _ in range(2)]
    chrf = aggregator_of(Chrf())
    part = _paired_item_part(stats[:1], stats[1:], chrf, 50, Draws(stats, 0))
    assert part.freedom == 11


def test_seeds_and_items_that_all_agree_leave_no_doubt():
    """No spread at all: what is equal is equal, and what differs differs."""
    right, wrong = np.ones((30, 1)), np.zeros((30, 1))
    assert compared([right, right.copy()], [wrong, wrong.copy()]).p_value == 0.0
    assert compared([right, right.copy()], [right.copy(), right.copy()]).p_value == 1.0
