"""Score files as columns: what `score` wrote for one metric, split, system and seed.

`recombine score` writes every row in one form, so a regular expression takes the columns out of the
text without building an object per row.  A file with any other row is read as JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from recombine.errors import DataError, Where
from recombine.report.runs import read_rows
from recombine.statistics.resample import Array

# A row as `score` writes it.  A text with an escape, or white space, is left to the JSON reader.
_TEXT = r'"[^"\\\n]*"'
PLAIN_ROW = re.compile(
    rf'^\{{"metric":{_TEXT},"key":({_TEXT}),"ids?":({_TEXT}|\[{_TEXT}(?:,{_TEXT})*\]),'
    rf'"value":([^,\n]+),"stats":\[([^\]\n]+)\],"detail":(\{{.*\}})\}}$',
    re.MULTILINE,
)


class _Row(NamedTuple):
    """The parts of one row, still as text."""

    key: str
    ids: str
    value: str
    stats: str
    detail: str


@dataclass(slots=True)
class ScoreColumns:
    """One score file, column by column."""

    keys: list[str]
    ids: list[tuple[str, ...]]
    values: Array
    stats: Array
    labels: list[str]

    def seen(self) -> dict[str, float]:
        """Values by example id."""
        pairs = zip(self.ids, self.values.tolist(), strict=True)
        return {name: value for group, value in pairs for name in group}


def _plain_rows(path: Path) -> list[_Row] | None:
    """The rows of a file that holds no others than `score` writes, else None."""
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    rows = PLAIN_ROW.findall(text)
    lines = text.count("\n") + (not text.endswith("\n"))
    return rows if rows and len(rows) == lines else None


def _names(text: str) -> tuple[str, ...]:
    return (text[1:-1],) if text[0] == '"' else tuple(json.loads(text))


def read_scores(path: Path) -> ScoreColumns:
    """Read one score file into columns."""
    rows = _plain_rows(path)
    if rows is None:
        return _read_any(path)
    keys, ids, values, stats, details = zip(*rows, strict=True)
    try:
        return ScoreColumns(
            [key[1:-1] for key in keys],
            [_names(one) for one in ids],
            _table(values, path)[:, 0],
            _table(stats, path),
            [_label(detail) for detail in details],
        )
    except ValueError:  # the JSON reader says which line is at fault
        return _read_any(path)


def _table(texts: Sequence[str], path: Path) -> Array:
    """Lists of numbers; those of sentences repeat so much that each different one is read once."""
    places = dict(zip(dict.fromkeys(texts), count(), strict=False))
    numbers = [[float(number) for number in text.split(",")] for text in places]
    width = _width({len(row) for row in numbers}, path)
    where = np.fromiter(map(places.__getitem__, texts), dtype=np.int64, count=len(texts))
    return np.array(numbers).reshape(len(numbers), width)[where]


def _label(detail: str) -> str:
    return str(json.loads(detail).get("class", "")) if '"class":' in detail else ""


def _width(widths: set[int], path: Path) -> int:
    if len(widths) > 1:
        raise DataError(
            "observations of one metric differ in their number of statistics", Where(str(path))
        )
    return widths.pop() if widths else 1


def _read_any(path: Path) -> ScoreColumns:
    keys: list[str] = []
    ids: list[tuple[str, ...]] = []
    values: list[float] = []
    stats: list[Sequence[float]] = []
    labels: list[str] = []
    for number, row in enumerate(read_rows(path), start=1):
        try:
            found = row.get("ids") or [row["id"] if "id" in row else row["key"]]
            keys.append(row.get("key", found[0]))
            value = float(row["value"])
            detail = row.get("detail") or {}
            labels.append(str(detail.get("class", "")))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(f"not an observation: {error}", Where(str(path), number)) from None
        ids.append(tuple(found))
        values.append(value)
        stats.append(row.get("stats") or (value,))
    width = _width({len(row) for row in stats}, path)
    table = np.asarray(stats, dtype=np.float64).reshape(len(keys), width)
    return ScoreColumns(keys, ids, np.asarray(values, dtype=np.float64), table, labels)


def read_details(path: Path, wanted: set[str]) -> dict[str, dict[str, Any]]:
    """The values and explanations of a score file for the examples wanted, by example id."""
    rows = _plain_rows(path)
    found = _details(path) if rows is None else _plain_details(rows, wanted)
    return {name: row for names, row in found for name in names if name in wanted}


def _plain_details(
    rows: Sequence[_Row], wanted: set[str]
) -> Iterator[tuple[Sequence[str], dict[str, Any]]]:
    for _, ids, value, _, detail in rows:
        names = _names(ids)
        if not wanted.isdisjoint(names):
            told = json.loads(detail) if detail != "{}" else {}
            number = float(value) if "." in value else json.loads(value)
            yield names, {"value": number, "detail": told}


def _details(path: Path) -> Iterator[tuple[Sequence[str], dict[str, Any]]]:
    for row in read_rows(path):
        names = row.get("ids") or [row.get("id", row.get("key"))]
        yield names, {"value": row["value"], "detail": row.get("detail") or {}}
