"""What the verbs show while they work."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

SLOW = """
import time
from dataclasses import dataclass

from recombine.benchmark import Example


@dataclass(kw_only=True)
class System:
    def translate(self, sources):
        for source in sources:
            time.sleep(0.4)
            yield source


@dataclass(kw_only=True)
class Builder:
    def build(self, draft):
        time.sleep(1.5)
        draft.write("test", [Example.make(source="a dog", references=["ein Hund"])])
"""
MOVES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a slow system, a slow builder and a text."""
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "text").write_text("one\ntwo\nthree\nfour\n")
    return tmp_path


def on_terminal(folder: Path, *arguments: str, stdout: int | None = None) -> tuple[str, int]:
    """Run the command line on a pseudo-terminal; return what it showed and its exit code."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "recombine.cli", *arguments],
        cwd=folder,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        stdin=follower,
        stdout=follower if stdout is None else stdout,
        stderr=follower,
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(leader)
    return shown.decode("utf-8"), process.wait()


def lines_left(shown: str) -> list[str]:
    """The lines that stay on the terminal: what a bar drew is erased."""
    lines, row = [""], 0
    for part in re.split(r"(\x1b\[[0-9;?]*[A-Za-z]|\n|\r)", shown):
        if part == "\n":
            row += 1
            lines.extend([""] * (row + 1 - len(lines)))
        elif part.endswith("A") and part.startswith("\x1b["):
            row -= int(part[2:-1])
        elif part == "\x1b[2K":
            lines[row] = ""
        elif part != "\r" and not part.startswith("\x1b"):
            lines[row] += part
    return [line for line in lines if line]


TRANSLATE = ("translate", "--system", "./slow.py:System", "--input", "text", "--output", "out")


def test_a_long_verb_draws_a_bar_on_a_terminal(folder):
    """It counts, then goes; the last word is what was done."""
    shown, code = on_terminal(folder, *TRANSLATE)
    assert code == 0
    assert re.search(r"translate .*━.*[1-3]/4", MOVES.sub("", shown))
    assert lines_left(shown) == ["out: 4 lines"]
    assert shown.rfind("\x1b[?25h") > shown.rfind("\x1b[?25l"), "the cursor stays hidden"


def test_silent_work_shows_that_it_goes_on(folder):
    """A builder without a bar of its own is not taken for dead."""
    shown, code = on_terminal(folder, "build", "./slow.py:Builder", "--out", "b")
    assert code == 0
    assert "recombine build" in shown
    assert lines_left(shown) == ["b: built (test 1)"]


def test_a_bar_and_data_do_not_meet(folder, tmp_path):
    """Data in a file is clean; data on the terminal takes the place of the bar."""
    with (tmp_path / "data").open("wb") as stream:
        shown, _ = on_terminal(folder, *TRANSLATE[:-2], stdout=stream.fileno())
    assert (tmp_path / "data").read_text() == "one\ntwo\nthree\nfour\n"
    assert "━" in shown
    shown, _ = on_terminal(folder, *TRANSLATE[:-2])
    assert lines_left(shown) == ["one", "two", "three", "four"]


def test_no_bar_without_a_terminal(folder):
    """A log gets words only, and none from short work."""
    command = [sys.executable, "-m", "recombine.cli", *TRANSLATE]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True, text=True)
    assert done.stdout == ""
    assert done.stderr == "out: 4 lines\n"
