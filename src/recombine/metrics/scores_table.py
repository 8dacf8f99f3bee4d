"""scores.csv: the scores of one system and seed with their intervals, for every tag."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from recombine.files import write_text
from recombine.metrics.base import aggregator_of
from recombine.metrics.scoring import Result
from recombine.statistics.intervals import (
    SLICE_SAMPLES,
    cluster_codes,
    interval,
    some_clusters,
)
from recombine.statistics.resample import Draws

COLUMNS = ("split", "tag", "value", "metric", "n", "score", "ci_low", "ci_high", "signature")


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One line of scores.csv."""

    split: str
    tag: str
    value: str
    metric: str
    n: int
    score: float
    ci_low: float
    ci_high: float
    signature: str


def score_rows(results: Iterable[Result], *, overall_only: bool = False) -> list[ScoreRow]:
    """Return the scores with 95% intervals: overall first, then per tag value."""
    rows = []
    for result in results:
        stats = result.stats
        aggregator = aggregator_of(result.metric)
        signature = result.metric.signature()
        clusters = cluster_codes(result.clusters)
        slices: list[tuple[str, str, list[int] | None]] = [("all", "all", None)]
        if not overall_only:
            slices += [
                (tag, value, where)
                for tag, values in result.groups().items()
                for value, where in values.items()
            ]
        for tag, value, where in slices:
            part = stats if where is None else stats[where]
            samples = 1_000 if where is None else SLICE_SAMPLES
            draws = Draws([part], clusters=some_clusters(clusters, where))
            span = interval(part, aggregator, draws, samples=samples)
            rows.append(
                ScoreRow(
                    result.split,
                    tag,
                    value,
                    result.metric.name,
                    len(part),
                    aggregator.from_rows(part),
                    span.low,
                    span.high,
                    signature,
                )
            )
    return rows


def write_scores(path: Path, results: Sequence[Result]) -> None:
    """Write scores.csv atomically."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in score_rows(results):
        writer.writerow(
            [getattr(row, name) for name in COLUMNS[:5]]
            + [f"{row.score:.4f}", f"{row.ci_low:.4f}", f"{row.ci_high:.4f}", row.signature]
        )
    write_text(path, stream.getvalue())
