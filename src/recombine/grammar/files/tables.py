"""Tab-separated tables: a header, rows, comments, and a line number for everything."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from recombine.errors import GrammarError, Where

MAX_BYTES = 32 * 1024 * 1024  # a grammar file is written by hand; anything larger is a mistake


class TableRow(NamedTuple):
    """One row: its cells by column name, and where each stands."""

    cells: dict[str, str]
    where: Where

    def place(self, column: str) -> Where:
        """The place of one cell."""
        start, value = 0, self.cells.get(column, "")
        if value and self.where.text is not None:
            start = max(0, self.where.text.find(value))
        return self.where._replace(column=start + 1, width=max(1, len(value)))


def read_text(path: Path) -> str:
    """Read a grammar file as NFC text; raises GrammarError with the line of a bad byte."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise GrammarError(
                f"the file is larger than {MAX_BYTES // 2**20} MB", Where(str(path), 1)
            )
        raw = path.read_bytes()
    except OSError as error:
        raise GrammarError(f"cannot be read: {error.strerror}", Where(str(path))) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise GrammarError(
            "not UTF-8 text", Where(str(path), line), "save the file with UTF-8 encoding"
        ) from None
    return unicodedata.normalize("NFC", text).replace("\r\n", "\n")


def read_table(
    path: Path, key: str, problems: list[GrammarError], known: frozenset[str] | None = None
) -> Iterator[TableRow]:
    """Yield the rows of a table whose header begins with `key`; a new header may follow."""
    try:
        text = read_text(path)
    except GrammarError as error:
        problems.append(error)
        return
    header: list[str] | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        where = Where(str(path), number, 1, line, max(1, len(line)))
        cells = [cell.strip() for cell in line.split("\t")]
        if cells[0] == key:
            header = _header(cells, where, problems, known)
            continue
        if header is None:
            hint = "columns are separated by tabs" if "\t" not in line else None
            problems.append(
                GrammarError(
                    f"the first line must be a header that begins with '{key}'", where, hint
                )
            )
            return
        if len(cells) > len(header) and any(cells[len(header) :]):
            problems.append(
                GrammarError(f"{len(cells)} cells, but the header has {len(header)} columns", where)
            )
            continue
        yield TableRow(
            {name: cell for name, cell in zip(header, cells, strict=False) if name}, where
        )


def _header(
    cells: list[str], where: Where, problems: list[GrammarError], known: frozenset[str] | None
) -> list[str]:
    header: list[str] = []
    for cell in cells:
        if cell and cell in header:
            problems.append(GrammarError(f"column '{cell}' occurs twice", where))
        if cell and known is not None and cell not in known:
            problems.append(
                GrammarError(
                    f"unknown column '{cell}'", where, f"known: {', '.join(sorted(known))}"
                )
            )
        header.append(cell)
    while header and not header[-1]:
        header.pop()
    return header
