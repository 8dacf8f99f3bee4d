"""One system over several suites: a scorecard, rank correlations, and builds set side by side.

`report` compares systems on one benchmark and refuses two.  This is the place for two: nothing is
paired here, each suite keeps its own metric, and only ranks are compared across suites.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from scipy import stats as distributions

from recombine.files import write_text
from recombine.report.generalisation import BUILDER, generalisation_table, make_family
from recombine.report.model import Report, build_report
from recombine.report.observations import open_source
from recombine.report.options import ReportOptions
from recombine.report.tables import Cell, Table, markdown, write_table


class Suite(NamedTuple):
    """The main finding of one run: which metric, which split, each system's score."""

    name: str
    run: Path
    report: Report
    metric: str
    split: str
    scores: dict[str, float]
    higher_is_better: bool


def read_suite(run: Path, options: ReportOptions) -> Suite:
    """The first metric of the first split of a run."""
    report = build_report(open_source([run]), options)
    main = report.main
    return Suite(
        name=report.source.benchmark.manifest.name,
        run=run,
        report=report,
        metric=main.metric,
        split=main.split,
        scores={system: main.overall(system).estimate for system in main.systems},
        higher_is_better=main.higher_is_better,
    )


def write_scorecard(
    runs: Sequence[Path], out: Path, options: ReportOptions | None = None
) -> list[Path]:
    """Write scorecard.md and its tables for runs of any benchmarks; systems match by name."""
    options = options or ReportOptions()
    suites = _told_apart([read_suite(Path(run), options) for run in runs])
    tables = [
        table
        for table in (
            scorecard_table(suites),
            correlation_table(suites),
            build_table(suites),
            _generalisation(suites),
        )
        if table is not None
    ]
    paths = [path for table in tables for path in write_table(table, out / "tables")]
    text = "# Scorecard\n\n" + "\n\n".join(markdown(table) for table in tables)
    write_text(out / "scorecard.md", text)
    return [out / "scorecard.md", *paths]


def _told_apart(suites: list[Suite]) -> list[Suite]:
    """Name suites of one benchmark by their run, too."""
    times = Counter(suite.name for suite in suites)
    return [
        suite._replace(name=f"{suite.name} ({suite.run.name})") if times[suite.name] > 1 else suite
        for suite in suites
    ]


def _generalisation(suites: Sequence[Suite]) -> Table | None:
    reports = [
        suite.report
        for suite in suites
        if suite.report.source.benchmark.manifest.builder == BUILDER
    ]
    return generalisation_table(make_family(reports)) if len(reports) > 1 else None


def scorecard_table(suites: Sequence[Suite]) -> Table:
    """Systems in rows, suites in columns."""
    systems = list(dict.fromkeys(name for suite in suites for name in suite.scores))
    columns = ["system"]
    for suite in suites:
        less = "" if suite.higher_is_better else " (lower is better)"
        columns += [f"{suite.name}: {suite.metric} on {suite.split}{less}", "±"]
    rows: list[tuple[Cell, ...]] = []
    for system in systems:
        row: list[Cell] = [system]
        for suite in suites:
            if system in suite.scores:
                score = suite.report.main.overall(system)
                row += [score.estimate, score.interval.half_width]
            else:
                row += [None, None]
        rows.append(tuple(row))
    return Table(
        "scorecard", "Every suite", tuple(columns), tuple(rows),
        ("Each suite has its own metric: compare down a column, not along a row.",),
    )  # fmt: skip


def correlation_table(suites: Sequence[Suite]) -> Table | None:
    """Kendall's tau between suites over the systems they share; needs three systems."""
    rows: list[tuple[Cell, ...]] = []
    for first, second in combinations(suites, 2):
        shared = [name for name in first.scores if name in second.scores]
        if len(shared) < 3:
            continue
        left = [_good(first, name) for name in shared]
        right = [_good(second, name) for name in shared]
        tau = distributions.kendalltau(left, right)
        rho = distributions.spearmanr(left, right)
        rows.append(
            (
                first.name, second.name, len(shared), float(tau.statistic), float(rho.statistic),
                float(tau.pvalue),
            )
        )  # fmt: skip
    if not rows:
        return None
    return Table(
        "rank-correlation", "Do the suites rank systems alike?",
        ("suite", "suite", "systems", "Kendall tau", "Spearman rho", "p (tau)"), tuple(rows),
        ("Higher is better on both sides; with few systems only strong agreement can be seen.",),
        decimals=3,
    )  # fmt: skip


def _good(suite: Suite, system: str) -> float:
    return suite.scores[system] if suite.higher_is_better else -suite.scores[system]


def build_table(suites: Sequence[Suite]) -> Table | None:
    """Two builds of one benchmark set side by side by group (Tables 5 and 6 of Kumon et al.)."""
    rows: list[tuple[Cell, ...]] = []
    for first, second in combinations(suites, 2):
        if first.name != second.name or first.metric != second.metric:
            continue
        what = recipe_difference(first.report, second.report)
        main_first, main_second = first.report.main, second.report.main
        for system in first.scores:
            if system not in second.scores:
                continue
            rows.append((what, system, "all", first.scores[system], second.scores[system]))
            groups = main_first.by_tag("group_name")
            others = main_second.by_tag("group_name")
            rows.extend(
                (what, system, group, by[system].estimate, others[group][system].estimate)
                for group, by in groups.items()
                if group in others
            )
    if not rows:
        return None
    return Table(
        "builds", "Two builds of one benchmark",
        ("what differs", "system", "group", "first", "second"), tuple(rows),
        ("The sentences are not the same, so no paired test applies.",),
    )  # fmt: skip


def recipe_difference(first: Report, second: Report) -> str:
    """The recipe keys in which two builds differ, with both values."""
    old = _flat(first.source.benchmark.manifest.recipe)
    new = _flat(second.source.benchmark.manifest.recipe)
    parts = [
        f"{key}: {old.get(key)} / {new.get(key)}"
        for key in dict.fromkeys([*old, *new])
        if old.get(key) != new.get(key)
    ]
    seeds = (first.source.benchmark.manifest.seed, second.source.benchmark.manifest.seed)
    if not parts and seeds[0] != seeds[1]:
        parts = [f"seed: {seeds[0]} / {seeds[1]}"]
    return "; ".join(parts[:4]) or "nothing in the recipe"


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    if isinstance(value, dict):
        found: dict[str, Any] = {}
        for key, inner in value.items():
            found.update(_flat(inner, f"{prefix}.{key}" if prefix else str(key)))
        return found
    return {prefix: value}
