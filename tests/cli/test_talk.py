"""Talk goes to standard error, data to standard output."""

from __future__ import annotations

import io

from recombine.cli.talk import SafeTerminal, fitted, print_data, print_tree, say
from recombine.report.tables.table import Estimate, Table


def test_talk_and_data_are_apart(capsys):
    """A script can pipe the data."""
    say("hello")
    print_tree({"a": {"b": 1}, "c": [2]})
    captured = capsys.readouterr()
    assert captured.err == "hello\n"
    assert captured.out == "a:\n  b: 1\nc:\n  2\n"


def test_data_is_an_outline_or_json(capsys):
    """People and programs read the same."""
    print_data({"a": 1}, False)
    print_data({"a": 1}, True)
    assert capsys.readouterr().out == 'a: 1\n{\n  "a": 1\n}\n'


def test_what_is_quoted_does_not_move_the_cursor(capsys):
    """Answers of services and talk of programs are shown, not obeyed."""
    say("a\x1b[2Jb\tc\nd")
    assert capsys.readouterr().err == "a\\x1b[2Jb\tc\nd\n"


def test_no_verb_can_forget_it_on_a_terminal():
    """Whatever is printed where a person reads is shown as text."""
    written = io.BytesIO()
    stdout = SafeTerminal(written, "utf-8", line_buffering=True)
    print("a\x1b[2Jb\tc\n猫", file=stdout)
    assert written.getvalue().decode() == "a\\x1b[2Jb\tc\n猫\n"


WIDE = Table(
    "t", "Scores", ("system", "exact, new structures", "BLEU, familiar structures"),
    (("recombined", Estimate(51.6, 49.4, 53.9), Estimate(97.0, 93.6, 98.6)),
     ("plain", Estimate(32.5, 30.4, 34.6), Estimate(98.0, 95.0, 99.2))),
    ("A note that is longer than forty columns, which is wrapped.",),
)  # fmt: skip


def test_a_table_fits_its_terminal():
    """Side by side where there is room, or the output is a file; else a block per column."""
    assert fitted(WIDE, 0) == fitted(WIDE, 200) == str(WIDE)
    narrow = fitted(WIDE, 40)
    assert max(map(len, narrow.splitlines())) <= 40
    assert "exact, new structures\n  recombined  51.6 (49.4 to 53.9)" in narrow


def test_rows_that_have_several_names_are_blocks():
    """Each row keeps its names in one line, its numbers below; what all share is told once."""
    rows = (("gen", "exact", 1900, 51.6, "a"), ("gen", "bleu", 1900, 60.0, "b"))
    table = Table("t", "", ("split", "metric", "n", "score", "better"), rows)
    assert fitted(table, 16).split("\n\n") == [
        "split gen",
        "exact\n  n 1,900\n  score 51.6\n  better a",
        "bleu\n  n 1,900\n  score 60.0\n  better b",
    ]
