"""Score files as columns: what `score` wrote for one metric, split, system and seed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recombine.errors import DataError, Where
from recombine.parallel import gc_paused
from recombine.report.examples import JudgedExample, explain
from recombine.report.reading.runs import read_rows
from recombine.report.words import Words
from recombine.statistics.aggregate import Array


@dataclass(slots=True)
class ScoreColumns:
    """One score file, column by column."""

    keys: list[str]
    ids: list[tuple[str, ...]]
    values: Array
    stats: Array
    labels: list[str]
    # What the metric says of each row; nothing where nobody will ask.
    details: list[Mapping[str, Any]]

    def seen(self) -> dict[str, float]:
        """Values by example id."""
        pairs = zip(self.ids, self.values.tolist(), strict=True)
        return {name: value for group, value in pairs for name in group}

    def judged(
        self, wanted: Collection[str], undecided: int | None = None, words: Words | None = None
    ) -> dict[str, JudgedExample]:
        """What is said of these examples; the statistic says which could not be judged."""
        values = self.values
        if undecided is not None:
            values = np.where(self.stats[:, undecided] > 0, np.nan, values)
        return {
            name: JudgedExample(
                value, explain(detail, words), tuple(one for one in group if one != name)
            )
            for group, value, detail in zip(self.ids, values.tolist(), self.details, strict=True)
            for name in group
            if name in wanted
        }


NOTHING: Mapping[str, Any] = {}


def read_scores(path: Path, told: Collection[str] | None = ()) -> ScoreColumns:
    """Read one score file into columns; details of the examples to be told of, None for all."""
    with gc_paused():  # a hundred thousand rows, all of which stay
        rows = list(read_rows(path))
        try:
            keys = [row["key"] for row in rows]
            ids = [_ids(row) for row in rows]
            values = np.array([row["value"] for row in rows], dtype=np.float64)
            stats = [row["stats"] for row in rows]
            labels = [str(row["detail"].get("class", "")) if row["detail"] else "" for row in rows]
            details = [
                row["detail"]
                if row["detail"] and (told is None or any(one in told for one in group))
                else NOTHING
                for row, group in zip(rows, ids, strict=True)
            ]
            table = np.array(stats, dtype=np.float64).reshape(len(rows), -1 if rows else 1)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise _fault(path, rows) or DataError(f"no scores: {error}", Where(str(path))) from None
    return ScoreColumns(keys, ids, values, table, labels, details)


def _ids(row: dict[str, Any]) -> tuple[str, ...]:
    return (row["id"],) if "id" in row else tuple(row["ids"])


def _fault(path: Path, rows: list[dict[str, Any]]) -> DataError | None:
    """The first row that is no observation, or has other statistics than the first."""
    width = None
    for number, row in enumerate(rows, start=1):
        try:
            _ids(row), str(row["key"]), float(row["value"]), dict(row["detail"])
            stats = [float(one) for one in row["stats"]]
        except (ValueError, KeyError, TypeError) as error:
            return DataError(f"not an observation: {error}", Where(str(path), number))
        width = width or len(stats)
        if len(stats) != width:
            told = "observations of one metric differ in their number of statistics"
            return DataError(told, Where(str(path), number))
    return None


def read_details(path: Path, wanted: set[str]) -> dict[str, dict[str, Any]]:
    """The values and explanations of a score file for the examples wanted, by example id."""
    with gc_paused():
        return {
            name: {"value": row["value"], "detail": row["detail"]}
            for row in read_rows(path)
            for name in _ids(row)
            if name in wanted
        }
