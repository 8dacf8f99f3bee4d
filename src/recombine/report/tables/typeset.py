"""How a paper prints a table: the best in bold, measures above their systems, words for names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from recombine.report.findings import Findings
from recombine.report.tables.table import PAPER, Column, Table
from recombine.statistics.intervals import Estimate

# The head above several columns of published numbers.
IN_PAPER = "in the paper"
# Numbers that say how sure another one is, or of how many it is.
BESIDE = ("n", "sd", "low", "high", "sentences", "compounds", "seed", "seeds")


def for_paper(table: Table, systems: Sequence[str]) -> Table:
    """The table in a paper's layout: the best system in bold, each measure above its systems."""
    if not table.name.startswith(("table-", "figure-", "by-", "complement", "longer", "depths")):
        return table
    return with_heads(with_best(table, systems))


def in_words(report: Findings, table: Table) -> Table:
    """A table that calls tags and their values as people do; its CSV keeps their names."""
    words = report.words

    def named(text: str) -> str:
        for (of, tag), wording in words.known.items():
            if of == "tag" and "_" in tag:
                text = text.replace(tag, wording.label)
        return text

    labels = {
        column: words.tag(column) for column in table.columns if ("tag", column) in words.known
    }
    labels |= {
        column: named(column)
        for column in table.columns
        if column not in labels and named(column) != column
    }
    for place, column in enumerate(table.columns):
        values = {cell for row in table.rows if isinstance(cell := row[place], str)}
        if column == "split":
            labels |= {value: report.split_name(value) for value in values}
        labels |= {
            value: words.label(column, value) for value in values if (column, value) in words.known
        }
    for head, _ in table.heads:
        labels.setdefault(head, words.metric(head) if ("metric", head) in words.known else head)
    return replace(table, title=named(table.title), labels={**labels, **table.labels})


def with_best(table: Table, systems: Sequence[str]) -> Table:
    """The table of a paper with the best system in bold, wherever several stand side by side.

    Systems are columns of one measure or, under the head "system", rows that agree in all other
    words.
    """
    groups: dict[tuple[object, ...], dict[tuple[int, int], float]] = {}
    for number, row in enumerate(table.rows):
        words = [cell for cell in row if isinstance(cell, str)]
        for place, cell in enumerate(row):
            value = cell.value if isinstance(cell, Estimate) else cell
            if not isinstance(value, float) or math.isnan(value):
                continue
            head = table.columns[place]
            key: tuple[object, ...] | None = None
            if isinstance(head, Column):
                key = (number, head.measure) if head.system in systems else None
            elif "system" in table.columns and head not in BESIDE:
                system = row[table.columns.index("system")]
                others = tuple(word for word in words if word != system)
                key = (place, *others) if system in systems else None
            if key is not None:
                sign = -1 if head in table.lower else 1
                groups.setdefault(key, {})[number, place] = sign * value
    best = {
        place
        for values in groups.values()
        for place, value in values.items()
        if min(values.values()) < value == max(values.values())
    }
    return replace(table, best=table.best | best)


def with_heads(table: Table) -> Table:
    """The table of a paper with each measure above the systems it is of, where they stand together.

    A column without a system (`sd`) belongs to the one before it.
    """
    if table.heads:
        return table
    heads: list[tuple[str, int]] = []
    below: dict[str, str] = {}
    for column in table.columns:
        last, width = heads[-1] if heads else ("", 0)
        measure = ""
        if isinstance(column, Column) and column.published:
            beside = column.measure == last
            measure = last if beside else IN_PAPER
            below[column] = f"{column.system} {PAPER if beside else column.measure}"
        elif isinstance(column, Column) and column.measure:
            measure = column.measure
            below[column] = column.system
        if heads and (measure == last or (not measure and last and column in BESIDE)):
            heads[-1] = (last, width + 1)
        else:
            heads.append((measure, 1))
    grouped = [text for text, _ in heads if text]
    if len(set(grouped)) < len(grouped) or len(grouped) == len(below):
        return table  # systems of one measure stand apart, or alone
    return replace(table, heads=tuple(heads), below=below)
