"""How many seeds are needed to see a gain, given the spread seen so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats as distributions

from recombine.errors import DataError
from recombine.registry import require

MOST_SEEDS = 10_000
DEFAULT_GAINS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0)


def _test() -> Any:
    module = require("statsmodels.stats.power", extra="report", feature="report --power")
    return module.TTestIndPower()


def seeds_needed(gain: float, sd: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Smallest number of seeds per system with which a t-test sees ``gain``; at least two."""
    if gain == 0:
        raise ValueError("a gain of zero cannot be seen with any number of seeds")
    test, effect = _test(), abs(gain) / sd
    # At the ends the equation has no solution that could be found.
    if test.power(effect, 2, alpha) >= power:
        return 2
    if test.power(effect, MOST_SEEDS, alpha) < power:
        return MOST_SEEDS
    return math.ceil(float(test.solve_power(effect_size=effect, alpha=alpha, power=power)))


def smallest_gain(sd: float, seeds: int, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest gain that ``seeds`` seeds per system see with ``power``."""
    return sd * float(_test().solve_power(nobs1=seeds, alpha=alpha, power=power))


@dataclass(frozen=True, slots=True)
class PowerRow:
    """Seeds per system for one gain: at the spread seen, and at its cautious upper limit."""

    gain: float
    seeds: int
    seeds_cautious: int


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """What the spread over seeds says about future experiments (all in points of 100)."""

    metric: str
    split: str
    systems: int
    seeds: int
    sd: float
    sd_upper: float
    smallest_gain_now: float
    rows: tuple[PowerRow, ...]
    alpha: float
    power: float


def pooled_sd(groups: Sequence[Sequence[float]]) -> tuple[float, int]:
    """Pooled standard deviation over systems and its degrees of freedom."""
    usable = [np.asarray(group, dtype=np.float64) for group in groups if len(group) > 1]
    freedom = sum(len(group) - 1 for group in usable)
    if freedom == 0:
        raise DataError(
            "no system has two or more seeds, so the spread over seeds is unknown",
            hint="run at least two seeds of one system, then ask again",
        )
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in usable)
    if squares == 0:
        raise DataError(
            "no system has seeds with different scores, so the spread over seeds is unknown",
            hint="only trained systems have seeds; a score that is always 0 or 100 has no spread",
        )
    return float(np.sqrt(squares / freedom)), freedom


def plan_power(
    scores: Sequence[Sequence[float]],
    *,
    metric: str = "",
    split: str = "",
    gains: Sequence[float] = DEFAULT_GAINS,
    alpha: float = 0.05,
    power: float = 0.8,
) -> PowerPlan:
    """Seeds needed for each gain, from the scores (0 to 100) of each system's seeds.

    A standard deviation from three seeds is itself uncertain by a factor of two, so each answer
    comes twice: at the estimate, and at its one-sided 80% upper limit (chi-square).
    """
    sd, freedom = pooled_sd(scores)
    upper = sd * float(np.sqrt(freedom / distributions.chi2.ppf(0.2, freedom)))
    fewest = min(len(group) for group in scores if len(group) > 1)
    rows = tuple(
        PowerRow(
            gain, seeds_needed(gain, sd, alpha, power), seeds_needed(gain, upper, alpha, power)
        )
        for gain in gains
    )
    return PowerPlan(
        metric=metric,
        split=split,
        systems=len(scores),
        seeds=fewest,
        sd=sd,
        sd_upper=upper,
        smallest_gain_now=smallest_gain(sd, fewest, alpha, power),
        rows=rows,
        alpha=alpha,
        power=power,
    )
