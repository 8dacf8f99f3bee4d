"""Judged sentences: what a system said, what one metric says of it, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from recombine.registry import require
from recombine.report.tables.table import Table, html

# Examples that are shown as a table; all of them are there to go through.
SHOWN = 20


class JudgedSentence(NamedTuple):
    """One sentence, what was said for it, and what a metric says of that."""

    id: str
    split: str
    source: str
    references: tuple[str, ...]
    hypothesis: str
    metric: str
    value: float
    # None: the metric could not judge it.
    right: bool | None
    why: str
    tags: Mapping[str, Any]


class JudgedSentences(list[JudgedSentence]):
    """Judged sentences; a notebook shows the first of them as a table."""

    def table(self, most: int = SHOWN) -> Table:
        """The first of them, to be read."""
        rows = tuple(
            (
                sentence.source,
                sentence.hypothesis,
                sentence.references[0] if sentence.references else None,
                sentence.why or show_value(sentence),
            )
            for sentence in self[:most]
        )
        more = (f"{len(self):,} in all",) if len(self) > most else ()
        metric = self[0].metric if self else "nothing"
        return Table("examples", f"Examples, judged by {metric}",
                     ("source", "hypothesis", "reference", "why"), rows, more)  # fmt: skip

    def to_pandas(self) -> Any:
        """A row for each."""
        pandas = require("pandas", extra="report", feature="to_pandas")
        return pandas.DataFrame(list(self), columns=list(JudgedSentence._fields))

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return html(self.table())


def show_value(sentence: JudgedSentence) -> str:
    """What to say of a sentence of which the metric says nothing but a number."""
    if sentence.right is None:
        return "could not be judged"
    return (
        "right" if sentence.right else "wrong" if sentence.value == 0 else f"{sentence.value:.1f}"
    )
