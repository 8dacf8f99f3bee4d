"""Scores over training: one point per checkpoint, so that a reader sees what more steps bring.

A score that stands still may hide patterns that do not, so there is a table of these, too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from recombine.metrics.observations import ObservationTable
from recombine.metrics.score import Score
from recombine.report.reading.observations import read_observations
from recombine.report.reading.runs import ReportRuns
from recombine.report.tables.table import Cell, Column, Table, with_upper
from recombine.report.words import Words

# A series of a curve, such as ("synthetic", "np"), by checkpoint and system.
Series = dict[tuple[str, ...], dict[str, dict[str, float]]]
# How many patterns a note names.
NAMED = 3


class Point(NamedTuple):
    """A system's score at one checkpoint, and the mean over seeds for each value of a tag."""

    checkpoint: str
    step: float
    score: Score
    tag: str | None = None
    slices: Mapping[str, float] = {}


def step_of(checkpoint: str) -> float:
    """The number in a checkpoint's name; names without one come first."""
    numbers = re.findall(r"\d+(?:\.\d+)?", checkpoint)
    return float(numbers[-1]) if numbers else -1.0


def checkpoint_points(source: ReportRuns, metric: str, split: str) -> list[Point]:
    """Every scored checkpoint of one metric and split, in training order."""
    names = {
        scores.checkpoint
        for scores in source.scores
        if scores.checkpoint is not None and (scores.metric, scores.split) == (metric, split)
    }
    points = []
    for name in sorted(names, key=lambda scores: (step_of(scores), scores)):
        table = read_observations(source, metric, split, name)
        if table.keys:
            tag = table.main_tag
            points += [
                Point(name, step_of(name), score, tag, _slices(table, tag, score.system))
                for score in table.overall()
            ]
    return points


def _slices(table: ObservationTable, tag: str | None, system: str) -> dict[str, float]:
    if tag is None:
        return {}
    scores = {
        value: fmean(table.seed_scores(system, where).values())
        for value, where in table.slices(tag).items()
    }
    return {value: score for value, score in scores.items() if not math.isnan(score)}


def checkpoint_table(points: list[Point], metric: str, split: str, measured: str) -> Table:
    """The curve as a table: one row per checkpoint and system."""
    rows: list[tuple[Cell, ...]] = [
        (
            point.checkpoint, point.score.system, point.score.value, point.score.low,
            point.score.high, len(point.score.seeds),
        )
        for point in points
    ]  # fmt: skip
    columns: tuple[str, ...] = ("checkpoint", "system", "score", "low", "high", "seeds")
    columns, rows = with_upper(columns, rows, [point.score for point in points])
    return Table(f"training-{metric}-{split}", f"{measured} during training", columns, tuple(rows))


def slice_table(
    points: Sequence[Point],
    systems: Sequence[str],
    metric: str,
    split: str,
    measured: str,
    words: Words,
) -> Table | None:
    """The curve of every value of the main tag: one row per value and checkpoint."""
    tags = {point.tag for point in points if point.tag is not None}
    if len(tags) != 1:
        return None
    (tag,) = tags
    series: Series = {}
    for point in points:
        for value, score in point.slices.items():
            by_checkpoint = series.setdefault((value,), {})
            by_checkpoint.setdefault(point.checkpoint, {})[point.score.system] = score
    return series_table(
        series,
        list(dict.fromkeys(point.checkpoint for point in points)),
        (tag, "step", *map(Column, systems)),
        f"training-{metric}-{split}-by-{tag}",
        f"{measured} during training, by {words.tag(tag)}",
        tuple(note for system in systems if (note := _swings(points, system, tag, words))),
    )


def series_table(
    curves: Series,
    checkpoints: Sequence[str],
    columns: tuple[str, ...],
    name: str,
    title: str,
    notes: tuple[str, ...],
) -> Table:
    """Several curves as a table; the columns are those of a series, "step" and the systems."""
    systems = columns[columns.index("step") + 1 :]
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    for series, by_checkpoint in curves.items():
        rules.add(len(rows))
        for checkpoint in checkpoints:
            by_system = by_checkpoint.get(checkpoint)
            if by_system is not None:
                step = step_of(checkpoint)
                shown: Cell = int(step) if step >= 0 else checkpoint
                rows.append((*series, shown, *(by_system.get(system) for system in systems)))
    return Table(name, title, columns, tuple(rows), notes, frozenset(rules))


def _swings(points: Sequence[Point], system: str, tag: str, words: Words) -> str:
    """What changed most between a system's last two checkpoints."""
    own = [point for point in points if point.score.system == system and point.step >= 0]
    if len(own) < 2:
        return ""
    before, after = own[-2:]
    changes = {
        value: after.slices[value] - before.slices[value]
        for value in after.slices
        if value in before.slices
    }
    widest = sorted(changes, key=lambda value: -abs(changes[value]))[:NAMED]
    named = ", ".join(f"{words.label(tag, value)} {changes[value]:+.1f}" for value in widest)
    total = after.score.value - before.score.value
    change = f"{total:+.1f} in all; most changed {named}".replace("-", "−")
    return f"{system}, from step {before.step:,.0f} to {after.step:,.0f}: {change}."
