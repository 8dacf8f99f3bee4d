"""What a report says, before it is a page, a table or a figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from recombine.benchmark import TRAINING_SPLITS
from recombine.errors import DataError
from recombine.metrics.observations import ObservationTable
from recombine.metrics.score import Score
from recombine.metrics.slices import DECLARED, LENGTH_TAG
from recombine.progress import progress
from recombine.registry import lookup
from recombine.report.examples import room
from recombine.report.gap import GapParts, gap_parts
from recombine.report.method import BenchmarkMethod, Headline
from recombine.report.options import ReportOptions
from recombine.report.reading.observations import read_observations
from recombine.report.reading.runs import ReportRuns
from recombine.report.reading.validity import (
    COMPLETE,
    cell_caveats,
    incomplete,
    no_verdict,
    output_caveats,
    reference_caveats,
    training_caveats,
    wording_caveats,
)
from recombine.report.results import MetricResults, make_results
from recombine.report.words import Words, read_words
from recombine.templates import listed


@dataclass(frozen=True)
class Findings:
    """All findings of one report."""

    source: ReportRuns
    options: ReportOptions
    results: tuple[MetricResults, ...]
    notes: tuple[str, ...]
    # What each system loses on new sentences, and what of it is composition.
    gaps: tuple[GapParts, ...] = ()

    @cached_property
    def splits(self) -> tuple[str, ...]:
        """Splits with findings, the generalisation sets first."""
        return tuple(self.firsts)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Systems in order of appearance."""
        return tuple(dict.fromkeys(name for results in self.results for name in results.systems))

    def results_of(self, metric: str, split: str) -> MetricResults | None:
        """The findings on one metric and split, if there are any."""
        for results in self.results:
            if results.metric == metric and results.split == split:
                return results
        return None

    @cached_property
    def firsts(self) -> dict[str, MetricResults]:
        """Split -> the findings on its first metric."""
        firsts: dict[str, MetricResults] = {}
        for results in self.results:
            firsts.setdefault(results.split, results)
        return firsts

    @cached_property
    def main(self) -> MetricResults:
        """The first metric of the first split: what the report opens with."""
        return self.results[0]

    @property
    def scores(self) -> Iterable[Score]:
        """Every number of the report."""
        return (score for results in self.results for score in results.scores)

    @cached_property
    def words(self) -> Words:
        """What things are called in front of people."""
        words = self.source.words
        return words if self.learned else words.without_training()

    @cached_property
    def learned(self) -> frozenset[str]:
        """Systems of this report that learned from the benchmark."""
        return self.source.learned & set(self.systems)

    @cached_property
    def controls(self) -> frozenset[str]:
        """Systems that were trained on the control: what they show is no achievement of theirs."""
        return frozenset(self.source.controls.values()) & set(self.systems)

    @cached_property
    def contenders(self) -> list[str]:
        """The systems that a headline is about, best first: controls only where nothing else is."""
        return [name for tied in self.ranking(self.main) for name in tied]

    @cached_property
    def best_first(self) -> list[str]:
        """All systems: those that compete by score, then controls, then those without a score."""
        return list(dict.fromkeys((*self.contenders, *self.main.best_first, *self.systems)))

    def ranking(self, results: MetricResults) -> list[list[str]]:
        """Tied sets of the systems that compete, best first: no controls, nothing incomplete."""
        return results.ranking({*self.controls, *without_verdict(results)})

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
        verdict = self.method.headline(self)
        scores = [self.main.overall(system) for system in self.main.systems]
        reasons = without_verdict(self.main)
        if reasons:
            reached = (
                f"No verdict where less than {100 * COMPLETE:g}% of the sentences have outputs."
            )
            compared = [name for name in self.contenders if name not in reasons]
            verdict = (
                Headline(
                    f"{verdict.headline} (no verdict on {listed(list(reasons))})",
                    (*verdict.sentences, reached),
                )
                if len(compared) > 1
                else Headline(no_verdict(reasons), (reached,))
            )
        return Headline(verdict.headline, (*verdict.sentences, *self._validity(scores)))

    def _validity(self, scores: Sequence[Score]) -> list[str]:
        """What a reader must know before the headline is believed."""
        main = self.main
        trained_on = {name: self.source.trained_on[name] for name in main.systems}
        tag = main.main_tag
        counts = tag is None or tag == LENGTH_TAG or tag in main.number_tags
        cells = {} if counts else main.by_tag(tag or "")
        sizes = [max(score.of for score in by_system.values()) for by_system in cells.values()]
        return [
            *training_caveats(trained_on),
            *wording_caveats(trained_on, self._of_one_wording),
            *output_caveats(scores),
            *reference_caveats(self.words.metric(main.metric), main.rejected),
            *cell_caveats(sizes, self.words.plural(tag or "")),
        ]

    @property
    def _of_one_wording(self) -> list[str]:
        """The metrics that know the benchmark's own wording alone."""
        names = (results.metric for results in self.results if results.one_wording)
        return [self.words.metric(name) for name in dict.fromkeys(names)]

    def measured(self, results: MetricResults) -> str:
        """A metric and where it was measured, as a title or a caption begins."""
        name = self.words.metric(results.metric)
        least = ", at least," if results.is_open else ""  # the rest could not be judged
        return f"{name[:1].upper()}{name[1:]}{least} on {self.split_name(results.split)}"

    @cached_property
    def title(self) -> str:
        """The report's heading."""
        manifest = self.source.benchmark.manifest
        return self.options.title or f"{manifest.name}: {', '.join(self.systems)}"


def without_verdict(results: MetricResults) -> dict[str, str]:
    """System -> why nothing can be concluded of it; complete ones are left out."""
    reasons = {system: incomplete(results.overall(system)) for system in results.systems}
    return {system: why for system, why in reasons.items() if why}


def build_report(source: ReportRuns, options: ReportOptions, *, examples: bool = True) -> Findings:
    """Read every score file, one metric and split at a time, and keep the findings.

    With `examples` also what is said of as many of them as the page can show.
    """
    if options.sample:
        note = f"only a sample of {options.sample:,} examples of each split is looked at"
        source = replace(source, sample=options.sample, notes=(*source.notes, note))
    own = {lookup("metric", metric).name: metric for metric in options.own}
    source = replace(
        source,
        own_metrics=own,
        control_system=options.control_system,
        sampling=options.sampling,
        words=read_words(*map(Path, (*source.method.words, *options.words))),
    )
    wanted = [
        (split, metric)
        for split in _chosen_splits(source, options)
        for metric in source.metrics(split)
        if not options.metrics or metric in options.metrics
    ]
    if examples:
        splits = dict.fromkeys(split for split, _ in wanted)
        there = [
            split for split in splits if any(cell.has_translated(split) for cell in source.cells)
        ]
        shown = room(there, options.examples)
        source = replace(source, shown=shown, shown_seed=options.seed)
    _require_cluster(source, options)
    all_results, notes = [], list(source.notes)
    main: dict[str, ObservationTable] = {}  # the first metric on new and on familiar sentences
    with progress("report", len(wanted)) as bar:
        for split, metric in wanted:
            table = read_observations(source, metric, split)
            bar.advance()
            if not table.keys:
                notes.append(f"{metric} on {split}: no key was scored by all systems and seeds")
                continue
            all_results.append(make_results(table))
            if metric == all_results[0].metric and split in (
                all_results[0].split,
                source.method.familiar_split,
            ):
                main[split] = table
            if table.judged_apart:
                notes.append(table.judged_apart)
            for cell, count in table.left_out.items():
                notes.append(
                    f"{metric} on {split}: {count} keys of {cell} are left out, because not every "
                    "system and seed has them"
                )
    if not all_results:
        raise DataError("nothing to report: no metric and split was scored by every system")
    new = main.pop(all_results[0].split)
    familiar = main.get(source.method.familiar_split)
    order = all_results[0].best_first
    lost = {
        system
        for results in all_results
        if results.split in (all_results[0].split, source.method.familiar_split)
        for system in without_verdict(results)
    }
    gaps = sorted(
        (
            parts
            for parts in gap_parts(new, familiar, source.controls, source.neutral)
            if parts.system in source.learned and lost.isdisjoint((parts.system, parts.control))
        ),
        key=lambda parts: order.index(parts.system),
    )
    return Findings(source, options, tuple(all_results), tuple(notes), tuple(gaps))


def _require_cluster(source: ReportRuns, options: ReportOptions) -> None:
    """Refuse to cluster by a tag that no example has, before anything is worked out."""
    tags = {DECLARED, "group", "key", LENGTH_TAG}
    for split in _chosen_splits(source, options):
        for example in source.examples(split).values():
            if options.cluster in tags:
                return
            tags.update(example.tags)
    if options.cluster not in tags:
        raise DataError(
            f"no example has the tag '{options.cluster}' to cluster by",
            hint=f"there are: {', '.join(sorted(tags - {DECLARED}))}",
        )


def _chosen_splits(source: ReportRuns, options: ReportOptions) -> Sequence[str]:
    splits = source.splits()
    if options.splits:
        return [split for split in options.splits if split in splits]
    hidden = (*TRAINING_SPLITS, *source.method.hidden_splits)
    visible = [split for split in splits if split not in hidden]
    return visible or list(splits)
