"""Read what `score` wrote: observations of several systems and seeds on one benchmark, aligned.

The report never scores text.  It reads `scores/<metric>.<split>.jsonl`, keeps the keys that every
system and seed observed (paired tests need matched keys) and says how many it left out.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.benchmark import Benchmark, Example
from recombine.errors import ConfigError, DataError, StaleOutput, Where
from recombine.files import read_json, read_jsonl, read_lines
from recombine.registry import create, lookup
from recombine.report.statistics import Aggregate, AggregateMany, Aggregator, Array, recognise
from recombine.run import Cell, Meta, Run

# Every example has a length, whatever its builder tagged.
LENGTH_TAG = "length"
# A value an example may not have for a tag.
NO_TAG = ""
ROWS_TRIED = 2_000
# Splits that exist for other purposes than a score of their own.
HIDDEN_SPLITS = ("train", "probe", "context")


@dataclass(frozen=True, slots=True)
class Scores:
    """One score file: one metric on one split by one system with one seed."""

    system: str
    seed: int
    metric: str
    split: str
    checkpoint: str | None
    path: Path


@dataclass(frozen=True)
class Source:
    """The runs a report reads, with the one benchmark they share."""

    runs: tuple[Path, ...]
    benchmark: Benchmark
    cells: tuple[Cell, ...]
    names: Mapping[Path, str]
    scores: tuple[Scores, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in order of appearance."""
        return tuple(dict.fromkeys(self.names[cell.path] for cell in self.cells))

    def examples(self, split: str) -> dict[str, Example]:
        """The examples of a split by id."""
        if split not in self._examples:
            self._examples[split] = {one.id: one for one in self.benchmark.iterate(split)}
        return self._examples[split]

    @cached_property
    def _examples(self) -> dict[str, dict[str, Example]]:
        return {}

    def splits(self) -> tuple[str, ...]:
        """Splits with scores, the generalisation sets first."""
        found = {one.split for one in self.scores if one.checkpoint is None}
        return tuple(sorted(found, key=lambda name: (*_split_order(name), name)))

    def metrics(self, split: str) -> tuple[str, ...]:
        """Metrics scored on a split, the benchmark's own order first."""
        found = {one.metric for one in self.scores if one.split == split and not one.checkpoint}
        wanted = [name.rpartition(":")[2] for name in self.benchmark.manifest.metrics]
        order = {name: index for index, name in enumerate(wanted)}
        return tuple(sorted(found, key=lambda name: (order.get(name, len(order)), name)))


def _split_order(name: str) -> tuple[int, ...]:
    if name.startswith(("gen", "cg")):
        return (0,)
    return (1,) if name.startswith("test") else (2,)


@dataclass(frozen=True, slots=True)
class Column:
    """The observations of one system and seed, in the panel's key order."""

    stats: Array
    values: Array
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Panel:
    """One metric on one split: the same keys for every system and seed."""

    metric: str
    split: str
    signature: str
    keys: tuple[str, ...]
    ids: tuple[tuple[str, ...], ...]
    tags: Mapping[str, npt.NDArray[np.object_]]
    columns: Mapping[str, Mapping[int, Column]]
    aggregator: Aggregator
    higher_is_better: bool = True
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in report order."""
        return tuple(self.columns)

    @cached_property
    def factor(self) -> float:
        """100 for shares, which people read as percentages; 1 for scores that are on 0..100."""
        if self.aggregator.kind == "mean" and abs(self.aggregator.slope) > 1:
            return 1.0
        largest = max(abs(score) for system in self.systems for score in self._raw(system))
        return 100.0 if largest <= 1.0 else 1.0

    @cached_property
    def is_share(self) -> bool:
        """Whether the score is a share of keys, so that 0 and 100 are its limits."""
        columns = [one for by_seed in self.columns.values() for one in by_seed.values()]
        inside = all(
            bool(((one.stats[:, 0] >= 0) & (one.stats[:, 0] <= 1)).all()) for one in columns
        )
        return self.aggregator.kind == "mean" and inside

    def _raw(self, system: str) -> list[float]:
        tables = self.tables(system)
        return [self.aggregator.from_rows(table) if len(table) else 0.0 for table in tables]

    def tables(self, system: str, where: npt.NDArray[np.int64] | None = None) -> list[Array]:
        """Statistics of each seed of a system, optionally of some keys only."""
        columns = self.columns[system].values()
        if where is None:
            return [column.stats for column in columns]
        return [column.stats[where] for column in columns]

    def seed_scores(
        self, system: str, where: npt.NDArray[np.int64] | None = None
    ) -> dict[int, float]:
        """The score of each seed of a system, in points (0 to 100 for shares)."""
        tables = self.tables(system, where)
        return {
            seed: self.factor * self.aggregator.from_rows(table)
            for seed, table in zip(self.columns[system], tables, strict=True)
        }

    def slices(self, tag: str) -> dict[str, npt.NDArray[np.int64]]:
        """Positions of the keys for each value of a tag, in order of first appearance."""
        if tag not in self._slices:
            order: dict[str, list[int]] = {}
            for position, label in enumerate(self.tags.get(tag, ())):
                if label != NO_TAG:
                    order.setdefault(label, []).append(position)
            self._slices[tag] = {
                label: np.asarray(rows, dtype=np.int64) for label, rows in order.items()
            }
        return self._slices[tag]

    @cached_property
    def _slices(self) -> dict[str, dict[str, npt.NDArray[np.int64]]]:
        return {}

    def codes(self, tag: str) -> npt.NDArray[np.int64]:
        """Cluster numbers by tag; keys without the tag are clusters of their own."""
        labels = self.tags.get(tag)
        if labels is None:
            raise DataError(
                f"no example of split '{self.split}' has the tag '{tag}'",
                hint=f"its tags: {', '.join(self.tags)}",
            )
        codes = np.empty(len(labels), dtype=np.int64)
        known: dict[str, int] = {}
        for position, label in enumerate(labels):
            codes[position] = (
                known.setdefault(label, len(known)) if label != NO_TAG else -1 - position
            )
        return codes


def open_source(runs: Sequence[Path]) -> Source:
    """Open one or more runs of one benchmark; refuse runs of different benchmarks."""
    if not runs:
        raise DataError("no run was given", hint="recombine report RUN [RUN ...] --out DIR")
    opened = [(Path(path), Run(path)) for path in runs]
    for path, run in opened:
        if not run.cells():
            raise DataError(
                f"{path} is not a run: it has no <system>/seed-N folder",
                hint="make one with: recombine run EXPERIMENT, or recombine score BENCHMARK --hyps",
            )
    benchmarks = [(path, benchmark_of(path, run)) for path, run in opened]
    require_same_benchmark(benchmarks)
    cells = tuple(cell for _, run in opened for cell in run.cells())
    scores = []
    names = _system_names(opened)
    for cell in cells:
        scores.extend(_score_files(cell, names[cell.path]))
    if not scores:
        raise DataError(
            f"{runs[0]} has no scores yet", hint="run first: recombine score EXPERIMENT"
        )
    return Source(
        runs=tuple(path for path, _ in opened),
        benchmark=benchmarks[0][1],
        cells=cells,
        names=names,
        scores=tuple(scores),
    )


def benchmark_of(path: Path, run: Run) -> Benchmark:
    """Find the benchmark a run belongs to, from what its stages recorded."""
    tried: list[str] = []
    for candidate in _benchmark_candidates(path, run):
        for base in (Path(), path, path.parent):
            place = base / candidate
            if (place / "benchmark.toml").is_file():
                found = Benchmark.open(place)
                _require_unchanged(path, run, found)
                return found
        tried.append(candidate)
    raise DataError(
        f"{path}: the benchmark of this run is not where it was"
        + (f" ({', '.join(dict.fromkeys(tried))})" if tried else ""),
        hint="start the report in the folder the run was made in, or put the benchmark back",
    )


def _require_unchanged(path: Path, run: Run, benchmark: Benchmark) -> None:
    for cell in run.cells():
        recorded = cell.record().get("benchmark_hash")
        if recorded is not None and recorded != benchmark.hash:
            raise StaleOutput(
                f"{path}: {cell.system}, seed {cell.seed}, was made on another version of the "
                f"benchmark {benchmark.path}",
                hint="restore that benchmark, or translate and score again",
            )


def _benchmark_candidates(path: Path, run: Run) -> list[str]:
    found: list[str] = []
    experiment = path / "experiment.json"
    if experiment.is_file():
        value = read_json(experiment).get("benchmark")
        if isinstance(value, str):
            found.append(value)
    for cell in run.cells():
        record = cell.record().get("benchmark")
        if isinstance(record, str):
            found.append(record)
        elif isinstance(record, dict) and isinstance(record.get("path"), str):
            found.append(record["path"])
    return list(dict.fromkeys(found))


def require_same_benchmark(benchmarks: Sequence[tuple[Path, Benchmark]]) -> None:
    """Raise when runs do not share one benchmark, and say in what they differ."""
    first_path, first = benchmarks[0]
    for path, other in benchmarks[1:]:
        if other.hash == first.hash:
            continue
        raise DataError(
            f"{first_path} and {path} cannot be compared: {_difference(first, other)}",
            hint="compare runs of one benchmark; suites are set side by side with --scorecard",
        )


def _difference(first: Benchmark, other: Benchmark) -> str:
    mine, theirs = first.manifest, other.manifest
    for name in ("name", "version", "source", "target", "builder", "seed"):
        old, new = getattr(mine, name), getattr(theirs, name)
        if old != new:
            return f"their benchmarks differ in {name} ({old!r} and {new!r})"
    for name in dict.fromkeys([*mine.files, *theirs.files]):
        if mine.files.get(name) != theirs.files.get(name):
            return f"both use '{mine.name}', but its file {name} is not the same"
    return f"both use '{mine.name}', but its recipe or options differ"


def _system_names(opened: Sequence[tuple[Path, Run]]) -> dict[Path, str]:
    """System names, made unique by the run's name where two runs have a system of one name."""
    owners: dict[str, set[Path]] = {}
    for path, run in opened:
        for cell in run.cells():
            owners.setdefault(cell.system, set()).add(path.resolve())
    names = {}
    for path, run in opened:
        for cell in run.cells():
            shared = len(owners[cell.system]) > 1
            names[cell.path] = f"{path.resolve().name}/{cell.system}" if shared else cell.system
    return names


def _score_files(cell: Cell, name: str) -> list[Scores]:
    found = []
    for path in sorted((cell.path / "scores").glob("*.jsonl")):
        metric, _, split = path.name.removesuffix(".jsonl").partition(".")
        if not split:
            continue
        split, _, checkpoint = split.partition("@")
        found.append(Scores(name, cell.seed, metric, split, checkpoint or None, path))
    return found


@dataclass(slots=True)
class _Rows:
    keys: list[str]
    ids: list[tuple[str, ...]]
    values: Array
    stats: Array
    labels: list[str]


def read_scores(path: Path) -> _Rows:
    """Read one score file into columns."""
    keys: list[str] = []
    ids: list[tuple[str, ...]] = []
    values: list[float] = []
    stats: list[Sequence[float]] = []
    labels: list[str] = []
    for number, line in read_lines(path):
        try:
            row = json.loads(line)
            found = row.get("ids") or [row["id"] if "id" in row else row["key"]]
            key = row.get("key", found[0])
            value = float(row["value"])
            detail = row.get("detail") or {}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(f"not an observation: {error}", Where(str(path), number)) from None
        keys.append(key)
        ids.append(tuple(found))
        values.append(value)
        stats.append(row.get("stats") or (value,))
        labels.append(str(detail.get("class", "")))
    widths = {len(row) for row in stats}
    if len(widths) > 1:
        raise DataError(
            "observations of one metric differ in their number of statistics", Where(str(path))
        )
    width = widths.pop() if widths else 1
    table = np.asarray(stats, dtype=np.float64).reshape(len(keys), width)
    return _Rows(keys, ids, np.asarray(values, dtype=np.float64), table, labels)


def read_details(path: Path, wanted: set[str]) -> dict[str, dict[str, Any]]:
    """The explanations of a score file for the examples wanted, by example id."""
    found: dict[str, dict[str, Any]] = {}
    for row in read_jsonl(path):
        for one in row.get("ids") or [row.get("id", row.get("key"))]:
            if one in wanted:
                found[one] = {"value": row["value"], "detail": row.get("detail") or {}}
    return found


def read_panel(source: Source, metric: str, split: str, checkpoint: str | None = None) -> Panel:
    """Read one metric on one split for every system and seed, aligned by key."""
    files = [
        one
        for one in source.scores
        if one.metric == metric and one.split == split and one.checkpoint == checkpoint
    ]
    if not files:
        raise DataError(f"no scores of metric '{metric}' on split '{split}'")
    tables = {(one.system, one.seed): read_scores(one.path) for one in files}
    common = set.intersection(*(set(table.keys) for table in tables.values()))
    first = tables[files[0].system, files[0].seed]
    order = [position for position, key in enumerate(first.keys) if key in common]
    keys = tuple(first.keys[position] for position in order)
    ids = tuple(first.ids[position] for position in order)
    columns: dict[str, dict[int, Column]] = {}
    left_out: dict[str, int] = {}
    for one in files:
        table = tables[one.system, one.seed]
        columns.setdefault(one.system, {})[one.seed] = _aligned(table, keys)
        if len(table.keys) > len(keys):
            left_out[f"{one.system}, seed {one.seed}"] = len(table.keys) - len(keys)
    facts = _metric_facts(files[0], source)
    # Rows of every system, so that one that is always right does not hide what the metric is.
    everything = np.concatenate(
        [one.stats[:ROWS_TRIED] for by_seed in columns.values() for one in by_seed.values()]
    )
    return Panel(
        metric=metric,
        split=split,
        signature=facts.signature,
        keys=keys,
        ids=ids,
        tags=_tag_columns(source.examples(split), ids),
        columns=columns,
        aggregator=recognise(facts.aggregate, everything, facts.many),
        higher_is_better=facts.higher_is_better,
        left_out=left_out,
    )


def _aligned(table: _Rows, keys: Sequence[str]) -> Column:
    if len(set(table.keys)) != len(table.keys):
        raise DataError("a key is observed twice in one score file")
    if tuple(table.keys) == tuple(keys):
        rows = np.arange(len(keys))
    else:
        position = {key: index for index, key in enumerate(table.keys)}
        rows = np.fromiter((position[key] for key in keys), dtype=np.int64, count=len(keys))
    labels = tuple(table.labels[row] for row in rows) if any(table.labels) else ()
    return Column(table.stats[rows], table.values[rows], labels)


class _MetricFacts(NamedTuple):
    aggregate: Aggregate
    many: AggregateMany | None
    higher_is_better: bool
    signature: str


def _metric_facts(one: Scores, source: Source) -> _MetricFacts:
    """The metric's aggregate function, its direction and its signature."""
    stored = Meta(one.path).read() or {}
    described: dict[str, Any] = stored.get("metric") or {}
    name = described.get("name") or one.metric
    options = dict(described.get("options") or {})
    try:
        kind = lookup("metric", name)
    except ConfigError as error:
        # A metric that is not installed here; a single statistic per key can still be averaged.
        if _statistics_per_key(one.path) > 1:
            raise DataError(
                f"metric '{name}' is not known here, so its scores cannot be aggregated",
                Where(str(one.path)),
                hint=error.hint,
            ) from None
        return _MetricFacts(_mean_of_first, None, True, str(stored.get("signature", "")))
    fields = {one.name for one in dataclasses.fields(kind)} if _is_dataclass(kind) else set()
    for language in ("source", "target"):
        if f"{language}_language" in fields:
            options.setdefault(f"{language}_language", getattr(source.benchmark.manifest, language))
    metric = create("metric", name, options)
    return _MetricFacts(
        metric.aggregate,
        getattr(metric, "aggregate_many", None),
        bool(getattr(metric, "higher_is_better", True)),
        str(stored.get("signature") or metric.signature()),
    )


def _is_dataclass(kind: type[Any]) -> bool:
    return dataclasses.is_dataclass(kind)


def _statistics_per_key(path: Path) -> int:
    row = next(iter(read_jsonl(path)), {})
    return len(row.get("stats") or (0,))


def _mean_of_first(stats: Array) -> float:
    return float(stats[:, 0].mean()) if len(stats) else float("nan")


def _tag_columns(
    examples: Mapping[str, Example], ids: Sequence[tuple[str, ...]]
) -> dict[str, npt.NDArray[np.object_]]:
    """One array per tag; a key whose examples disagree has no value for that tag."""
    members = [[examples[one] for one in group if one in examples] for group in ids]
    names = dict.fromkeys(name for group in members for one in group for name in one.tags)
    columns = {}
    for name in names:
        column = np.full(len(ids), NO_TAG, dtype=object)
        for position, group in enumerate(members):
            found = {one.tags[name] for one in group if name in one.tags}
            if len(found) == 1:
                column[position] = show_tag(found.pop())
        columns[name] = column
    if LENGTH_TAG not in columns:
        columns[LENGTH_TAG] = np.array(
            [show_tag(source_length(group[0].source)) if group else NO_TAG for group in members],
            dtype=object,
        )
    return columns


def source_length(text: str) -> int:
    """Words of a source; characters where the script does not separate words."""
    words = len(text.split())
    return words if words > 1 else len(text)


def show_tag(value: Any) -> str:
    """A tag value as text; whole floats lose their .0 so that 3 and 3.0 are one slice."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def read_translations(cell: Cell, split: str) -> dict[str, str]:
    """The hypotheses of one system and seed by example id."""
    path = cell.translations(split)
    if not path.is_file():
        return {}
    return {row["id"]: row.get("hyp", "") for row in read_jsonl(path) if "hyp" in row}


def read_record(path: Path) -> dict[str, Any]:
    """The run.json of a cell, or nothing."""
    record = path / "run.json"
    value: dict[str, Any] = read_json(record) if record.is_file() else {}
    return value
