"""Raw files of the results, numbers that papers print, and how tables write them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from statistics import mean, stdev
from typing import NamedTuple

from recombine.report.tables.published import find

HERE = Path(__file__).parent
Row = dict[str, str]


class Table(NamedTuple):
    """A table of a page: its head, and rows of cells."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Return it as a page has it: text to the left, numbers to the right."""
        rule = ["---"] + [
            "---:" if any(cell[:1] in "0123456789-+.*" for cell in column) else "---"
            for column in list(zip(*self.rows, strict=True))[1:]
        ]
        return "\n".join("| " + " | ".join(row) + " |" for row in (self.head, rule, *self.rows))


@cache
def rows(name: str) -> list[Row]:
    """Return the rows of a raw file: "sget/official-cells"; .tsv where that is what lies there."""
    path = HERE / f"{name}.csv"
    if path.is_file():
        with path.open(encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))
    with path.with_suffix(".tsv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def chosen(found: Iterable[Row], **wanted: str) -> list[Row]:
    """Return the rows that have these values."""
    return [row for row in found if all(row[key] == value for key, value in wanted.items())]


def score(name: str, split: str, value: str = "all", metric: str = "exact") -> float:
    """Return a model's score on a split, a pattern, a category or a group."""
    found = chosen(rows(name), split=split, value=value, metric=metric)
    (number,) = {float(row["score"]) for row in found}
    return number


def spread(values: Sequence[float], digits: int = 1) -> str:
    """Return mean and, of several values, the standard deviation."""
    several = f" ± {stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{mean(values):.{digits}f}{several}"


def share(found: Iterable[Row], part: str, whole: str) -> float:
    """Return how much of one column another one is, in percent."""
    found = list(found)
    return 100 * sum(int(row[part]) for row in found) / sum(int(row[whole]) for row in found)


def paper(benchmark: str, digits: int = 1, **place: str) -> str:
    """Return what a paper prints, with its standard deviation where it prints one."""
    found = find(benchmark, **place)
    if found is None or found.score is None:
        return "-"
    return f"{found.score:.{digits}f}" + ("" if found.sd is None else f" ± {found.sd:.{digits}f}")


def bare(number: float, digits: int = 2) -> str:
    """Return a number below one without its zero."""
    return f"{number:.{digits}f}".replace("0.", ".", 1)
