"""The report's own tables: scores, scores by tag, paired differences, classes of errors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from recombine.report.findings import Findings, Sheet
from recombine.report.tables.table import Cell, Table


def own_tables(report: Findings) -> list[Table]:
    """Tables every benchmark has."""
    tables = [overall_table(report, split) for split in report.splits]
    for sheet in report.sheets:
        tables.extend(_sheet_tables(sheet))
    return tables


def table_name(*parts: str) -> str:
    """A file name from table parts."""
    return "-".join(re.sub(r"[^A-Za-z0-9+]+", "-", part).strip("-").lower() for part in parts)


def overall_table(report: Findings, split: str) -> Table:
    """Every metric and system on one split."""
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    for sheet in report.sheets:
        if sheet.split != split:
            continue
        rules.add(len(rows))
        for system in sheet.systems:
            one = sheet.overall(system)
            rows.append(
                (
                    sheet.metric, system, one.n, one.value, one.low, one.high,
                    len(one.seeds), one.sd, min(one.seeds), max(one.seeds),
                )
            )  # fmt: skip
    return Table(
        name=table_name("scores", split),
        title=f"Scores on {split}",
        columns=(
            "metric", "system", "n", "score", "low", "high", "seeds", "sd", "min", "max",
        ),
        rows=tuple(rows),
        notes=(
            f"{100 * report.options.confidence:g}% intervals; score = mean over seeds, sd, min and "
            "max over seeds.",
        ),
        rules=frozenset(rules),
    )  # fmt: skip


def _sheet_tables(sheet: Sheet) -> Iterator[Table]:
    for tag in sheet.tags:
        by_value = sheet.by_tag(tag)
        if len(by_value) <= 100:
            yield tag_table(sheet, tag)
    if sheet.comparisons:
        yield comparison_table(sheet)
    for system in sheet.labels:
        yield label_table(sheet, system)


def tag_table(sheet: Sheet, tag: str) -> Table:
    """Scores for each value of a tag: score and half-width per system."""
    columns = [tag, "n"]
    for system in sheet.systems:
        columns += [system, "±"]
    rows: list[tuple[Cell, ...]] = []
    for value, by_system in sheet.by_tag(tag).items():
        row: list[Cell] = [value, next(iter(by_system.values())).n]
        for system in sheet.systems:
            one = by_system[system]
            row += [one.value, one.half_width]
        rows.append(tuple(row))
    return Table(
        name=table_name(sheet.metric, sheet.split, "by", tag),
        title=f"{sheet.metric} on {sheet.split} by {tag}",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=(sheet.signature,) if sheet.signature else (),
    )


def comparison_table(sheet: Sheet) -> Table:
    """Paired differences of every pair of systems."""
    rows: list[tuple[Cell, ...]] = []
    for one in sheet.comparisons:
        rows.append(
            (
                f"{one.second} − {one.first}", one.overall.difference, one.overall.low,
                one.overall.high, f"{one.p_adjusted:.4f}", one.overall.test,
                one.count("win"), one.count("tie"), one.count("loss"),
            )
        )  # fmt: skip
    ranks = " > ".join("{" + ", ".join(group) + "}" for group in sheet.ranking)
    return Table(
        name=table_name("compare", sheet.metric, sheet.split),
        title=f"Paired differences, {sheet.metric} on {sheet.split}",
        columns=("pair", "difference", "low", "high", "p (Holm)", "test", "wins", "ties", "losses"),
        rows=tuple(rows),
        notes=(f"Tied sets, best first: {ranks}",),
    )


def label_table(sheet: Sheet, system: str) -> Table:
    """How often each class of verdict was seen, per value of the main tag."""
    by_value = sheet.labels[system]
    total: Counter[str] = sum(by_value.values(), Counter())
    labels = [name for name, _ in total.most_common()]
    rows: list[tuple[Cell, ...]] = [("all", *(total[label] for label in labels))]
    rows += [(value or "–", *(seen[label] for label in labels)) for value, seen in by_value.items()]
    return Table(
        name=table_name(sheet.metric, sheet.split, "classes", system),
        title=f"Classes of {sheet.metric} on {sheet.split}: {system}",
        columns=(sheet.main_tag or "", *labels),
        rows=tuple(rows),
        rules=frozenset({1}),
    )
