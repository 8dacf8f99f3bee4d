"""Kill anywhere: run again, and the result is the same bytes as without the kill."""

from __future__ import annotations

import random
import shutil
import signal
from pathlib import Path

import pytest

from faults.inputs import contents, difference, write_inputs
from faults.launch import Ended, WarmPython
from faults.services import capitals

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
STOPPED = "stopped; what was finished is kept, run the same command again to go on"
# Command, and the commands that come before it.
COMMANDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "build": ("build recipe.toml --out made", ()),
    "build --force": ("build recipe.toml --out made --force", ("build recipe.toml --out made",)),
    "build, divergent": ("build divergent.toml --out made", ()),
    "augment": ("augment benchmark -n 150 --out made", ()),
    "train": ("train train.toml", ()),
    "translate, command": ("translate command.toml", ()),
    "translate, HTTP": ("translate http.toml", ()),
    "translate, lines": (
        "translate --system dictionary -o path=words.tsv --input lines.en --output made",
        (),
    ),
    "score": ("score command.toml --force", ("translate command.toml",)),
    "report": (
        "report runs/command --out made",
        ("translate command.toml", "score command.toml"),
    ),
    "run": ("run all.toml", ()),
}


ROUND = 25  # kills in one test


def pytest_generate_tests(metafunc):
    """Share the kills of a command between tests, which can be run apart."""
    if "turn" in metafunc.fixturenames:
        kills = metafunc.config.getoption("--moments")
        metafunc.parametrize("turn", range(-(-kills // ROUND)))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_ends_in_the_same_bytes(name, turn, tmp_path, warm, survive, request):
    """SIGKILL, SIGTERM and Ctrl-C at seeded random moments, then the same command again."""
    moments = min(ROUND, request.config.getoption("--moments") - turn * ROUND)
    command, before = COMMANDS[name]
    with capitals() as url:
        clean = tmp_path / "clean"
        write_inputs(clean, url)
        for one in before:
            assert _ended(warm, one, clean).code == 0
        whole = tmp_path / "whole"
        shutil.copytree(clean, whole)
        first = _ended(warm, command, whole)
        assert first.fault(0) == ""
        expected = contents(whole)
        again = tmp_path / "again"
        shutil.copytree(clean, again)
        seconds = min(first.seconds, _ended(warm, command, again).seconds)
        assert difference(contents(again), expected) == "", "not the same bytes twice"
        draw = random.Random(f"{name} {turn}")
        failed: list[str] = []
        for number in range(moments):
            kind = SIGNALS[number % len(SIGNALS)]
            after = draw.random() * seconds
            place = tmp_path / f"kill-{number}"
            shutil.copytree(clean, place)
            killed = _ended(warm, command, place, kill=kind, after=after)
            wrong = _wrong_end(killed, kind)
            if not wrong:
                ended = _ended(warm, command, place)
                wrong = ended.fault(0) or difference(contents(place), expected)
            survive(f"kill {name}", kind.name, wrong, later=True)
            if wrong:
                failed.append(f"{kind.name} after {after:.3f} of {seconds:.3f} s, {place}: {wrong}")
            else:
                shutil.rmtree(place)
    assert failed == []


def _ended(warm: WarmPython, command: str, folder: Path, **options: object) -> Ended:
    return warm.run(command.split(), folder, **options)


def _wrong_end(ended: Ended, kind: int) -> str:
    """Ctrl-C and SIGTERM end with one line and their code; a command may have been faster."""
    if "Traceback" in ended.err:
        return f"a traceback: {ended.err[-600:]}"
    if kind == signal.SIGKILL or ended.code == 0:
        return "" if ended.code in (0, -signal.SIGKILL) else f"exit {ended.code}"
    if ended.code == -kind:
        # Before its first or after its last line of ours; a shell says 128 + kind of it.
        return ""
    said = [line for line in ended.err.splitlines() if not line.startswith("note:")]
    if ended.code != 128 + kind or said[-1:] != [STOPPED] or said.count(STOPPED) != 1:
        return f"exit {ended.code}, and it said {ended.err[-300:]!r}"
    return ""
