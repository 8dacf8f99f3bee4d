"""Tab-separated tables and the text of grammar files."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from recombine.errors import GrammarError
from recombine.files import TableRow
from recombine.grammar.files.tables import read_table, read_text


def rows(
    tmp_path: Path, text: str, known: frozenset[str] | None = None
) -> tuple[list[TableRow], list[GrammarError]]:
    """The rows and problems of a table."""
    path = tmp_path / "x.tsv"
    path.write_text(text, encoding="utf-8")
    problems: list[GrammarError] = []
    return list(read_table(path, "id", problems, known)), problems


def test_text_is_normalised(tmp_path: Path) -> None:
    """A byte order mark, Windows line ends and decomposed letters do not matter."""
    path = tmp_path / "x.grammar"
    decomposed = unicodedata.normalize("NFD", "café\r\nが\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + decomposed.encode())
    assert read_text(path) == "café\nが\n"


def test_unreadable_files_are_grammar_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing file and one that is far too large are reported with their path."""
    with pytest.raises(GrammarError, match="cannot be read"):
        read_text(tmp_path / "missing")
    monkeypatch.setattr("recombine.grammar.files.tables.MAX_BYTES", 3)
    (tmp_path / "large").write_text("four", encoding="utf-8")
    with pytest.raises(GrammarError, match="larger than"):
        read_text(tmp_path / "large")


def test_headers_may_follow_each_other(tmp_path: Path) -> None:
    """A row with the key word in front starts a new header; comments and blanks are skipped."""
    found, problems = rows(tmp_path, "id\ta\n# note\n\nx\t 1 \nid\tb\ny\t2\nz\n")
    assert problems == []
    assert [row.cells for row in found] == [
        {"id": "x", "a": "1"},
        {"id": "y", "b": "2"},
        {"id": "z", "b": ""},
    ]
    assert [row.where.line for row in found] == [4, 6, 7]


def test_place_of_a_cell(tmp_path: Path) -> None:
    """A complaint about a cell points at it."""
    (row,), _ = rows(tmp_path, "id\ta\nx\theavy\n")
    place = row.place("a")
    assert (place.line, place.column, place.width) == (2, 3, 5)


def test_a_bad_row_does_not_hide_the_next(tmp_path: Path) -> None:
    """Too many cells and unknown columns are problems; the other rows are read."""
    found, problems = rows(tmp_path, "id\ta\nx\t1\t2\ny\t1\t\n")
    assert [row.cells["id"] for row in found] == ["y"]
    assert [problem.message for problem in problems] == ["3 cells, but the header has 2 columns"]
    _, problems = rows(tmp_path, "id\tb\nx\t1\n", frozenset({"id", "a"}))
    assert [problem.hint for problem in problems] == ["known: a, id"]
