"""Score: one number and everything needed to trust it, from scoring to page and exports."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.files import inert_cell, write_text
from recombine.metrics.base import aggregator_of
from recombine.metrics.scoring import Result
from recombine.metrics.slices import DECLARED
from recombine.statistics.intervals import SLICE_SAMPLES, Aggregator, Interval, normal_quantile
from recombine.statistics.resample import Array, Draws
from recombine.statistics.seeds import system_interval

ALL = "all"
# What an interval is made with unless somebody says otherwise.
SAMPLES, CONFIDENCE = 1_000, 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A score with its interval, and of how many it speaks.

    It is of `n` keys of the `of` that the metric is about; `failed` keys had no output. `tag` and
    `slice` say of which part of the split; both are empty for the whole. `seeds` are the scores of
    each seed; the value is their mean, never the best.
    """

    metric: str
    split: str
    tag: str = ""
    slice: str = ""
    system: str = ""
    value: float
    low: float
    high: float
    n: int
    of: int
    failed: int
    unit: str
    method: str
    seeds: tuple[float, ...]
    signature: str = ""
    # By how much the score would be higher if all that could not be judged were right.
    undecided: float = 0.0

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2

    @property
    def sd(self) -> float:
        """The standard deviation over seeds; of one seed it is not known."""
        return float(np.std(self.seeds, ddof=1)) if len(self.seeds) > 1 else math.nan

    @property
    def reach(self) -> float:
        """The score if all that could not be judged were right; NaN where all was judged."""
        return self.value + self.undecided if self.undecided else math.nan

    def told(self, decimals: int = 1) -> str:
        """The score in digits, and how high it may be where not all could be judged."""
        reach = f" to {self.reach:.{decimals}f}" if self.undecided else ""
        return f"{self.value:.{decimals}f}{reach}"

    def standard_error(self, confidence: float) -> float:
        """The standard error of a normal estimate whose interval this is."""
        return self.half_width / normal_quantile(confidence)

    @property
    def counted(self) -> str:
        """Of how many the score speaks: "n=1,894 of 1,900, 6 failed"."""
        text = f"n={self.n:,}" + (f" of {self.of:,}" if self.of != self.n else "")
        return text + (f", {self.failed:,} failed" if self.failed else "")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Say what the fields of version 0.1 are called."""
            renamed = {"score": "value", "ci_low": "low", "ci_high": "high"}
            hint = f"; it is called '{renamed[name]}'" if name in renamed else ""
            raise AttributeError(f"a Score has no '{name}'{hint}")


def make_score(
    tables: Sequence[Array],
    aggregator: Aggregator,
    draws: Draws,
    *,
    of: int,
    failed: int,
    metric: str,
    split: str,
    unit: str,
    signature: str,
    tag: str = "",
    slice: str = "",
    system: str = "",
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
    known: Interval | None = None,
    undecided: int | None = None,
) -> Score:
    """The score of one system from the statistics of each of its seeds: the one place for it.

    `known` is its interval where it has been worked out before, from the same statistics;
    `undecided` is the statistic that says what could not be judged.
    """
    span = known or system_interval(
        tables, aggregator, draws, samples=samples, confidence=confidence
    )
    return Score(
        metric=metric,
        split=split,
        tag=tag,
        slice=slice,
        system=system,
        value=span.estimate,
        low=span.low,
        high=span.high,
        n=min(aggregator.counted(rows) for rows in tables),
        of=of,
        failed=failed,
        unit=unit,
        method=span.method,
        seeds=tuple(aggregator.from_rows(rows) for rows in tables),
        signature=signature,
        undecided=undecided_share(tables, undecided),
    )


def undecided_share(tables: Sequence[Array], column: int | None) -> float:
    """The share that could not be judged, in percent; the mean over seeds."""
    if column is None or not all(len(table) for table in tables):
        return 0.0
    return 100.0 * float(np.mean([table[:, column].mean() for table in tables]))


def scores_of(results: Iterable[Result], *, overall_only: bool = False) -> list[Score]:
    """Return the scores of one system and seed: the whole split first, then every slice."""
    found = []
    for result in results:
        metric, slices = result.metric, result.slices
        stats, aggregator = result.stats, aggregator_of(result.metric)
        signature = metric.signature()
        parts = [("", "", np.arange(len(stats)), np.arange(len(result.failed)))]
        if not overall_only:
            for tag in slices.worth():
                rows_of, keys_of = slices.rows(tag), slices.all_keys(tag)
                parts += [(tag, value, rows_of[value], keys_of[value]) for value in rows_of]
        for tag, value, rows, keys in parts:
            table = stats[rows]
            clusters = slices.clusters(DECLARED, metric.clusters, rows if tag else None)
            found.append(
                make_score(
                    [table],
                    aggregator,
                    Draws([table], clusters=clusters),
                    of=len(keys),
                    failed=int(result.failed[keys].sum()),
                    metric=metric.name,
                    split=result.split,
                    unit=metric.unit,
                    signature=signature,
                    tag=tag,
                    slice=value,
                    samples=SLICE_SAMPLES if tag else SAMPLES,
                    undecided=metric.undecided,
                )
            )
    return found


def stored_intervals(scores: Iterable[Score]) -> list[list[object]]:
    """Intervals as plain data, kept beside the observations: a report need not draw again."""
    return [
        [
            one.tag, one.slice,
            *(None if math.isnan(end) else end for end in (one.value, one.low, one.high)),
            one.method,
        ]
        for one in scores
    ]  # fmt: skip


def read_intervals(stored: Iterable[Sequence[Any]]) -> dict[tuple[str, str], Interval]:
    """Tag and slice -> interval, from what `stored_intervals` made."""
    found = {}
    for tag, value, *ends, method in stored:
        estimate, low, high = (math.nan if end is None else float(end) for end in ends)
        found[tag, value] = Interval(estimate, low, high, method)
    return found


COLUMNS = (
    "split", "tag", "value", "metric", "n", "of", "failed", "score", "ci_low", "ci_high",
    "method", "signature", "undecided",
)  # fmt: skip


def write_scores(path: Path, scores: Iterable[Score]) -> None:
    """Write scores.csv atomically."""
    rows = [
        [
            one.split, one.tag or ALL, one.slice or ALL, one.metric, one.n, one.of, one.failed,
            f"{one.value:.4f}", f"{one.low:.4f}", f"{one.high:.4f}", one.method, one.signature,
            f"{one.undecided:.4f}",
        ]
        for one in scores
    ]  # fmt: skip
    stream = io.StringIO()
    inert = [[inert_cell(cell) for cell in row] for row in rows]
    csv.writer(stream, lineterminator="\n").writerows([COLUMNS, *inert])
    write_text(path, stream.getvalue())
