"""Reading observations: score files as tables, those of several systems and seeds side by side.

The report never scores text. It reads `scores/<metric>.<split>.jsonl`, keeps the keys that every
system and seed observed (paired tests need matched keys) and says how many it left out.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from recombine.errors import ConfigError, DataError, StaleOutput, Where
from recombine.metrics.observations import Measure, ObservationTable, measure_of, side_by_side
from recombine.metrics.scoring import create_metric, is_as_shipped
from recombine.metrics.slices import SplitExamples
from recombine.parallel import gc_paused
from recombine.registry import lookup
from recombine.report.examples import JudgedExample, explain
from recombine.report.reading.runs import ReportRuns, Scores, read_rows
from recombine.report.words import Words
from recombine.statistics.aggregate import Aggregator

NOTHING: Mapping[str, Any] = {}


def read_observations(
    source: ReportRuns, metric: str, split: str, checkpoint: str | None = None
) -> ObservationTable:
    """One metric on one split, every system and seed side by side."""
    place = (metric, split, checkpoint)
    table = source.tables.get(place)
    if table is None:
        table = _side_by_side(source, *place)
        if source.method.looks_again:
            source.tables[place] = table
    return table


def _side_by_side(
    source: ReportRuns, metric: str, split: str, checkpoint: str | None
) -> ObservationTable:
    files = source.files(metric, split, checkpoint)
    if not files:
        raise DataError(f"no scores of metric '{metric}' on split '{split}'")
    shown = checkpoint is None and split in source.shown
    kept: Collection[str] | None = source.kept.get(split) if shown else ()
    tables: dict[Scores, ObservationTable] = {}
    measure = None
    for scores in files:
        tables[scores] = table = read_scores(source, scores, kept, measure)
        measure = table
        if kept:
            source.judged[scores] = judged(table, kept, source.words)
            tables[scores] = replace(table, details={})
    aligned = side_by_side(
        list(tables.values()),
        main_tags=source.method.main_tags,
        sampling=source.sampling,
        only=source.examples(split) if source.sample else None,
    )
    aligned = replace(
        aligned, rejected=max(map(_rejected, files), key=lambda rejected: rejected[1])
    )
    if shown and kept is None and aligned.keys:
        # The first metric of a split: choosing examples takes the first seed of every system.
        firsts = {scores.system: scores for scores in reversed(files)}
        verdicts = [values_of(tables[scores]) for scores in reversed(firsts.values())]
        source.keep_examples(split, verdicts, aligned.right_value)
        for scores, table in tables.items():
            source.judged[scores] = judged(table, source.kept[split], source.words)
    return aligned


def read_scores(
    source: ReportRuns,
    scores: Scores,
    kept: Collection[str] | None = (),
    like: Measure | None = None,
) -> ObservationTable:
    """What one metric saw; with the details of the examples to be told of, None for all.

    `like` is what is known of the metric from another system of the same report.
    """
    examples = source.examples(scores.split)
    if scores.held is not None:
        shipped = is_as_shipped(source.benchmark, scores.metric, scores.held.options)
        return replace(scores.held, as_shipped=shipped, examples=examples)
    return read_table(scores, _measure(source, scores, like), examples, kept)


def values_of(table: ObservationTable) -> dict[str, float]:
    """Values by example id, of a table of one system and seed."""
    (values,) = table.values.values()
    pairs = zip(table.ids, values.tolist(), strict=True)
    return {name: value for group, value in pairs for name in group}


def judged(
    table: ObservationTable, wanted: Collection[str], words: Words | None = None
) -> dict[str, JudgedExample]:
    """What is said of these examples, by a table of one system and seed."""
    ((voice, values),) = table.values.items()
    if table.undecided is not None:
        values = np.where(table.stats[voice][:, table.undecided] > 0, np.nan, values)
    rows = zip(table.ids, values.tolist(), table.details[voice], strict=True)
    return {
        name: JudgedExample(
            value, explain(detail, words), tuple(member for member in group if member != name)
        )
        for group, value, detail in rows
        for name in group
        if name in wanted
    }


def details_of(table: ObservationTable) -> Iterator[tuple[str, float, Mapping[str, Any]]]:
    """Example id, value and explanation, of a table of one system and seed."""
    for row in table.rows():
        for name in row.ids:
            yield name, row.value, row.detail


def read_table(
    scores: Scores, measure: Measure, examples: SplitExamples, kept: Collection[str] | None = ()
) -> ObservationTable:
    """A score file as a table."""
    path, voice = scores.file, scores.voice
    with gc_paused():  # a hundred thousand rows, all of which stay
        rows = list(read_rows(path))
        try:
            keys = tuple(row["key"] for row in rows)
            ids = tuple(_ids(row) for row in rows)
            values = np.array([row["value"] for row in rows], dtype=np.float64)
            classes = tuple(
                str(row["detail"].get("class", "")) if row["detail"] else "" for row in rows
            )
            details = [
                row["detail"]
                if row["detail"] and (kept is None or any(name in kept for name in group))
                else NOTHING
                for row, group in zip(rows, ids, strict=True)
            ]
            stats = np.array([row["stats"] for row in rows], dtype=np.float64)
            stats = stats.reshape(len(rows), -1 if rows else 1)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise _fault(path, rows) or DataError(f"no scores: {error}", Where(str(path))) from None
    stored = scores.stored
    return ObservationTable(
        **measure.facts,
        keys=keys,
        ids=ids,
        unobserved=tuple(tuple(group) for group in stored.get("unobserved", ())),
        examples=examples,
        values={voice: values},
        stats={voice: stats},
        classes={voice: classes if any(classes) else ()},
        details={voice: details},
        failed={voice: frozenset(stored.get("failed", ()))},
        notes=scores.notes,
    )


def _rejected(scores: Scores) -> tuple[int, int]:
    """How many references a metric rejects itself, as it noted when it scored, and of how many."""
    floor = scores.notes().get("floor")
    if not isinstance(floor, Mapping):
        return 0, 0
    of = int(floor.get("references", 0))
    return round(float(floor.get("instance", 0.0)) * of), of


def _ids(row: dict[str, Any]) -> tuple[str, ...]:
    return (row["id"],) if "id" in row else tuple(row["ids"])


def _fault(path: Path, rows: list[dict[str, Any]]) -> DataError | None:
    """The first row that is no observation, or has other statistics than the first."""
    width = None
    for number, row in enumerate(rows, start=1):
        try:
            _ids(row), str(row["key"]), float(row["value"]), dict(row["detail"])
            stats = [float(value) for value in row["stats"]]
        except (ValueError, KeyError, TypeError) as error:
            return DataError(f"not an observation: {error}", Where(str(path), number))
        width = width or len(stats)
        if len(stats) != width:
            message = "observations of one metric differ in their number of statistics"
            return DataError(message, Where(str(path), number))
    return None


def _measure(source: ReportRuns, scores: Scores, like: Measure | None) -> Measure:
    """What the metric declared when it scored; sums and rows need its code, too."""
    described: dict[str, Any] = scores.stored.get("metric") or {}
    declared: dict[str, Any] = described.get("declares") or {}
    options: dict[str, Any] = described.get("options") or {}
    signature = str(scores.stored.get("signature", ""))
    if like is not None:
        return Measure(**{**like.facts, "signature": signature, "options": options})
    name = described.get("name") or scores.metric
    as_shipped = is_as_shipped(source.benchmark, name, options)
    if declared.get("kind") in ("mean", "ratio"):
        scale = 100.0 if declared["unit"] == "percent" else 1.0
        return Measure(
            metric=scores.metric,
            split=scores.split,
            signature=signature,
            aggregator=Aggregator(declared["kind"], scale, tuple(declared["limits"])),
            unit=declared["unit"],
            higher_is_better=declared["higher_is_better"],
            right_value=declared["right_value"],
            missing=declared["missing"],
            declared_clusters=tuple(declared["clusters"]),
            undecided=declared.get("undecided"),
            one_wording=bool(declared.get("one_wording", False)),
            options=options,
            as_shipped=as_shipped,
        )
    # No code is run because a file of a run names it: metrics of one's own are named by the user.
    use = source.own_metrics.get(name, name)
    try:
        lookup("metric", use)
    except ConfigError as error:
        raise DataError(
            f"metric '{name}' is not known here, so its scores cannot be aggregated",
            Where(str(scores.file)),
            hint=f"if it is your own, name its file: -o 'own=[\"./file.py:Name\"]'; {error.hint}",
        ) from None
    measure = measure_of(create_metric(use, source.benchmark, options), scores.split)
    now = json.loads(json.dumps(measure.declares))
    if declared and now != declared:
        raise StaleOutput(
            f"metric '{name}' declares something else than when it scored: {now} / {declared}",
            Where(str(scores.file)),
            hint="score again: recombine score EXPERIMENT --force",
        )
    return replace(
        measure,
        metric=scores.metric,
        signature=signature or measure.signature,
        options=options,
        as_shipped=as_shipped,
    )
