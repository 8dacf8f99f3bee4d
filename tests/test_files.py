"""Files are whole or absent, and nothing written is lost."""

from __future__ import annotations

import os
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.errors import DataError
from recombine.files import (
    Appender,
    dump_row,
    read_json,
    read_jsonl,
    read_lines,
    write_jsonl,
    write_text,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(st.dictionaries(TEXT, TEXT, max_size=3), max_size=5))
def test_json_lines_round_trip_hostile_text(tmp_path_factory, rows):
    """U+2028, combining marks, full-width spaces: NFC in, the same out."""
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    write_jsonl(path, rows)
    normal = [
        {unicodedata.normalize("NFC", k): unicodedata.normalize("NFC", v) for k, v in row.items()}
        for row in rows
    ]
    assert list(read_jsonl(path)) == normal
    assert path.read_bytes().count(b"\n") == len(rows)


def test_lines_split_at_line_feeds_alone(tmp_path):
    """U+2028 and U+0085 are characters, CRLF is a line end, a byte order mark is dropped."""
    path = tmp_path / "x.txt"
    path.write_bytes("\ufeffa\u2028b\r\nc\x85d\n".encode())
    assert list(read_lines(path)) == [(1, "a\u2028b"), (2, "c\x85d")]


def test_a_wrong_encoding_names_the_line(tmp_path):
    """Latin-1 in a UTF-8 file."""
    path = tmp_path / "x.txt"
    path.write_bytes(b"fine\nK\xf6nig\n")
    with pytest.raises(DataError) as caught:
        list(read_lines(path))
    assert caught.value.where is not None
    assert caught.value.where.line == 2


@pytest.mark.parametrize("text", ['{"id":', "[1]", "nonsense"])
def test_a_broken_row_names_the_line(tmp_path, text):
    """Not JSON, or not an object."""
    path = tmp_path / "x.jsonl"
    path.write_text('{"a":1}\n' + text + "\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        list(read_jsonl(path))
    assert caught.value.where is not None
    assert caught.value.where.line == 2


def test_missing_files_and_folders_are_said_so(tmp_path):
    """Never a traceback."""
    with pytest.raises(DataError, match="no such file"):
        list(read_lines(tmp_path / "none"))
    with pytest.raises(DataError, match="directory"):
        list(read_lines(tmp_path))
    with pytest.raises(DataError, match="no such file"):
        read_json(tmp_path / "none.json")


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    """A full disk in mid-write loses nothing."""
    path = tmp_path / "x.txt"
    write_text(path, "old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@given(st.integers(0, 40))
def test_an_appender_cuts_a_truncated_tail(tmp_path_factory, cut):
    """After a kill at any byte, whole rows are kept and the rest is appended cleanly."""
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    rows = [{"id": str(number), "hyp": "語" * number} for number in range(3)]
    data = "".join(dump_row(row) + "\n" for row in rows).encode()
    path.write_bytes(data[: min(cut, len(data))])
    with Appender(path) as output:
        kept = list(output.rows)
        for row in rows[len(kept) :]:
            output.append(row)
    assert kept == rows[: len(kept)]
    assert path.read_bytes() == data


def test_damage_in_the_middle_is_not_cut_away(tmp_path):
    """Only a tail may be a killed write; anything else is for the user to look at."""
    path = tmp_path / "log.jsonl"
    path.write_text('{"id":1}\nnonsense\n{"id":2}\n', encoding="utf-8")
    with pytest.raises(DataError) as caught:
        Appender(path)
    assert caught.value.where is not None
    assert caught.value.where.line == 2
    assert path.read_text(encoding="utf-8") == '{"id":1}\nnonsense\n{"id":2}\n'
