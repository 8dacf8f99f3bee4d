"""The results of one metric on one split: scores, comparisons, families, classes of verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from recombine.metrics.observations import Measure, ObservationTable, best_first
from recombine.metrics.score import Score
from recombine.metrics.slices import DECLARED, NO_TAG
from recombine.report.compare import Comparison, comparisons_of, verdict_of
from recombine.statistics.paired import tied_sets

# Tags that say to which family a value of the main tag belongs, in the order they are tried.
FAMILY_TAGS = ("category", "group_name", "family", "kind")
DEPTH_TAG = "depth"


class Cross(NamedTuple):
    """The score of a system where two tags have given values; no interval, it is for tables."""

    n: int
    score: float


@dataclass(frozen=True, kw_only=True)
class MetricResults(Measure):
    """What a report says of one metric on one split; the observations themselves are not kept."""

    n: int
    seeds: Mapping[str, tuple[int, ...]]
    is_share: bool
    # The units of the sample, in words.
    sampled: str
    scores: tuple[Score, ...]
    comparisons: tuple[Comparison, ...]
    # The tag that names what is tested, and tags whose values are numbers.
    main_tag: str | None
    number_tags: tuple[str, ...]
    # Coarser tags that are a function of the main tag: tag -> value of the main tag -> its value.
    parents: Mapping[str, Mapping[str, str]]
    # Two tags -> their values -> system -> score.
    crosses: Mapping[tuple[str, str], Mapping[tuple[str, str], Mapping[str, Cross]]]
    # System -> value of the main tag -> how often each class of verdict was seen, over all seeds.
    labels: Mapping[str, Mapping[str, Counter[str]]]
    # Classes whose observations are mostly without fault, and those with no part in the score.
    right_labels: frozenset[str]
    unjudged_labels: frozenset[str]
    # How many references the metric itself rejects, and of how many.
    rejected: tuple[int, int] = (0, 0)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in report order."""
        return tuple(self.seeds)

    @property
    def best_first(self) -> list[str]:
        """Systems by score; those that the data cannot order in the order of their scores, too."""
        scores = {name: self.overall(name).value for name in self.systems}
        return best_first(scores, self.higher_is_better)

    def ranking(self, without: Collection[str] = ()) -> list[list[str]]:
        """Tied sets of systems, best set first: what the data allow to be said of ranks.

        `without` are systems that take no part, such as controls; of nothing else nothing is left.
        """
        ranked = [name for name in self.best_first if name not in without] or self.best_first
        differ = {
            frozenset((pair.first, pair.second))
            for pair in self.comparisons
            if verdict_of(pair.overall, pair.p_adjusted, self.higher_is_better) != "tie"
        }
        return tied_sets(ranked, differ)

    @property
    def family_tag(self) -> str | None:
        """The first of the coarser tags."""
        return next(iter(self.parents), None)

    @property
    def families(self) -> Mapping[str, str]:
        """Value of the main tag -> its family."""
        return next(iter(self.parents.values()), {})

    def overall(self, system: str) -> Score:
        """A system's score on the whole split."""
        return next(score for score in self.scores if score.system == system and not score.tag)

    def by_tag(self, tag: str) -> dict[str, dict[str, Score]]:
        """Value of the tag -> system -> score."""
        by_value: dict[str, dict[str, Score]] = {}
        for score in self.scores:
            if score.tag == tag:
                by_value.setdefault(score.slice, {})[score.system] = score
        return by_value

    @property
    def is_open(self) -> bool:
        """Whether the metric could not judge everything, so that its scores are ranges."""
        return any(score.undecided for score in self.scores)

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags with scores of their own, in order."""
        return tuple(dict.fromkeys(score.tag for score in self.scores if score.tag))


def make_results(table: ObservationTable) -> MetricResults:
    """All that is said of these observations."""
    unjudged = _unjudged_labels(table)
    return MetricResults(
        **table.facts,
        n=len(table.keys),
        seeds=table.seeds,
        is_share=table.is_share,
        sampled=_sampled(table),
        scores=tuple(table.scores()),
        comparisons=tuple(comparisons_of(table)),
        main_tag=table.main_tag,
        number_tags=tuple(table.number_tags),
        parents=_parents(table),
        crosses=_crosses(table),
        labels=_label_counts(table),
        right_labels=_right_labels(table) - unjudged,
        unjudged_labels=unjudged,
        rejected=table.rejected,
    )


def _sampled(table: ObservationTable) -> str:
    """The units of the sample: keys, or clusters of them."""
    codes = table.clusters()
    if codes is None:
        return "single keys"
    cluster = table.sampling.cluster
    declared = [tag for tag in table.declared_clusters if tag in table.tags]
    chosen = [cluster] if cluster in table.tags else declared if cluster == DECLARED else []
    name = " or ".join(chosen) or "group"
    return f"whole clusters by {name} ({len(np.unique(codes)):,} for {len(codes):,} keys)"


def _parents(table: ObservationTable) -> dict[str, dict[str, str]]:
    """Coarser tags that are a function of the main tag: pattern -> category, pattern -> group."""
    tag = table.main_tag
    if tag is None:
        return {}
    parents = {}
    for name in FAMILY_TAGS:
        if name == tag or name not in table.tags:
            continue
        pairs = set(zip(table.tags[tag], table.tags[name], strict=True))
        values = {value for value, _ in pairs}
        if len(pairs) == len(values) and 1 < len({family for _, family in pairs}) < len(values):
            parents[name] = dict(zip(table.tags[tag], table.tags[name], strict=True))
    return parents


def _crosses(
    table: ObservationTable,
) -> dict[tuple[str, str], dict[tuple[str, str], dict[str, Cross]]]:
    """Scores by two tags: the main tag and the groups, with depths and every tag of two values."""
    tag = table.main_tag
    if tag is None:
        return {}
    halves = [
        name
        for name in table.tags
        if name != tag and (name == DEPTH_TAG or len(table.slices(name)) == 2)
    ]
    rows = (tag, *(name for name in FAMILY_TAGS if name in table.tags))
    return {
        (row, column): _cross(table, row, column)
        for row in rows
        for column in halves
        if row != column
    }


def _cross(
    table: ObservationTable, row: str, column: str
) -> dict[tuple[str, str], dict[str, Cross]]:
    # In order of first appearance; a key is in one group, so no two begin with the same.
    groups = sorted(table.group_by(row, column).items(), key=lambda group: int(group[1][0]))
    return {
        (first, second): {
            system: Cross(len(where), table.mean(system, where)) for system in table.systems
        }
        for (first, second), where in groups
    }


def _label_counts(table: ObservationTable) -> dict[str, dict[str, Counter[str]]]:
    """How often each class was seen: metrics that class their observations say detail.class."""
    tag = table.main_tag
    values = table.tags[tag] if tag is not None else np.full(len(table.keys), NO_TAG, dtype=object)
    by_system: dict[str, dict[str, Counter[str]]] = {}
    for (system, _), classes in table.classes.items():
        for value, label in zip(values, classes, strict=False):
            if label:
                by_value = by_system.setdefault(system, {})
                by_value.setdefault(str(value), Counter())[label] += 1
    return by_system


def _right_labels(table: ObservationTable) -> frozenset[str]:
    """Classes whose observations are mostly without fault."""
    right: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for voice, classes in table.classes.items():
        for value, label in zip(table.values[voice], classes, strict=False):
            totals[label] += 1
            right[label] += value == table.right_value
    return frozenset(label for label in totals if 2 * right[label] > totals[label])


def _unjudged_labels(table: ObservationTable) -> frozenset[str]:
    """Classes of which no observation has a part in the score."""
    counted: Counter[str] = Counter()
    for voice, classes in table.classes.items():
        for label, counts in zip(
            classes, table.aggregator.counts(table.stats[voice]), strict=False
        ):
            counted[label] += bool(counts)
    return frozenset(label for label, count in counted.items() if not count)
