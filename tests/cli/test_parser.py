"""Every verb answers --help at once, with an example."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from recombine.cli.parser import make_parser

VERBS = (
    *("list", "check", "sample", "build", "export", "divergence", "contamination"),
    *("train", "translate", "score", "report", "run"),
)


@pytest.mark.parametrize("verb", VERBS)
def test_help_shows_an_example(verb, capsys):
    """A first-time user copies it."""
    with pytest.raises(SystemExit) as caught:
        make_parser().parse_args([verb, "--help"])
    assert caught.value.code == 0
    assert f"example:\n  recombine {verb}" in capsys.readouterr().out


def test_help_answers_without_loading_anything_heavy():
    """Under 0.3 s; the best of five, since the machine may be busy."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        command = [sys.executable, "-m", "recombine.cli", "score", "--help"]
        subprocess.run(command, capture_output=True, check=True)
        times.append(time.perf_counter() - started)
    assert min(times) < 0.3


@pytest.mark.parametrize("verb", ["build", "train", "translate", "score", "run"])
def test_long_verbs_have_dry_run_and_sample(verb, capsys):
    """What would be done, before it is."""
    with pytest.raises(SystemExit):
        make_parser().parse_args([verb, "--help"])
    text = capsys.readouterr().out
    assert "--dry-run" in text
    assert "--sample" in text
