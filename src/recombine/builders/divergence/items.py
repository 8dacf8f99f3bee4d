"""The counts of a built benchmark as plain files, from which anyone can recompute divergences.

`atoms.tsv` and `compounds.tsv` number the controlled items; `items.tsv` has a line per example:
its id, its atoms and its compounds, each as numbers, `number*count` for more than one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recombine.benchmark import Benchmark
from recombine.builders.divergence.count import Counts
from recombine.builders.divergence.measure import Vector
from recombine.errors import DataError, Where
from recombine.files import read_lines

ITEMS = "items.tsv"


class ItemRow(NamedTuple):
    """The atoms and compounds of one example, with their counts."""

    id: str
    atoms: dict[int, int]
    compounds: dict[int, int]


def name_lines(counts: Counts, columns: Iterable[int]) -> Iterator[str]:
    """Yield the lines of `atoms.tsv` or `compounds.tsv`."""
    for number, column in enumerate(columns):
        yield f"{number}\t{counts.column_name(column)}\n"


def item_lines(counts: Counts, rows: Iterable[int], ids: Iterable[str]) -> Iterator[str]:
    """Yield the lines of `items.tsv` for rows and the ids of their examples."""
    starts, middles = counts.rows.starts, counts.rows.middles
    for row, identity in zip(rows, ids, strict=True):
        start, middle, end = starts[row], middles[row], starts[row + 1]
        columns = counts.rows.columns[start:end].tolist()
        numbers = counts.rows.counts[start:end].tolist()
        split = middle - start
        atoms = _numbers(columns[:split], numbers[:split], 0)
        compounds = _numbers(columns[split:], numbers[split:], counts.atoms)
        yield f"{identity}\t{atoms}\t{compounds}\n"


def read_items(path: Path) -> Iterator[ItemRow]:
    """Yield the rows of `items.tsv`."""
    for number, line in read_lines(path):
        fields = line.split("\t")
        try:
            identity, atoms, compounds = fields
            yield ItemRow(identity, _parse(atoms), _parse(compounds))
        except ValueError as error:
            raise DataError("not an item row", Where(str(path), number, text=line[:200])) from error


def split_vectors(benchmark: Benchmark) -> tuple[dict[str, Vector], int]:
    """Return the summed counts of every split from the written files, and the number of atoms."""
    sizes = [_line_count(benchmark.path / name) for name in ("atoms.tsv", "compounds.tsv")]
    atoms, columns = sizes[0], sum(sizes)
    splits = [split for split in benchmark.splits if split in ("train", "dev", "test")]
    split_of = {example.id: split for split in splits for example in benchmark.iterate(split)}
    vectors: dict[str, Vector] = {split: np.zeros(columns, np.int64) for split in splits}
    path = benchmark.path / ITEMS
    for row in read_items(path):
        split = split_of.pop(row.id, None)
        if split is None:
            raise DataError(f"items of '{row.id}', which is in no split", Where(str(path)))
        vector = vectors[split]
        for column, count in row.atoms.items():
            vector[column] += count
        for column, count in row.compounds.items():
            vector[atoms + column] += count
    if split_of:
        raise DataError(f"no items of example '{min(split_of)}'", Where(str(path)))
    return vectors, atoms


def _numbers(columns: list[int], counts: list[int], offset: int) -> str:
    return " ".join(
        str(column - offset) if count == 1 else f"{column - offset}*{count}"
        for column, count in zip(columns, counts, strict=True)
    )


def _parse(text: str) -> dict[int, int]:
    parts: dict[int, int] = {}
    for item in text.split():
        number, star, count = item.partition("*")
        parts[int(number)] = int(count) if star else 1
    return parts


def _line_count(path: Path) -> int:
    if not path.is_file():
        raise DataError("missing file", Where(str(path)))
    with path.open("rb") as stream:
        return sum(1 for _ in stream)
