"""Tables 2, 3, 4, 7, 10 and 11 of Kumon et al. 2024, for any benchmark with patterns and groups.

Which patterns are rows of Tables 4, 7 and 11 is read from the published numbers. Tables 5 and 6
compare two builds and are in `variants.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from recombine.metrics.score import Score
from recombine.report.findings import Findings
from recombine.report.results import MetricResults
from recombine.report.tables.published import (
    CONCATENATION,
    SELECTION,
    SGET,
    Published,
    PublishedSetting,
    find,
    find_all,
    lookup,
    published_setting,
    read_published,
)
from recombine.report.tables.table import Cell, Column, Table

ByMetric = Mapping[str, MetricResults]
# Columns in the paper's order; bleu-char and others follow in the report's own tables.
PAPER_METRICS = ("bleu", "exact", "partial")
GENERALISATION, IN_DISTRIBUTION = "gen", "test"
# Section 4.3.1 sets COGS and SLOG, which parse, beside the patterns they share.
ANCESTORS = ("COGS Transformer", "ReCOGS Transformer", "SLOG Transformer")
# How the paper calls the halves of a pattern in Tables 7 and 11.
HALVES = {
    ("longer_than_train", "yes"): "longer", ("longer_than_train", "no"): "shorter",
    ("in_cp", "1"): "in CP", ("in_cp", "0"): "not in CP",
}  # fmt: skip


def generated_tables(report: Findings) -> list[Table]:
    """Every table of the paper that the scores allow."""
    by_metric = {
        results.metric: results
        for results in report.results
        if results.split == GENERALISATION and results.metric in PAPER_METRICS
    }
    if not by_metric:
        return []
    setting = published_setting(report.source)
    tables: list[Table | None] = [
        _table_2(report, setting),
        _table_3(by_metric, setting),
        _by_parent(by_metric, "category", "by-category", "By category"),
        _table_4(by_metric, setting),
        _table_7(by_metric, setting),
        _crossed(by_metric, "group_name", "longer_than_train", "longer-than-train",
                 "Longer than every training sentence that is not concatenated, or not"),
        _table_10(by_metric, setting),
        _table_11(by_metric, setting),
        _crossed(by_metric, "pattern", "in_cp", "complement-clause",
                 "Inside a complement clause, or not"),
        _crossed(by_metric, "pattern", "depth", "depths", "Each depth of a pattern by itself"),
        _ancestors(by_metric, setting),
    ]  # fmt: skip
    return [table for table in tables if table is not None]


def paper_systems(
    setting: PublishedSetting | None, without: Sequence[str] | None = (), suffix: str = ""
) -> list[str]:
    """The paper's systems of the kinds that were run, trained on the same variant of SGET."""
    if setting is None or setting.name != SGET:
        return []
    if without is not None and setting.without != tuple(without):
        return []
    return [f"{kind}{suffix}" for kind in setting.kinds]


def _table_2(report: Findings, setting: PublishedSetting | None) -> Table:
    columns = ["system"]
    mains: list[MetricResults] = []
    for split in (IN_DISTRIBUTION, GENERALISATION):
        for metric in PAPER_METRICS:
            results = report.results_of(metric, split)
            if results is not None:
                columns += [f"{split} {metric}", "sd"]
                mains.append(results)
    rows: list[tuple[Cell, ...]] = []
    for system in report.systems:
        row: list[Cell] = [system]
        for results in mains:
            score = results.overall(system) if system in results.systems else None
            row += [score.value, score.sd] if score else [None, None]
        rows.append(tuple(row))
    ours = len(rows)
    for name in paper_systems(setting):
        row = [f"{name} (paper)"]
        for results in mains:
            printed = find(
                SGET,
                table="2",
                system=name,
                metric=results.metric,
                tag="split",
                value=results.split,
            )
            row += [printed.score, printed.sd] if printed and results.as_shipped else [None, None]
        rows.append(tuple(row))
    of = Counter(results.split for results in mains)
    return Table(
        "table-2-overall", "Overall results (Table 2)", tuple(columns), tuple(rows),
        ("Mean and standard deviation over seeds.",), frozenset({ours}),
        labels={
            f"{results.split} {results.metric}": f"{report.split_name(results.split)}, "
            f"{report.words.metric(results.metric)}"
            for results in mains
        },
        heads=(("", 1), *((report.split_name(split), 2 * count) for split, count in of.items())),
        below={
            f"{results.split} {results.metric}": report.words.metric(results.metric)
            for results in mains
        },
    )  # fmt: skip


def as_shipped(by_metric: ByMetric, metrics: Iterable[str]) -> list[str]:
    """The metrics that a published number can stand beside: BLEU of characters is another one."""
    return [name for name in metrics if by_metric[name].as_shipped]


def with_published(
    table: Table,
    number: str,
    tag: str,
    values: Sequence[str],
    systems: Sequence[str],
    metrics: Sequence[str],
) -> Table:
    """The table with the paper's numbers to the right: a column per system, metric and spread.

    `values` are what its rows are called in the published data.
    """
    columns, cells = list(table.columns), [list(row) for row in table.rows]
    for name in systems:
        for metric in metrics:
            printed = {
                row.value: row
                for row in find_all(SGET, table=number, system=name, metric=metric, tag=tag)
            }
            beside: list[Published | None] = [printed.get(value) for value in values]
            if not any(beside):
                continue
            columns.append(Column(name, metric, published=True))
            for row, published in zip(cells, beside, strict=True):
                row.append(published.score if published else None)
            if any(published is not None and published.sd is not None for published in beside):
                columns.append("sd")
                for row, published in zip(cells, beside, strict=True):
                    row.append(published.sd if published else None)
    return Table(
        table.name, table.title, tuple(columns), tuple(tuple(row) for row in cells), table.notes,
        table.rules, table.decimals,
    )  # fmt: skip


def group_score(results: MetricResults, parent: str, group: str, system: str) -> float | None:
    """A group's score: sentence-weighted mean of its patterns' scores (facts of Table 3).

    For shares this is the plain score of the group; for BLEU it is the mean of corpus BLEUs, which
    is what the paper's Table 3 averages.
    """
    parents = results.parents.get(parent)
    if results.main_tag is None or parents is None:
        return None
    total = weighted = 0.0
    for value, by_system in results.by_tag(results.main_tag).items():
        if parents.get(value) == group and system in by_system:
            score = by_system[system]
            weighted += score.n * score.value
            total += score.n
    return weighted / total if total else None


class _Column(NamedTuple):
    """One system's scores on one metric, and their spread over seeds where there are several."""

    metric: str
    system: str
    spread: bool

    def titles(self) -> tuple[str, ...]:
        """What stands above it."""
        return (Column(self.system, self.metric), *(("sd",) if self.spread else ()))

    def cells(self, estimate: float | None, score: Score | None) -> tuple[Cell, ...]:
        """The score, and its standard deviation if the column has one."""
        return (estimate, *((score.sd if score else None,) if self.spread else ()))


def _columns(by_metric: ByMetric, metrics: Iterable[str]) -> list[_Column]:
    """A column per metric and system; exact match, the paper's main one, with its spread."""
    return [
        _Column(metric, system, metric == "exact" and len(by_metric[metric].seeds[system]) > 1)
        for metric in metrics
        if metric in by_metric
        for system in by_metric[metric].systems
    ]


def _by_parent(by_metric: ByMetric, parent: str, name: str, title: str) -> Table | None:
    parents = next(
        (scores.parents.get(parent) for scores in by_metric.values() if parent in scores.parents),
        None,
    )
    if parents is None:
        return None
    columns = _columns(by_metric, by_metric)
    own = {metric: results.by_tag(parent) for metric, results in by_metric.items()}
    rows: list[tuple[Cell, ...]] = []
    for group in dict.fromkeys(parents.values()):
        row: list[Cell] = [group]
        for column in columns:
            score = own[column.metric].get(group, {}).get(column.system)
            mean = group_score(by_metric[column.metric], parent, group, column.system)
            row += column.cells(mean, score)
        rows.append(tuple(row))
    last: list[Cell] = ["all"]
    for column in columns:
        overall = by_metric[column.metric].overall(column.system)
        last += column.cells(overall.value, overall)
    rows.append(tuple(last))
    return Table(
        name, title, (parent, *(title for column in columns for title in column.titles())),
        tuple(rows),
        ("A group's BLEU is the sentence-weighted mean of its patterns' corpus BLEUs.",),
        frozenset({len(rows) - 1}), 1,
    )  # fmt: skip


def _table_3(by_metric: ByMetric, setting: PublishedSetting | None) -> Table | None:
    table = _by_parent(
        by_metric, "group_name", "table-3-groups", "Lexical, morphological, structural (Table 3)"
    )
    if table is None:
        return None
    groups = [str(row[0]) for row in table.rows]
    return with_published(
        table, "3", "group_name", groups, paper_systems(setting), as_shipped(by_metric, by_metric)
    )


def published_values(number: str) -> list[str]:
    """The rows of a published table, in its order, as we call them."""
    return list(dict.fromkeys(row.value for row in find_all(SGET, table=number)))


def _table_4(by_metric: ByMetric, setting: PublishedSetting | None) -> Table | None:
    """Phrase recombination: the six modifiers of subjects and indirect objects."""
    results = by_metric.get("exact")
    if results is None or results.main_tag != "pattern":
        return None
    slices = results.by_tag("pattern")
    values = [value for value in published_values("4") if value in slices]
    columns = _columns(by_metric, ("exact",))
    rows: list[tuple[Cell, ...]] = []
    for value in values:
        row: list[Cell] = [value]
        for column in columns:
            score = slices[value].get(column.system)
            row += column.cells(score.value if score else None, score)
        rows.append(tuple(row))
    if not rows:
        return None
    table = Table(
        "table-4-phrase-recombination", "Phrase recombination (Table 4)",
        ("pattern", *(title for column in columns for title in column.titles())), tuple(rows),
    )  # fmt: skip
    return with_published(
        table, "4", "pattern", values, paper_systems(setting), as_shipped(by_metric, ("exact",))
    )


def _table_7(by_metric: ByMetric, setting: PublishedSetting | None) -> Table | None:
    """The deepest complement clauses by length, with the paper's numbers of the same training."""
    concatenated = setting is None or CONCATENATION not in setting.without
    names = []
    if setting is not None and SELECTION not in setting.without:
        word = "with" if concatenated else "without"
        names = paper_systems(setting, None, f", {word} concatenation")
    return _halved(
        by_metric, "7", "longer_than_train", ("exact",), names,
        "table-7-length", "Deep complement clauses by length (Table 7)",
        ("Longer: than every training sentence that is not a concatenation.",),
    )  # fmt: skip


def _table_11(by_metric: ByMetric, setting: PublishedSetting | None) -> Table | None:
    return _halved(
        by_metric, "11", "in_cp", ("exact", "bleu", "partial"), paper_systems(setting),
        "table-11-complement-clause", "Modifiers inside a complement clause, or not (Table 11)", (),
    )  # fmt: skip


def _halved(
    by_metric: ByMetric,
    number: str,
    half: str,
    metrics: Sequence[str],
    systems: Sequence[str],
    name: str,
    title: str,
    notes: tuple[str, ...],
) -> Table | None:
    """A table whose rows are patterns cut in two by a tag: those that the paper prints."""
    usable = [
        metric
        for metric in metrics
        if metric in by_metric and ("pattern", half) in by_metric[metric].crosses
    ]
    if not usable:
        return None
    cells = {metric: by_metric[metric].crosses["pattern", half] for metric in usable}
    rows: list[tuple[Cell, ...]] = []
    values = []
    for value in published_values(number):
        pattern, _, part = value.rpartition(" ")
        scores_of = {metric: cells[metric].get((pattern, part), {}) for metric in usable}
        if not any(scores_of.values()):
            continue
        values.append(value)
        n = next(score.n for by_system in scores_of.values() for score in by_system.values())
        row: list[Cell] = [pattern, HALVES[half, part], n]
        for metric in usable:
            for system in by_metric[metric].systems:
                score = scores_of[metric].get(system)
                row.append(score.score if score else None)
        rows.append(tuple(row))
    if not rows:
        return None
    columns = [Column(system, metric) for metric in usable for system in by_metric[metric].systems]
    table = Table(name, title, ("pattern", half, "n", *columns), tuple(rows), notes)
    return with_published(
        table, number, f"pattern {half}", values, systems, as_shipped(by_metric, usable)
    )


def _table_10(by_metric: ByMetric, setting: PublishedSetting | None) -> Table | None:
    first = next((results for results in by_metric.values() if results.main_tag), None)
    if first is None or first.main_tag is None:
        return None
    columns = _columns(by_metric, ("exact", "partial", "bleu"))
    slices = {metric: results.by_tag(first.main_tag) for metric, results in by_metric.items()}
    order = list(next(iter(slices.values())))
    rows: list[tuple[Cell, ...]] = []
    rules, family = set(), None
    for value in sorted(order, key=lambda part: _family_order(first, order, part)):
        if first.families.get(value) != family:
            family = first.families.get(value)
            rules.add(len(rows))
        scores = [slices[column.metric].get(value, {}).get(column.system) for column in columns]
        count = next((score.n for score in scores if score is not None), 0)
        row: list[Cell] = [value, count]
        for column, score in zip(columns, scores, strict=True):
            row += column.cells(score.value if score else None, score)
        rows.append(tuple(row))
    table = Table(
        "table-10-patterns", f"Every {first.main_tag} (Table 10)",
        (first.main_tag, "n", *(title for column in columns for title in column.titles())),
        tuple(rows),
        ("A dash: Partial Match is not defined for that pattern, or the number is not known.",),
        frozenset(rules),
    )  # fmt: skip
    values = [str(row[0]) for row in table.rows]
    return with_published(
        table,
        "10",
        "pattern",
        values,
        paper_systems(setting),
        as_shipped(by_metric, dict.fromkeys(column.metric for column in columns)),
    )


def _family_order(results: MetricResults, order: Sequence[str], value: str) -> tuple[int, int]:
    families = list(dict.fromkeys(results.families.get(name, "") for name in order))
    return families.index(results.families.get(value, "")), order.index(value)


def _crossed(
    by_metric: ByMetric, row_tag: str, column_tag: str, name: str, title: str
) -> Table | None:
    usable = {m: s for m, s in by_metric.items() if (row_tag, column_tag) in s.crosses}
    if not usable:
        return None
    first = next(iter(usable.values())).crosses[row_tag, column_tag]
    values = list(dict.fromkeys(pair[1] for pair in first))
    columns = [row_tag]
    for metric, results in usable.items():
        columns += [
            Column(system, f"{metric}, {column_tag}={value}")
            for system in results.systems
            for value in values
        ]
    rows: list[tuple[Cell, ...]] = []
    for group in dict.fromkeys(pair[0] for pair in first):
        row: list[Cell] = [group]
        for results in usable.values():
            cells = results.crosses[row_tag, column_tag]
            for system in results.systems:
                for value in values:
                    score = cells.get((group, value), {}).get(system)
                    row.append(score.score if score else None)
        rows.append(tuple(row))
    return Table(name, title, tuple(columns), tuple(rows))


def _ancestors(by_metric: ByMetric, setting: PublishedSetting | None) -> Table | None:
    """Patterns that COGS and SLOG share, translation beside semantic parsing (section 4.3.1)."""
    results = by_metric.get("exact")
    if results is None or "Transformer" not in paper_systems(setting):
        return None
    shared = dict.fromkeys(
        row.value
        for row in read_published(SGET)
        if row.system in ANCESTORS and row.tag == "pattern"
    )
    ours = results.by_tag("pattern")
    rows: list[tuple[Cell, ...]] = []
    for value in shared:
        if value in ours:
            mine = [ours[value][system].value for system in results.systems]
            theirs = [
                lookup(SGET, metric="exact", tag="pattern", value=value, system=name)
                for name in ("Transformer", *ANCESTORS)
            ]
            rows.append((value, *mine, *theirs))
    return Table(
        "cogs-and-slog",
        "Translation beside semantic parsing (section 4.3.1)",
        ("pattern", *map(Column, results.systems), "Transformer (paper)", *ANCESTORS),
        tuple(rows),
        ("COGS, ReCOGS and SLOG are semantic parsing; COGS recursion goes deeper than 5 and 6.",),
    )
