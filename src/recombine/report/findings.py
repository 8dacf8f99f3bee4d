"""What a report says, before it is a page, a table or a figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recombine.benchmark import TRAINING_SPLITS
from recombine.errors import DataError
from recombine.metrics.score import Score
from recombine.metrics.slices import DECLARED, LENGTH_TAG, NO_TAG
from recombine.progress import progress
from recombine.registry import lookup
from recombine.report.compare import Comparison, compare_panel, ranking
from recombine.report.examples import room
from recombine.report.gap import GapParts, gap_parts
from recombine.report.method import BenchmarkMethod, Headline
from recombine.report.options import ReportOptions
from recombine.report.reading.panel import Panel, read_panel
from recombine.report.reading.runs import ReportRuns
from recombine.report.reading.validity import (
    COMPLETE,
    cells_told,
    incomplete,
    no_verdict,
    outputs_told,
    references_told,
    training_told,
)
from recombine.report.scores import all_scores, main_tag, numeric_tags
from recombine.report.words import Words, read_words

# Tags that say to which family a value of the main tag belongs, in the order they are tried.
FAMILY_TAGS = ("category", "group_name", "family", "kind")
DEPTH_TAG = "depth"


class Cross(NamedTuple):
    """The score of a system where two tags have given values; no interval, it is for tables."""

    n: int
    score: float


@dataclass(frozen=True, slots=True)
class Sheet:
    """The findings on one metric and one split; observations themselves are not kept."""

    metric: str
    split: str
    signature: str
    n: int
    systems: tuple[str, ...]
    seeds: Mapping[str, tuple[int, ...]]
    is_share: bool
    higher_is_better: bool
    right_value: float
    limits: tuple[float, float]
    as_shipped: bool
    sampled: str
    scores: tuple[Score, ...]
    comparisons: tuple[Comparison, ...]
    ranking: tuple[tuple[str, ...], ...]
    main_tag: str | None
    number_tags: tuple[str, ...]
    families: Mapping[str, str]
    family_tag: str | None
    parents: Mapping[str, Mapping[str, str]]
    crosses: Mapping[tuple[str, str], Mapping[tuple[str, str], Mapping[str, Cross]]]
    labels: Mapping[str, Mapping[str, Counter[str]]]
    right_labels: frozenset[str]
    # Classes that have no part in the score.
    unjudged_labels: frozenset[str]
    left_out: Mapping[str, int]
    # How many references the metric itself rejects, and of how many; of none where it cannot say.
    rejected: tuple[int, int] = (0, 0)

    def overall(self, system: str) -> Score:
        """A system's score on the whole split."""
        return next(one for one in self.scores if one.system == system and not one.tag)

    def by_tag(self, tag: str) -> dict[str, dict[str, Score]]:
        """Value of the tag -> system -> score."""
        found: dict[str, dict[str, Score]] = {}
        for one in self.scores:
            if one.tag == tag:
                found.setdefault(one.slice, {})[one.system] = one
        return found

    @property
    def is_open(self) -> bool:
        """Whether the metric could not judge everything, so that its scores are ranges."""
        return any(one.undecided for one in self.scores)

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags with scores of their own, in order."""
        return tuple(dict.fromkeys(one.tag for one in self.scores if one.tag))


@dataclass(frozen=True)
class Findings:
    """All findings of one report."""

    source: ReportRuns
    options: ReportOptions
    sheets: tuple[Sheet, ...]
    notes: tuple[str, ...]
    # What each system loses on new sentences, and what of it is composition.
    gaps: tuple[GapParts, ...] = ()

    @cached_property
    def splits(self) -> tuple[str, ...]:
        """Splits with findings, the generalisation sets first."""
        return tuple(dict.fromkeys(sheet.split for sheet in self.sheets))

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Systems in order of appearance."""
        return tuple(dict.fromkeys(name for sheet in self.sheets for name in sheet.systems))

    def sheet(self, metric: str, split: str) -> Sheet | None:
        """The findings on one metric and split, if there are any."""
        for one in self.sheets:
            if one.metric == metric and one.split == split:
                return one
        return None

    @cached_property
    def main(self) -> Sheet:
        """The first metric of the first split: what the report opens with."""
        return self.sheets[0]

    @property
    def scores(self) -> Iterable[Score]:
        """Every number of the report."""
        return (score for sheet in self.sheets for score in sheet.scores)

    @cached_property
    def words(self) -> Words:
        """What things are called in front of people."""
        words = read_words(*map(Path, self.options.words))
        return words if self.learned else words.without_training()

    @cached_property
    def learned(self) -> frozenset[str]:
        """Systems of this report that learned from the benchmark."""
        return self.source.learned & set(self.systems)

    def split_name(self, split: str) -> str:
        """What a split is called."""
        return self.words.split(self.method.name, split)

    @property
    def method(self) -> BenchmarkMethod:
        """The kind of benchmark, which says what the report shows."""
        return self.source.method

    @cached_property
    def headline(self) -> Headline:
        """What was found, in plain words, and what it rests on; no verdict below completeness."""
        told = self.method.headline(self)
        scores = [self.main.overall(system) for system in self.main.systems]
        reasons = {one.system: why for one in scores if (why := incomplete(one))}
        if reasons:
            reached = f"Below {100 * COMPLETE:g}% of all with an output nothing is concluded."
            told = Headline(no_verdict(reasons), (reached,))
        return Headline(told.headline, (*told.sentences, *self._validity(scores)))

    def _validity(self, scores: Sequence[Score]) -> list[str]:
        """What a reader must know before the headline is believed."""
        main = self.main
        trained_on = {name: self.source.trained_on[name] for name in main.systems}
        tag = main.main_tag
        counts = tag is None or tag == LENGTH_TAG or tag in main.number_tags
        cells = {} if counts else main.by_tag(tag or "")
        sizes = [max(one.of for one in by_system.values()) for by_system in cells.values()]
        return [
            *training_told(trained_on),
            *outputs_told(scores),
            *references_told(self.words.metric(main.metric), main.rejected),
            *cells_told(sizes, f"values of {self.words.tag(tag or '')}"),
        ]

    def measured(self, sheet: Sheet) -> str:
        """A metric and where it was measured, as a title or a caption begins."""
        name = self.words.metric(sheet.metric)
        least = ", at least," if sheet.is_open else ""  # the rest could not be judged
        return f"{name[:1].upper()}{name[1:]}{least} on {self.split_name(sheet.split)}"

    @cached_property
    def title(self) -> str:
        """The report's heading."""
        manifest = self.source.benchmark.manifest
        return self.options.title or f"{manifest.name}: {', '.join(self.systems)}"


def build_report(source: ReportRuns, options: ReportOptions, *, examples: bool = True) -> Findings:
    """Read every score file, one metric and split at a time, and keep the findings.

    With `examples` also what is said of as many of them as the page can show.
    """
    if options.sample:
        note = f"only a sample of {options.sample:,} examples of each split is looked at"
        source = replace(source, sample=options.sample, notes=(*source.notes, note))
    own = {lookup("metric", one).name: one for one in options.own}
    source = replace(source, own_metrics=own, control_system=options.control_system)
    wanted = [
        (split, metric)
        for split in _chosen_splits(source, options)
        for metric in source.metrics(split)
        if not options.metrics or metric in options.metrics
    ]
    if examples:
        splits = dict.fromkeys(split for split, _ in wanted)
        there = [one for one in splits if any(c.translations(one).is_file() for c in source.cells)]
        shown = room(there, options.examples)
        words = read_words(*map(Path, options.words))
        source = replace(source, shown=shown, shown_seed=options.seed, words=words)
    _require_cluster(source, options)
    sheets, notes = [], list(source.notes)
    main: dict[str, Panel] = {}  # the first metric on new and on familiar sentences
    with progress("report", len(wanted)) as bar:
        for split, metric in wanted:
            panel = read_panel(source, metric, split)
            bar.advance()
            if not panel.keys:
                notes.append(f"{metric} on {split}: no key was scored by all systems and seeds")
                continue
            sheets.append(make_sheet(panel, options))
            if metric == sheets[0].metric and split in (
                sheets[0].split,
                source.method.familiar_split,
            ):
                main[split] = panel
            if panel.judged_apart:
                notes.append(panel.judged_apart)
            for cell, count in panel.left_out.items():
                notes.append(
                    f"{metric} on {split}: {count} keys of {cell} are left out, because not every "
                    "system and seed has them"
                )
    if not sheets:
        raise DataError("nothing to report: no metric and split was scored by every system")
    new = main.pop(sheets[0].split)
    familiar = main.get(source.method.familiar_split)
    gaps = tuple(
        parts
        for parts in gap_parts(new, familiar, source.controls, options, source.neutral)
        if parts.system in source.learned
    )
    return Findings(source, options, tuple(sheets), tuple(notes), gaps)


def _require_cluster(source: ReportRuns, options: ReportOptions) -> None:
    """Refuse to cluster by a tag that no example has, before anything is worked out."""
    known = {DECLARED, "group", "key", LENGTH_TAG}
    for split in _chosen_splits(source, options):
        for example in source.examples(split).values():
            if options.cluster in known:
                return
            known.update(example.tags)
    if options.cluster not in known:
        raise DataError(
            f"no example has the tag '{options.cluster}' to cluster by",
            hint=f"there are: {', '.join(sorted(known - {DECLARED}))}",
        )


def _chosen_splits(source: ReportRuns, options: ReportOptions) -> Sequence[str]:
    found = source.splits()
    if options.splits:
        return [split for split in options.splits if split in found]
    hidden = (*TRAINING_SPLITS, *source.method.hidden_splits)
    visible = [split for split in found if split not in hidden]
    return visible or list(found)


def make_sheet(panel: Panel, options: ReportOptions) -> Sheet:
    """All findings of one panel."""
    comparisons = compare_panel(panel, options)
    tag = main_tag(panel)
    family_tag = _family_tag(panel, tag)
    return Sheet(
        metric=panel.metric,
        split=panel.split,
        signature=panel.signature,
        n=len(panel.keys),
        systems=panel.systems,
        seeds={name: tuple(by_seed) for name, by_seed in panel.columns.items()},
        is_share=panel.is_share,
        higher_is_better=panel.higher_is_better,
        right_value=panel.right_value,
        limits=panel.aggregator.limits,
        as_shipped=panel.as_shipped,
        sampled=_sampled(panel, options.cluster),
        scores=tuple(all_scores(panel, options)),
        comparisons=tuple(comparisons),
        ranking=tuple(tuple(group) for group in ranking(panel, comparisons)),
        main_tag=tag,
        number_tags=tuple(numeric_tags(panel)),
        families=_families(panel, tag, family_tag),
        family_tag=family_tag,
        parents=_parents(panel, tag),
        crosses=_crosses(panel, tag),
        labels=_label_counts(panel, tag),
        right_labels=_right_labels(panel),
        unjudged_labels=_unjudged_labels(panel),
        left_out=panel.left_out,
        rejected=panel.rejected,
    )


def _sampled(panel: Panel, cluster: str) -> str:
    """The units of the sample: keys, or clusters of them."""
    codes = panel.clusters(cluster)
    if codes is None:
        return "single keys"
    declared = [tag for tag in panel.declared_clusters if tag in panel.tags]
    chosen = [cluster] if cluster in panel.tags else declared if cluster == DECLARED else []
    name = " or ".join(chosen) or "group"
    return f"whole clusters by {name} ({len(np.unique(codes)):,} for {len(codes):,} keys)"


def _parents(panel: Panel, tag: str | None) -> dict[str, dict[str, str]]:
    """Coarser tags that are a function of the main tag: pattern -> category, pattern -> group."""
    if tag is None:
        return {}
    found = {}
    for name in FAMILY_TAGS:
        if name == tag or name not in panel.tags:
            continue
        pairs = set(zip(panel.tags[tag], panel.tags[name], strict=True))
        values = {value for value, _ in pairs}
        if len(pairs) == len(values) and 1 < len({family for _, family in pairs}) < len(values):
            found[name] = dict(zip(panel.tags[tag], panel.tags[name], strict=True))
    return found


def _family_tag(panel: Panel, tag: str | None) -> str | None:
    return next(iter(_parents(panel, tag)), None)


def _families(panel: Panel, tag: str | None, family_tag: str | None) -> dict[str, str]:
    return _parents(panel, tag)[family_tag] if family_tag is not None else {}


def _crosses(
    panel: Panel, tag: str | None
) -> dict[tuple[str, str], dict[tuple[str, str], dict[str, Cross]]]:
    """Scores by two tags: the main tag and the groups, with depths and every tag of two values."""
    if tag is None:
        return {}
    halves = [
        name
        for name in panel.tags
        if name != tag and (name == DEPTH_TAG or len(panel.slices(name)) == 2)
    ]
    found = {}
    for row in (tag, *(name for name in FAMILY_TAGS if name in panel.tags)):
        for column in halves:
            if row != column:
                found[row, column] = _cross(panel, row, column)
    return found


def _cross(panel: Panel, row: str, column: str) -> dict[tuple[str, str], dict[str, Cross]]:
    places = []
    for second, there in panel.slices(column).items():
        inside = np.zeros(len(panel.keys), dtype=bool)
        inside[there] = True
        for first, here in panel.slices(row).items():
            where = here[inside[here]]
            if len(where):
                places.append((first, second, where))
    found = {}
    # In order of first appearance.
    for first, second, where in sorted(places, key=lambda place: int(place[2][0])):
        found[first, second] = {
            system: Cross(
                len(where), float(np.mean(list(panel.seed_scores(system, where).values())))
            )
            for system in panel.systems
        }
    return found


def _label_counts(panel: Panel, tag: str | None) -> dict[str, dict[str, Counter[str]]]:
    """System -> value of the main tag -> how often each class of verdict was seen.

    Metrics that class their observations (error anatomy, consistency) say so in detail.class;
    counts are summed over seeds.
    """
    values = panel.tags[tag] if tag is not None else np.full(len(panel.keys), NO_TAG, dtype=object)
    found: dict[str, dict[str, Counter[str]]] = {}
    for system, by_seed in panel.columns.items():
        for column in by_seed.values():
            for value, label in zip(values, column.labels, strict=False):
                if label:
                    by_value = found.setdefault(system, {})
                    by_value.setdefault(str(value), Counter())[label] += 1
    return found


def _right_labels(panel: Panel) -> frozenset[str]:
    """Classes whose observations are mostly without fault."""
    right: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for by_seed in panel.columns.values():
        for column in by_seed.values():
            for value, label in zip(column.values, column.labels, strict=False):
                seen[label] += 1
                right[label] += value == panel.right_value
    found = frozenset(label for label in seen if 2 * right[label] > seen[label])
    return found - _unjudged_labels(panel)


def _unjudged_labels(panel: Panel) -> frozenset[str]:
    """Classes of which no observation has a part in the score."""
    counted: Counter[str] = Counter()
    for by_seed in panel.columns.values():
        for column in by_seed.values():
            for label, counts in zip(
                column.labels, panel.aggregator.counts(column.stats), strict=False
            ):
                counted[label] += bool(counts)
    return frozenset(label for label, count in counted.items() if not count)
