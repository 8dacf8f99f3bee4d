"""Cost: how long a piece of work may take, and where that number comes from.

A first run has no past to learn from, so whoever knows something says it: a system or a builder
declares its cost, cheap work is tried on a few examples. An estimate always names its basis.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, NamedTuple

# Without any knowledge: a neural system on a CPU translates a few sentences a second
# (docs/how-to/real-systems.md), and learning from a pair takes about as long.
ASSUMED_SECONDS = 0.1
# Long enough to see a rate, short enough for a dry run.
PATIENCE = 0.5


class Cost(NamedTuple):
    """An estimate in seconds and its basis, for people."""

    seconds: float
    basis: str

    def row(self) -> dict[str, Any]:
        """Return the estimate as a plan shows it."""
        digits = 1 if self.seconds < 100 else None
        return {"estimated_seconds": round(self.seconds, digits), "estimated_from": self.basis}


NOTHING = Cost(0.0, "up to date")


def assumed(count: int, what: str) -> Cost:
    """Return the cost of work nobody knows anything about."""
    return Cost(
        count * ASSUMED_SECONDS,
        f"assumed: {ASSUMED_SECONDS} s for each of {count:,} {what}; no cost is declared",
    )


def from_record(count: int, done: int, seconds: float, what: str, where: str) -> Cost:
    """Return the cost at the rate that was measured before."""
    return Cost(
        count * seconds / done, f"measured {where}: {done:,} {what} in {round(seconds, 1)} s"
    )


def time_some(steps: Iterable[int], count: int, what: str, *, patience: float = PATIENCE) -> Cost:
    """Do the first of the steps, which say how many items each did, and reckon up the rest.

    The first step pays for what is paid once (loading, learning), so it gives no rate unless it is
    the only one.
    """
    started = last = time.perf_counter()
    first, done, after = 0, 0, 0.0
    for size in steps:
        last = time.perf_counter()
        if not first:
            first, after = size, last
        else:
            done += size
        if last - started > patience:
            break
    if not first:
        return Cost(0.0, f"no {what}")
    rate = (last - after) / done if done else (last - started) / first
    seconds = (after - started) + rate * max(0, count - first)
    return Cost(seconds, f"timed now on {first + done:,} of {count:,} {what}")
