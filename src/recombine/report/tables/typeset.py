"""How a paper prints a table: the best in bold, measures above their systems, words for names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from recombine.report.findings import Findings
from recombine.report.tables.table import Table
from recombine.statistics.intervals import Estimate

# What marks the column of a published number, and the head above several of them.
PAPER = " (paper)"
IN_PAPER = "in the paper"
# Numbers that say how sure another one is, or of how many it is.
BESIDE = ("n", "sd", "low", "high", "sentences", "compounds", "seed", "seeds")


def for_paper(table: Table, systems: Sequence[str]) -> Table:
    """The table in a paper's layout: the best system in bold, each measure above its systems."""
    if not table.name.startswith(("table-", "figure-", "by-", "complement", "longer", "depths")):
        return table
    return with_heads(with_best(table, systems), systems)


def in_words(report: Findings, table: Table) -> Table:
    """A table that calls tags and their values as people do; its CSV keeps their names."""
    words = report.words

    def named(text: str) -> str:
        for (of, tag), one in words.known.items():
            if of == "tag" and "_" in tag:
                text = text.replace(tag, one.label)
        return text

    labels = {one: words.tag(one) for one in table.columns if ("tag", one) in words.known}
    labels |= {one: named(one) for one in table.columns if one not in labels and named(one) != one}
    for place, column in enumerate(table.columns):
        values = {cell for row in table.rows if isinstance(cell := row[place], str)}
        if column == "split":
            labels |= {one: report.split_name(one) for one in values}
        labels |= {one: words.label(column, one) for one in values if (column, one) in words.known}
    for head, _ in table.heads:
        labels.setdefault(head, words.metric(head) if ("metric", head) in words.known else head)
    return replace(table, title=named(table.title), labels={**labels, **table.labels})


def with_best(table: Table, systems: Sequence[str]) -> Table:
    """The table of a paper with the best system in bold, wherever several stand side by side.

    Systems are columns (`NAME`, `NAME: measure`, `NAME metric`) or, under the head "system", rows
    that agree in all other words.
    """
    groups: dict[tuple[object, ...], dict[tuple[int, int], float]] = {}
    for number, row in enumerate(table.rows):
        words = [cell for cell in row if isinstance(cell, str)]
        for place, cell in enumerate(row):
            value = cell.value if isinstance(cell, Estimate) else cell
            if not isinstance(value, float) or math.isnan(value):
                continue
            head = table.columns[place]
            named = [
                one for one in systems if head == one or head.startswith((f"{one}:", f"{one} "))
            ]
            key: tuple[object, ...] | None = None
            if named:
                measure = head.removeprefix(max(named, key=len)).strip(": ")
                key = (number, measure)
            elif "system" in table.columns and head not in BESIDE:
                system = row[table.columns.index("system")]
                others = tuple(one for one in words if one != system)
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


def with_heads(table: Table, systems: Sequence[str]) -> Table:
    """The table of a paper with each measure above the systems it is of, where they stand together.

    Columns are called `SYSTEM measure`; one without a system (`sd`) belongs to the one before it.
    """
    if table.heads:
        return table
    heads: list[tuple[str, int]] = []
    below: dict[str, str] = {}
    for name in table.columns:
        last, width = heads[-1] if heads else ("", 0)
        found = [one for one in systems if name.startswith(f"{one} ")]
        measure = name.removeprefix(max(found, key=len)).strip() if found else ""
        if not found and name.endswith(PAPER):
            of_it = last and name.removesuffix(PAPER).endswith(f" {last}")
            measure = last if of_it else IN_PAPER
        if measure:
            below[name] = name.removesuffix(PAPER if measure == IN_PAPER else "")
            below[name] = below[name].replace(f" {measure}", "", 1)
        if heads and (measure == last or (not measure and last and name in BESIDE)):
            heads[-1] = (last, width + 1)
        else:
            heads.append((measure, 1))
    grouped = [text for text, _ in heads if text]
    if len(set(grouped)) < len(grouped) or len(grouped) == len(below):
        return table  # systems of one measure stand apart, or alone
    return replace(table, heads=tuple(heads), below=below)
