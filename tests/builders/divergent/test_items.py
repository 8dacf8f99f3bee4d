"""The items of examples are written and read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsed_corpora import counted, made_up
from recombine.builders.divergent.certificate import item_lines, name_lines, read_items
from recombine.errors import DataError


def test_items_come_back(tmp_path: Path) -> None:
    """Atoms and compounds of each row survive the file, counts included."""
    _, counts = counted(made_up(60), tmp_path, edition="all")
    ids = [f"id{row}" for row in range(counts.size)]
    path = tmp_path / "items.tsv"
    path.write_text("".join(item_lines(counts, range(counts.size), ids)))
    for row, item in enumerate(read_items(path)):
        start, middle, end = (
            counts.rows.starts[row],
            counts.rows.middles[row],
            counts.rows.starts[row + 1],
        )
        assert item.id == ids[row]
        numbers = counts.rows.counts.tolist()
        columns = counts.rows.columns.tolist()
        assert item.atoms == dict(zip(columns[start:middle], numbers[start:middle], strict=True))
        assert sum(item.compounds.values()) == sum(numbers[middle:end])


def test_names_are_numbered(tmp_path: Path) -> None:
    """Line n of the names is item n."""
    _, counts = counted(made_up(60), tmp_path, edition="all")
    lines = list(name_lines(counts, range(counts.atoms)))
    assert lines[3] == f"3\t{counts.column_name(3)}\n"


def test_a_broken_row_is_named(tmp_path: Path) -> None:
    """The line of a fault is in the message."""
    path = tmp_path / "items.tsv"
    path.write_text("a\t1 2\t3\nb\tx\t\n")
    with pytest.raises(DataError, match="not an item row") as caught:
        list(read_items(path))
    assert caught.value.where is not None
    assert caught.value.where.line == 2
