"""Output from anywhere is matched by order or by id, and mismatches are named."""

from __future__ import annotations

import json

import pytest

from recombine.benchmark import Benchmark
from recombine.errors import DataError
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


def test_blank_hypotheses_are_noted(tmp_path, benchmark):
    """They count as wrong, and the user hears of it."""
    _, notes = read_hypotheses(write(tmp_path, "a\n\nc\n"), benchmark, "test")
    assert notes == ["1 hypotheses are blank; they count as wrong"]


def rows(*pairs):
    """Return JSON lines."""
    return "".join(json.dumps({"id": one, "hyp": hyp}) + "\n" for one, hyp in pairs)


def test_json_lines_may_cover_a_subset(tmp_path, benchmark):
    """The user is told how many are scored."""
    one = benchmark.read("test")[1].id
    found, notes = read_hypotheses(write(tmp_path, rows((one, "x"))), benchmark, "test")
    assert found == {one: "x"}
    assert notes == ["1 of 3 examples of split 'test' are covered and scored"]


def test_unknown_and_duplicate_ids_are_refused(tmp_path, benchmark):
    """Each with its line."""
    one = benchmark.read("test")[0].id
    with pytest.raises(DataError, match="unknown id 'nope'"):
        read_hypotheses(write(tmp_path, rows((one, "x"), ("nope", "y"))), benchmark, "test")
    with pytest.raises(DataError, match="duplicate id") as caught:
        read_hypotheses(write(tmp_path, rows((one, "x"), (one, "y"))), benchmark, "test")
    assert caught.value.where is not None
    assert caught.value.where.line == 2
