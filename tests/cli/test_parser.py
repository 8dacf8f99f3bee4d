"""Every verb answers --help at once, with an example."""

from __future__ import annotations

import resource
import shlex
import subprocess
import sys

import pytest

from recombine.cli import main
from recombine.cli.parser import make_parser

VERBS = (
    *("list", "check", "sample", "build", "export", "clean", "divergence", "contamination"),
    *("train", "translate", "score", "report", "run"),
)


@pytest.mark.parametrize("verb", VERBS)
def test_help_shows_an_example(verb, capsys):
    """A first-time user copies it."""
    with pytest.raises(SystemExit) as caught:
        make_parser().parse_args([verb, "--help"])
    assert caught.value.code == 0
    assert f"example:\n  recombine {verb}" in capsys.readouterr().out


def example_of(verb: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the words of the example that a verb's help shows, from the verb on."""
    with pytest.raises(SystemExit):
        make_parser().parse_args([verb, "--help"])
    return shlex.split(capsys.readouterr().out.rpartition("example:\n")[2])[1:]


def test_the_examples_that_need_nothing_work(tmp_path, monkeypatch, capsys):
    """Those that read what the one before them made come after it."""
    monkeypatch.chdir(tmp_path)
    for verb in ("list", "sample", "build", "check", "export"):
        assert main(example_of(verb, capsys)) == 0, verb


def processor_seconds(command: list[str]) -> float:
    """User and system time of a command: the wall clock measures the neighbours too."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_help_answers_without_loading_anything_heavy(verb):
    """Under 0.3 s; the better of two."""
    command = [sys.executable, "-m", "recombine.cli", *filter(None, [verb]), "--help"]
    assert min(processor_seconds(command) for _ in range(2)) < 0.3


def test_importing_the_package_loads_nothing():
    """The hub is a few small files."""
    command = [sys.executable, "-c", "import recombine"]
    assert min(processor_seconds(command) for _ in range(2)) < 0.2


LONG = (
    *("build", "export", "divergence", "contamination"),
    *("train", "translate", "score", "report", "run"),
)


@pytest.mark.parametrize("verb", LONG)
def test_long_verbs_have_dry_run_and_sample(verb, capsys):
    """What would be done, before it is."""
    with pytest.raises(SystemExit):
        make_parser().parse_args([verb, "--help"])
    text = capsys.readouterr().out
    assert "--dry-run" in text
    assert "--sample" in text
