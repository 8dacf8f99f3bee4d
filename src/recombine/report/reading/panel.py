"""Read what `score` wrote: observations of several systems and seeds on one benchmark, aligned.

The report never scores text.  It reads `scores/<metric>.<split>.jsonl`, keeps the keys that every
system and seed observed (paired tests need matched keys) and says how many it left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.config import to_plain
from recombine.errors import ConfigError, DataError, RecombineError, StaleOutput, Where
from recombine.metrics.base import aggregator_of, declaration
from recombine.metrics.scoring import Result, create_metric
from recombine.metrics.slices import Slices
from recombine.registry import lookup
from recombine.report.method import BenchmarkMethod
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import ReportRuns, Scores, open_runs, read_translations
from recombine.report.reading.score_file import ScoreColumns, read_details, read_scores
from recombine.report.reading.validity import lacking
from recombine.stage import Meta
from recombine.statistics.aggregate import Aggregator, Array, Clusters
from recombine.statistics.sample import Sample

__all__ = [
    "Column",
    "Panel",
    "ReportRuns",
    "Scores",
    "open_runs",
    "panel_of",
    "read_details",
    "read_panel",
    "read_scores",
    "read_translations",
]


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
    sliced: Slices
    columns: Mapping[str, Mapping[int, Column]]
    aggregator: Aggregator
    unit: str
    higher_is_better: bool
    # The value of an observation without fault.
    right_value: float
    # Tags whose values are units of the sample.
    declared_clusters: tuple[str, ...] = ()
    # The statistic that says what could not be judged.
    undecided: int | None = None
    # Tags that name what is tested.
    main_tags: tuple[str, ...] = BenchmarkMethod.main_tags
    # Whether the metric had the options that it has unless somebody gives others.
    as_shipped: bool = True
    # System -> the keys, of those sliced, of which some seed has no output.
    failed: Mapping[str, npt.NDArray[np.bool_]] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    # Whether each system was judged by rules that were learned from texts of its own.
    judges_differ: bool = False
    # How many references the metric itself rejects, and of how many.
    rejected: tuple[int, int] = (0, 0)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in report order."""
        return tuple(self.columns)

    def lacking(self, system: str) -> str:
        """Why nothing can be concluded of a system; empty where something can."""
        failed = self.failed.get(system)
        if failed is None:
            return ""
        judged = min(int(self.aggregator.counts(rows).sum()) for rows in self.tables(system))
        return lacking(int(failed.sum()), judged, len(failed))

    @property
    def judged_apart(self) -> str:
        """What to say where several systems taught a judge each; else nothing."""
        if not self.judges_differ or len(self.columns) < 2:
            return ""
        return (
            f"{self.metric} on {self.split} judges each system by rules learned also from its own "
            "outputs, since references are missing: a part of a difference may be the judge's "
            f"(-o {self.metric}.fillers=references learns from references alone)"
        )

    @cached_property
    def is_share(self) -> bool:
        """Whether the score is a share of right and wrong verdicts."""
        columns = [one for by_seed in self.columns.values() for one in by_seed.values()]
        return all(self.aggregator.is_share(one.stats) for one in columns)

    def tables(self, system: str, where: npt.NDArray[np.int64] | None = None) -> list[Array]:
        """Statistics of each seed of a system, optionally of some keys only."""
        columns = self.columns[system].values()
        if where is None:
            return [column.stats for column in columns]
        return [column.stats[where] for column in columns]

    def seed_scores(
        self, system: str, where: npt.NDArray[np.int64] | None = None
    ) -> dict[int, float]:
        """The score of each seed of a system."""
        tables = self.tables(system, where)
        return {
            seed: self.aggregator.from_rows(table)
            for seed, table in zip(self.columns[system], tables, strict=True)
        }

    @property
    def tags(self) -> Mapping[str, npt.NDArray[np.object_]]:
        """Tag -> the value of every key."""
        return self.sliced.tags

    def slices(self, tag: str) -> dict[str, npt.NDArray[np.int64]]:
        """Positions of the keys for each value of a tag: numbers ascending, else as they appear."""
        return self.sliced.rows(tag)

    def sample(
        self,
        where: npt.NDArray[np.int64] | None,
        options: ReportOptions,
        systems: Sequence[str] = (),
    ) -> Sample:
        """What these systems, or all, did on these keys, or all."""
        if where is None and not systems and options in self._whole:
            return self._whole[options]
        tables = {system: self.tables(system, where) for system in systems or self.systems}
        sample = Sample(
            tables,
            self.aggregator,
            self.clusters(options.cluster, where),
            confidence=options.confidence,
            trials=options.trials,
            seed=options.seed,
        )
        if where is None and not systems:
            self._whole[options] = sample
        return sample

    @cached_property
    def _whole(self) -> dict[ReportOptions, Sample]:
        return {}

    def clusters(self, name: str, where: npt.NDArray[np.int64] | None = None) -> Clusters | None:
        """Cluster numbers of the keys; None where every key stands alone."""
        return self.sliced.clusters(name, self.declared_clusters, where)


def read_panel(source: ReportRuns, metric: str, split: str, checkpoint: str | None = None) -> Panel:
    """Read one metric on one split for every system and seed, aligned by key."""
    place = (metric, split, checkpoint)
    panel: Panel | None = source.panels.get(place)
    if panel is None:
        panel = _read_panel(source, *place)
        if source.method.looks_again:
            source.panels[place] = panel
    return panel


def _read_panel(source: ReportRuns, metric: str, split: str, checkpoint: str | None) -> Panel:
    files = source.files(metric, split, checkpoint)
    if not files:
        raise DataError(f"no scores of metric '{metric}' on split '{split}'")
    shown = checkpoint is None and split in source.shown
    kept: Collection[str] | None = source.kept.get(split) if shown else ()
    metas = {(one.system, one.seed): Meta(one.path).read() or {} for one in files}
    _require_same_metric(metas, metric, split)
    facts = _metric_facts(files[0], metas[files[0].system, files[0].seed], source)
    tables = {}
    for one in files:
        tables[one.system, one.seed] = table = read_scores(one.path, kept)
        if kept:
            source.judged[one.path] = table.judged(kept, facts.undecided, source.words)
            table.details.clear()
    common = set.intersection(*(set(table.keys) for table in tables.values()))
    left_out = {
        f"{system}, seed {seed}": len(table.keys) - len(common)
        for (system, seed), table in tables.items()
        if len(table.keys) > len(common)
    }
    # Keys that not every system and seed has are in nobody's score, but it is of them, too.
    lost = {
        key: group
        for table in tables.values()
        if len(table.keys) > len(common)
        for key, group in zip(table.keys, table.ids, strict=True)
        if key not in common
    }
    first = tables[files[0].system, files[0].seed]
    if source.sample:
        looked_at = source.examples(split)
        pairs = zip(first.keys, first.ids, strict=True)
        common &= {key for key, group in pairs if all(one in looked_at for one in group)}
    order = [position for position, key in enumerate(first.keys) if key in common]
    keys = tuple(first.keys[position] for position in order)
    ids = tuple(first.ids[position] for position in order)
    columns: dict[str, dict[int, Column]] = {}
    for one in files:
        columns.setdefault(one.system, {})[one.seed] = _aligned(tables[one.system, one.seed], keys)
    examples = source.examples(split)
    rest = dict.fromkeys(one for told in metas.values() for one in told.get("unobserved", ()))
    left = [group for group in lost.values() if all(name in examples for name in group)]
    seen = {name for group in (*ids, *left) for name in group}
    unseen = (*left, *((name,) for name in rest if name in examples and name not in seen))
    sliced = source.sliced(split, (*ids, *unseen), len(ids))
    if shown and kept is None and keys:
        # The first metric of a split: choosing examples takes the first seed of every system.
        firsts = {one.system: one for one in reversed(files)}
        verdicts = [tables[one.system, one.seed].seen() for one in reversed(firsts.values())]
        source.keep_examples(split, verdicts, facts.right_value)
        for one in files:
            table = tables[one.system, one.seed]
            source.judged[one.path] = table.judged(
                source.kept[split], facts.undecided, source.words
            )
    return Panel(
        metric=metric,
        split=split,
        signature=facts.signature,
        keys=keys,
        ids=ids,
        sliced=sliced,
        columns=columns,
        aggregator=facts.aggregator,
        unit=facts.unit,
        higher_is_better=facts.higher_is_better,
        right_value=facts.right_value,
        declared_clusters=facts.clusters,
        undecided=facts.undecided,
        main_tags=source.method.main_tags,
        as_shipped=_is_as_shipped(metas[files[0].system, files[0].seed], source),
        failed=_failed(metas, (*ids, *unseen)),
        left_out=left_out,
        judges_differ=_judges_differ(str(told.get("signature", "")) for told in metas.values()),
        rejected=max(map(_rejected, metas.values()), key=lambda one: one[1]),
    )


def panel_of(results: Mapping[str, Result], method: BenchmarkMethod) -> Panel:
    """One metric on one split as several systems did, whose observations are at hand."""
    first, *others = results.values()
    metric = first.metric
    _require_same_metric(
        {
            (system, 1): {
                "signature": one.metric.signature(),
                "metric": {"options": to_plain(one.metric) if is_dataclass(one.metric) else {}},
            }
            for system, one in results.items()
        },
        metric.name,
        first.split,
    )
    common = {one.key for one in first.observations}
    for other in others:
        common &= {one.key for one in other.observations}
    order = [place for place, one in enumerate(first.observations) if one.key in common]
    keys = tuple(first.observations[place].key for place in order)
    columns = {}
    for system, result in results.items():
        places = {one.key: place for place, one in enumerate(result.observations)}
        rows = [places[key] for key in keys]
        values = np.array([result.observations[row].value for row in rows], dtype=np.float64)
        columns[system] = {1: Column(result.stats[rows], values)}
    return Panel(
        metric=metric.name,
        split=first.split,
        signature=metric.signature(),
        keys=keys,
        ids=tuple(first.observations[place].ids for place in order),
        sliced=Slices([first.members[place] for place in order]),
        columns=columns,
        aggregator=aggregator_of(metric),
        unit=metric.unit,
        higher_is_better=metric.higher_is_better,
        right_value=metric.right_value,
        declared_clusters=metric.clusters,
        undecided=metric.undecided,
        main_tags=method.main_tags,
        failed={system: one.failed for system, one in results.items()},
        left_out={
            system: len(one.observations) - len(keys)
            for system, one in results.items()
            if len(one.observations) > len(keys)
        },
        judges_differ=_judges_differ(one.metric.signature() for one in results.values()),
    )


def _judges_differ(signatures: Iterable[str]) -> bool:
    """Whether a metric learned from outputs, or for one system from more texts than for another."""
    learned = {found[0] for one in signatures if (found := re.search(r"\|fillers:[^|@]*", one))}
    return len(learned) > 1 or any("hypotheses" in one for one in learned)


def comparable(signature: str) -> str:
    """A signature without what the sample decides: how many references, learned from what."""
    return re.sub(r"\|(nrefs|fillers):[^|@]*", "", signature)


def _require_same_metric(
    metas: Mapping[tuple[str, int], Mapping[str, Any]], metric: str, split: str
) -> None:
    """Refuse scores of one metric made with other options, or by another version of it."""
    by_signature: dict[str, str] = {}
    for (system, seed), told in metas.items():
        options = json.dumps((told.get("metric") or {}).get("options") or {}, sort_keys=True)
        signature = comparable(str(told.get("signature", "")))
        if signature:
            by_signature.setdefault(f"{signature} {options}", f"{system}, seed {seed}")
    if len(by_signature) > 1:
        (one, first), (other, second) = list(by_signature.items())[:2]
        raise DataError(
            f"{metric} on {split} is not the same metric for {first}, and for {second}: "
            f"{one} / {other}",
            hint="score both with the same options and versions, "
            "or leave the metric out: -o 'metrics=[...]'",
        )


def _aligned(table: ScoreColumns, keys: Sequence[str]) -> Column:
    if len(set(table.keys)) != len(table.keys):
        raise DataError("a key is observed twice in one score file")
    if tuple(table.keys) == tuple(keys):
        rows = np.arange(len(keys))
    else:
        position = {key: index for index, key in enumerate(table.keys)}
        rows = np.fromiter((position[key] for key in keys), dtype=np.int64, count=len(keys))
    labels = tuple(table.labels[row] for row in rows) if any(table.labels) else ()
    return Column(table.stats[rows], table.values[rows], labels)


def _failed(
    metas: Mapping[tuple[str, int], Mapping[str, Any]], keys: Sequence[tuple[str, ...]]
) -> dict[str, npt.NDArray[np.bool_]]:
    """System -> whether each key lacks an output of some seed."""
    lacking: dict[str, set[str]] = {}
    for (system, _), told in metas.items():
        lacking.setdefault(system, set()).update(told.get("failed", ()))
    return {
        system: np.array([not names.isdisjoint(key) for key in keys], dtype=bool)
        for system, names in lacking.items()
    }


def _rejected(stored: Mapping[str, Any]) -> tuple[int, int]:
    """How many references a metric rejected itself, as it noted when it scored, and of how many."""
    floor = (stored.get("notes") or {}).get("floor") or {}
    of = int(floor.get("references", 0))
    return round(float(floor.get("instance", 0.0)) * of), of


def _is_as_shipped(stored: Mapping[str, Any], source: ReportRuns) -> bool:
    """Whether a metric scored with the options that it has for this benchmark by itself."""
    described: dict[str, Any] = stored.get("metric") or {}
    options = described.get("options")
    if not options:
        return True
    try:
        plain = to_plain(create_metric(described["name"], source.benchmark, {}))
    except RecombineError:  # not known or not installed here
        return False
    # An option that only one of the two knows is of another version.
    now = json.loads(json.dumps(plain))
    return all(now[name] == value for name, value in options.items() if name in now)


class _MetricFacts(NamedTuple):
    aggregator: Aggregator
    unit: str
    higher_is_better: bool
    right_value: float
    clusters: tuple[str, ...]
    signature: str
    undecided: int | None


def _metric_facts(one: Scores, stored: Mapping[str, Any], source: ReportRuns) -> _MetricFacts:
    """What the metric declared when it scored; sums and rows need its code, too."""
    described: dict[str, Any] = stored.get("metric") or {}
    declared: dict[str, Any] = described.get("declares") or {}
    signature = str(stored.get("signature", ""))
    if declared.get("kind") in ("mean", "ratio"):
        scale = 100.0 if declared["unit"] == "percent" else 1.0
        return _MetricFacts(
            Aggregator(declared["kind"], scale, tuple(declared["limits"])),
            declared["unit"],
            declared["higher_is_better"],
            declared["right_value"],
            tuple(declared["clusters"]),
            signature,
            declared.get("undecided"),
        )
    name = described.get("name") or one.metric
    # No code is run because a file of a run names it: metrics of one's own are named by the user.
    use = source.own_metrics.get(name, name)
    try:
        lookup("metric", use)
    except ConfigError as error:
        raise DataError(
            f"metric '{name}' is not known here, so its scores cannot be aggregated",
            Where(str(one.path)),
            hint=f"if it is your own, name its file: -o 'own=[\"./file.py:Name\"]'; {error.hint}",
        ) from None
    metric = create_metric(use, source.benchmark, described.get("options") or {})
    now = json.loads(json.dumps(declaration(metric)))
    if declared and now != declared:
        raise StaleOutput(
            f"metric '{name}' declares something else than when it scored: {now} / {declared}",
            Where(str(one.path)),
            hint="score again: recombine score EXPERIMENT --force",
        )
    return _MetricFacts(
        aggregator_of(metric),
        metric.unit,
        metric.higher_is_better,
        metric.right_value,
        metric.clusters,
        signature or metric.signature(),
        metric.undecided,
    )
