"""What a split is: a side for every counted sentence, wanted divergences, bounds on its sizes.

Bounds are hard. They come from sizes or shares that the recipe gives, or from the paper's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.errors import ConfigError

TRAIN, TEST, UNUSED = 0, 1, 2
Sides = npt.NDArray[np.int8]
Size = int | tuple[int, ...] | None

# Moisio et al. 2023, Table 2 and section 3 of their experiments: of the sentences with a
# controlled atom about 80% are used for the minimal and 73.3% for the maximal split (their
# iterations 240,000 and 220,000 of 300,000), and test is 10-20% of what is used: near 20% for the
# minimal split, near 10% for the maximal one.
USED_SHARE = (0.80, 0.733)
TEST_SHARE_LEAST = (0.195, 0.10)
TEST_SHARE_MOST = (0.20, 0.11)
# Room for single moves between used and unused, as a share of all rows.
SLACK = 0.001


class Goal(NamedTuple):
    """The wanted divergences; the score is -|c - D_C| - weight |D_A - a*|."""

    compound: float
    atom: float = 0.0
    atom_weight: float = 1.0

    def score(self, atom: float, compound: float) -> float:
        """Return how near these divergences come; 0 is best (Moisio et al. 2023, section 3.1)."""
        return -abs(self.compound - compound) - self.atom_weight * abs(atom - self.atom)


@dataclass
class Split:
    """The outcome: a side per row, with divergences computed from scratch."""

    sides: Sides
    atom: float
    compound: float
    train: int
    test: int
    score: float
    moves: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Least and most sentences of train, of test, and of both together. Never left."""

    train: tuple[int, int]
    test: tuple[int, int]
    used: tuple[int, int]

    def array(self) -> npt.NDArray[np.int64]:
        """Return the six numbers in the kernel's order."""
        return np.array([*self.train, *self.test, *self.used], np.int64)

    def require_feasible(self, available: int) -> None:
        """Raise when no split of `available` sentences can satisfy the bounds."""
        names = {"train": self.train, "test": self.test, "used": self.used}
        for name, (least, most) in names.items():
            if least > most or most < 0:
                raise ConfigError(f"infeasible bounds: {name} between {least:,} and {most:,}")
        low = max(self.used[0], self.train[0] + self.test[0])
        high = min(self.used[1], self.train[1] + self.test[1], available)
        if low > high or self.test[0] < 1:
            raise ConfigError(
                f"infeasible bounds: train {_said(self.train)}, test {_said(self.test)}, together "
                f"{_said(self.used)}, but {available:,} sentences have a controlled atom",
                hint="lower the sizes, or give more sentences",
            )


def _said(bounds: tuple[int, int]) -> str:
    return f"{bounds[0]:,}" if bounds[0] == bounds[1] else f"{bounds[0]:,}-{bounds[1]:,}"


def choose_bounds(
    available: int,
    target_divergence: float,
    *,
    train_size: Size = None,
    test_size: Size = None,
    used_share: float | None = None,
    test_share: tuple[float, ...] | None = None,
) -> Bounds:
    """Return the bounds; what is not given comes from the paper's sizes for such a target."""
    train = _span(train_size, available, "train_size")
    test = _span(test_size, available, "test_size")
    if train is not None and test is not None:
        return Bounds(train=train, test=test, used=(train[0] + test[0], train[1] + test[1]))
    share = _between(USED_SHARE, target_divergence) if used_share is None else used_share
    if not 0 < share <= 1:
        raise ConfigError(f"used_share = {share} is not between 0 and 1")
    most = floor(share * available)
    least = max(0, most - ceil(SLACK * available))
    low, high = _test_share(target_divergence, test_share)
    if test is None:
        if train is None:
            test = (max(1, ceil(low * most)), max(1, floor(high * least)))
            if test[0] > test[1]:  # a corpus too small for the slack: one size
                test = (test[0], test[0])
        else:
            test = (
                max(1, ceil(low / (1 - low) * train[0])),
                max(1, floor(high / (1 - high) * train[1])),
            )
    if train is None:
        return Bounds(train=(0, most), test=test, used=(least, most))
    return Bounds(train=train, test=test, used=(train[0] + test[0], train[1] + test[1]))


def _test_share(target: float, given: tuple[float, ...] | None) -> tuple[float, float]:
    if given is None:
        return _between(TEST_SHARE_LEAST, target), _between(TEST_SHARE_MOST, target)
    low, high = (given[0], given[-1]) if given else (0.0, 0.0)
    if not 0 < low <= high < 1:
        raise ConfigError(f"test_share = {list(given)}: two shares between 0 and 1 are needed")
    return low, high


def _between(ends: tuple[float, float], target: float) -> float:
    return ends[0] + (ends[1] - ends[0]) * min(1.0, max(0.0, target))


def _span(size: Size, available: int, name: str) -> tuple[int, int] | None:
    if size is None:
        return None
    span = (size, size) if isinstance(size, int) else tuple(size)
    if len(span) == 1:
        span = (span[0], span[0])
    if len(span) != 2 or not 0 < span[0] <= span[1]:
        raise ConfigError(f"{name} = {size}: give a number, or the least and the most")
    if span[0] > available:
        raise ConfigError(
            f"infeasible bounds: {name} = {size}, but {available:,} sentences have a "
            "controlled atom"
        )
    return span[0], span[1]


def random_split(size: int, bounds: Bounds, seed: int) -> Sides:
    """Return a random split with the largest test and used sizes that the bounds allow."""
    bounds.require_feasible(size)
    used = min(bounds.used[1], bounds.train[1] + bounds.test[1], size)
    test = min(bounds.test[1], used - bounds.train[0])
    train = min(bounds.train[1], used - test)
    order = np.random.Generator(np.random.PCG64(seed)).permutation(size)
    sides = np.full(size, UNUSED, np.int8)
    sides[order[:test]] = TEST
    sides[order[test : test + train]] = TRAIN
    return sides
