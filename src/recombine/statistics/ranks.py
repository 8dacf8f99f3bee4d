"""Do two suites rank systems alike? Rank correlations that admit how few systems there are.

The usual interval (Fisher's z) is infinitely sure of a perfect correlation, which four systems
reach by luck once in twenty-four times. Here a test is inverted instead: the interval holds every
population correlation under which what was seen, or something more extreme, has a fair chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats as distributions

from recombine.statistics.intervals import Estimate

DRAWS = 4_000
# Halvings of [-1, 1]: finer than the error of that many draws.
HALVINGS = 12
FEWEST_SYSTEMS = 3
METHOD = "test inversion"

Array = npt.NDArray[np.float64]
Statistic = Callable[[Array, Array], Array]


class Agreement(NamedTuple):
    """Kendall's tau and Spearman's rho of two rankings with intervals, and the p-value of tau."""

    systems: int
    tau: Estimate
    rho: Estimate
    p: float


def agreement(
    left: Sequence[float], right: Sequence[float], confidence: float = 0.95, seed: int = 0
) -> Agreement:
    """Correlate the scores of the same systems on two suites by rank."""
    count = len(left)
    if len(set(left)) == 1 or len(set(right)) == 1:  # all tie: there is no rank to compare
        unknown = Estimate(math.nan, math.nan, math.nan, METHOD)
        return Agreement(count, unknown, unknown, math.nan)
    tau, rho = distributions.kendalltau(left, right), distributions.spearmanr(left, right)
    # Of a normal population with correlation r, tau is 2/pi asin r and rho is 6/pi asin r/2
    # (Kruskal 1958).
    return Agreement(
        count,
        _interval(tau.statistic, count, kendall, _kendall_of_normal, confidence, seed),
        _interval(rho.statistic, count, spearman, _spearman_of_normal, confidence, seed),
        float(tau.pvalue),
    )


def _kendall_of_normal(correlation: float) -> float:
    return 2 / math.pi * math.asin(correlation)


def _spearman_of_normal(correlation: float) -> float:
    return 6 / math.pi * math.asin(correlation / 2)


def redrawn(
    left: Sequence[tuple[float, float]],
    right: Sequence[tuple[float, float]],
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[float, float]:
    """The range of tau when every score, given with its standard error, is drawn anew."""
    generator = np.random.Generator(np.random.PCG64(seed))
    sides = []
    for side in (left, right):
        scores, errors = np.array(side, dtype=np.float64).T
        sides.append(generator.normal(scores, errors, size=(DRAWS, len(side))))
    tail = 50 * (1 - confidence)
    low, high = np.percentile(kendall(sides[0], sides[1]), [tail, 100 - tail])
    return float(low), float(high)


def kendall(left: Array, right: Array) -> Array:
    """Kendall's tau of every row; no ties."""
    first, second = np.triu_indices(left.shape[1], k=1)
    signs = np.sign(left[:, first] - left[:, second]) * np.sign(right[:, first] - right[:, second])
    means: Array = signs.mean(axis=1)
    return means


def spearman(left: Array, right: Array) -> Array:
    """Spearman's rho of every row; no ties."""
    count = left.shape[1]
    ranks = [side.argsort(axis=1).argsort(axis=1) for side in (left, right)]
    squares = ((ranks[0] - ranks[1]) ** 2).sum(axis=1)
    simulated: Array = 1 - 6 * squares / (count * (count**2 - 1))
    return simulated


def _interval(
    observed: float,
    systems: int,
    statistic: Statistic,
    population: Callable[[float], float],
    confidence: float,
    seed: int,
) -> Estimate:
    """Invert two one-sided tests under a bivariate normal population of systems."""
    generator = np.random.Generator(np.random.PCG64(seed))
    normals, other = generator.standard_normal((2, DRAWS, systems))
    tail = (1 - confidence) / 2

    def chance(correlation: float, above: bool) -> float:
        drawn = statistic(normals, correlation * normals + math.sqrt(1 - correlation**2) * other)
        # Equal values of a discrete statistic may differ in the last bit.
        beyond = drawn >= observed - 1e-9 if above else drawn <= observed + 1e-9
        return float(beyond.mean())

    bounds = []
    for above in (True, False):
        low, high = -1.0, 1.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if (chance(middle, above) < tail) == above:
                low = middle
            else:
                high = middle
        # A bound that never moved is the end of the scale.
        bounds.append(population(low if low == -1 else high if high == 1 else (low + high) / 2))
    return Estimate(float(observed), bounds[0], bounds[1], METHOD)
