"""The text and the tables of grammar files: NFC, of a sane size, all faults at once."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

from recombine.errors import GrammarError, Where
from recombine.files import TableRow, table_rows

MAX_BYTES = 32 * 1024 * 1024  # a grammar file is written by hand; anything larger is a mistake


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
    if "\0" in text:  # the parser ends texts with it
        line = text.count("\n", 0, text.index("\0")) + 1
        raise GrammarError("a NUL character", Where(str(path), line), "is it a text file?")
    return unicodedata.normalize("NFC", text).replace("\r\n", "\n")


def read_table(
    path: Path, key: str, problems: list[GrammarError], known: frozenset[str] | None = None
) -> Iterator[TableRow]:
    """Yield the rows of a table whose header begins with `key`; what is wrong joins `problems`."""
    try:
        text = read_text(path)
    except GrammarError as error:
        problems.append(error)
        return

    def fault(message: str, where: Where, hint: str | None) -> None:
        problems.append(GrammarError(message, where, hint))

    lines = enumerate(text.split("\n"), start=1)
    yield from table_rows(path, lines, fault, key=key, known=known)
