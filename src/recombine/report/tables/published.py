"""Published numbers as data: data/published/*.tsv, one per row with where it was printed."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from recombine.files import read_table
from recombine.registry import data_path


class Published(NamedTuple):
    """One printed number."""

    paper: str
    table: str
    system: str
    metric: str
    tag: str
    value: str
    score: float | None
    text: str
    note: str


@cache
def read_published(method: str) -> tuple[Published, ...]:
    """The published numbers of one method: generated, compounds, divergent or consistency."""
    path = data_path("published", f"{method}.tsv")
    return tuple(
        Published(
            row["paper"], row["table"], row["system"], row["metric"], row["tag"], row["value"],
            _number(row["score"]), row["score"], row["note"],
        )
        for row in read_table(path, ("paper", "metric"))
    )  # fmt: skip


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def lookup(
    method: str, *, metric: str, tag: str = "", value: str = "", system: str | None = None
) -> float | None:
    """The first published number of that description, or None."""
    for row in read_published(method):
        if (row.metric, row.tag, row.value) == (metric, tag, value) and system in (
            None,
            row.system,
        ):
            return row.score
    return None


def systems(method: str, *, metric: str, tag: str, table: str | None = None) -> list[str]:
    """Systems with published numbers of that kind, in file order."""
    return list(
        dict.fromkeys(
            row.system
            for row in read_published(method)
            if (row.metric, row.tag) == (metric, tag) and table in (None, row.table)
        )
    )
