"""The variance over seeds of a slice, learned from all slices of a comparison."""

from __future__ import annotations

import numpy as np
import pytest

from recombine.statistics.aggregate import Aggregator
from recombine.statistics.luck import luck_of_slices, pooled_seeds
from recombine.statistics.paired import holm
from recombine.statistics.sample import Sample

SHARES = Aggregator("mean")
GRADES = Aggregator("mean", 1.0)


def verdicts(generator: np.random.Generator, share: float, seeds: int = 3) -> list[np.ndarray]:
    """Fifty sentences and some seeds, each with luck of its own."""
    shares = np.clip(share + generator.normal(0, 0.06, (seeds, 1)), 0, 1)
    return [row[:, None].astype(float) for row in generator.random((seeds, 50)) < shares]


def grades(
    generator: np.random.Generator, slices: int, common: float, own: np.ndarray, seeds: int = 3
) -> list[Sample]:
    """Two equal systems on slices of fifty sentences; luck of a seed, in all and on each slice."""
    together = generator.normal(0, common, (2, seeds))
    samples = []
    for place in range(slices):
        means = together + generator.normal(0, own[place], (2, seeds))
        noise = generator.normal(0, 1, (2, seeds, 50))
        tables = (means[:, :, None] + noise)[..., None]
        samples.append(Sample({"a": list(tables[0]), "b": list(tables[1])}, GRADES))
    return samples


def luck_of(samples: list[Sample]):
    """The luck on every slice, for the first two systems."""
    return luck_of_slices([sample.seeds_of("a", "b") for sample in samples])


def test_forty_points_on_one_of_many_patterns_are_no_tie():
    """Three seeds of two systems have four degrees of freedom on a pattern; corrected for 42
    patterns those alone leave 43 points undecided that every seed shows.
    """
    generator = np.random.default_rng(7)
    samples = [
        Sample({"a": verdicts(generator, 0.5), "b": verdicts(generator, 0.5)}, SHARES)
        for _ in range(41)
    ]
    samples.append(Sample({"a": verdicts(generator, 0.35), "b": verdicts(generator, 0.78)}, SHARES))
    alone = holm([sample.difference("a", "b").p_value for sample in samples])
    pairs = zip(samples, luck_of(samples), strict=True)
    together = holm([sample.difference("a", "b", luck).p_value for sample, luck in pairs])
    assert alone[-1] > 0.05 > together[-1]
    assert min(together[:-1]) > 0.05


@pytest.mark.parametrize("common", [0.0, 1.0])
def test_equal_systems_stay_equal_whether_luck_is_shared_by_slices_or_not(common):
    """Slices that move together are no independent witnesses of the luck of three seeds."""
    generator = np.random.default_rng(3)
    alarms = 0
    for _ in range(60):
        samples = grades(generator, 20, common, np.full(20, 0.3))
        pairs = zip(samples, luck_of(samples), strict=True)
        alarms += min(holm([one.difference("a", "b", luck).p_value for one, luck in pairs])) < 0.05
    assert alarms <= 6


def test_common_luck_has_the_freedom_of_the_seeds_and_own_luck_that_of_the_slices():
    """One part is seen as often as there are seeds, the other as often as there are slices."""
    generator = np.random.default_rng(5)
    (first, *_) = luck_of(grades(generator, 40, 2.0, np.full(40, 0.1)))
    assert first.common.freedom == 4
    assert first.common.variance > 10 * first.own.variance
    assert first.own.freedom > 40


def test_slices_that_differ_much_in_their_luck_rest_more_on_themselves():
    """Variances drawn with six degrees of freedom: as many are found, up to the caution of a
    standard error.
    """
    generator = np.random.default_rng(9)
    own = np.sqrt(6 / generator.chisquare(6, 400))
    (first, *_) = luck_of(grades(generator, 400, 0.0, own, seeds=5))
    assert 3 < first.own.freedom - 8 < 8


def test_one_seed_has_no_luck_to_learn_and_two_slices_teach_none():
    """Then each slice has what its own seeds say, if any."""
    table = np.ones((1, 9))
    assert pooled_seeds(table, table) is None
    generator = np.random.default_rng(1)
    assert luck_of(grades(generator, 2, 0.0, np.ones(2))) == [None, None]


def test_a_slice_on_which_all_seeds_agree_keeps_a_variance_of_nothing():
    """0 against 100% with every seed: the test falls back on how many sentences differ."""
    generator = np.random.default_rng(2)
    samples = [
        Sample({"a": verdicts(generator, 0.5), "b": verdicts(generator, 0.5)}, SHARES)
        for _ in range(5)
    ]
    none, every = [np.zeros((50, 1))] * 3, [np.ones((50, 1))] * 3
    samples.append(Sample({"a": none, "b": every}, SHARES))
    difference = samples[-1].difference("a", "b", luck_of(samples)[-1])
    assert (difference.value, difference.p_value) == (100.0, 2.0**-49)
