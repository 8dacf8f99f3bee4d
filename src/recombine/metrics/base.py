"""What a metric is: per-key statistics first, one number afterwards.

Because statistics are kept per key (sentence, compound, pair), intervals and paired tests work for
every metric without extra code, and clustered data gets honest intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from recombine.benchmark import Example

Stats = npt.NDArray[np.float64]


class Scored(NamedTuple):
    """An example and what a system made of it."""

    example: Example
    hypothesis: str


@dataclass(frozen=True, slots=True)
class Observation:
    """What a metric saw at one key.

    `value` is 1 for correct and 0 for wrong in yes/no metrics; `stats` is what `aggregate` adds up;
    `detail` says why, for people.
    """

    key: str
    ids: tuple[str, ...]
    value: float
    stats: tuple[float, ...]
    detail: Mapping[str, Any] = field(default_factory=dict)


def percent_right(stats: Stats) -> float:
    """Return the mean of yes/no verdicts, in percent."""
    return float(stats[:, 0].mean() * 100) if len(stats) else 0.0


def share_of_judged(stats: Stats) -> float:
    """Return the share of verdicts, in the first column, among those that the second counts."""
    judged = float(stats[:, 1].sum())
    return float(stats[:, 0].sum()) / judged if judged else float("nan")


@runtime_checkable
class Metric(Protocol):
    """Four methods; options are the dataclass fields of the implementing class.

    Optional: ``prepare(items)``, called once with every scored item of the run before observing.
    Fields named `source_language` and `target_language` are filled from the benchmark.
    """

    name: ClassVar[str]

    def key(self, example: Example) -> str | None:
        """Return the unit of observation; None means that the metric does not apply."""
        ...

    def observe(self, items: Sequence[Scored]) -> Observation | None:
        """Return what is seen at one key, given all its items; None excludes the key."""
        ...

    def aggregate(self, stats: Stats) -> float:
        """Return the score of a set of observations, one row of statistics each."""
        ...

    def signature(self) -> str:
        """Return the settings that a reader needs to get the same number."""
        ...
