"""Bars on a terminal, plain lines in a log."""

from __future__ import annotations

import io
import os
import sys
import time

import pytest

from recombine import progress as module
from recombine.progress import give_way, only_ours, progress, step, steps, waiting


class Terminal(io.StringIO):
    """A terminal that remembers what was written to it."""

    def isatty(self):
        return True


def open_terminal(monkeypatch):
    """Make standard error a terminal; called in the test, since pytest sets it anew before."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return shown


def last_drawn(terminal, *wanted, since=0):
    """What the bars show once they show all of this, drawn after so many characters."""
    end = time.monotonic() + 120
    while True:
        shown = terminal.getvalue()[since:].rpartition("\x1b[2K")[2]
        if all(one in shown for one in wanted) or time.monotonic() > end:
            return shown
        time.sleep(0.01)


def test_work_inside_other_work_takes_its_place(monkeypatch):
    """One line, the innermost: two displays would write over each other."""
    terminal = open_terminal(monkeypatch)
    with progress("outer", 2) as outer:
        outer.advance()
        with progress("inner [x]") as inner:
            inner.advance(1234)
            inner.note(loss=0.5)
            shown = last_drawn(terminal, "inner [x] loss 0.5", "1,234")
            assert "inner [x] loss 0.5" in shown
            assert "1,234" in shown
            assert "outer" not in shown
        assert "1/2" in last_drawn(terminal, "1/2")


def test_silence_is_filled_and_gives_way(monkeypatch):
    """A bar of its own keeps the other one hidden; words send it away for a while."""
    terminal = open_terminal(monkeypatch)
    with waiting("thinking", after=0.1):
        assert "thinking" in last_drawn(terminal, "thinking")
        with progress("real work", 3):
            shown = last_drawn(terminal, "real work")
            assert "real work" in shown
            assert "thinking" not in shown
        give_way()
        hidden = len(terminal.getvalue())
        assert "thinking" in last_drawn(terminal, "thinking", since=hidden)
    drawn = terminal.getvalue()
    assert last_drawn(terminal).strip() == ""
    time.sleep(0.3)
    assert terminal.getvalue() == drawn


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes when it is told, for a log that nobody watches live."""

    class Clock:
        now = 1000.0

        def __call__(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(module, "_log", module._Log(clock))
    return clock


def test_short_work_leaves_no_line_in_a_log(clock, capsys):
    """A log is for work that somebody waits for."""
    with progress("read", 3) as bar:
        for _ in range(3):
            clock.now += 3
            bar.advance()
    assert capsys.readouterr().err == ""


def test_long_work_says_how_far_it_is(clock, capsys):
    """A line every ten seconds however often it counts, and one when it is done."""
    with progress("translate", 400) as bar:
        for _ in range(400):
            clock.now += 0.0625
            bar.advance()
    assert capsys.readouterr().err.splitlines() == [
        "translate: 160/400 (40%), 10 s, 15 s left",
        "translate: 320/400 (80%), 20 s, 5 s left",
        "translate: 400/400 (100%) in 25 s",
    ]


def test_one_item_is_no_pace(clock, capsys):
    """One sentence after a long start told "994 h left"; what was done before tells nothing."""
    with progress("translate", 300_000) as bar:
        bar.advance(100_000)  # by an earlier run
        clock.now += 12
        bar.advance()
        for _ in range(640):
            clock.now += 1 / 64
            bar.advance()
    assert capsys.readouterr().err.splitlines()[:2] == [
        "translate: 100,001/300,000 (33%), 12 s",
        "translate: 100,641/300,000 (34%), 22 s, 1 h 54 min left",
    ]


def test_work_of_unknown_size_counts_and_shows_its_values(clock, capsys):
    """Long times are said in minutes and hours."""
    with progress("training") as bar:
        clock.now += 200
        bar.advance(1234)
        clock.now += 7200
        bar.note(loss=0.51234, epoch=3)
    assert capsys.readouterr().err.splitlines() == [
        "training: 1,234, 3 min 20 s",
        "training: 1,234, 2 h 3 min loss 0.5123 epoch 3",
        "training: 1,234 in 2 h 3 min loss 0.5123 epoch 3",
    ]


def test_works_within_each_other_share_the_pace(clock, capsys):
    """One line in ten seconds in all, not from each."""
    with progress("outer", 2) as outer:
        with progress("inner", 2) as inner:
            clock.now += 12
            inner.advance()
            outer.advance()
            clock.now += 5
            inner.advance()
        outer.advance()
    assert capsys.readouterr().err.splitlines() == [
        "inner: 1/2 (50%), 12 s",
        "inner: 2/2 (100%) in 17 s",
        "outer: 2/2 (100%) in 17 s",
    ]


def test_work_that_fails_does_not_say_that_it_is_done(clock, capsys):
    """The error that follows is the last word."""

    def work():
        with progress("read", 2):
            clock.now += 60
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        work()
    assert capsys.readouterr().err == ""


def test_work_that_counts_nothing_gives_a_sign_of_life(clock, capsys):
    """A verb that is silent for long is not taken for dead."""
    with waiting("recombine build", after=0.01):
        clock.now += 11
        while module._log.spoke < clock.now:
            time.sleep(0.01)
    assert capsys.readouterr().err == "recombine build: 11 s\n"


def test_work_that_counts_seldom_is_named(clock, capsys):
    """A log of "recombine run: 8 min" would not tell what it is waiting for."""
    with waiting("recombine run", after=0.01), progress("training", 600):
        clock.now += 11
        while module._log.spoke < clock.now:
            time.sleep(0.01)
    assert capsys.readouterr().err.splitlines()[0] == "training: 0/600 (0%), 11 s"


def test_a_copy_of_the_process_is_silent(clock, capsys, monkeypatch):
    """Workers would say the same many times over."""
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with progress("read", 2) as bar:
        clock.now += 60
        bar.advance()
    assert capsys.readouterr().err == ""


def test_what_others_write_into_a_log_is_dropped_and_ours_is_not(clock, capsys):
    """A model that loads for minutes is named, without the bars of its library."""
    with progress("load model") as bar, only_ours():
        print("theirs", file=sys.stderr)
        clock.now += 11
        bar.note()
        clock.now += 1
    print("after", file=sys.stderr)
    assert capsys.readouterr().err.splitlines() == [
        "load model: 11 s ", "load model: 12 s ", "after",
    ]  # fmt: skip


def test_a_step_of_a_command_has_its_number(monkeypatch):
    """What is going on, of how many steps, how far it is; what is no step has no number."""
    terminal = open_terminal(monkeypatch)
    names = ["train plain", "train recombined", "score"]
    with steps(names), step("train recombined"), progress("transformer seed 1", 600) as bar:
        bar.advance(350)
        shown = last_drawn(terminal, "350/600")
        assert "[2/3] train recombined, transformer seed 1" in shown
    with step("train plain"), progress("transformer seed 1"):
        assert "/3]" not in last_drawn(terminal, "train plain, transformer seed 1")
    with progress("seed 1"):
        assert "train" not in last_drawn(terminal, "seed 1")


def test_the_count_is_whole_on_a_narrow_terminal(monkeypatch):
    """At 80 columns it shrank to `38/1... 0:0...`; the words before it are shortened."""
    terminal = open_terminal(monkeypatch)
    monkeypatch.setenv("COLUMNS", "80")
    with progress("a long description of what is going on " * 3, 100_000) as bar:
        bar.advance(12_345)
        shown = last_drawn(terminal, "12,345/100,000")
        assert "12,345/100,000, " in shown
        assert "…" in shown


def test_a_sign_of_life_names_the_step(monkeypatch):
    """What counts nothing is known by the step that it belongs to."""
    terminal = open_terminal(monkeypatch)
    with waiting("recombine run", after=0.1), steps(["score", "report"]), step("report"):
        assert "[2/2] report" in last_drawn(terminal, "[2/2] report")
