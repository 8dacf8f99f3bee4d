"""Observations: the one table that scores, comparisons and reports are made of.

A row is what a metric saw at one key in the output of one system with one seed: system, seed,
split, metric, key, value, statistics, class, and the tags of the key's examples. The rows of one
metric and split are held together, a column for each system and seed, all in the order of the same
keys. Scoring makes such tables and the report reads them from files; nothing after that can tell
which. A slice is a group-by: the keys that share the value of a tag.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from recombine.config import to_plain
from recombine.errors import DataError
from recombine.metrics.base import Metric, Observation, aggregator_of
from recombine.metrics.score import Score, undecided_share
from recombine.metrics.slices import Rows, Slices, SplitExamples, is_number
from recombine.registry import require
from recombine.statistics.aggregate import Aggregator, Array, Clusters
from recombine.statistics.sample import Sample, Sampling

# A system and its seed.
Voice = tuple[str, int]
Details = Sequence[Mapping[str, Any]]
# Tags that name what is tested, unless the kind of benchmark names others.
MAIN_TAGS = ("pattern", "idiom", "synonym", "template")


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One metric on one split, with all that a reader of its numbers must know."""

    metric: str
    split: str
    signature: str
    aggregator: Aggregator
    unit: str
    higher_is_better: bool
    # The value of an observation without fault.
    right_value: float
    # What a missing output is worth.
    missing: str = "empty"
    # Tags whose values are units of the sample.
    declared_clusters: tuple[str, ...] = ()
    # The statistic that says what could not be judged.
    undecided: int | None = None
    # Whether it is fair only to systems that learned the benchmark's wording.
    one_wording: bool = False
    # The options of the metric, and whether they are those that it comes with.
    options: Mapping[str, Any] = field(default_factory=dict)
    as_shipped: bool = True

    @property
    def declares(self) -> dict[str, Any]:
        """What the metric declared as plain data, kept with its scores."""
        undecided = {} if self.undecided is None else {"undecided": self.undecided}
        return {
            "kind": self.aggregator.kind,
            "higher_is_better": self.higher_is_better,
            "right_value": self.right_value,
            "missing": self.missing,
            "unit": self.unit,
            "limits": self.aggregator.limits,
            "clusters": self.declared_clusters,
            **undecided,
            **({"one_wording": True} if self.one_wording else {}),
        }

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of its scale."""
        return self.aggregator.limits

    @property
    def facts(self) -> dict[str, Any]:
        """What is said here, by name, for another object about the same metric and split."""
        return {field.name: getattr(self, field.name) for field in fields(Measure)}


def measure_of(metric: Metric, split: str) -> Measure:
    """What a metric declares."""
    return Measure(
        metric=metric.name,
        split=split,
        signature=metric.signature(),
        aggregator=aggregator_of(metric),
        unit=metric.unit,
        higher_is_better=metric.higher_is_better,
        right_value=metric.right_value,
        missing=metric.missing,
        declared_clusters=tuple(metric.clusters),
        undecided=metric.undecided,
        one_wording=metric.one_wording,
        options=to_plain(metric) if is_dataclass(metric) else {},
    )


@dataclass(frozen=True, kw_only=True)
class ObservationTable(Measure):
    """The observations of one metric on one split, by system, seed and key."""

    keys: tuple[str, ...]
    # The examples that were judged together at each key.
    ids: tuple[tuple[str, ...], ...]
    # The examples of keys that the metric is about and did not observe.
    unobserved: tuple[tuple[str, ...], ...] = ()
    examples: SplitExamples
    # The columns: what people read, what the score is made of, what kind of verdict it is.
    values: Mapping[Voice, Array]
    stats: Mapping[Voice, Array]
    classes: Mapping[Voice, tuple[str, ...]] = field(default_factory=dict)
    # Why, in the metric's own fields; kept where somebody will ask.
    details: Mapping[Voice, Details] = field(default_factory=dict)
    # The first example of each key of which no output is there.
    failed: Mapping[Voice, frozenset[str]] = field(default_factory=dict)
    # What the metric left out and learned, for whoever asks: it may take a while.
    notes: Callable[[], Mapping[str, Any]] = dict
    # "SYSTEM, seed N" -> keys that it has and others have not.
    left_out: Mapping[str, int] = field(default_factory=dict)
    # Whether each system was judged by rules that were learned from texts of its own.
    judges_differ: bool = False
    # How many references the metric itself rejects, and of how many.
    rejected: tuple[int, int] = (0, 0)
    main_tags: tuple[str, ...] = MAIN_TAGS
    sampling: Sampling = field(default_factory=Sampling)

    # -- systems and seeds

    @cached_property
    def seeds(self) -> dict[str, tuple[int, ...]]:
        """System -> its seeds, in report order."""
        seeds: dict[str, tuple[int, ...]] = {}
        for system, seed in self.stats:
            seeds[system] = (*seeds.get(system, ()), seed)
        return seeds

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in report order."""
        return tuple(self.seeds)

    def voices(self, system: str) -> list[Voice]:
        """A system with each of its seeds."""
        return [(system, seed) for seed in self.seeds[system]]

    def of(self, system: str, seed: int = 1) -> ObservationTable:
        """The same observations under another name, of a table of one system and seed."""
        return replace(self, **_columns([self], lambda _: (system, seed)))

    def rows(self) -> Iterator[Observation]:
        """The observations of a table of one system and seed, one by one."""
        (voice,) = self.stats
        details = self.details.get(voice) or [{}] * len(self.keys)
        columns = self.values[voice].tolist(), self.stats[voice].tolist(), details
        for key, ids, value, stats, detail in zip(self.keys, self.ids, *columns, strict=True):
            yield Observation(key, ids, value, tuple(stats), detail)

    def to_pandas(self) -> Any:
        """A row for each key of each system and seed, with a column for each tag."""
        pandas = require("pandas", extra="report", feature="to_pandas")
        frames = [
            {
                "system": system, "seed": seed, "split": self.split, "metric": self.metric,
                "key": self.keys, "value": self.values[system, seed],
                "statistics": self.stats[system, seed].tolist(),
                "class": self.classes.get((system, seed)) or "",
                **{f"tag.{tag}": values for tag, values in self.tags.items()},
            }
            for system, seed in self.stats
        ]  # fmt: skip
        return pandas.concat([pandas.DataFrame(frame) for frame in frames], ignore_index=True)

    def at(self, places: Sequence[int]) -> ObservationTable:
        """Some of the rows, without details."""
        rows = np.asarray(places, dtype=np.int64)
        return replace(
            self,
            keys=tuple(self.keys[place] for place in places),
            ids=tuple(self.ids[place] for place in places),
            values={voice: column[rows] for voice, column in self.values.items()},
            stats={voice: column[rows] for voice, column in self.stats.items()},
            classes={
                voice: tuple(column[place] for place in places) if column else ()
                for voice, column in self.classes.items()
            },
            details={},
        )

    # -- groups of keys

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The examples of every key that the metric is about, observed or not."""
        return (*self.ids, *self.unobserved)

    @cached_property
    def sliced(self) -> Slices:
        """Which keys have which value of which tag."""
        return self.examples.slices(self.groups, len(self.ids))

    @property
    def tags(self) -> Mapping[str, npt.NDArray[np.object_]]:
        """Tag -> the value of every key."""
        return self.sliced.tags

    def slices(self, tag: str) -> dict[str, Rows]:
        """Places of the keys for each value of a tag: numbers ascending, else as they appear."""
        return self.sliced.rows(tag)

    def group_by(self, *tags: str) -> dict[tuple[str, ...], Rows]:
        """Places of the keys for each combination of values of several tags that there is."""
        return self.sliced.group_by(*tags)

    @property
    def sliceable_tags(self) -> list[str]:
        """Tags worth slicing by."""
        return self.sliced.worth()

    @property
    def main_tag(self) -> str | None:
        """The tag that names what is tested: the first of `main_tags` that slices, else any."""
        tags = self.sliceable_tags
        return next((tag for tag in self.main_tags if tag in tags), tags[0] if tags else None)

    @property
    def number_tags(self) -> list[str]:
        """Sliceable tags whose values are all numbers: depths and lengths.

        Two values are a yes and a no, not a line.
        """
        return [
            tag
            for tag in self.sliceable_tags
            if len(self.slices(tag)) > 2 and all(map(is_number, self.slices(tag)))
        ]

    def clusters(self, where: Rows | None = None) -> Clusters | None:
        """Cluster numbers of the keys; None where every key stands alone."""
        return self.sliced.clusters(self.sampling.cluster, self.declared_clusters, where)

    # -- numbers

    @cached_property
    def is_share(self) -> bool:
        """Whether the score is a share of right and wrong verdicts."""
        return all(self.aggregator.is_share(stats) for stats in self.stats.values())

    def tables(self, system: str, where: Rows | None = None) -> list[Array]:
        """Statistics of each seed of a system, optionally of some keys only."""
        columns = [self.stats[voice] for voice in self.voices(system)]
        return columns if where is None else [column[where] for column in columns]

    def seed_scores(self, system: str, where: Rows | None = None) -> dict[int, float]:
        """The score of each seed of a system."""
        scores = map(self.aggregator.from_rows, self.tables(system, where))
        return dict(zip(self.seeds[system], scores, strict=True))

    def mean(self, system: str, where: Rows | None = None) -> float:
        """The mean of a system's scores over its seeds."""
        return float(np.mean(list(self.seed_scores(system, where).values())))

    @cached_property
    def whole(self) -> Sample:
        """What all systems did on all keys."""
        return self._sample(None, self.systems)

    def sample(self, where: Rows | None = None, systems: Sequence[str] = ()) -> Sample:
        """What these systems, or all, did on these keys, or all."""
        if where is None and not systems:
            return self.whole
        return self._sample(where, systems or self.systems)

    def _sample(self, where: Rows | None, systems: Sequence[str]) -> Sample:
        _, confidence, trials, seed = self.sampling
        return Sample(
            {system: self.tables(system, where) for system in systems},
            self.aggregator,
            self.clusters(where),
            confidence=confidence,
            trials=trials,
            seed=seed,
        )

    @cached_property
    def best_first(self) -> list[str]:
        """The systems by score."""
        return best_first({name: self.mean(name) for name in self.systems}, self.higher_is_better)

    def overall(self) -> list[Score]:
        """A score for each system, on all keys."""
        return [self._score(self.whole, system, "", "") for system in self.systems]

    def by_tag(self, tag: str) -> list[Score]:
        """A score for each system and value of the tag."""
        scores = []
        for value, where in self.slices(tag).items():
            sample = self.sample(where)
            scores += [self._score(sample, system, tag, value) for system in self.systems]
        return scores

    def scores(self) -> list[Score]:
        """Every score: the whole first, then each tag."""
        by_tag = [score for tag in self.sliceable_tags for score in self.by_tag(tag)]
        return [*self.overall(), *by_tag]

    def _score(self, sample: Sample, system: str, tag: str, value: str) -> Score:
        tables, span = sample.tables[system], sample.interval(system)
        lacking = self.lacking[system]
        keys = self.sliced.all_keys(tag)[value] if tag else slice(None)
        return Score(
            metric=self.metric,
            split=self.split,
            tag=tag,
            slice=value,
            system=system,
            value=span.value,
            low=span.low,
            high=span.high,
            n=min(int(self.aggregator.counts(rows).sum()) for rows in tables),
            of=len(lacking[keys]),
            failed=int(lacking[keys].sum()),
            unit=self.unit,
            method=span.method,
            seeds=tuple(self.aggregator.from_rows(rows) for rows in tables),
            error=span.error,
            signature=self.signature,
            undecided=undecided_share(tables, self.undecided, self.aggregator.scale),
        )

    @cached_property
    def lacking(self) -> dict[str, npt.NDArray[np.bool_]]:
        """System -> whether each key, observed or not, lacks an output of some seed."""
        names: dict[str, set[str]] = {system: set() for system in self.systems}
        for voice in self.stats:
            names[voice[0]] |= self.failed.get(voice, frozenset())
        return {
            system: np.array([not lost.isdisjoint(ids) for ids in self.groups], dtype=bool)
            if lost
            else np.zeros(len(self.groups), dtype=bool)
            for system, lost in names.items()
        }

    @property
    def judged_apart(self) -> str:
        """What to say where several systems taught a judge each; else nothing."""
        if not self.judges_differ or len(self.systems) < 2:
            return ""
        return (
            f"{self.metric} on {self.split} judges each system by rules learned also from its own "
            "outputs, since references are missing: a part of a difference may be the judge's "
            f"(-o {self.metric}.fillers=references learns from references alone)"
        )


def observed(
    metric: Metric,
    split: str,
    observations: Sequence[Observation],
    *,
    unobserved: Sequence[tuple[str, ...]],
    failed: Collection[str],
    examples: SplitExamples,
) -> ObservationTable:
    """The table of one system, from what a metric saw of its output."""
    voice = ("", 1)
    classes = tuple(str(row.detail.get("class", "")) if row.detail else "" for row in observations)
    stats = np.array([row.stats for row in observations], dtype=np.float64)
    return ObservationTable(
        **measure_of(metric, split).facts,
        keys=tuple(row.key for row in observations),
        ids=tuple(row.ids for row in observations),
        unobserved=tuple(unobserved),
        examples=examples,
        values={voice: np.array([row.value for row in observations], dtype=np.float64)},
        stats={voice: stats},
        classes={voice: classes if any(classes) else ()},
        details={voice: [row.detail for row in observations]},
        failed={voice: frozenset(failed)},
        notes=metric.notes,
    )


def side_by_side(
    tables: Sequence[ObservationTable],
    *,
    main_tags: tuple[str, ...] = MAIN_TAGS,
    sampling: Sampling | None = None,
    only: Collection[str] | None = None,
) -> ObservationTable:
    """One table of several: the keys that every system and seed has, in the order of the first.

    `only` are examples: a key of others is left out, too.
    """
    _require_same_metric(tables)
    first = tables[0]
    keys_of = [set(table.keys) for table in tables]
    if any(len(keys) < len(table.keys) for keys, table in zip(keys_of, tables, strict=True)):
        raise DataError("a key is observed twice in one score file")
    common = set.intersection(*keys_of)
    left_out: dict[str, int] = {}
    lost: dict[str, tuple[str, ...]] = {}
    for table in tables:
        if len(table.keys) > len(common):
            ((system, seed),) = table.stats
            left_out[f"{system}, seed {seed}"] = len(table.keys) - len(common)
            pairs = zip(table.keys, table.ids, strict=True)
            lost |= {key: ids for key, ids in pairs if key not in common}
    examples = first.examples
    if only is not None:
        pairs = zip(first.keys, first.ids, strict=True)
        common &= {key for key, ids in pairs if all(name in only for name in ids)}
    keys = tuple(key for key in first.keys if key in common)
    aligned = [_aligned(table, keys) for table in tables]
    ids = aligned[0].ids
    # Keys that not every system and seed has are in nobody's score, but it is of them, too.
    left = [group for group in lost.values() if all(member in examples for member in group)]
    members = {member for group in (*ids, *left) for member in group}
    rest = dict.fromkeys(group for table in tables for group in table.unobserved)
    unseen = [group for group in rest if group[0] in examples and group[0] not in members]
    return replace(
        first,
        keys=keys,
        ids=ids,
        unobserved=(*left, *unseen),
        **{**_columns(aligned), "details": {}},
        left_out=left_out,
        judges_differ=_judges_differ(table.signature for table in tables),
        main_tags=main_tags,
        sampling=sampling or Sampling(),
    )


def _columns(
    tables: Iterable[ObservationTable], called: Callable[[Voice], Voice] = lambda voice: voice
) -> dict[str, Any]:
    """The columns of several tables, by name, with the systems and seeds called anew."""
    columns_of: dict[str, Any] = {}
    for table in tables:
        for name in ("values", "stats", "classes", "details", "failed"):
            columns = getattr(table, name).items()
            columns_of.setdefault(name, {}).update(
                {called(voice): column for voice, column in columns}
            )
    return columns_of


def _aligned(table: ObservationTable, keys: tuple[str, ...]) -> ObservationTable:
    """The rows of these keys, in their order."""
    if table.keys == keys:
        return table
    place = {key: index for index, key in enumerate(table.keys)}
    return table.at([place[key] for key in keys])


def _judges_differ(signatures: Iterable[str]) -> bool:
    """Whether a metric learned from outputs, or for one system from more texts than for another."""
    learned = {match[0] for text in signatures if (match := re.search(r"\|fillers:[^|@]*", text))}
    return len(learned) > 1 or any("hypotheses" in text for text in learned)


def comparable(signature: str) -> str:
    """A signature without what the sample decides: how many references, learned from what."""
    return re.sub(r"\|(nrefs|fillers):[^|@]*", "", signature)


def _require_same_metric(tables: Sequence[ObservationTable]) -> None:
    """Refuse scores of one metric made with other options, or by another version of it."""
    by_signature: dict[str, str] = {}
    for table in tables:
        options = json.dumps(table.options, sort_keys=True)
        signature = comparable(table.signature)
        if signature:
            ((system, seed),) = table.stats
            by_signature.setdefault(f"{signature} {options}", f"{system}, seed {seed}")
    if len(by_signature) > 1:
        (options_text, first), (other, second) = list(by_signature.items())[:2]
        raise DataError(
            f"{tables[0].metric} on {tables[0].split} is not the same metric for {first}, and for "
            f"{second}: {options_text} / {other}",
            hint="score both with the same options and versions, "
            "or leave the metric out: -o 'metrics=[...]'",
        )


def best_first(scores: Mapping[str, float], higher_is_better: bool) -> list[str]:
    """Names by score. Nobody knows where a system without a score stands: it comes last."""
    sign = -1.0 if higher_is_better else 1.0
    return sorted(scores, key=lambda name: (math.isnan(scores[name]), sign * scores[name], name))
