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
from recombine.statistics.aggregate import Array
from recombine.statistics.intervals import Estimate

ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(Estimate):
    """A score with its interval, and of how many it speaks.

    It is of `n` keys of the `of` that the metric is about; `failed` keys had no output. Of several
    seeds `n` is that of the seed with the fewest, and a key failed where any seed lacks its output.
    `tag` and `slice` say of which part of the split; both are empty for the whole. `seeds` are the
    scores of each seed; the value is their mean, never the best.
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
    seeds: tuple[float, ...]
    signature: str = ""

    @property
    def sd(self) -> float:
        """The standard deviation over seeds; of one seed it is not known."""
        return float(np.std(self.seeds, ddof=1)) if len(self.seeds) > 1 else math.nan

    @property
    def counted(self) -> str:
        """Of how many the score speaks: "n=1,894 of 1,900, 6 failed"."""
        text = f"n={self.n:,}" + (f" of {self.of:,}" if self.of != self.n else "")
        return text + (f", {self.failed:,} failed" if self.failed else "")


def undecided_share(tables: Sequence[Array], column: int | None, scale: float = 100.0) -> float:
    """The share that could not be judged, in the score's unit; the mean over seeds."""
    if column is None or not all(len(table) for table in tables):
        return 0.0
    return scale * float(np.mean([table[:, column].mean() for table in tables]))


COLUMNS = (
    "split", "tag", "value", "metric", "n", "of", "failed", "score", "ci_low", "ci_high",
    "method", "signature", "undecided",
)  # fmt: skip


def write_scores(path: Path, scores: Iterable[Score]) -> None:
    """Write scores.csv atomically."""
    rows = [
        [
            score.split, score.tag or ALL, score.slice or ALL, score.metric,
            score.n, score.of, score.failed,
            f"{score.value:.4f}", f"{score.low:.4f}", f"{score.high:.4f}",
            score.method, score.signature, f"{score.undecided:.4f}",
        ]
        for score in scores
    ]  # fmt: skip
    stream = io.StringIO()
    inert = [[inert_cell(cell) for cell in row] for row in rows]
    csv.writer(stream, lineterminator="\n").writerows([COLUMNS, *inert])
    write_text(path, stream.getvalue())


def tidy_rows(scores: Sequence[Score]) -> tuple[list[str], list[list[object]]]:
    """Columns and rows of results.csv, one number per row."""
    columns = [
        "split", "tag", "value", "metric", "system", "n", "of", "failed", "score", "ci_low",
        "ci_high", "method", "seeds", "sd", "min", "max", "signature",
        "undecided",
    ]  # fmt: skip
    rows: list[list[object]] = []
    for score in scores:
        rows.append(
            [
                score.split, score.tag, score.slice, score.metric, score.system,
                score.n, score.of, score.failed,
                round(score.value, 4), round(score.low, 4), round(score.high, 4), score.method,
                len(score.seeds), "" if math.isnan(score.sd) else round(score.sd, 4),
                round(min(score.seeds), 4), round(max(score.seeds), 4), score.signature,
                round(score.undecided, 4),
            ]
        )  # fmt: skip
    return columns, rows
