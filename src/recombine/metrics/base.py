"""What a metric is: per-key statistics first, one number afterwards.

Because statistics are kept per key (sentence, compound, pair), intervals and paired tests work for
every metric without extra code, and clustered data gets honest intervals.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, get_args, runtime_checkable

import numpy as np
import numpy.typing as npt

from recombine.benchmark import Example
from recombine.errors import ConfigError
from recombine.statistics.aggregate import Aggregator, Kind

Stats = npt.NDArray[np.float64]


class Scored(NamedTuple):
    """An example and what a system made of it; where there is no output the text is empty."""

    example: Example
    hypothesis: str
    missing: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """What a metric saw at one key.

    `value` is for people: right where it is the metric's `right_value`. `stats` is what the score
    is made of; `detail` says why.
    """

    key: str
    ids: tuple[str, ...]
    value: float
    stats: tuple[float, ...]
    detail: Mapping[str, Any] = field(default_factory=dict)


# What a missing output is worth: judged as the empty string; wrong, whatever the metric compares;
# or left out, and said to be, where it can be neither (a rate of a fault).
Missing = Literal["empty", "wrong", "left out"]


@runtime_checkable
class Metric(Protocol):
    """What turns hypotheses into observations, and what a reader of its numbers must know.

    A metric is a class that inherits from this one. It declares the attributes without a value
    here, writes `key`, `observe` and `signature`, and `aggregate` too where its kind is "sums" or
    "rows". Everything else is optional. Options are the dataclass fields of the class; fields named
    `source_language`, `target_language`, `grammar`, `edition` and `grammar_sha256` are filled from
    the benchmark.
    """

    name: ClassVar[str]
    # "mean": of the first statistic. "ratio": the first, summed, over the second, summed. "sums": a
    # function of the sums of all statistics. "rows": anything else.
    kind: ClassVar[Kind]
    higher_is_better: ClassVar[bool]
    # The `value` of an observation without fault.
    right_value: ClassVar[float]
    missing: ClassVar[Missing]
    # The score of a "percent" metric is 100 x its statistics' mean or ratio, else just that.
    unit: ClassVar[str] = "percent"
    limits: ClassVar[tuple[float, float]] = (0.0, 100.0)
    # Tags whose values are what was sampled: keys that share one (the first that they have) are
    # one unit of the sample. Without one, the benchmark's groups are.
    clusters: ClassVar[tuple[str, ...]] = ()
    # The statistic that is 1 where a key could not be judged: the score may be higher by its mean,
    # and is printed as a range where anything is undecided.
    undecided: ClassVar[int | None] = None
    # Whether it knows the one wording that the benchmark teaches, so that whoever learned elsewhere
    # is counted wrong for saying it otherwise.
    one_wording: ClassVar[bool] = False

    @abstractmethod
    def key(self, example: Example) -> str | None:
        """Return the unit of observation; None means that the metric does not apply."""
        ...

    @abstractmethod
    def observe(self, items: Sequence[Scored]) -> Observation | None:
        """Return what is seen at one key, given all its items; None excludes the key."""
        ...

    @abstractmethod
    def signature(self) -> str:
        """Return the settings that a reader needs to get the same number."""
        ...

    def aggregate(self, stats: Stats) -> float:
        """Return the score of a set of observations, one row of statistics each."""
        return Aggregator(self.kind, _scale(self)).from_rows(stats)

    def aggregate_many(self, sums: Stats) -> Stats:
        """Return the scores of many sums of statistics at once: what intervals and tests call."""
        return np.array([self.aggregate(row[None, :]) for row in sums], dtype=np.float64)

    def prepare(self, items: Sequence[Scored]) -> None:
        """Learn from every item of the run, probes included; called once before observing."""
        return

    def prepare_like(self, other: Metric) -> bool:
        """Take over what another metric of the same scoring learned; False where that is no help.

        `other` was prepared with the same items; where this returns True, `prepare` is not called.
        """
        return False

    def settle(self, system: str, seed: int, folder: Path | None) -> None:
        """Hear whose translations are judged, and where it may keep what it paid for."""
        return

    def depends_on(self) -> Sequence[Path]:
        """Return files that scores depend on: once they say something else, so may a score."""
        return ()

    def outside(self) -> Mapping[str, str]:
        """Return what it runs or asks besides Python: {"runs": ...} or {"asks": ...}."""
        return {}

    def notes(self) -> dict[str, Any]:
        """Return what a reader should know beside the score: what was left out or learned."""
        return {}


def _scale(metric: Metric) -> float:
    return 100.0 if metric.unit == "percent" else 1.0


def aggregator_of(metric: Metric) -> Aggregator:
    """How the statistics of a metric become a score, by what it declares."""
    if metric.kind in ("mean", "ratio"):
        return Aggregator(metric.kind, _scale(metric), metric.limits)
    many = metric.aggregate_many if metric.kind == "sums" else None
    return Aggregator(metric.kind, _scale(metric), metric.limits, metric.aggregate, many)


def require_kind(metric: Metric, stats: Stats) -> None:
    """Raise when a metric's own aggregate is not what its kind makes of the same statistics."""
    own = float(metric.aggregate(stats))
    sums, counts = stats.sum(axis=0, keepdims=True), np.array([len(stats)])
    by_kind = aggregator_of(metric).from_sums(sums, counts)
    if metric.kind != "rows" and not np.isclose(own, by_kind[0], rtol=1e-9, equal_nan=True):
        raise ConfigError(
            f"metric '{metric.name}' declares the kind '{metric.kind}' and the unit "
            f"'{metric.unit}', which give {by_kind[0]:.6g} where its aggregate gives {own:.6g}",
            hint="leave out `aggregate` for a mean or a ratio, or declare the kind 'rows'",
        )


DECLARED = ("name", "kind", "higher_is_better", "right_value", "missing")


def require_declared(metric: object, name: str) -> None:
    """Raise when a metric leaves a reader of its numbers guessing."""
    lacking = [attribute for attribute in DECLARED if not hasattr(metric, attribute)]
    if not lacking and isinstance(metric, Metric):
        if metric.kind not in get_args(Kind):
            lacking = [f"a kind that there is ({', '.join(get_args(Kind))})"]
        elif metric.missing not in get_args(Missing):
            lacking = [f"a worth of missing outputs ({', '.join(get_args(Missing))})"]
        else:
            return
    raise ConfigError(
        f"metric '{name}' does not declare {', '.join(lacking) or 'every hook of a metric'}",
        hint="inherit from recombine.metrics.base.Metric and declare what its numbers mean: "
        "docs/how-to/add-a-metric.md",
    )
