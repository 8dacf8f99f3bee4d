"""Files are whole or absent, nothing written is lost, and every fault names its line."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.errors import DataError
from recombine.files import (
    Appender,
    add_filename_to_oserror,
    dump_row,
    inert_cell,
    open_text,
    parse_json,
    read_aligned,
    read_json,
    read_jsonl,
    read_lines,
    read_table,
    table_rows,
    write_json,
    write_jsonl,
    write_text,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def written(folder: Path, *texts: str) -> list[Path]:
    """Write texts into the files 0, 1, ... of a folder."""
    paths = [folder / str(number) for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def read_whole(path: Path) -> list[str]:
    """Read a text in one piece."""
    with open_text(path) as stream:
        return stream.read().splitlines()


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


@pytest.mark.parametrize(
    ("data", "line", "encoding"),
    [
        (b"fine\nK\xf6nig\n", 2, "LATIN1"),
        ("König\n".encode("utf-16"), 1, "UTF-16"),
        (b"\xfe\xff" + "König\n".encode("utf-16-be"), 1, "UTF-16"),
    ],
)
def test_a_wrong_encoding_names_the_line_and_the_way_out(tmp_path, data, line, encoding):
    """The hint is a command that works on this file."""
    path = tmp_path / "x.txt"
    path.write_bytes(data)
    with pytest.raises(DataError) as caught:
        list(read_lines(path))
    assert caught.value.where is not None
    assert caught.value.where.line == line
    assert f"iconv -f {encoding} -t UTF-8" in (caught.value.hint or "")


@pytest.mark.parametrize("read", [read_lines, read_whole])
def test_compressed_text_is_read_and_a_cut_copy_is_said_so(tmp_path, read):
    """The name says how it is compressed; half a file is a fault, not a short corpus."""
    text = "".join(f"line {number}\n" for number in range(5000)).encode()
    for suffix, compress in ((".gz", gzip.compress), (".xz", lzma.compress)):
        path = tmp_path / f"x.txt{suffix}"
        path.write_bytes(compress(text))
        assert len(list(read(path))) == 5000
        path.write_bytes(compress(text)[:-20])
        with pytest.raises(DataError, match="cannot be read to its end"):
            list(read(path))
    wrong = tmp_path / "latin.txt"
    wrong.write_bytes(b"fine\nK\xf6nig\n")
    with pytest.raises(DataError, match=r"latin\.txt:2: not UTF-8"):
        list(read(wrong))


def test_aligned_files_are_read_together(tmp_path):
    """Line by line, with the number; blank lines are lines."""
    paths = written(tmp_path, "a\n\nc\n", "A\nB\nC")
    assert list(read_aligned(*paths)) == [(1, ("a", "A")), (2, ("", "B")), (3, ("c", "C"))]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("a\nb\nc\n", "A\n"), "1: 1 lines, but .*0 has 3"),
        (("a\n", "A\nB\n"), "1: 2 lines, but .*0 has 1"),
        (("a\nb\n", "A\nB\n", ""), "2: 0 lines, but .*0 has 2"),
    ],
)
def test_files_of_unequal_length_are_not_aligned(tmp_path, texts, message):
    """Which file, and how far off: whoever cut it knows by that."""
    with pytest.raises(DataError, match=message):
        list(read_aligned(*written(tmp_path, *texts)))


def test_rows_of_a_table(tmp_path):
    """Comments and blank lines are skipped, missing cells at the end are empty."""
    (path,) = written(tmp_path, "# note\na\tb\tc\n\n1\t x ; y \t\t\n")
    (row,) = read_table(path, ("a",))
    assert row["a"] == "1"
    assert row.parts("b") == ("x", "y")
    assert row.get("c") == ""
    assert row.get("d", "none") == "none"
    assert row.where.line == 4
    place = row.place("b")
    assert (place.column, place.width) == (4, 5)


def test_a_table_without_a_header_has_exactly_its_columns(tmp_path):
    """Nothing is guessed from the first line; what looks like a comment may be data."""
    (path,) = written(tmp_path, "# x\t1\nb\t2\n")
    rows = read_table(path, columns=("word", "number"), comments=False)
    assert [row.cells for row in rows] == [
        {"word": "# x", "number": "1"},
        {"word": "b", "number": "2"},
    ]
    (path,) = written(tmp_path, "b 2\n")
    with pytest.raises(DataError, match=r"1 columns, expected 2 \(word, number\)") as caught:
        list(read_table(path, columns=("word", "number")))
    assert caught.value.hint == "columns are separated by tabs"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\n1\t2\t3\n", ":2: 3 cells"),
        ("b\n1\n", ":1: the header lacks the column 'a'"),
        ("a\ta\n1\t2\n", ":1: column 'a' occurs twice"),
        ("b\ta\n1\t\n", ":2: the column 'a' is empty"),
        ("a\n", "no rows"),
    ],
)
def test_faults_of_a_table_name_the_line(tmp_path, text, message):
    """The header, a row, or the whole table."""
    (path,) = written(tmp_path, text)
    with pytest.raises(DataError, match=message):
        list(read_table(path, ("a",)))


def test_required_cells_may_be_empty_where_that_is_said(tmp_path):
    """A half-filled review can be read; a row without the cell is broken all the same."""
    (path,) = written(tmp_path, "b\ta\n1\t\n")
    assert [row["a"] for row in read_table(path, ("a",), filled=False)] == [""]
    (path,) = written(tmp_path, "b\ta\n1\n")
    with pytest.raises(DataError, match="'a' is empty"):
        list(read_table(path, ("a",), filled=False))


@pytest.mark.parametrize("text", ['{"id":', "[1]", "nonsense"])
def test_a_broken_row_names_the_line(tmp_path, text):
    """Not JSON, or not an object."""
    path = tmp_path / "x.jsonl"
    path.write_text('{"a":1}\n' + text + "\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        list(read_jsonl(path))
    assert caught.value.where is not None
    assert caught.value.where.line == 2


def test_a_document_is_read_as_it_was_written(tmp_path):
    """One JSON object, with whatever letters."""
    path, document = tmp_path / "a.json", {"ä": [1, None, {"b": 0.5}]}
    write_json(path, document)
    assert read_json(path) == document


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
    assert kept == rows[: data[:cut].count(b"\n")]
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


def test_a_row_is_with_the_system_as_soon_as_it_is_appended(tmp_path):
    """A kill loses nothing that was said to be written; nobody need close the file."""
    path = tmp_path / "rows.jsonl"
    output = Appender(path)
    for number in range(3):
        output.append({"n": number})
        assert [row["n"] for row in read_jsonl(path)] == list(range(number + 1))
    output.close()


@pytest.mark.parametrize(
    ("data", "told", "hint"),
    [
        (gzip.compress(b"text", mtime=0), "this is a gzip file", "call it .gz"),
        (lzma.compress(b"text"), "this is a xz file", "call it .xz"),
        ("one".encode("utf-16"), "UTF-16 instead", "iconv -f UTF-16 "),
        ("one\n".encode("utf-16-le"), "UTF-16 instead", "iconv -f UTF-16LE"),
        ("one\n".encode("utf-16-be"), "UTF-16 instead", "iconv -f UTF-16BE"),
        ("日本語のテキスト。\n".encode("cp932"), "not UTF-8", "iconv -f SHIFT_JIS"),
        ("日本語のテキスト。\n".encode("euc_jp"), "not UTF-8", "iconv -f EUC-JP"),
        ("un château à Zürich\n".encode("latin-1"), "not UTF-8", "iconv -f LATIN1"),
        ("北京大学\n".encode("gb18030"), "not UTF-8", "iconv -f ENCODING"),
        (b"one\n\x00two", "binary data", None),
    ],
)
def test_what_is_not_utf8_text_is_called_what_it_is(tmp_path, data, told, hint):
    """The advice fits the file: packed files are not converted, Japanese is not Latin-1."""
    path = tmp_path / "file.txt"
    path.write_bytes(data)
    with pytest.raises(DataError, match=told) as caught:
        list(read_lines(path))
    assert (caught.value.hint is None) if hint is None else (hint in (caught.value.hint or ""))


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "1" * 5_000, '{"a": "\\ud800"}', "[1]", "3"],
    ids=["deep", "digits", "half a pair", "list", "number"],
)
def test_json_that_python_chokes_on_is_a_fault_with_a_place(text, tmp_path):
    """Brackets without end, numbers of 5,000 digits and half characters were tracebacks."""
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(DataError, match=r"a\.json: not a JSON"):
        read_json(path)
    path.write_text(f"{{}}\n{text}\n")
    with pytest.raises(DataError, match=r"a\.json:2: not"):
        list(read_jsonl(path))


@pytest.mark.parametrize("name", ["a.gz", "a.xz", "a.bz2"])
def test_packed_text_that_is_damaged_inside_is_a_fault(name, tmp_path):
    """Zlib's own error was a traceback."""
    packed = {"a.gz": gzip.compress, "a.xz": lzma.compress, "a.bz2": bz2.compress}[name]
    data = bytearray(packed(bytes(range(256)) * 50))
    data[len(data) // 2 : len(data) // 2 + 8] = b"\xff" * 8
    (tmp_path / name).write_bytes(bytes(data))
    with pytest.raises(DataError):
        list(read_lines(tmp_path / name))


def test_a_line_without_end_is_a_fault(tmp_path, monkeypatch):
    """A packed file of a megabyte may hold a line of gigabytes."""
    monkeypatch.setattr("recombine.files.LONGEST_LINE", 1_000)
    (tmp_path / "a.txt").write_text("short\n" + "x" * 1_000)
    with pytest.raises(DataError, match=r"a\.txt:2: a line of more than"):
        list(read_lines(tmp_path / "a.txt"))


def test_a_full_disk_is_named(tmp_path):
    """The operating system says that there is no space left, and not for what."""
    with (
        pytest.raises(OSError, match="No space left") as full,
        add_filename_to_oserror(tmp_path / "scores.csv"),
    ):
        Path("/dev/full").write_text("x")
    assert full.value.filename == str(tmp_path / "scores.csv")


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"), ("-x", "'-x"), ("\tx", "'\tx"),
        ("-1.5", "-1.5"), ("+3", "+3"), ("-", "-"), ("plain", "plain"), (-2.5, -2.5), (None, None),
    ],
)  # fmt: skip
def test_no_cell_is_a_formula(cell, written):
    """A tag of a stranger's benchmark is computed by whoever opens the table."""
    assert inert_cell(cell) == written


@pytest.mark.parametrize("text", ['"\\ud800"', b'"\\ud800"'])
def test_half_a_surrogate_pair_is_no_json(text):
    """No file can hold it, whether it came as text or as bytes."""
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        parse_json(text)
    assert parse_json(b'"\\u00e9"') == "\u00e9"


def test_a_column_without_a_name_is_left_out(tmp_path):
    """Spreadsheets write such columns."""
    path = tmp_path / "a.tsv"
    path.write_text("word\t\tgloss\na\t\tb\n", encoding="utf-8")
    assert [row.cells for row in read_table(path, ("word",))] == [{"word": "a", "gloss": "b"}]


def test_an_appender_makes_the_folders_above_it(tmp_path):
    """A run begins with nothing there."""
    with Appender(tmp_path / "runs" / "new" / "log.jsonl") as output:
        output.append({"n": 1})
    assert (tmp_path / "runs" / "new" / "log.jsonl").read_text() == '{"n":1}\n'


@pytest.mark.parametrize(
    ("line", "column"),
    [('{"id": "a", "source": }', 23), ('{"half": "\\ud800"}', 1)],
    ids=["broken", "half a pair"],
)
def test_a_broken_row_names_the_column(tmp_path, line, column):
    """The caret stands where JSON stops to be JSON, or at the beginning of what no reader takes."""
    path = tmp_path / "a.jsonl"
    path.write_text(f"{{}}\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError) as broken:
        list(read_jsonl(path))
    where = broken.value.where
    assert where is not None
    assert (where.line, where.column) == (2, column)


def test_a_header_may_name_the_columns_that_are_known():
    """Any other is a fault of its own, an empty cell is none, and the row is read all the same."""
    faults = []
    lines = [(1, "id\tform\t\tcolour"), (2, "a\tb\t\tred")]
    path = Path("x.tsv")
    rows = list(table_rows(path, lines, lambda *fault: faults.append(fault), known=["form", "id"]))
    assert [(message, hint) for message, _, hint in faults] == [
        ("unknown column 'colour'", "known: form, id")
    ]
    assert rows[0]["form"] == "b"


def test_a_file_is_written_into_folders_that_are_not_there_yet(tmp_path):
    """All that are missing above it, and none is in the way that is there."""
    for text in ("one", "two"):
        write_text(tmp_path / "a" / "b" / "c.txt", text)
    assert (tmp_path / "a" / "b" / "c.txt").read_text() == "two"
