"""Read what `score` wrote: observations of several systems and seeds on one benchmark, aligned.

The report never scores text.  It reads `scores/<metric>.<split>.jsonl`, keeps the keys that every
system and seed observed (paired tests need matched keys) and says how many it left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.benchmark import Example
from recombine.errors import ConfigError, DataError, Where
from recombine.experiment.run import Meta
from recombine.metrics.base import aggregator_of
from recombine.metrics.scoring import create_metric
from recombine.registry import lookup
from recombine.report.runs import ReportRuns, Scores, open_source, read_translations
from recombine.report.score_file import ScoreColumns, read_details, read_scores
from recombine.statistics.intervals import Aggregator, cluster_codes, some_clusters
from recombine.statistics.resample import Array, Clusters, Draws

__all__ = [
    "Column",
    "Panel",
    "ReportRuns",
    "Scores",
    "open_source",
    "read_details",
    "read_panel",
    "read_scores",
    "read_translations",
]

# Every example has a length, whatever its builder tagged.
LENGTH_TAG = "length"
# A value an example may not have for a tag.
NO_TAG = ""
# Splits that exist for other purposes than a score of their own.
HIDDEN_SPLITS = ("train", "probe", "context")


@dataclass(frozen=True, slots=True)
class Column:
    """The observations of one system and seed, in the panel's key order."""

    stats: Array
    values: Array
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PanelPart:
    """Some keys of a panel, or all: the statistics of every system's seeds, and draws from them."""

    size: int
    tables: Mapping[str, list[Array]]
    draws: Draws


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
    groups: npt.NDArray[np.object_]
    higher_is_better: bool
    # The value of an observation without fault.
    right_value: float
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in report order."""
        return tuple(self.columns)

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

    def slices(self, tag: str) -> dict[str, npt.NDArray[np.int64]]:
        """Positions of the keys for each value of a tag: numbers ascending, else as they appear."""
        if tag not in self._slices:
            order: dict[str, list[int]] = {}
            for position, label in enumerate(self.tags.get(tag, ())):
                if label != NO_TAG:
                    order.setdefault(label, []).append(position)
            self._slices[tag] = {
                label: np.asarray(order[label], dtype=np.int64) for label in _in_order(list(order))
            }
        return self._slices[tag]

    @cached_property
    def _slices(self) -> dict[str, dict[str, npt.NDArray[np.int64]]]:
        return {}

    def part(
        self, where: npt.NDArray[np.int64] | None, cluster: str = "group", seed: int = 0
    ) -> PanelPart:
        """These keys, or all, to be resampled by this cluster with this seed."""
        place = (cluster, seed)
        if where is None and place in self._whole:
            return self._whole[place]
        tables = {system: self.tables(system, where) for system in self.systems}
        everything = [one for by_seed in tables.values() for one in by_seed]
        draws = Draws(everything, seed, self.clusters(cluster, where))
        found = PanelPart(len(self.keys) if where is None else len(where), tables, draws)
        if where is None:
            self._whole[place] = found
        return found

    @cached_property
    def _whole(self) -> dict[tuple[str, int], PanelPart]:
        return {}

    def clusters(self, name: str, where: npt.NDArray[np.int64] | None = None) -> Clusters | None:
        """Cluster numbers of the keys by group or tag; None where every key stands alone.

        A key without that group or tag is a cluster of its own.
        """
        if name not in self._clusters:
            # One metric of a report may observe keys that do not have another's tag.
            labels = None if name == "key" else self.tags.get(name, self.groups)
            self._clusters[name] = None if labels is None else cluster_codes(list(labels))
        return some_clusters(self._clusters[name], where)

    @cached_property
    def _clusters(self) -> dict[str, Clusters | None]:
        return {}


def _in_order(labels: list[str]) -> list[str]:
    try:
        return sorted(labels, key=float)
    except ValueError:
        return labels


def read_panel(source: ReportRuns, metric: str, split: str, checkpoint: str | None = None) -> Panel:
    """Read one metric on one split for every system and seed, aligned by key."""
    files = source.files(metric, split, checkpoint)
    if not files:
        raise DataError(f"no scores of metric '{metric}' on split '{split}'")
    tables = {(one.system, one.seed): read_scores(one.path) for one in files}
    if checkpoint is None and metric == source.metrics(split)[0]:
        # Choosing examples to show needs one file per system, of the first metric.
        for one in {one.system: one for one in reversed(files)}.values():
            source.seen[one.path] = tables[one.system, one.seed].seen()
    common = set.intersection(*(set(table.keys) for table in tables.values()))
    left_out = {
        f"{system}, seed {seed}": len(table.keys) - len(common)
        for (system, seed), table in tables.items()
        if len(table.keys) > len(common)
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
    if source.tagged.get(split, ((),))[0] != ids:  # most metrics of a split have the same keys
        examples = source.examples(split)
        source.tagged[split] = (ids, _tag_columns(examples, ids), _group_column(examples, ids))
    _, tags, groups = source.tagged[split]
    facts = _metric_facts(files[0], source)
    return Panel(
        metric=metric,
        split=split,
        signature=facts.signature,
        keys=keys,
        ids=ids,
        tags=tags,
        groups=groups,
        columns=columns,
        aggregator=facts.aggregator,
        higher_is_better=facts.higher_is_better,
        right_value=facts.right_value,
        left_out=left_out,
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


class _MetricFacts(NamedTuple):
    aggregator: Aggregator
    higher_is_better: bool
    right_value: float
    signature: str


def _metric_facts(one: Scores, source: ReportRuns) -> _MetricFacts:
    """What the metric declares, and its signature."""
    stored = Meta(one.path).read() or {}
    described: dict[str, Any] = stored.get("metric") or {}
    name = described.get("name") or one.metric
    signature = str(stored.get("signature", ""))
    try:
        lookup("metric", name)
    except ConfigError as error:
        # A metric that is not installed here; means and ratios need no more than its declaration.
        declared = described.get("declares") or {}
        kind = declared.get("kind")
        if kind not in ("mean", "ratio"):
            raise DataError(
                f"metric '{name}' is not known here, so its scores cannot be aggregated",
                Where(str(one.path)),
                hint=error.hint,
            ) from None
        scale = 100.0 if declared["unit"] == "percent" else 1.0
        aggregator = Aggregator(kind, scale, tuple(declared["limits"]))
        better, right = declared["higher_is_better"], declared["right_value"]
        return _MetricFacts(aggregator, better, right, signature)
    metric = create_metric(name, source.benchmark, described.get("options") or {})
    return _MetricFacts(
        aggregator_of(metric),
        metric.higher_is_better,
        metric.right_value,
        signature or metric.signature(),
    )


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
            if len(group) == 1:
                value = group[0].tags.get(name)
            else:
                found = {one.tags[name] for one in group if name in one.tags}
                value = found.pop() if len(found) == 1 else None
            if value is not None:
                column[position] = value if type(value) is str else show_tag(value)
        columns[name] = column
    if LENGTH_TAG not in columns:
        columns[LENGTH_TAG] = np.array(
            [show_tag(source_length(group[0].source)) if group else NO_TAG for group in members],
            dtype=object,
        )
    return columns


def _group_column(
    examples: Mapping[str, Example], ids: Sequence[tuple[str, ...]]
) -> npt.NDArray[np.object_]:
    """The group of each key's examples."""
    column = np.full(len(ids), NO_TAG, dtype=object)
    for position, names in enumerate(ids):
        found = examples.get(names[0])
        column[position] = (found.group if found is not None else None) or NO_TAG
    return column


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
