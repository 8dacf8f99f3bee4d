"""Strict tab-separated tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.builders.consistency.wordlists import read_table
from recombine.errors import DataError


def test_rows_cells_and_parts(tmp_path: Path) -> None:
    """Comments and blank lines are skipped, missing trailing cells are empty."""
    path = tmp_path / "a.tsv"
    path.write_text("# note\na\tb\tc\n\n1\t x ; y \n", encoding="utf-8")
    (row,) = read_table(path, ("a",))
    assert row["a"] == "1"
    assert row.parts("b") == ("x", "y")
    assert row.get("c") == ""
    assert row.get("d", "none") == "none"
    assert row.where.line == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\n1\t2\t3\n", "3 cells"),
        ("b\n1\n", "lacks the column 'a'"),
        ("a\tb\n\t2\n", "'a' is empty"),
        ("a\n", "no rows"),
    ],
)
def test_faults(tmp_path: Path, text: str, message: str) -> None:
    """Each fault is a DataError."""
    path = tmp_path / "a.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_table(path, ("a",))
