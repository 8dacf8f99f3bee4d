"""Files: written whole or not at all, read with a line number for every fault.

Text is UTF-8, and a line ends with a line feed and with nothing else (U+2028 and the like are
ordinary characters here). Lines, tables and aligned texts may be compressed (.gz, .xz, .bz2).
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import shutil
import sys
import unicodedata
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NoReturn, Self

from recombine.encoding import encoding_fault
from recombine.errors import DataError, Where
from recombine.lock import open_exclusive


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: under a temporary name, synced, then renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".partial")
    with add_filename_to_oserror(path), open_exclusive(unfinished) as stream:
        try:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
            unfinished.replace(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise


@contextlib.contextmanager
def add_filename_to_oserror(path: Path) -> Iterator[None]:
    """Say of which file the operating system speaks: a full disk names none."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def replace_folder(new: Path, folder: Path) -> None:
    """Put a finished folder in the place of another, which goes only when the new one is there."""
    former = folder.with_name(folder.name + ".former")
    shutil.rmtree(former, ignore_errors=True)
    if folder.exists():
        folder.rename(former)
    new.rename(folder)
    shutil.rmtree(former, ignore_errors=True)


def write_json(path: Path, value: Any) -> None:
    """Write one JSON document, indented, atomically."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def read_json(path: Path) -> Any:
    """Read one JSON object."""
    try:
        value = parse_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"no such file: {path}") from None
    except ValueError as error:
        raise DataError(
            f"not a JSON file: {error}",
            Where(str(path)),
            hint="restore it, or remove what it belongs to and make that again",
        ) from None
    if not isinstance(value, dict):
        raise DataError("not a JSON object", Where(str(path)))
    return value


def parse_json(text: str | bytes) -> Any:
    """Parse JSON; whatever is wrong with it is a ValueError.

    Python's parser also ends in a RecursionError where brackets go too deep, and lets halves of
    surrogate pairs pass, which no file can hold.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if (b"\\u" in text) if isinstance(text, bytes) else ("\\u" in text):
        try:
            _encode(value).encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("half of a surrogate pair, which is no character") from None
    return value


# Rows are trees of plain data: nothing in them can hold itself.
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def dump_row(row: Mapping[str, Any]) -> str:
    """Return one row of a JSON lines file without its line feed, in NFC."""
    text = _encode(row)
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write JSON lines atomically; return the number of rows."""
    lines = [dump_row(row) for row in rows]
    write_text(path, "".join(line + "\n" for line in lines))
    return len(lines)


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a JSON lines file; every fault names its line."""
    for number, line in read_lines(path):
        try:
            row = parse_json(line)
        except ValueError as error:
            column = error.colno if isinstance(error, json.JSONDecodeError) else 1
            raise DataError(
                f"not JSON: {getattr(error, 'msg', error)}",
                Where(str(path), number, column, line),
                hint="each line holds one JSON object; a cut last line means an unfinished copy",
            ) from None
        if not isinstance(row, dict):
            raise DataError("not a JSON object", Where(str(path), number, 1, line))
        yield row


LONGEST_LINE = 100_000_000  # bytes
LONGEST_NAME = 80  # characters of a file's name, of which each may take three bytes
_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (number, line) split at line feeds alone; a carriage return before one is dropped."""
    with _open_bytes(path) as stream:
        yield from _numbered(path, stream)


def read_standard_input() -> Iterator[tuple[int, str]]:
    """Yield (number, line) of standard input, by the same rules as of a file."""
    return _numbered(Path("<stdin>"), sys.stdin.buffer)


def _numbered(path: Path, stream: IO[bytes]) -> Iterator[tuple[int, str]]:
    # By way of the length: a file without line feeds, or one that unpacks to many times its size,
    # must not fill the memory.
    for number, raw in enumerate(iter(partial(stream.readline, LONGEST_LINE), b""), start=1):
        if len(raw) == LONGEST_LINE:
            raise DataError(
                f"a line of more than {LONGEST_LINE // 1_000_000} million bytes",
                Where(str(path), number),
                hint="lines end with a line feed; is it a text file?",
            )
        if number == 1 and raw.startswith(b"\xef\xbb\xbf"):
            raw = raw[3:]
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise encoding_fault(path, number, raw, error.start) from None
        if "\x00" in line:
            raise encoding_fault(path, number, raw, line.index("\x00"))
        yield number, line.removesuffix("\n").removesuffix("\r")


@contextmanager
def open_text(path: Path) -> Iterator[IO[str]]:
    """Open a text for reading in large pieces; any line end counts as one."""
    try:
        with _open_bytes(path) as raw, io.TextIOWrapper(raw, encoding="utf-8") as stream:
            yield stream
    except UnicodeDecodeError as error:
        for _ in read_lines(path):
            pass  # the line that cannot be decoded says so
        raise DataError("not UTF-8 text", Where(str(path))) from error


@contextmanager
def _open_bytes(path: Path) -> Iterator[io.BufferedReader]:
    try:
        raw = _OPENERS.get(path.suffix, io.FileIO)(path, "rb")
        with io.BufferedReader(raw, 1 << 20) as stream:
            yield stream
    except FileNotFoundError:
        raise DataError(f"no such file: {path}") from None
    except IsADirectoryError:
        raise DataError(f"{path} is a directory, not a file") from None
    except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        raise DataError(
            f"cannot be read to its end: {error}",
            Where(str(path)),
            hint="is it whole, and packed as its name says?" if path.suffix in _OPENERS else None,
        ) from error


def read_aligned(*paths: Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield (number, the line of every file); files of unequal length are a fault."""
    columns = [read_lines(path) for path in paths]
    for number, rows in enumerate(zip_longest(*columns), start=1):
        if None in rows:
            rests = [sum(1 for _ in column) for column in columns]
            lengths = [number - (row is None) + n for row, n in zip(rows, rests, strict=True)]
            path, length = next(
                pair for pair in zip(paths, lengths, strict=True) if pair[1] != lengths[0]
            )
            raise DataError(
                f"{length:,} lines, but {paths[0]} has {lengths[0]:,}",
                Where(str(path)),
                hint="the files must be aligned line by line",
            )
        yield number, tuple(line for _, line in rows)


@dataclass(slots=True)
class TableRow:
    """One row of a table: its cells by column name, and where it stands."""

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

    def place(self, column: str) -> Where:
        """Return the place of one cell."""
        value = self.get(column)
        start = max(0, (self.where.text or "").find(value))
        return self.where._replace(column=start + 1, width=max(1, len(value)))


Fault = Callable[[str, Where, str | None], None]


def read_table(
    path: Path,
    required: Sequence[str] = (),
    *,
    columns: Sequence[str] | None = None,
    filled: bool = True,
    comments: bool = True,
) -> Iterator[TableRow]:
    """Yield the rows of a tab-separated table; the first fault is raised.

    `required` columns must be in the header and filled in every row; with `filled=False` their
    cells may be empty, but not missing. Other cells may be missing at the end of a row, where
    spreadsheets drop empty ones. `columns` names the columns of a table without a header; such a
    table has exactly these. Blank lines are skipped, and so are lines that begin with `#` unless
    they are data (`comments=False`).
    """

    def fault(message: str, where: Where, hint: str | None) -> NoReturn:
        raise DataError(message, where, hint)

    return table_rows(
        path,
        read_lines(path),
        fault,
        required=required,
        columns=columns,
        filled=filled,
        comments=comments,
    )


def table_rows(
    path: Path,
    lines: Iterable[tuple[int, str]],
    fault: Fault,
    *,
    required: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    filled: bool = True,
    comments: bool = True,
    key: str | None = None,
    known: Collection[str] | None = None,
) -> Iterator[TableRow]:
    """Yield the rows of numbered lines; every fault is told to `fault`, which may go on.

    With a `key`, every line whose first cell is that word is a header for the lines below it.
    `known` are the columns that a header may name.
    """
    header = list(columns) if columns is not None else None
    empty = True
    no_tab = "columns are separated by tabs"
    for number, line in lines:
        if not line or line.isspace() or (comments and line.startswith("#")):
            continue
        where = Where(str(path), number, 1, line, len(line))
        cells = [cell.strip() for cell in line.split("\t")]
        if header is None or (key is not None and cells[0] == key):
            if key is not None and cells[0] != key:
                message = f"the first line must be a header that begins with '{key}'"
                fault(message, where, None if "\t" in line else no_tab)
                return
            header = _header(cells, where, fault, required, known)
            continue
        empty = False
        if columns is not None and len(cells) != len(header):
            message = f"{len(cells)} columns, expected {len(header)} ({', '.join(header)})"
            fault(message, where, None if "\t" in line else no_tab)
            continue
        if len(cells) > len(header) and any(cells[len(header) :]):
            fault(f"{len(cells)} cells, but the header has {len(header)} columns", where, None)
            continue
        row = dict(zip(header, cells, strict=False))
        if len(cells) < len(header):
            row |= dict.fromkeys(header[len(cells) :], "")
        row.pop("", None)
        for name in required:
            if not row[name] and (filled or header.index(name) >= len(cells)):
                fault(f"the column '{name}' is empty", where, None)
                break
        else:
            yield TableRow(row, where)
    if empty and key is None:
        fault("the table has no rows", Where(str(path)), None)


def _header(
    cells: list[str],
    where: Where,
    fault: Fault,
    required: Sequence[str],
    known: Collection[str] | None,
) -> list[str]:
    while cells and not cells[-1]:
        cells.pop()
    for place, cell in enumerate(cells):
        if cell and cell in cells[:place]:
            fault(f"column '{cell}' occurs twice", where, None)
        if cell and known is not None and cell not in known:
            fault(f"unknown column '{cell}'", where, f"known: {', '.join(sorted(known))}")
    for name in required:
        if name not in cells:
            fault(
                f"the header lacks the column '{name}'",
                where,
                f"a tab-separated header with: {', '.join(required)}",
            )
    return cells


def inert_cell(value: object) -> object:
    """Return a cell of a table for spreadsheets; text that one would compute begins with a quote.

    Tags, names and translations may be anybody's, and `=HYPERLINK(...)` is a formula.
    """
    if not isinstance(value, str) or value[:1] not in _FORMULA or len(value) < 2:
        return value
    try:
        float(value)
    except ValueError:
        return "'" + value
    return value


_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def file_name(text: str) -> str:
    """Return a text as a part of a file's name: it cannot lead out of a folder, or hide.

    Titles and languages of benchmarks are anybody's.
    """
    return re.sub(r"[^\w.+-]", "_", text).lstrip(".-")[:LONGEST_NAME]


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class Appender:
    """An append-only JSON lines file: what was written survives any crash.

    Opening it cuts a truncated last line (the mark of a kill in mid-write) and keeps the rest.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.rows = _recover(path)
        self._stream: IO[str] = path.open("a", encoding="utf-8", newline="\n")

    def append(self, row: Mapping[str, Any]) -> None:
        """Write one row and hand it to the operating system at once."""
        with add_filename_to_oserror(self.path):
            self._stream.write(dump_row(row) + "\n")
            self._stream.flush()

    def close(self) -> None:
        """Sync to disk and close."""
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _recover(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    rows = []
    good = 0
    for line in data[:end].split(b"\n")[:-1]:
        try:
            row = parse_json(line)
        except ValueError:
            break
        if not isinstance(row, dict):
            break
        rows.append(row)
        good += len(line) + 1
    if good < len(data):
        if data[good:].count(b"\n") > 1:
            number = data[:good].count(b"\n") + 1
            raise DataError(
                "not JSON, and complete rows follow: this is not a cut tail",
                Where(str(path), number),
                hint="repair or remove that line; nothing was changed",
            )
        with path.open("r+b") as stream:
            stream.truncate(good)
    return rows
