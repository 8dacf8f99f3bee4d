"""The luck of a seed on each slice, learned from all slices of one comparison.

Two or three seeds say little of their variance on one pattern: with four degrees of freedom, and 42
patterns to correct for, systems 40 points apart are a tie. The other patterns know more. On a slice
g the mean of a seed has the variance

    common + own + noise,   the first two in proportion to the variance of the units of g

*Common* luck moves all slices together, so every seed shows it once, however many slices there are.
*Own* luck is of seed and slice, and every slice shows it anew. *Noise* is the residual of seeds and
units over the number of units, which each slice knows well by itself. Slices may differ in their
luck: how much, the spread of their variances says, and the variance that is expected of a slice is
averaged with its own, each weighted by its degrees of freedom (the moderated t of Smyth 2004, Stat.
Appl. Genet. Mol. Biol. 3:3, sections 3 and 6.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from recombine.statistics.aggregate import Array
from recombine.statistics.intervals import Component, residual_mean_square

# Fewer slices do not show how much they differ.
FEWEST_SLICES = 3
# A variance below this quantile of what chance makes counts as so much: logarithms need a floor.
FLOOR = 0.01


class PooledSeeds(NamedTuple):
    """What the seeds of two systems did, as if they had one variance over seeds."""

    # System by system the deviation of every seed's mean from the mean of its seeds.
    deviations: tuple[Array, ...]
    # The variance of a seed's mean, with its degrees of freedom.
    by_seed: float
    freedom: int
    # What neither seed nor unit explains.
    residual: float
    # The part of `by_seed` that is residual, and the variance of the units.
    noise: float
    by_unit: float


class SeedLuck(NamedTuple):
    """The variance of one seed's mean on a slice in two parts: of all slices, and of this one."""

    common: Component
    own: Component


def pooled_seeds(*tables: Array) -> PooledSeeds | None:
    """What seeds x units tables of systems show together; None where none has several seeds."""
    several = [table for table in tables if len(table) > 1]
    freedom = sum(len(table) - 1 for table in several)
    if not freedom:
        return None
    means = [table.mean(axis=1) for table in several]
    deviations = tuple(seeds - seeds.mean() for seeds in means)
    residual = sum((len(table) - 1) * residual_mean_square(table) for table in several) / freedom
    return PooledSeeds(
        deviations,
        sum(float((part**2).sum()) for part in deviations) / freedom,
        freedom,
        residual,
        residual / tables[0].shape[1],
        float(np.mean([table.var(axis=1).mean() for table in tables])),
    )


def luck_of_slices(slices: Sequence[PooledSeeds]) -> list[SeedLuck | None]:
    """The variance over seeds on every slice of two systems; None where all know too little."""
    by_seed, noise, by_unit = (
        np.array([getattr(seeds, name) for seeds in slices])
        for name in ("by_seed", "noise", "by_unit")
    )
    varied = by_unit > 0
    if varied.sum() < FEWEST_SLICES:
        return [None] * len(slices)
    freedom = slices[0].freedom
    scaled = [seeds.deviations for seeds in slices if seeds.by_unit > 0]
    scales = np.sqrt(by_unit[varied])
    common = (
        sum(
            float(
                (
                    np.mean([part / scale for part, scale in zip(parts, scales, strict=True)], 0)
                    ** 2
                ).sum()
            )
            for parts in zip(*scaled, strict=True)
        )
        / freedom
    )
    luck = max(0.0, float(((by_seed - noise)[varied] / by_unit[varied]).mean()))
    expected = luck * by_unit + noise
    shown = varied & (expected > 0)
    most = float(freedom * (varied.sum() - 1))
    prior = _prior_freedom(by_seed[shown] / expected[shown], freedom)
    if math.isinf(prior):
        variances, own_freedom = expected, most
    else:
        variances = (prior * expected + freedom * by_seed) / (prior + freedom)
        own_freedom = min(prior + freedom, most)
    variances = np.where(shown, variances, by_seed)
    moved = np.minimum(common * by_unit, variances)
    return [
        SeedLuck(Component(together, freedom), Component(rest, own_freedom))
        for together, rest in zip(moved.tolist(), (variances - moved).tolist(), strict=True)
    ]


def _prior_freedom(ratios: Array, freedom: int) -> float:
    """The degrees of freedom that the expected variance of a slice is worth.

    The ratios of variances to what is expected of them follow F with `freedom` and these degrees;
    their logarithms then have the variance trigamma(freedom / 2) + trigamma(prior / 2). How much
    slices differ is taken to be one standard error more than it seems.
    """
    if len(ratios) < FEWEST_SLICES:
        return 0.0
    floor = special.chdtri(freedom, 1 - FLOOR) / freedom
    spread = float(np.log(np.maximum(ratios, floor)).var(ddof=1))
    spread *= 1 + math.sqrt(2 / (len(ratios) - 1))
    excess = spread - float(special.polygamma(1, freedom / 2))
    return 2 * _inverse_trigamma(excess) if excess > 0 else math.inf


def _inverse_trigamma(value: float) -> float:
    """Where trigamma has this value, by Newton's method on its reciprocal (Smyth, appendix)."""
    place = 0.5 + 1 / value
    for _ in range(50):
        there = float(special.polygamma(1, place))
        step = there * (1 - there / value) / float(special.polygamma(2, place))
        place += step
        if -step < 1e-8 * place:
            break
    return place
