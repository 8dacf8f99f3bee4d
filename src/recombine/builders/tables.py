"""Word lists as tab-separated tables with a header: read strictly, every fault with its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recombine.errors import DataError, Where
from recombine.files import read_lines


@dataclass(frozen=True)
class Row:
    """One line of a table and where it stands."""

    cells: dict[str, str]
    where: Where

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    def get(self, column: str, default: str = "") -> str:
        """Return a cell, or the default where the table has no such column."""
        return self.cells.get(column, default)

    def parts(self, column: str) -> tuple[str, ...]:
        """Return the entries of a cell that holds several, separated by semicolons."""
        return tuple(part.strip() for part in self.get(column).split(";") if part.strip())


def read_table(path: Path, required: Sequence[str]) -> list[Row]:
    """Read a table; `required` columns must be there and filled in every row."""
    columns: list[str] = []
    rows: list[Row] = []
    for number, line in read_lines(path):
        if not line.strip() or line.startswith("#"):
            continue
        where = Where(str(path), number, text=line)
        cells = line.split("\t")
        if not columns:
            columns = [cell.strip() for cell in cells]
            missing = [name for name in required if name not in columns]
            if missing:
                raise DataError(
                    f"the header lacks the column '{missing[0]}'",
                    where,
                    hint=f"a tab-separated header with: {', '.join(required)}",
                )
            continue
        if len(cells) > len(columns):
            raise DataError(f"{len(cells)} cells, but the header has {len(columns)}", where)
        row = dict.fromkeys(columns, "") | dict(zip(columns, map(str.strip, cells), strict=False))
        empty = [name for name in required if not row[name]]
        if empty:
            raise DataError(f"the column '{empty[0]}' is empty", where)
        rows.append(Row(row, where))
    if not rows:
        raise DataError("the table has no rows", Where(str(path)))
    return rows
