"""Files that are never half-written: atomic text, JSON lines, append-only logs, hashes.

JSON lines are UTF-8, NFC, one object a line, ended by a line feed and by nothing else (U+2028 and
the like are ordinary characters here).
"""

from __future__ import annotations

import hashlib
import json
import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from recombine.errors import DataError, Where


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: under a temporary name, synced, then renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any) -> None:
    """Write one JSON document, indented, atomically."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def read_json(path: Path) -> Any:
    """Read one JSON document."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"no such file: {path}") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"not a JSON file: {error}", Where(str(path))) from None


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
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise DataError(
                f"not JSON: {error.msg}",
                Where(str(path), number, error.colno, line[:200]),
                hint="each line holds one JSON object; a cut last line means an unfinished copy",
            ) from None
        if not isinstance(row, dict):
            raise DataError("not a JSON object", Where(str(path), number, 1, line[:200]))
        yield row


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (number, line) split at line feeds alone; a carriage return before one is dropped."""
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        raise DataError(f"no such file: {path}") from None
    except IsADirectoryError:
        raise DataError(f"{path} is a directory, not a file") from None
    with stream:
        for number, raw in enumerate(stream, start=1):
            if number == 1 and raw.startswith(b"\xef\xbb\xbf"):
                raw = raw[3:]
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise encoding_fault(path, number, error) from None
            yield number, line.removesuffix("\n").removesuffix("\r")


def encoding_fault(path: Path, line: int, error: UnicodeDecodeError) -> DataError:
    """Return what to raise for a line that is not UTF-8."""
    return DataError(
        f"not UTF-8 at byte {error.start + 1} of the line",
        Where(str(path), line),
        hint="convert the file first: iconv -f LATIN1 -t UTF-8",
    )


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
            row = json.loads(line)
        except (json.JSONDecodeError, UnicodeDecodeError):
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
