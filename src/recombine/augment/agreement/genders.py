"""Genders: nouns that take the same forms in the same places.

A row is a noun, a column a place (the source's article; later the role in a frame too), a value the
form that was seen there. Rows join the first class in which their values are at home, the most
frequent rows first; where several classes would do, the one that words of the same kind are in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping
from typing import Any

# So much of what a noun shows must be at home in its gender, and a form is at home in a column
# with this share of it.
AT_HOME = 0.9
SHARE = 0.02
ROUNDS = 3

Row = Any
Column = Any
Cells = Mapping[tuple[Any, Any], int]


class RowClass:
    """Rows that take the same values, and how often each was seen in each column."""

    def __init__(self) -> None:
        self.columns: dict[Column, Counter[Any]] = defaultdict(Counter)
        self.kinds: Counter[Hashable] = Counter()

    def add(self, cells: Cells, kind: Hashable, sign: int = 1) -> None:
        """Count the cells of a row, or take them back."""
        for (column, value), count in cells.items():
            self.columns[column][value] += sign * count
        self.kinds[kind] += sign

    def fits(self, cells: Cells) -> tuple[float, int]:
        """Return which share of the cells is at home here, and of how many that is known."""
        known = good = 0
        for (column, value), count in cells.items():
            own = self.columns.get(column)
            total = own.total() if own else 0
            if own and total > 0:
                known += count
                good += count * (own[value] >= max(1.0, SHARE * total))
        return (good / known if known else 0.0), known


def row_classes(
    rows: Mapping[Row, Cells], kinds: Mapping[Row, Hashable]
) -> tuple[dict[Row, int], list[RowClass]]:
    """Return the class of every row that has one, and the classes."""
    order = sorted(rows, key=lambda row: (-sum(rows[row].values()), str(row)))
    classes: list[RowClass] = []
    found: dict[Row, int] = {}
    for turn in range(ROUNDS):
        for row in order:
            cells = rows[row]
            kind = kinds.get(row)
            if turn:
                classes[found[row]].add(cells, kind, -1)
            best, chosen = (0.0, 0, 0), -1
            for number, own in enumerate(classes):
                share, known = own.fits(cells)
                # A tenth of a share is noise; then the class of similar words, then the larger.
                score = (round(share, 1), own.kinds[kind], known)
                if share >= AT_HOME and score > best:
                    best, chosen = score, number
            if chosen < 0:
                if turn and not any(c.total() for c in classes[found[row]].columns.values()):
                    chosen = found[row]
                else:
                    chosen = len(classes)
                    classes.append(RowClass())
            classes[chosen].add(cells, kind)
            found[row] = chosen
    return found, classes
