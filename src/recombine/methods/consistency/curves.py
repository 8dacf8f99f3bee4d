"""Consistency over training: figures 1 to 3 of Dankers et al. 2022 with one point per checkpoint.

A system that does not translate yet scores well for the wrong reason: one output for every source
is consistent under synonyms and renders no idiom literally. So a checkpoint of a system gives no
point where most of its output is degenerate, or where most minimal pairs get one and the same
output; `training-checkpoints` says which.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from recombine.metrics.base import Observation
from recombine.metrics.observations import ObservationTable
from recombine.metrics.slices import Rows
from recombine.report.reading.observations import read_observations, read_scores
from recombine.report.reading.runs import ReportRuns
from recombine.report.tables.checkpoints import Series, series_table, step_of
from recombine.report.tables.table import Cell, Column, Table

# From this share of unusable outputs on, a checkpoint gives no point.
MOST_UNUSABLE = 0.5


SPLITS = ("overgeneralisation", "context")


class TrainingState(NamedTuple):
    """Whether a checkpoint of a system translates yet: shares of outputs, None where not scored."""

    system: str
    checkpoint: str
    degenerate: float | None
    collapsed: float | None

    @property
    def translates(self) -> bool:
        """Whether its scores mean anything."""
        return all(share is None or share <= MOST_UNUSABLE for share in self[2:])


def training_tables(source: ReportRuns) -> list[Table]:
    """The curves of every test that was scored at two checkpoints or more."""
    checkpoints = scored_checkpoints(source)
    if len(checkpoints) < 2:
        return []
    states = read_states(source, checkpoints)
    ready = {(state.system, state.checkpoint) for state in states if state.translates}
    idioms = {
        system: read_idiom_curves(source, system, checkpoints, ready) for system in source.systems
    }
    tables = [
        _curves(
            source, checkpoints, systematicity(source, checkpoints, ready), ("data", "condition"),
            "training-systematicity", "Consistency of recombinations during training (Figure 1)",
        ),
        _curves(
            source, checkpoints, substitutivity(source, checkpoints, ready), ("data", "measure"),
            "training-substitutivity", "Consistency under synonyms during training (Figure 2)",
        ),
        _curves(
            source, checkpoints, _means(idioms), ("data",), "training-overgeneralisation",
            "Literal renderings during training, mean over idioms (Figure 3)",
        ),
        _curves(
            source, checkpoints, _each(idioms), ("idiom",), "training-idioms",
            "Literal renderings of each idiom during training",
        ),
        curve_table({name: by.get("") for name, by in idioms.items()}, training_counts(source)),
        _state_table(states),
    ]  # fmt: skip
    return [table for table in tables if table.rows]


def scored_checkpoints(source: ReportRuns) -> list[str]:
    """The checkpoints of all systems, in training order."""
    names = {scores.checkpoint for scores in source.scores if scores.checkpoint is not None}
    return sorted(names, key=lambda name: (step_of(name), name))


def read_states(source: ReportRuns, checkpoints: Sequence[str]) -> list[TrainingState]:
    """How much of each checkpoint's output is unusable, over all seeds."""
    steps = []
    for name in checkpoints:
        literal = _table(source, "literal", "overgeneralisation", name)
        pairs = _table(source, "consistency", "systematicity", name)
        for system in source.systems:
            if not any(
                (scores.system, scores.checkpoint) == (system, name) for scores in source.scores
            ):
                continue
            swapped = None if pairs is None else _rows_of(pairs, "condition", ("np", "vp"))
            steps.append(
                TrainingState(
                    system,
                    name,
                    _share(literal, system, "degenerate"),
                    _share(pairs, system, "collapsed", swapped),
                )
            )
    return sorted(steps, key=lambda step: source.systems.index(step.system))


def systematicity(
    source: ReportRuns, checkpoints: Sequence[str], ready: set[tuple[str, str]]
) -> Series:
    """Figure 1 over training: consistency by data and condition."""
    curves: Series = {}
    for name in checkpoints:
        table = _table(source, "consistency", "systematicity", name)
        if table is None:
            continue
        for series, where in table.group_by("data", "condition").items():
            _add(curves, series, name, table, where, ready)
    return curves


def substitutivity(
    source: ReportRuns, checkpoints: Sequence[str], ready: set[tuple[str, str]]
) -> Series:
    """Figure 2 over training: whole sentences and the term alone, by data."""
    series: Series = {}
    for metric, measure in (("consistency", "sentence"), ("synonym-consistency", "term")):
        for name in checkpoints:
            table = _table(source, metric, "substitutivity", name)
            if table is not None:
                for data, where in table.slices("data").items():
                    _add(series, (data, measure), name, table, where, ready)
    return series


def read_idiom_curves(
    source: ReportRuns, system: str, checkpoints: Sequence[str], ready: set[tuple[str, str]]
) -> dict[str, IdiomCurves]:
    """Figure 3: curves of a system by kind of data, its seeds together; "" is all in sentences."""
    rows: dict[str, dict[str, list[Observation]]] = {}
    usable = [name for name in checkpoints if (system, name) in ready]
    for scores in source.scores:
        if (scores.system, scores.metric) != (system, "literal") or scores.checkpoint not in usable:
            continue
        if scores.split in SPLITS:
            examples = source.examples(scores.split)
            for row in read_scores(source, scores, None).rows():
                if row.key not in examples:  # a sample is looked at
                    continue
                data = str(examples[row.key].tags.get("data", scores.split))
                for kind in (data, "") if scores.split == SPLITS[0] else (data,):
                    rows.setdefault(kind, {}).setdefault(scores.checkpoint, []).append(row)
    return {
        kind: idiom_curves([(name, by_name.get(name, [])) for name in usable])
        for kind, by_name in rows.items()
    }


def curve_table(
    curves: Mapping[str, IdiomCurves | None], frequencies: Mapping[str, float]
) -> Table:
    """Figure 3 and the end of table 8: peak, where, end, drop, and r with log frequency."""
    rows: list[tuple[Cell, ...]] = []
    for name, series in curves.items():
        if series is None:
            continue
        for idiom, curve in [*series.idioms.items(), ("mean", series.mean)]:
            percent = [None if v is None else 100 * v for v in (curve.peak, curve.end, curve.drop)]
            correlation = series.correlation(frequencies) if idiom == "mean" else None
            frequency = frequencies.get(idiom)
            rows.append(
                (
                    name, idiom, None if frequency is None else int(frequency), percent[0],
                    curve.peak_at, percent[1], percent[2],
                    None if correlation is None else f"{correlation:.2f}",
                )
            )  # fmt: skip
    return Table(
        "figure-3-curves",
        "Literal renderings during training: peak and end (Figure 3)",
        ("system", "idiom", "frequency", "peak", "at", "end", "drop", "r with log frequency"),
        tuple(rows),
        (
            "frequency: sentences of the whole training text with the idiom. The paper reports r "
            "between .53 and .56 for the drop.",
        ),
    )


def _table(source: ReportRuns, metric: str, split: str, checkpoint: str) -> ObservationTable | None:
    wanted = (metric, split, checkpoint)
    if not any(
        (scores.metric, scores.split, scores.checkpoint) == wanted for scores in source.scores
    ):
        return None
    table = read_observations(source, metric, split, checkpoint)
    return table if table.keys else None


def _rows_of(table: ObservationTable, tag: str, values: Iterable[str]) -> Rows:
    slices = table.slices(tag)
    rows = [slices[value] for value in values if value in slices]
    return np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)


def _share(
    table: ObservationTable | None, system: str, label: str, where: Rows | None = None
) -> float | None:
    """The share of observations of one class, over a system's seeds."""
    if table is None or system not in table.systems:
        return None
    places = np.arange(len(table.keys)) if where is None else where
    columns = [table.classes[voice] for voice in table.voices(system)]
    labels = [column[place] for column in columns if column for place in places.tolist()]
    return labels.count(label) / len(labels) if labels else None


def _add(
    curves: Series,
    series: tuple[str, ...],
    checkpoint: str,
    table: ObservationTable,
    where: Rows,
    ready: set[tuple[str, str]],
) -> None:
    """Add a point for every system that translates: the mean over its seeds."""
    for system in table.systems:
        if (system, checkpoint) in ready:
            scores = [
                score for score in table.seed_scores(system, where).values() if score == score
            ]
            if scores:
                by_system = curves.setdefault(series, {}).setdefault(checkpoint, {})
                by_system[system] = float(np.mean(scores))


def _means(idioms: Mapping[str, Mapping[str, IdiomCurves]]) -> Series:
    series: Series = {}
    for system, by_kind in idioms.items():
        for kind, curves in by_kind.items():
            if kind:
                _add_curve(series, (kind,), system, curves.mean)
    return series


def _each(idioms: Mapping[str, Mapping[str, IdiomCurves]]) -> Series:
    series: Series = {}
    for system, by_kind in idioms.items():
        if "" in by_kind:
            for idiom, curve in by_kind[""].idioms.items():
                _add_curve(series, (idiom,), system, curve)
    return series


def _add_curve(curves: Series, series: tuple[str, ...], system: str, curve: Curve) -> None:
    for place, value in curve.known:
        by_checkpoint = curves.setdefault(series, {})
        by_checkpoint.setdefault(curve.checkpoints[place], {})[system] = 100 * value


def _curves(
    source: ReportRuns,
    checkpoints: Sequence[str],
    series: Series,
    columns: tuple[str, ...],
    name: str,
    title: str,
) -> Table:
    note = "No value: the checkpoint does not translate yet (table training-checkpoints)."
    return series_table(
        series, checkpoints, (*columns, "step", *map(Column, source.systems)), name, title, (note,)
    )


def _state_table(states: Sequence[TrainingState]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            state.system, state.checkpoint,
            *(
                None if share is None else 100 * share
                for share in (state.degenerate, state.collapsed)
            ),
            "yes" if state.translates else "no",
        )
        for state in states
    ]  # fmt: skip
    return Table(
        "training-checkpoints",
        "Which checkpoints translate",
        ("system", "checkpoint", "degenerate", "collapsed", "used"),
        tuple(rows),
        (
            "degenerate: per cent of sentences with an idiom whose output is empty, much too short "
            "or long, repetitive or a copy; collapsed: per cent of minimal pairs with one output. "
            f"Over {100 * MOST_UNUSABLE:.0f} a checkpoint gives no point.",
        ),
    )


def training_counts(source: ReportRuns) -> dict[str, int]:
    """How often the benchmark's training text holds each idiom; empty without such a text."""
    path = source.benchmark.path / "certificate.json"
    stored = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    counts: dict[str, int] = stored.get("idioms_in_training") or {}
    return counts


# With fewer judged sentences than this a point says nothing.
FEWEST = 5


class Curve(NamedTuple):
    """One course: the value at each checkpoint, None where most outputs were degenerate."""

    checkpoints: tuple[str, ...]
    values: tuple[float | None, ...]

    @property
    def known(self) -> list[tuple[int, float]]:
        """Place and value of the checkpoints that have one."""
        return [(place, value) for place, value in enumerate(self.values) if value is not None]

    @property
    def peak(self) -> float | None:
        """The largest value."""
        return max((value for _, value in self.known), default=None)

    @property
    def peak_at(self) -> str | None:
        """The first checkpoint with the largest value."""
        peak = self.peak
        return next((self.checkpoints[place] for place, v in self.known if v == peak), None)

    @property
    def end(self) -> float | None:
        """The last value."""
        return self.known[-1][1] if self.known else None

    @property
    def drop(self) -> float | None:
        """How much was unlearned: peak minus end."""
        peak, end = self.peak, self.end
        return None if peak is None or end is None else peak - end


@dataclass(frozen=True)
class IdiomCurves:
    """The curves of all idioms of one system, and how much output was degenerate."""

    checkpoints: tuple[str, ...]
    idioms: Mapping[str, Curve]
    degenerate: tuple[float, ...]

    @property
    def mean(self) -> Curve:
        """The mean over idioms, as in the published figure: idioms without a value left out."""
        values: list[float | None] = []
        for place in range(len(self.checkpoints)):
            scored = [
                value
                for curve in self.idioms.values()
                if (value := curve.values[place]) is not None
            ]
            values.append(sum(scored) / len(scored) if scored else None)
        return Curve(self.checkpoints, tuple(values))

    def correlation(self, frequencies: Mapping[str, float], of: str = "drop") -> float | None:
        """Return Pearson's r of an idiom's `drop`, `peak` or `end` with its log frequency.

        The paper reports .53 to .56 for the drop (section 4.3.2); None with fewer than three
        idioms or where one side does not vary.
        """
        pairs = [
            (math.log(frequencies[idiom]), value)
            for idiom, curve in self.idioms.items()
            if frequencies.get(idiom, 0) > 0 and (value := getattr(curve, of)) is not None
        ]
        if len(pairs) < 3:
            return None
        x, y = np.array(pairs, dtype=np.float64).T
        if x.std() == 0 or y.std() == 0:
            return None
        return float(np.corrcoef(x, y)[0, 1])


def idiom_curves(observations: Sequence[tuple[str, Iterable[Observation]]]) -> IdiomCurves:
    """Make curves from (checkpoint, observations of `literal`), in training order."""
    names = tuple(name for name, _ in observations)
    sums: list[dict[str, list[float]]] = []
    degenerate = []
    for _, rows in observations:
        pooled: dict[str, list[float]] = {}
        bad = total = 0
        for row in rows:
            literal, judged = row.stats
            cell = pooled.setdefault(str(row.detail["idiom"]), [0.0, 0.0])
            cell[0] += literal
            cell[1] += judged
            bad += row.detail["class"] == "degenerate"
            total += 1
        sums.append(pooled)
        degenerate.append(bad / total if total else 0.0)
    idioms = dict.fromkeys(idiom for values in sums for idiom in values)
    return IdiomCurves(
        names,
        {
            idiom: Curve(names, tuple(_value(values.get(idiom, [0.0, 0.0])) for values in sums))
            for idiom in idioms
        },
        tuple(degenerate),
    )


def _value(cell: Sequence[float]) -> float | None:
    return cell[0] / cell[1] if cell[1] >= FEWEST else None
