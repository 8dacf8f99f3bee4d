"""Evaluation: what one system made of a benchmark, as one object for notebooks and scripts.

`evaluate` asks anything that translates, `score` takes texts that are there already. Both keep the
texts and every observation, so that tables, examples, paired tests and the report need no second
run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, overload

from recombine.benchmark import TRAINING_SPLITS, Benchmark, stratified_sample
from recombine.errors import ConfigError, DataError, SystemFailure
from recombine.experiment.hypotheses import read_hypotheses
from recombine.experiment.run import Run
from recombine.experiment.scoring import write_cell
from recombine.metrics import scoring
from recombine.metrics.observations import ObservationTable, side_by_side
from recombine.metrics.score import Score
from recombine.metrics.scoring import MissingOutputs
from recombine.registry import require
from recombine.report.compare import comparisons_of
from recombine.report.examples import explain, is_right
from recombine.report.gap import GapParts, gap_parts
from recombine.report.method import method_of
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import ReportRuns, Scores, SystemRun
from recombine.report.tables.judged import JudgedSentence, JudgedSentences
from recombine.report.tables.own import counts_of, difference_table
from recombine.report.tables.table import Cell, Table, html
from recombine.systems.base import TRAINED_ON, UNKNOWN, Failure, answers, hook

if TYPE_CHECKING:  # what draws is loaded when it is asked for
    from recombine.report.write import ReportPaths

Translate = Callable[[Sequence[str]], Iterable[str | Failure]]


@dataclass(frozen=True, eq=False)
class Evaluation(Sequence[Score]):
    """The texts of one system for a benchmark, and what every metric says of them.

    It is the sequence of its scores: of every metric and split, the whole first, then its slices.
    """

    benchmark: Benchmark
    # By id; a sentence that failed has none.
    hypotheses: Mapping[str, str]
    # The observations, metric by metric and split by split.
    observations: tuple[ObservationTable, ...]
    name: str = "system"
    # The ids that were to be translated; None: every one of the splits.
    asked: frozenset[str] | None = None
    missing: MissingOutputs = "count"
    # What the system was trained on, one of recombine.systems.base.TRAINED_ON.
    trained_on: str = UNKNOWN

    def __post_init__(self) -> None:
        if self.trained_on not in TRAINED_ON:
            raise ConfigError(
                f"unknown trained_on = {self.trained_on!r}", hint=f"one of: {', '.join(TRAINED_ON)}"
            )

    @cached_property
    def scores(self) -> tuple[Score, ...]:
        """Every score: of the whole split, and of every slice of it."""
        tables = (table.of(self.name) for table in self.observations)
        return tuple(score for table in tables for score in table.scores())

    @overload
    def __getitem__(self, place: int) -> Score: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Score]: ...
    def __getitem__(self, place: int | slice) -> Score | Sequence[Score]:
        return self.scores[place]

    def __len__(self) -> int:
        return len(self.scores)

    def table(self, by: str = "", *, split: str | None = None) -> Table:
        """Every metric and split; or, for each value of a tag, every metric."""
        manifest = self.benchmark.manifest
        title = f"{self.name} on {manifest.name} {manifest.version}"
        if not by:
            rows = tuple(
                (score.split, score.metric, score, score.counted)
                for score in self._overall
                if split in (None, score.split)
            )
            return Table("scores", title, ("split", "metric", "score", "of"), rows)
        scores = [
            score for score in self.scores if score.tag == by and split in (None, score.split)
        ]
        if not scores:
            tags = dict.fromkeys(score.tag for score in self.scores if score.tag)
            raise ConfigError(f"no score has the tag '{by}'", hint=f"tags: {', '.join(tags)}")
        metrics = tuple(dict.fromkeys(score.metric for score in scores))
        cells: dict[tuple[str, str], dict[str, Score]] = {}
        for score in scores:
            cells.setdefault((score.split, score.slice), {})[score.metric] = score
        lines: list[tuple[Cell, ...]] = [
            (part, value, counts_of(scores.values()),
             *(scores.get(metric) for metric in metrics))
            for (part, value), scores in cells.items()
        ]  # fmt: skip
        return Table(f"by-{by}", f"{title}, by {by}", ("split", by, "n", *metrics), tuple(lines))

    def examples(
        self,
        *,
        wrong: bool | None = None,
        metric: str | None = None,
        split: str | None = None,
        n: int | None = None,
        **tags: object,
    ) -> JudgedSentences:
        """Sentences with what was said and why it is right or wrong, as one metric judges.

        `wrong=True` are those at fault, `wrong=False` those without; `pattern="pp_depth"` those
        with that value of a tag. What could not be judged is neither. The metric is the first one
        unless it is named.
        """
        metrics = list(dict.fromkeys(table.metric for table in self.observations))
        metric = metric or metrics[0]
        if metric not in metrics:
            raise ConfigError(
                f"no score is of the metric '{metric}'", hint=f"metrics: {', '.join(metrics)}"
            )
        chosen = [
            sentence
            for table in self.observations
            if table.metric == metric and split in (None, table.split)
            for sentence in self._judged(table)
            if (wrong is None or sentence.right is (not wrong))
            and all(str(sentence.tags.get(tag)) == str(value) for tag, value in tags.items())
        ]
        return JudgedSentences(chosen[:n])

    def _judged(self, table: ObservationTable) -> Iterator[JudgedSentence]:
        for row in table.rows():
            right = (
                None
                if table.undecided is not None and row.stats[table.undecided]
                else is_right(row.value, table.right_value)
            )
            for example in (table.examples[name] for name in row.ids if name in table.examples):
                yield JudgedSentence(
                    example.id, table.split, example.source, example.references,
                    self.hypotheses.get(example.id, ""), table.metric, row.value, right,
                    explain(row.detail), example.tags,
                )  # fmt: skip

    def compare(
        self, *others: Evaluation, metric: str | None = None, slices: bool = False
    ) -> Table:
        """Paired tests of other systems against this one, and against each other.

        By every metric, or by one. With `slices` every value of the tag that names what is tested
        gets a row of its own.
        """
        everyone = (self, *others)
        for other in others:
            if other.benchmark.hash != self.benchmark.hash:
                raise DataError(
                    f"{self.name} and {other.name} were not scored on the same benchmark: "
                    f"{self.benchmark.path} and {other.benchmark.path}"
                )
        compared = []
        for mine in self.observations:
            table = side_by_side_of(everyone, mine.metric, mine.split)
            if len(table.systems) > 1 and metric in (None, mine.metric):
                compared += [(table, comparison) for comparison in comparisons_of(table)]
        if not compared:
            raise DataError(
                f"{' and '.join(unique_names(everyone))} share no metric and split"
                if others
                else "compare with what? No other evaluation is given"
            )
        return difference_table(compared, slices=slices)

    def gap(
        self,
        control: Evaluation | None = None,
        *,
        neutral: bool = False,
        new: str = "",
        familiar: str = "",
        metric: str | None = None,
    ) -> tuple[GapParts, ...]:
        """Return what is lost on new sentences: in all, and with a control for each slice, too.

        The control is the same system, trained on text in which nothing of the test is new; or,
        with `neutral`, a system that learnt from neither side. Of several splits the one that the
        method puts first is new. `gap_table` makes a table of it.
        """
        everyone = [self] if control is None else [self, control]
        names = unique_names(everyone)
        method = method_of(self.benchmark)
        metric = metric or self.observations[0].metric
        splits = [table.split for table in self.observations if table.metric == metric]
        new = new or next(iter(method.in_order(splits, self.benchmark.splits)), "")
        familiar = familiar or method.familiar_split
        tables = {
            split: side_by_side_of(everyone, metric, split)
            for split in dict.fromkeys((new, familiar))
            if split in splits
        }
        if new not in tables:
            raise DataError(f"{self.name} has no scores of '{metric}' on '{new}'")
        controls = {} if control is None or neutral else dict.fromkeys(names, names[-1])
        familiar_table = tables.get(familiar) if familiar != new else None
        aside = names[-1] if control is not None and neutral else ""
        return tuple(gap_parts(tables[new], familiar_table, controls, aside))

    def report(
        self, path: Path | str, *others: Evaluation, options: ReportOptions | None = None
    ) -> ReportPaths:
        """Write the report on this system, and on others beside it, into a folder."""
        from recombine.report.write import write_report_of

        return write_report_of(report_source((self, *others)), Path(path), options)

    @property
    def sampled(self) -> int:
        """How many examples of a split were asked for, where not all were."""
        sizes = [0]
        for split in dict.fromkeys(table.split for table in self.observations):
            examples = self.benchmark.read(split) if self.asked is not None else ()
            count = sum(example.id in (self.asked or ()) for example in examples)
            sizes.append(count if count < len(examples) else 0)
        return max(sizes)

    @property
    def folder(self) -> str:
        """Its name, as a folder of a run can be called."""
        return re.sub(r"[^\w.-]+", "-", self.name).strip("-._") or "system"

    def save(self, run: Path | str) -> Path:
        """Write texts and observations into a run, which `recombine report` reads with others."""
        cell = Run(run).cell(self.folder, 1)
        write_cell(
            cell, self.benchmark, self.hypotheses, self.observations,
            asked=self.asked, missing=self.missing, trained_on=self.trained_on,
        )  # fmt: skip
        return cell.path

    def to_pandas(self) -> Any:
        """A row for each sentence: texts, tags, and a column of values for each metric.

        A sentence that was judged several times, such as the base of several pairs, has their mean.
        """
        pandas = require("pandas", extra="report", feature="to_pandas")
        rows: dict[str, dict[str, Any]] = {}
        values: dict[tuple[str, str], list[float]] = {}
        for table in self.observations:
            for observation in table.rows():
                for example in (
                    table.examples[name] for name in observation.ids if name in table.examples
                ):
                    row = rows.setdefault(
                        example.id,
                        {
                            "id": example.id,
                            "split": table.split,
                            "source": example.source,
                            "reference": example.references[0] if example.references else None,
                            "hypothesis": self.hypotheses.get(example.id),
                            **{
                                f"tag.{tag}" if tag in _COLUMNS else tag: value
                                for tag, value in example.tags.items()
                            },
                        },
                    )
                    values.setdefault((example.id, table.metric), []).append(observation.value)
                    row[table.metric] = fmean(values[example.id, table.metric])
        return pandas.DataFrame(list(rows.values()))

    @property
    def _overall(self) -> list[Score]:
        return [score for score in self.scores if not score.tag]

    def __repr__(self) -> str:
        scores = ", ".join(
            f"{score.split} {score.metric} {score.in_digits()}" for score in self._overall
        )
        return f"<Evaluation {self.name} on {self.benchmark.manifest.name}: {scores}>"

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        signatures = dict.fromkeys(score.signature for score in self._overall if score.signature)
        lines = "".join(f"<br><small>{escape(signature)}</small>" for signature in signatures)
        return html(self.table()) + f"<p>{lines.removeprefix('<br>')}</p>"


_COLUMNS = ("id", "split", "source", "reference", "hypothesis")


def unique_names(evaluations: Sequence[Evaluation]) -> list[str]:
    """Their names, those that occur again with a number behind them."""
    names: list[str] = []
    for evaluation in evaluations:
        name, number = evaluation.name, 1
        while name in names:
            number += 1
            name = f"{evaluation.name}-{number}"
        names.append(name)
    return names


def side_by_side_of(evaluations: Sequence[Evaluation], metric: str, split: str) -> ObservationTable:
    """One metric on one split of all evaluations that have it."""
    names = unique_names(evaluations)
    return side_by_side(
        [
            table.of(name)
            for name, evaluation in zip(names, evaluations, strict=True)
            for table in evaluation.observations
            if (table.metric, table.split) == (metric, split)
        ],
        main_tags=method_of(evaluations[0].benchmark).main_tags,
    )


def report_source(evaluations: Sequence[Evaluation]) -> ReportRuns:
    """What a report reads, of evaluations at hand."""
    first = evaluations[0]
    named = list(zip(unique_names(evaluations), evaluations, strict=True))
    return ReportRuns(
        runs=(),
        benchmark=first.benchmark,
        cells=tuple(
            SystemRun(
                name, 1, {"trained_on": evaluation.trained_on}, hypotheses=evaluation.hypotheses
            )
            for name, evaluation in named
        ),
        scores=tuple(
            Scores(name, 1, table.metric, table.split, None, held=table.of(name))
            for name, evaluation in named
            for table in sorted(
                evaluation.observations, key=lambda table: (table.metric, table.split)
            )
        ),
        notes=tuple(
            f"{name}: scored on a sample of {least:,} examples of each split"
            for name, evaluation in named
            if (least := evaluation.sampled)
        ),
    )


def evaluate(
    system: Any,
    benchmark: Benchmark | Path | str,
    *,
    splits: Sequence[str] | str | None = None,
    metrics: Sequence[str] | str | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    sample: int = 0,
    seed: int = 0,
    missing: MissingOutputs = "count",
    name: str = "",
    trained_on: str = "",
) -> Evaluation:
    """Translate and score; `system` has a `translate` method or is such a function itself.

    A sentence that fails counts as the metric declares, unless `missing` is "skip". `trained_on` is
    "train", "control", "unknown" or "nothing": reports word what they find by it. For results on
    disk, resuming and several seeds, write an experiment file instead.
    """
    if not isinstance(benchmark, Benchmark):
        benchmark = Benchmark.open(benchmark)
    if isinstance(splits, str):
        splits = [splits]
    chosen = splits or [
        split for split in benchmark.splits if split not in (*TRAINING_SPLITS, "dev")
    ]
    hypotheses: dict[str, str] = {}
    asked: set[str] = set()
    for split in chosen:
        examples = stratified_sample(benchmark.read(split), sample, seed)
        given = answers(_Given(system), [example.source for example in examples])
        for example, answer in zip(examples, given, strict=True):
            asked.add(example.id)
            if not isinstance(answer, Failure):
                hypotheses[example.id] = answer
    if asked and not hypotheses:
        raise SystemFailure(f"none of {len(asked):,} sentences could be translated")
    return score(
        benchmark,
        hypotheses,
        metrics,
        splits=chosen,
        options=options,
        missing=missing,
        asked=asked,
        name=name or _name_of(system),
        trained_on=trained_on or hook(system, "trained_on") or UNKNOWN,
    )


def score(
    benchmark: Benchmark | Path | str,
    hypotheses: Mapping[str, str] | Path | str,
    metrics: Sequence[str] | str | None = None,
    *,
    splits: Sequence[str] | str | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    missing: MissingOutputs = "count",
    asked: Collection[str] | None = None,
    name: str = "",
    trained_on: str = UNKNOWN,
) -> Evaluation:
    """Score what a system said: texts by the ids of examples, or a file of hypotheses.

    A file has plain lines, in the order of a split (gen or test unless one is named), or JSON lines
    with ids. Splits without any hypothesis are left out; in the others a sentence without one
    counts as its metric declares, unless `missing` is "skip". `asked` are the ids that were to be
    translated, all by default. `trained_on` says what the system learned from, for the words of
    reports.
    """
    if not isinstance(benchmark, Benchmark):
        benchmark = Benchmark.open(benchmark)
    if isinstance(splits, str):
        splits = [splits]
    if isinstance(hypotheses, (str, Path)):
        name = name or Path(hypotheses).name.partition(".")[0]
        only = splits[0] if splits is not None and len(splits) == 1 else None
        hypotheses, _ = read_hypotheses(Path(hypotheses), benchmark, only)
    tables = scoring.score(
        benchmark,
        hypotheses,
        metrics,
        splits=splits,
        options=options,
        missing=missing,
        asked=asked,
    )
    if not tables:
        raise DataError(
            "nothing to score: none of these metrics applies to any of these sentences",
            hint=f"benchmark {benchmark.manifest.name} recommends: "
            + ", ".join(scoring.default_metrics(benchmark)),
        )
    return Evaluation(
        benchmark,
        dict(hypotheses),
        tuple(tables),
        name or "system",
        None if asked is None else frozenset(asked),
        missing,
        trained_on,
    )


def _name_of(system: Any) -> str:
    """What to call a system that nobody has named."""
    named = getattr(system, "__name__", type(system).__name__)
    return named if named.isidentifier() else "system"


class _Given:
    """The system that was given: an object that translates, or a function that does."""

    def __init__(self, system: Any) -> None:
        self._translate: Translate = getattr(system, "translate", system)
        # A service that is gone is given up; a function costs nothing to ask.
        self.give_up_after = hook(system, "give_up_after")

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        given = self._translate(sources)
        # A mapping would be read as its keys, and a set has no order.
        unordered = isinstance(given, (Mapping, Set)) and not isinstance(given, Sequence)
        if isinstance(given, str) or unordered or not isinstance(given, Iterable):
            raise SystemFailure(
                f"the translate function returned {type(given).__name__} instead of translations",
                hint="return one text for each source, in their order",
            )
        return iter(given)
