"""Score: one number and everything needed to trust it, from scoring to page and exports."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recombine.files import inert_cell, write_text
from recombine.metrics.base import aggregator_of
from recombine.metrics.scoring import Result
from recombine.metrics.slices import DECLARED
from recombine.statistics.aggregate import Array
from recombine.statistics.sample import Sample

ALL = "all"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval; an interval that is not known is NaN."""

    value: float
    low: float = math.nan
    high: float = math.nan

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(Estimate):
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
    n: int
    of: int
    failed: int
    unit: str
    method: str
    seeds: tuple[float, ...]
    # Of the value, in its unit; NaN where too few observations tell.
    standard_error: float = math.nan
    signature: str = ""
    # By how much the score would be higher if all that could not be judged were right.
    undecided: float = 0.0

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

    @property
    def counted(self) -> str:
        """Of how many the score speaks: "n=1,894 of 1,900, 6 failed"."""
        text = f"n={self.n:,}" + (f" of {self.of:,}" if self.of != self.n else "")
        return text + (f", {self.failed:,} failed" if self.failed else "")


def make_score(
    sample: Sample,
    system: str,
    *,
    of: int,
    failed: int,
    metric: str,
    split: str,
    unit: str,
    signature: str,
    tag: str = "",
    slice: str = "",
    undecided: int | None = None,
) -> Score:
    """The score of one system of a sample: the one place for it.

    `undecided` is the statistic that says what could not be judged.
    """
    tables, aggregator = sample.tables[system], sample.aggregator
    span = sample.interval(system)
    return Score(
        metric=metric,
        split=split,
        tag=tag,
        slice=slice,
        system=system,
        value=span.estimate,
        low=span.low,
        high=span.high,
        n=min(int(aggregator.counts(rows).sum()) for rows in tables),
        of=of,
        failed=failed,
        unit=unit,
        method=span.method,
        seeds=tuple(aggregator.from_rows(rows) for rows in tables),
        standard_error=span.error,
        signature=signature,
        undecided=undecided_share(tables, undecided, aggregator.scale),
    )


def undecided_share(tables: Sequence[Array], column: int | None, scale: float = 100.0) -> float:
    """The share that could not be judged, in the score's unit; the mean over seeds."""
    if column is None or not all(len(table) for table in tables):
        return 0.0
    return scale * float(np.mean([table[:, column].mean() for table in tables]))


def scores_of(
    results: Iterable[Result], system: str = "", *, overall_only: bool = False
) -> list[Score]:
    """Return the scores of one system and seed: the whole split first, then every slice."""
    scores = []
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
            clusters = slices.clusters(DECLARED, metric.clusters, rows if tag else None)
            scores.append(
                make_score(
                    Sample({system: [stats[rows]]}, aggregator, clusters),
                    system,
                    of=len(keys),
                    failed=int(result.failed[keys].sum()),
                    metric=metric.name,
                    split=result.split,
                    unit=metric.unit,
                    signature=signature,
                    tag=tag,
                    slice=value,
                    undecided=metric.undecided,
                )
            )
    return scores


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
