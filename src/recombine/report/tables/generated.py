"""Tables 2, 3, 4, 7, 10 and 11 of Kumon et al. 2024, for any benchmark with patterns and groups.

Tables 5 and 6 compare two builds of the benchmark (with and without selectional restrictions,
with and without concatenation); they come from the scorecard, which takes runs of several builds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from recombine.report.findings import Findings, Sheet
from recombine.report.scores import Score
from recombine.report.tables.published import lookup, read_published, systems
from recombine.report.tables.table import Cell, Table

METHOD = "generated"
# Columns in the paper's order; bleu-char and others follow in the report's own tables.
PAPER_METRICS = ("bleu", "exact", "partial")
GENERALISATION, IN_DISTRIBUTION = "gen", "test"
# Section 4.3.1 sets COGS and SLOG, which parse, beside the patterns they share.
ANCESTORS = ("COGS Transformer", "ReCOGS Transformer", "SLOG Transformer")


def generated_tables(report: Findings) -> list[Table]:
    """Every table of the paper that the scores allow."""
    sheets = {
        sheet.metric: sheet
        for sheet in report.sheets
        if sheet.split == GENERALISATION and sheet.metric in PAPER_METRICS
    }
    if not sheets:
        return []
    beside = is_published_setting(report)
    tables: list[Table | None] = [
        _table_2(report),
        _table_3(sheets, beside=beside),
        _by_parent(sheets, "category", "table-4-categories", "By category (Table 4)"),
        _crossed(sheets, "group_name", "longer_than_train", "table-7-length",
                 "Longer than every training sentence, or not (Table 7)"),
        _table_10(sheets, beside=beside),
        _crossed(sheets, "pattern", "in_cp", "table-11-complement-clause",
                 "Inside a complement clause, or not (Table 11)"),
        _ancestors(sheets, beside=beside),
    ]  # fmt: skip
    return [table for table in tables if table is not None]


def is_published_setting(report: Findings) -> bool:
    """Whether the paper's numbers are about this benchmark (in any of its editions)."""
    return report.source.benchmark.manifest.name.split("-")[0] == "sget"


def _table_2(report: Findings) -> Table:
    columns = ["system"]
    found: list[Sheet | None] = []
    for split in (IN_DISTRIBUTION, GENERALISATION):
        for metric in PAPER_METRICS:
            sheet = report.sheet(metric, split)
            if sheet is not None:
                columns += [f"{split} {metric}", "sd"]
                found.append(sheet)
    rows: list[tuple[Cell, ...]] = []
    for system in report.systems:
        row: list[Cell] = [system]
        for sheet in found:
            score = sheet.overall(system) if sheet and system in sheet.systems else None
            row += [score.estimate, score.spread.sd] if score else [None, None]
        rows.append(tuple(row))
    notes = ["Mean and standard deviation over seeds."]
    published = lookup(METHOD, metric="exact", system="Llama 2")
    if is_published_setting(report) and published is not None:
        notes.append(f"Published gen exact: Llama 2 {published} (Table 2), Transformer 48.66.")
    return Table(
        "table-2-overall", "Overall results (Table 2)", tuple(columns), tuple(rows), tuple(notes)
    )


def group_score(sheet: Sheet, parent: str, group: str, system: str) -> float | None:
    """A group's score: sentence-weighted mean of its patterns' scores (facts of Table 3).

    For shares this is the plain score of the group; for BLEU it is the mean of corpus BLEUs, which
    is what the paper's Table 3 averages.
    """
    parents = sheet.parents.get(parent)
    if sheet.main_tag is None or parents is None:
        return None
    total = weighted = 0.0
    for value, by_system in sheet.by_tag(sheet.main_tag).items():
        if parents.get(value) == group and system in by_system:
            score = by_system[system]
            weighted += score.n * score.estimate
            total += score.n
    return weighted / total if total else None


class _Column(NamedTuple):
    """One system's scores on one metric, and their spread over seeds where there are several."""

    metric: str
    system: str
    spread: bool

    def titles(self) -> tuple[str, ...]:
        """What stands above it."""
        return (f"{self.system} {self.metric}", *(("sd",) if self.spread else ()))

    def cells(self, estimate: float | None, score: Score | None) -> tuple[Cell, ...]:
        """The score, and its standard deviation if the column has one."""
        return (estimate, *((score.spread.sd if score else None,) if self.spread else ()))


def _columns(sheets: Mapping[str, Sheet], metrics: Iterable[str]) -> list[_Column]:
    """A column per metric and system; exact match, the paper's main one, with its spread."""
    return [
        _Column(metric, system, metric == "exact" and len(sheets[metric].seeds[system]) > 1)
        for metric in metrics
        if metric in sheets
        for system in sheets[metric].systems
    ]


def _by_parent(sheets: Mapping[str, Sheet], parent: str, name: str, title: str) -> Table | None:
    parents = next(
        (one.parents.get(parent) for one in sheets.values() if parent in one.parents), None
    )
    if parents is None:
        return None
    columns = _columns(sheets, sheets)
    own = {metric: sheet.by_tag(parent) for metric, sheet in sheets.items()}
    rows: list[tuple[Cell, ...]] = []
    for group in dict.fromkeys(parents.values()):
        row: list[Cell] = [group]
        for column in columns:
            score = own[column.metric].get(group, {}).get(column.system)
            mean = group_score(sheets[column.metric], parent, group, column.system)
            row += column.cells(mean, score)
        rows.append(tuple(row))
    last: list[Cell] = ["all"]
    for column in columns:
        overall = sheets[column.metric].overall(column.system)
        last += column.cells(overall.estimate, overall)
    rows.append(tuple(last))
    return Table(
        name, title, (parent, *(title for column in columns for title in column.titles())),
        tuple(rows),
        ("A group's BLEU is the sentence-weighted mean of its patterns' corpus BLEUs.",),
        frozenset({len(rows) - 1}), 1,
    )  # fmt: skip


def _table_3(sheets: Mapping[str, Sheet], *, beside: bool) -> Table | None:
    table = _by_parent(
        sheets, "group_name", "table-3-groups", "Lexical, morphological, structural (Table 3)"
    )
    if table is None or not beside:
        return table
    return _with_published(table, "group_name", "3", last="")


def _with_published(table: Table, tag: str, number: str, last: str | None = None) -> Table:
    """The table with one column per published system; exact match only, as the rest is unknown."""
    names = systems(METHOD, metric="exact", tag=tag, table=number)
    rows = []
    for row in table.rows:
        value = str(row[0])
        if last is not None and value == "all":
            extra = [lookup(METHOD, metric="exact", system=name) for name in names]
        else:
            extra = [
                lookup(METHOD, metric="exact", tag=tag, value=value, system=name) for name in names
            ]
        rows.append((*row, *extra))
    columns = (*table.columns, *(f"{name} exact (published)" for name in names))
    return Table(
        table.name, table.title, columns, tuple(rows), table.notes, table.rules, table.decimals
    )


def _table_10(sheets: Mapping[str, Sheet], *, beside: bool) -> Table | None:
    first = next((sheet for sheet in sheets.values() if sheet.main_tag), None)
    if first is None or first.main_tag is None:
        return None
    columns = _columns(sheets, ("exact", "partial", "bleu"))
    slices = {metric: sheet.by_tag(first.main_tag) for metric, sheet in sheets.items()}
    order = list(next(iter(slices.values())))
    rows: list[tuple[Cell, ...]] = []
    rules, family = set(), None
    for value in sorted(order, key=lambda one: _family_order(first, order, one)):
        if first.families.get(value) != family:
            family = first.families.get(value)
            rules.add(len(rows))
        scores = [slices[one.metric].get(value, {}).get(one.system) for one in columns]
        count = next((one.n for one in scores if one is not None), 0)
        row: list[Cell] = [value, count]
        for column, score in zip(columns, scores, strict=True):
            row += column.cells(score.estimate if score else None, score)
        rows.append(tuple(row))
    table = Table(
        "table-10-patterns", f"Every {first.main_tag} (Table 10)",
        (first.main_tag, "n", *(title for one in columns for title in one.titles())), tuple(rows),
        ("A dash: Partial Match is not defined for that pattern, or the number is not known.",),
        frozenset(rules),
    )  # fmt: skip
    return _with_published(table, "pattern", "10") if beside else table


def _family_order(sheet: Sheet, order: Sequence[str], value: str) -> tuple[int, int]:
    families = list(dict.fromkeys(sheet.families.get(one, "") for one in order))
    return families.index(sheet.families.get(value, "")), order.index(value)


def _crossed(
    sheets: Mapping[str, Sheet], row_tag: str, column_tag: str, name: str, title: str
) -> Table | None:
    usable = {m: s for m, s in sheets.items() if (row_tag, column_tag) in s.crosses}
    if not usable:
        return None
    first = next(iter(usable.values())).crosses[row_tag, column_tag]
    values = list(dict.fromkeys(pair[1] for pair in first))
    columns = [row_tag]
    for metric, sheet in usable.items():
        columns += [
            f"{system} {metric}, {column_tag}={value}"
            for system in sheet.systems
            for value in values
        ]
    rows: list[tuple[Cell, ...]] = []
    for group in dict.fromkeys(pair[0] for pair in first):
        row: list[Cell] = [group]
        for sheet in usable.values():
            cells = sheet.crosses[row_tag, column_tag]
            for system in sheet.systems:
                for value in values:
                    one = cells.get((group, value), {}).get(system)
                    row.append(one.score if one else None)
        rows.append(tuple(row))
    return Table(name, title, tuple(columns), tuple(rows))


def _ancestors(sheets: Mapping[str, Sheet], *, beside: bool) -> Table | None:
    """Patterns that COGS and SLOG share, translation beside semantic parsing (section 4.3.1)."""
    sheet = sheets.get("exact")
    if sheet is None or sheet.main_tag != "pattern" or not beside:
        return None
    shared = dict.fromkeys(
        row.value
        for row in read_published(METHOD)
        if row.system in ANCESTORS and row.tag == "pattern"
    )
    ours = sheet.by_tag("pattern")
    rows: list[tuple[Cell, ...]] = []
    for value in shared:
        if value in ours:
            mine = [ours[value][system].estimate for system in sheet.systems]
            theirs = [
                lookup(METHOD, metric="exact", tag="pattern", value=value, system=name)
                for name in ("Transformer", *ANCESTORS)
            ]
            rows.append((value, *mine, *theirs))
    return Table(
        "cogs-and-slog",
        "Translation beside semantic parsing (section 4.3.1)",
        ("pattern", *sheet.systems, "Transformer (published)", *ANCESTORS),
        tuple(rows),
        ("COGS, ReCOGS and SLOG are semantic parsing; COGS recursion goes deeper than 5 and 6.",),
    )
