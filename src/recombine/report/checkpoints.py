"""Scores over training: one point per checkpoint, so that a reader sees what more steps bring."""

from __future__ import annotations

import re
from typing import NamedTuple

from recombine.report.observations import Source, read_panel
from recombine.report.options import ReportOptions
from recombine.report.summary import Score, overall
from recombine.report.tables import Cell, Table


class Point(NamedTuple):
    """A system's score at one checkpoint."""

    checkpoint: str
    step: float
    score: Score


def step_of(checkpoint: str) -> float:
    """The number in a checkpoint's name; names without one come first."""
    found = re.findall(r"\d+(?:\.\d+)?", checkpoint)
    return float(found[-1]) if found else -1.0


def checkpoint_points(
    source: Source, metric: str, split: str, options: ReportOptions
) -> list[Point]:
    """Every scored checkpoint of one metric and split, in training order."""
    names = {
        one.checkpoint
        for one in source.scores
        if one.checkpoint is not None and (one.metric, one.split) == (metric, split)
    }
    points = []
    for name in sorted(names, key=lambda one: (step_of(one), one)):
        panel = read_panel(source, metric, split, name)
        if panel.keys:
            points += [Point(name, step_of(name), score) for score in overall(panel, options)]
    return points


def checkpoint_table(points: list[Point], metric: str, split: str) -> Table:
    """The curve as a table: one row per checkpoint and system."""
    rows: list[tuple[Cell, ...]] = [
        (
            point.checkpoint, point.score.system, point.score.estimate, point.score.interval.low,
            point.score.interval.high, point.score.spread.seeds,
        )
        for point in points
    ]  # fmt: skip
    return Table(
        f"training-{metric}-{split}",
        f"{metric} on {split} during training",
        ("checkpoint", "system", "score", "low", "high", "seeds"),
        tuple(rows),
    )
