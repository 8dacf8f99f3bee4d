"""References that people write: a TSV goes out with drafts, and comes back with corrections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from recombine.benchmark import Example
from recombine.errors import DataError, Where
from recombine.files import read_table

COLUMNS = ("id", "compound", "source", "draft", "reference")


def review_lines(examples: Sequence[Example], drafts: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a review file: the last column is for the reviewer.

    A draft is a machine translation of the source; correct it into the column `reference`, or copy
    it there when it is right.
    """
    yield "\t".join(COLUMNS)
    for example in examples:
        reference = example.references[0] if example.references else ""
        compound = str(example.tags.get("compound", ""))
        yield "\t".join(
            (example.id, compound, example.source, drafts.get(example.source, ""), reference)
        )


def read_references(path: Path) -> dict[str, str]:
    """Read source -> reference from a TSV with these columns (others are ignored).

    In a file of drafts the column may be called `draft` or `hyp`. Rows that nobody filled in are
    left out, so an unfinished review can be read at any time.
    """
    references: dict[str, str] = {}
    for row in read_table(path, ("source",), filled=False, comments=False):
        text = next(
            (row[name] for name in ("reference", "draft", "hyp") if name in row.cells), None
        )
        if text is None:
            raise DataError("the header lacks the column 'reference'", Where(str(path), 1))
        if text:
            references[row["source"]] = text
    return references
