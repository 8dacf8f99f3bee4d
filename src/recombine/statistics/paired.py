"""Two systems on the same sentences: exact tests, and corrections for many comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from recombine.statistics.aggregate import Array
from recombine.statistics.intervals import (
    Component,
    Estimate,
    crossed_components,
    without_residual,
)
from recombine.statistics.luck import SeedLuck, pooled_seeds

# Fewer units than this cannot reach p < .05 by any exact test: 2 / 2^5 is .0625.
FEWEST_UNITS = 6


@dataclass(frozen=True, slots=True)
class PairedDifference(Estimate):
    """Second system minus first, with an interval, and a two-sided p-value by the test it names.

    `undecided` is what the lower of the two numbers would gain if all that could not be judged
    counted.
    """

    p_value: float = 1.0


class Discordant(NamedTuple):
    """McNemar's two counts and the p-value."""

    only_first: int
    only_second: int
    p_value: float


def mcnemar(first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> Discordant:
    """McNemar's exact test (1947) on matched right/wrong verdicts: a binomial test of one half."""
    only_first = int(np.sum(first & ~second))
    only_second = int(np.sum(second & ~first))
    smaller, discordant = min(only_first, only_second), only_first + only_second
    p_value = min(1.0, 2 * float(special.bdtr(smaller, discordant, 0.5))) if discordant else 1.0
    return Discordant(only_first, only_second, p_value)


def difference_components(
    first: Array, second: Array, freedom: float, luck: SeedLuck | None = None
) -> list[Component]:
    """The variance of the difference of two seeds x units tables of the same units.

    `freedom` are the degrees of freedom of these units; `luck` is what other slices, too, say of
    the variance over seeds here.

    Both systems have one variance over seeds, pooled over those that have several, with the pooled
    degrees of freedom: a system with one seed brings no knowledge of its own. The variance of the
    paired units is free of the residual, which the seeds' variance holds already.
    """
    units = first.shape[1]
    gain = second.mean(axis=0) - first.mean(axis=0)
    by_unit = float(gain.var(ddof=1))
    pooled = pooled_seeds(first, second)
    if pooled is None:
        return [Component(by_unit / units, freedom)]
    means = 1 / len(first) + 1 / len(second)
    # One degree of freedom is too few to rest on where chance leaves nothing of the units.
    residual = pooled.residual * means if pooled.freedom > 1 else 0.0
    excess = max(by_unit - residual, 0.0)
    by_seed = luck or (Component(pooled.by_seed, pooled.freedom),)
    return [
        *(Component(part.variance * means, part.freedom) for part in by_seed),
        Component(excess / units, freedom),
    ]


def unpaired_components(
    first: Array, second: Array, freedoms: tuple[float, float], *, one_system: bool
) -> list[Component]:
    """The variance of the difference of two seeds x units tables of different units.

    One system has the same seeds on both: what matters is how their difference varies. Two systems
    have seeds of their own with one variance, as in `difference_components`.
    """
    tables = (first, second)
    if one_system and len(first) > 1:
        between = first.mean(axis=1) - second.mean(axis=1)
        parts = [Component(float(between.var(ddof=1)) / len(first), len(first) - 1)]
        each = zip(tables, freedoms, strict=True)
        return [*parts, *(crossed_components(table, freedom)[-1] for table, freedom in each)]
    pooled = pooled_seeds(*tables)
    parts = []
    if pooled is not None:
        means = 1 / len(first) + 1 / len(second)
        parts.append(Component(pooled.by_seed * means, pooled.freedom))
    for table, freedom in zip(tables, freedoms, strict=True):
        residual = pooled.residual / len(table) if pooled is not None else 0.0
        excess = without_residual(float(table.mean(axis=0).var(ddof=1)), residual)
        parts.append(Component(excess / table.shape[1], freedom))
    return parts


def least_p(units: int) -> float:
    """The p-value of units that all speak for the same system: no test is surer (sign test)."""
    return min(1.0, 2.0 ** (1 - units))


def p_value_from_trials(trials: Array, observed: float) -> float:
    """Share of trials at least as large as the observed value, with the +1 of Noreen (1989).

    Ties count: multeval and sacrebleu leave them out, which hardly matters for BLEU but on 0/1
    verdicts makes a nominal 5% test reject 8% of equal systems.
    """
    return (reached(trials, observed) + 1) / (len(trials) + 1)


def reached(trials: Array, observed: float) -> int:
    """How many trials are as large as the observed value, up to rounding."""
    margin = 1e-9 * max(1.0, abs(observed))
    return int(np.sum(trials >= observed - margin))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (1979): controls the chance of any false alarm in the family."""
    count = len(p_values)
    order = sorted(range(count), key=lambda index: (p_values[index], index))
    adjusted = [0.0] * count
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (count - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted


def tied_sets(names: Sequence[str], differ: set[frozenset[str]]) -> list[list[str]]:
    """Clusters of systems in score order that the data cannot rank.

    ``names`` are ordered best first, ``differ`` holds the significantly different pairs.  As in the
    WMT rankings a new cluster starts only where every system above differs from every one below.
    """
    clusters: list[list[str]] = []
    current: list[str] = []
    for position, name in enumerate(names):
        above, below = names[:position], names[position:]
        if current and all(frozenset((a, b)) in differ for a in above for b in below):
            clusters.append(current)
            current = []
        current.append(name)
    if current:
        clusters.append(current)
    return clusters


UNDECIDABLE = PairedDifference(math.nan, method="nothing in common")
