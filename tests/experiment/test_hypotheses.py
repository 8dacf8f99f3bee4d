"""Output from anywhere is matched by order or by id, and mismatches are named."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import threading
from pathlib import Path

import pytest

from recombine.benchmark import Benchmark
from recombine.errors import ConfigError, DataError
from recombine.experiment.hypotheses import read_hypotheses


@pytest.fixture
def benchmark(small_benchmark):
    """The small benchmark, opened."""
    return Benchmark.open(small_benchmark)


def write(tmp_path, text):
    """Write a hypotheses file."""
    path = tmp_path / "hyps"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_plain_lines_follow_the_split(tmp_path, benchmark):
    """CRLF line ends do not become part of a hypothesis; U+2028 does."""
    found, notes = read_hypotheses(write(tmp_path, "a\r\nb\u2028c\nd"), benchmark, "test")
    assert list(found.values()) == ["a", "b\u2028c", "d"]
    assert notes == []


@pytest.mark.parametrize(
    ("text", "message"),
    [("a\nb\n", "without a line: 'The cat ran.'"), ("a\nb\nc\nd\n", "too many: 'd'")],
)
def test_a_wrong_number_of_lines_names_the_first(tmp_path, benchmark, text, message):
    """One too few and one too many."""
    with pytest.raises(DataError, match=message):
        read_hypotheses(write(tmp_path, text), benchmark, "test")


@pytest.mark.parametrize("line", ["a", '{"id": "x", "hyp": "y"}'])
def test_a_file_without_end_is_not_read_to_its_end(tmp_path, benchmark, line):
    """Twenty million lines for a split of three were read before they were counted."""
    read, write_end = os.pipe()
    count = 0

    def pour():
        nonlocal count
        with contextlib.suppress(BrokenPipeError), os.fdopen(write_end, "w") as stream:
            for _ in range(2_000_000):
                stream.write(line + "\n")
                count += 1

    pouring = threading.Thread(target=pour)
    pouring.start()
    try:
        with pytest.raises(DataError):
            read_hypotheses(Path(f"/dev/fd/{read}"), benchmark, None)
    finally:
        os.close(read)
        pouring.join()
    assert count < 1_500_000  # the pipe was closed with most of them unwritten


def test_blank_hypotheses_are_noted(tmp_path, benchmark):
    """They count as wrong, and the user hears of it."""
    _, notes = read_hypotheses(write(tmp_path, "a\n\nc\n"), benchmark, "test")
    assert notes == ["1 hypotheses are blank; they count as wrong"]


def rows(*pairs):
    """Return JSON lines."""
    return "".join(json.dumps({"id": one, "hyp": hyp}) + "\n" for one, hyp in pairs)


def test_json_lines_may_cover_a_part(tmp_path, benchmark):
    """The user is told how many are not there."""
    one = benchmark.read("test")[1].id
    found, notes = read_hypotheses(write(tmp_path, rows((one, "x"))), benchmark)
    assert found == {one: "x"}
    assert notes == ["2 of 3 examples of split 'test' have no hypothesis"]


def test_a_split_chooses_json_lines_too(tmp_path, benchmark):
    """Rows of another split are left out and counted; none left is an error."""
    one, other = benchmark.read("test")[0].id, benchmark.read("train")[0].id
    path = write(tmp_path, rows((one, "x"), (other, "y")))
    assert set(read_hypotheses(path, benchmark)[0]) == {one, other}
    found, notes = read_hypotheses(path, benchmark, "test")
    assert found == {one: "x"}
    assert notes[0] == "1 rows of other splits are not scored"
    with pytest.raises(DataError, match="no row is of split 'train'"):
        read_hypotheses(write(tmp_path, rows((one, "x"))), benchmark, "train")
    with pytest.raises(ConfigError, match="no split 'tset'"):
        read_hypotheses(path, benchmark, "tset")


def test_json_lines_without_ids_are_refused(tmp_path, benchmark):
    """They are not taken for plain text that happens to be all wrong."""
    path = write(tmp_path, '{"hyp": "a"}\n{"hyp": "b"}\n{"hyp": "c"}\n')
    with pytest.raises(DataError, match='needs the texts "id" and "hyp"') as caught:
        read_hypotheses(path, benchmark)
    assert caught.value.hint == "it has: hyp"


def test_a_pipe_is_read_once_and_to_its_end(tmp_path, benchmark):
    """`--hyps <(cat FILE)`: what was looked at first is not lost."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    text = "a\nb\nc\n"
    writer = threading.Thread(target=lambda: path.write_text(text, encoding="utf-8"))
    writer.start()
    found, _ = read_hypotheses(path, benchmark, "test")
    writer.join()
    assert list(found.values()) == ["a", "b", "c"]


def test_packed_files_and_standard_input_are_read(tmp_path, benchmark, monkeypatch):
    """.gz by its name, - as everywhere."""
    path = tmp_path / "hyps.gz"
    path.write_bytes(gzip.compress(b"a\nb\nc\n"))
    packed, _ = read_hypotheses(path, benchmark, "test")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a\r\nb\nc\n")))
    assert read_hypotheses(Path("-"), benchmark, "test")[0] == packed


def test_unknown_and_duplicate_ids_are_refused(tmp_path, benchmark):
    """Each with its line."""
    one = benchmark.read("test")[0].id
    with pytest.raises(DataError, match="unknown id 'nope'"):
        read_hypotheses(write(tmp_path, rows((one, "x"), ("nope", "y"))), benchmark, "test")
    with pytest.raises(DataError, match="duplicate id") as caught:
        read_hypotheses(write(tmp_path, rows((one, "x"), (one, "y"))), benchmark, "test")
    assert caught.value.where is not None
    assert caught.value.where.line == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{'id': 1}\n{'id': 2}\n{'id': 3}\n", "a JSON object"),
        ('\n{"id": "a", "hyp": "x"}\n{"id": "b", "hyp": "y"}\n', "a JSON object"),
        ('["a", "x"]\n["b", "y"]\n["c", "z"]\n', "a JSON array"),
        ('[{"id": "a",\n"hyp": "x"}\n]\n', "JSON"),
        ('"x"\n"y"\n"z"\n', "a quoted text"),
        ("a\tx\nb\ty\nc\tz\n", "a row of columns"),
    ],
)
def test_syntax_is_not_scored_as_words(tmp_path, benchmark, text, told):
    """A file of another format is refused, though it has as many lines as the split."""
    with pytest.raises(DataError, match=f"looks like {told}, not like a translation"):
        read_hypotheses(write(tmp_path, text), benchmark, "test")


def test_one_line_that_looks_like_json_is_a_translation(tmp_path, benchmark):
    """A system may say anything in a line; only a whole file is a format."""
    found, _ = read_hypotheses(write(tmp_path, 'a\n{"b"}\n"c"\n'), benchmark, "test")
    assert list(found.values()) == ["a", '{"b"}', '"c"']


def test_standard_input_is_read_like_a_file(benchmark, monkeypatch):
    """A byte order mark is no part of the first hypothesis, and other encodings are refused."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfa\nb\nc\n")))
    assert list(read_hypotheses(Path("-"), benchmark, "test")[0].values()) == ["a", "b", "c"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a\n\xe9\nc\n")))
    with pytest.raises(DataError, match="not UTF-8 at byte 1"):
        read_hypotheses(Path("-"), benchmark, "test")
