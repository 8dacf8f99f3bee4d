"""Scoring: hypotheses of a benchmark -> observations of every metric, classed by tag."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recombine import registry
from recombine.benchmark import Benchmark, Example
from recombine.metrics.base import (
    Metric,
    Observation,
    Scored,
    Stats,
    require_declared,
    require_kind,
)
from recombine.progress import progress

# A tag with more values than this names the example, not a class of examples.
MOST_VALUES = 100


@dataclass(frozen=True)
class Result:
    """The observations of one metric on one split, and what is needed to aggregate them again."""

    metric: Metric
    split: str
    observations: list[Observation]
    tags: list[Mapping[str, Any]]
    # What the benchmark says belongs together (a compound's contexts), so that it is drawn whole.
    clusters: list[str]

    @property
    def stats(self) -> Stats:
        """One row of statistics per observation."""
        return np.array([one.stats for one in self.observations], dtype=np.float64)

    def groups(self) -> dict[str, dict[str, list[int]]]:
        """Return tag -> value -> row numbers, for tags that class the examples."""
        found: dict[str, dict[str, list[int]]] = {}
        for row, tags in enumerate(self.tags):
            for tag, value in tags.items():
                found.setdefault(tag, {}).setdefault(str(value), []).append(row)
        return {
            tag: values
            for tag, values in found.items()
            if len(values) <= MOST_VALUES
            and not (len(values) > 20 and len(values) == len(self.tags))
        }


def create_metrics(
    names: Iterable[str],
    benchmark: Benchmark,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Metric]:
    """Make the metrics, telling each the languages it asks for."""
    wanted = list(dict.fromkeys(names))
    if "bleu" in wanted and "bleu-char" not in wanted and benchmark.manifest.target in ("ja", "zh"):
        # BLEU of an unspaced language depends on its tokeniser, so the character figure goes along.
        wanted.insert(wanted.index("bleu") + 1, "bleu-char")
    return [create_metric(name, benchmark, (options or {}).get(name, {})) for name in wanted]


def create_metric(name: str, benchmark: Benchmark, options: Mapping[str, Any]) -> Metric:
    """Make one metric; languages that it asks for and is not given are the benchmark's."""
    cls = registry.lookup("metric", name)
    fields = {f.name for f in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
    languages = {
        "source_language": benchmark.manifest.source,
        "target_language": benchmark.manifest.target,
    }
    given = {key: value for key, value in languages.items() if key in fields}
    metric: Metric = registry.create("metric", name, {**given, **options})
    require_declared(metric, name)
    return metric


def by_key(metric: Metric, items: Iterable[Scored]) -> dict[str, list[Scored]]:
    """Return what a metric judges together; items that it is not about are left out."""
    groups: dict[str, list[Scored]] = {}
    for item in items:
        key = metric.key(item.example)
        if key is not None:
            groups.setdefault(key, []).append(item)
    return groups


def observe(
    metric: Metric, examples: Sequence[Example], hypotheses: Mapping[str, str], split: str
) -> Result:
    """Return the observations of a metric on a split, for the hypotheses that are there."""
    groups = by_key(
        metric,
        (Scored(one, hypotheses[one.id]) for one in examples if one.id in hypotheses),
    )
    observations = []
    tags = []
    clusters = []
    with progress(f"score {metric.name} {split}", len(groups)) as bar:
        for items in groups.values():
            observation = metric.observe(items)
            if observation is not None:
                observations.append(observation)
                tags.append(items[0].example.tags)
                clusters.append(items[0].example.group or observation.key)
            bar.advance()
    return Result(metric, split, observations, tags, clusters)


def score(
    benchmark: Benchmark,
    hypotheses: Mapping[str, str],
    metrics: Sequence[str] | None = None,
    *,
    splits: Sequence[str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Result]:
    """Score hypotheses (id -> text) of any system on a benchmark.

    Splits of which no hypothesis is given are left out. Every metric first sees all items
    (`prepare`), so that what it learns does not depend on the order of splits.
    """
    chosen = splits if splits is not None else benchmark.splits
    examples = {split: benchmark.read(split) for split in chosen}
    covered = {
        split: rows for split, rows in examples.items() if any(e.id in hypotheses for e in rows)
    }
    items = [
        Scored(example, hypotheses[example.id])
        for rows in covered.values()
        for example in rows
        if example.id in hypotheses
    ]
    results = []
    for metric in create_metrics(metrics or default_metrics(benchmark), benchmark, options):
        metric.prepare(items)
        for split, rows in covered.items():
            result = observe(metric, rows, hypotheses, split)
            if result.observations:
                require_kind(metric, result.stats)
                results.append(result)
    return results


def default_metrics(benchmark: Benchmark) -> tuple[str, ...]:
    """Return the metrics the benchmark recommends, or those every benchmark with references has."""
    return benchmark.manifest.metrics or ("exact", "bleu", "chrf")


def observation_row(metric: str, observation: Observation) -> dict[str, Any]:
    """Return an observation as one row of a score file."""
    ids: dict[str, Any] = (
        {"id": observation.ids[0]} if len(observation.ids) == 1 else {"ids": list(observation.ids)}
    )
    return {
        "metric": metric,
        "key": observation.key,
        **ids,
        "value": observation.value,
        "stats": list(observation.stats),
        "detail": dict(observation.detail),
    }
