"""One system over several suites: a scorecard, rank correlations, and builds set side by side.

`report` compares systems on one benchmark and refuses two.  This is the place for two: nothing is
paired here, each suite keeps its own metric, and only ranks are compared across suites.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from recombine.metrics.observations import comparable
from recombine.parallel import gc_paused
from recombine.report.findings import Findings, build_report
from recombine.report.options import ReportOptions
from recombine.report.page.frame import page, plain_head
from recombine.report.page.made import day
from recombine.report.page.scale import shade
from recombine.report.page.shown import between, interval, whole
from recombine.report.reading.runs import open_runs, reading, run_names
from recombine.report.results import MetricResults
from recombine.report.tables.table import Cell, Table, html, markdown, show_p
from recombine.report.write import write_folder
from recombine.stage import refuse_output
from recombine.statistics.paired import holm
from recombine.statistics.ranks import FEWEST_SYSTEMS, agreement, redrawn
from recombine.templates import render

# What a system scores on sentences like those it was trained on says nothing of generalisation.
IN_DISTRIBUTION = ("test", "dev")
NO_RANKS = (
    f"No two suites share {FEWEST_SYSTEMS} systems of the same name: their ranks are not compared."
)


class Suite(NamedTuple):
    """One run: its name in the scorecard and what was found."""

    name: str
    run: Path
    report: Findings

    @property
    def findings(self) -> list[MetricResults]:
        """The first metric of every split."""
        return list(self.report.firsts.values())

    @property
    def generalisation(self) -> list[MetricResults]:
        """The findings that are about generalisation; all where a suite has but one split."""
        visible = [results for results in self.findings if results.split not in IN_DISTRIBUTION]
        return visible or self.findings

    def column(self, results: MetricResults) -> str:
        """A finding's name in the scorecard."""
        return f"{self.name}: {results.metric} on {results.split}"

    def in_words(self, results: MetricResults) -> str:
        """The same for people."""
        words = self.report.words.metric(results.metric)
        return f"{self.name}: {self.report.split_name(results.split)}, {words}"


def read_suite(run: Path, options: ReportOptions) -> Suite:
    """The findings of one run, by the metrics that were asked for."""
    report = build_report(open_runs([run]), options, examples=False)
    return Suite(report.source.benchmark.manifest.name, run, report)


@gc_paused()
def write_scorecard(
    runs: Sequence[Path], out: Path, options: ReportOptions | None = None
) -> list[Path]:
    """Write scorecard.html, scorecard.md and tables for runs of any benchmarks.

    Systems match by name.
    """
    options = options or ReportOptions()
    refuse_output(out)
    with reading([Path(run) for run in runs], Path(out)):
        return _write_scorecard(runs, Path(out), options)


def _write_scorecard(runs: Sequence[Path], out: Path, options: ReportOptions) -> list[Path]:
    suites = distinct_names([read_suite(Path(run), options) for run in runs])
    scores = [scorecard_table(suites), *build_tables(suites), *_tables_of_methods(suites)]
    ranks = correlation_table(suites, options)
    tables = scores if ranks is None else [*scores, ranks]
    notes = scorecard_notes(suites)
    title = options.title
    parts = [
        f"# {title or headline(suites)}",
        *(f"> {note}" for note in notes),
        *map(markdown, tables),
    ]
    if ranks is None:
        parts.append(NO_RANKS)
    pages = {
        "scorecard.html": _page(title, suites, scores, ranks, notes, out),
        "scorecard.md": "\n\n".join(parts),
    }
    return write_folder(out, "scorecard", pages, tables)


def scorecard_notes(suites: Sequence[Suite]) -> list[str]:
    """What the suites' reports say beside their numbers, and metrics of one name that differ."""
    notes = [f"{suite.name}: {note}" for suite in suites for note in suite.report.notes]
    signatures: dict[str, dict[str, str]] = {}
    for suite in suites:
        for results in suite.findings:
            of_metric = signatures.setdefault(results.metric, {})
            of_metric.setdefault(comparable(results.signature), suite.name)
    for metric, versions in signatures.items():
        if len(versions) > 1:
            kinds = "; ".join(f"{suite}: {signature}" for signature, suite in versions.items())
            notes.append(f"{metric} is not the same everywhere: {kinds}")
    return notes


class ScorecardCell(NamedTuple):
    """A score on one test: its text, colour, and interval on hover."""

    text: str
    css: str = ""
    hover: str = ""


class ScorecardRow(NamedTuple):
    """A test: its suite, split and metric, and every system's score."""

    test: str
    metric: str
    cells: Sequence[ScorecardCell]


def _page(
    title: str,
    suites: Sequence[Suite],
    scores: Sequence[Table],
    ranks: Table | None,
    notes: Sequence[str],
    out: Path,
) -> str:
    shown = [(suite, results) for suite in suites for results in suite.findings]
    systems = list(dict.fromkeys(name for _, results in shown for name in results.systems))
    tables = [html(_turned(score) if score is scores[0] else score) for score in scores]
    text = page(
        title or "Scorecard",
        f"Scorecard · {len(suites)} suites · {len(systems)} systems",
        plain_head(
            title or headline(suites),
            "Each suite asks another question. Does the system that wins one win the others?",
        ),
        {
            "runs": ("Runs", render("scorecard_runs", runs=[_run(suite, out) for suite in suites])),
            "scores": (
                "Scores",
                render(
                    "scorecard",
                    systems=systems,
                    rows=[_row(suite, results, systems) for suite, results in shown],
                    tables=tables,
                    notes=notes,
                ),
            ),
            "ranks": ("Ranks", render("scorecard_ranks", table=html(ranks), without=NO_RANKS)),
        },
    )
    return str(text)


class ScorecardRun(NamedTuple):
    """A run: what was found, of what and when, and where its own page lies."""

    name: str
    headline: str
    facts: str
    link: str


def _run(suite: Suite, out: Path) -> ScorecardRun:
    report = suite.report
    manifest = report.source.benchmark.manifest
    facts = [
        f"{manifest.name} {manifest.version}",
        f"{manifest.source} → {manifest.target or 'any'}",
        ", ".join(report.systems),
        day(report),
    ]
    page = suite.run / "report" / "report.html"
    # From the scorecard on, so that both can be moved together.
    link = quote(Path(os.path.relpath(page, out)).as_posix()) if page.is_file() else ""
    return ScorecardRun(suite.name, report.headline.headline, " · ".join(facts), link)


def _row(suite: Suite, results: MetricResults, systems: Sequence[str]) -> ScorecardRow:
    """The scorecard at a glance: a row per test, a cell per system, coloured on its range."""
    less = "" if results.higher_is_better else ", lower is better"
    return ScorecardRow(
        f"{suite.name}: {suite.report.split_name(results.split)}",
        f"{suite.report.words.metric(results.metric)}{less}",
        [_cell(results, system) for system in systems],
    )


def _turned(table: Table) -> Table:
    """The scorecard with tests in rows: their names are too long for the heads of a page."""
    rows = [
        (table.labels.get(name, name), *cells)
        for name, *cells in zip(table.columns, *table.rows, strict=True)
    ]
    (_, *systems), *tests = rows
    return replace(
        table, columns=("test", *map(str, systems)), rows=tuple(tests), labels={},
        notes=("Each suite has its own metric: compare along a row, not down a column.",),
    )  # fmt: skip


def headline(suites: Sequence[Suite]) -> str:
    """Which system is best on how many of the tests on which systems meet."""
    took = [
        name
        for suite in suites
        for name in {x for results in suite.findings for x in results.systems}
    ]
    if len(suites) > 1 and len(took) == len(set(took)):
        return "No system took two of the suites"
    tests = [(suite, results) for suite in suites for results in suite.generalisation]
    ranked = [suite.report.ranking(results) for suite, results in tests]
    ranked = [tied_sets for tied_sets in ranked if sum(map(len, tied_sets)) > 1]
    if not ranked:
        return "No two systems meet on a test"
    firsts = [best[0] for best, *_ in ranked if len(best) == 1]
    wins = {name: firsts.count(name) for name in dict.fromkeys(firsts)}
    most = max(wins.values(), default=0)
    best = [name for name, count in wins.items() if count == most]
    if len(best) != 1:
        return "No system is best everywhere" if best else "No test tells the best systems apart"
    taken = sum(any(best[0] in tied for tied in of_test) for of_test in ranked)
    of = "every test" if most == len(ranked) > 1 else f"{most} of {taken} tests"
    only = " that it took" if taken < len(ranked) else ""
    return f"{best[0]} is best on {of} of generalisation{only}"


def _cell(results: MetricResults, system: str) -> ScorecardCell:
    score = results.overall(system) if system in results.systems else None
    if score is None or math.isnan(score.value):
        return ScorecardCell("–")
    description = f"{interval(score)}, {score.counted}".removeprefix(", ")
    return ScorecardCell(between(score, whole), shade(results, score), description)


def distinct_names(suites: list[Suite]) -> list[Suite]:
    """Name suites of one benchmark by their run, too."""
    runs: dict[str, set[Path]] = {}
    for suite in suites:
        runs.setdefault(suite.name, set()).add(suite.run.resolve())
    short_names = {name: run_names(of_name) for name, of_name in runs.items()}
    return [
        suite._replace(name=f"{suite.name} ({short_names[suite.name][suite.run.resolve()]})")
        if len(runs[suite.name]) > 1
        else suite
        for suite in suites
    ]


def _tables_of_methods(suites: Sequence[Suite]) -> list[Table]:
    """What suites of one kind say together."""
    reports: dict[str, list[Findings]] = {}
    for suite in suites:
        reports.setdefault(suite.report.method.name, []).append(suite.report)
    return [table for alike in reports.values() for table in alike[0].method.suite_tables(alike)]


def scorecard_table(suites: Sequence[Suite]) -> Table:
    """Systems in rows, suites in columns."""
    shown = [(suite, results) for suite in suites for results in suite.findings]
    systems = list(dict.fromkeys(name for _, results in shown for name in results.systems))
    columns = ["system"]
    for suite, results in shown:
        less = "" if results.higher_is_better else " (lower is better)"
        columns.append(f"{suite.column(results)}{less}")
    rows: list[tuple[Cell, ...]] = [
        (
            system,
            *(
                results.overall(system) if system in results.systems else None
                for _, results in shown
            ),
        )
        for system in systems
    ]
    return Table(
        "scorecard", "Every suite", tuple(columns), tuple(rows),
        ("Each suite has its own metric: compare down a column, not along a row.",),
        labels={
            column: suite.in_words(results) + column.removeprefix(suite.column(results))
            for column, (suite, results) in zip(columns[1:], shown, strict=True)
        },
    )  # fmt: skip


def correlation_table(suites: Sequence[Suite], options: ReportOptions) -> Table | None:
    """Rank correlations of the systems that two suites share; needs three systems."""
    rows: list[tuple[Cell, ...]] = []
    for first, second in combinations(suites, 2):
        for split in first.generalisation:
            for other in second.generalisation:
                row = _correlation(split, other, options)
                if row is not None:
                    rows.append((first.column(split), second.column(other), *row))
    if not rows:
        return None
    adjusted = holm([_chance(row[-1]) for row in rows])
    confidence = f"{100 * options.confidence:g}%"
    return Table(
        "rank-correlation", "Do the suites rank systems alike?",
        (
            "suite", "other suite", "systems", "Kendall tau", "low", "high", "redrawn: low",
            "high", "Spearman rho", "low", "high", "p (Holm)",
        ),
        tuple((*row[:-1], show_p(p)) for row, p in zip(rows, adjusted, strict=True)),
        (
            f"Better is higher on both sides. {confidence} intervals for all systems like these, "
            "by test inversion: with few systems they are wide, also around a perfect 1.",
            "Redrawn: the range of tau for these systems when each score is drawn anew "
            "within its interval; where it is wide, the ranks themselves are not known.",
            "Checkpoints of one model are not independent systems: they rise together.",
        ),
        decimals=3,
        labels={
            suite.column(results): suite.in_words(results)
            for suite in suites
            for results in suite.generalisation
        },
    )  # fmt: skip


def _chance(p: Cell) -> float:
    """A p-value; 1 where all systems tie."""
    return p if isinstance(p, float) and p == p else 1.0


def _correlation(
    results: MetricResults, other: MetricResults, options: ReportOptions
) -> tuple[Cell, ...] | None:
    scored = [
        (_good(results, name), _good(other, name))
        for name in results.systems
        if name in other.systems
    ]
    # No score: none of a system's outputs could be judged, such as copies of the source.
    judged = [pair for pair in scored if not any(math.isnan(score) for score, _ in pair)]
    if len(judged) < FEWEST_SYSTEMS:
        return None
    left, right = zip(*judged, strict=True)
    agreed = agreement(
        [score for score, _ in left], [score for score, _ in right], options.confidence,
        options.seed,
    )  # fmt: skip
    return (
        agreed.systems, *agreed.tau.span, *redrawn(left, right, options.confidence, options.seed),
        *agreed.rho.span, agreed.p,
    )  # fmt: skip


def _good(results: MetricResults, system: str) -> tuple[float, float]:
    """A score, the higher the better, with its standard error."""
    score = results.overall(system)
    sign = 1 if results.higher_is_better else -1
    return sign * score.value, score.error


def build_tables(suites: Sequence[Suite]) -> list[Table]:
    """Builds of one benchmark set side by side, by group and as their method tells them."""
    tables: list[Table] = []
    for first, second in combinations(suites, 2):
        names = [suite.report.source.benchmark.manifest.name for suite in (first, second)]
        rows = [row for results in first.report.results for row in _groups(results, second.report)]
        if names[0] != names[1] or not rows:
            continue
        differs = recipe_difference(first.report, second.report)
        what = "; ".join(f"{key}: {old} / {new}" for key, (old, new) in differs.items())
        number = sum(table.name.startswith("builds") for table in tables) + 1
        tables.append(
            Table(
                "builds" if number == 1 else f"builds-{number}", "Two builds of one benchmark",
                ("split", "metric", "system", "group", first.name, second.name), tuple(rows),
                (f"What differs: {what or 'nothing in the recipe'}.",
                 "The sentences are not the same, so no paired test applies."),
            )
        )  # fmt: skip
        if len(differs) == 1:
            ((key, (old, _)),) = differs.items()
            pair = (first, second) if old else (second, first)
            paper = first.report.method.build_table(key, pair[0].report, pair[1].report)
            if paper is not None and paper.name not in {table.name for table in tables}:
                tables.append(paper)
    return tables


def _groups(results: MetricResults, second: Findings) -> list[tuple[Cell, ...]]:
    """A metric's scores in both builds, overall and by group."""
    other = second.results_of(results.metric, results.split)
    rows: list[tuple[Cell, ...]] = []
    for system in results.systems if other is not None else ():
        if other is None or system not in other.systems:
            continue
        groups, others = results.by_tag("group_name"), other.by_tag("group_name")
        pairs = {
            "all": (results.overall(system), other.overall(system)),
            **{
                group: (by[system], others[group][system])
                for group, by in groups.items()
                if group in others
            },
        }
        rows += [
            (results.split, results.metric, system, name, *both) for name, both in pairs.items()
        ]
    return rows


def recipe_difference(first: Findings, second: Findings) -> dict[str, tuple[Any, Any]]:
    """The recipe keys in which two builds differ, with both values."""
    old = _flat(first.source.benchmark.manifest.recipe)
    new = _flat(second.source.benchmark.manifest.recipe)
    changed = {
        key: (old.get(key), new.get(key))
        for key in dict.fromkeys([*old, *new])
        if old.get(key) != new.get(key)
    }
    seeds = (first.source.benchmark.manifest.seed, second.source.benchmark.manifest.seed)
    return changed if changed or seeds[0] == seeds[1] else {"seed": seeds}


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    if isinstance(value, dict):
        versions: dict[str, Any] = {}
        for key, inner in value.items():
            versions.update(_flat(inner, f"{prefix}.{key}" if prefix else str(key)))
        return versions
    return {prefix: value}
