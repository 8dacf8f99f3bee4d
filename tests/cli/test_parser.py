"""Every verb answers --help at once, with an example."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from parsed_corpora import made_up, write_conllu
from recombine.benchmark import Benchmark
from recombine.cli import main
from recombine.cli.parser import VERBS as VERBS_OF_PARSER
from recombine.cli.parser import make_parser
from recombine.files import read_table
from recombine.registry import data_path

VERBS = (
    *("list", "sample", "build", "check", "export", "clean", "divergence", "contamination"),
    *("augment", "train", "translate", "score", "compare", "run", "report", "completion"),
)


@pytest.mark.parametrize("verb", VERBS)
def test_help_shows_an_example(verb, capsys):
    """A first-time user copies it."""
    with pytest.raises(SystemExit) as caught:
        make_parser().parse_args([verb, "--help"])
    assert caught.value.code == 0
    assert f"example:\n  recombine {verb}" in capsys.readouterr().out


def test_help_explains_every_argument():
    """A first-time user need not guess what an argument is."""
    unexplained = []
    for verb in VERBS_OF_PARSER:
        parser = argparse.ArgumentParser()
        verb.add_arguments(parser)
        unexplained += [f"{verb.name} {a.dest}" for a in parser._actions if not a.help]
    assert unexplained == []


def example_of(verb: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the words of the example that a verb's help shows, from the verb on."""
    with pytest.raises(SystemExit):
        make_parser().parse_args([verb, "--help"])
    return shlex.split(capsys.readouterr().out.rpartition("example:\n")[2])[1:]


EXPERIMENT = """
benchmark = "out/sget-mini"
run = "runs/quickstart"
sample = 42
metrics = ["exact"]

[system.small]
use = "transformer"
preset = "tiny"
steps = 20
"""


@pytest.fixture
def files_of_the_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the examples name, but for what other examples make."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "experiment.toml").write_text(EXPERIMENT, encoding="utf-8")
    (tmp_path / "corpus.txt").write_text("The dog ran.\n" * 9, encoding="utf-8")
    (tmp_path / "source.txt").write_text("The dog ran.\nA cat slept.\n", encoding="utf-8")
    for name, seed in (("train.conllu", 1), ("test.conllu", 2)):
        write_conllu(tmp_path / name, made_up(3_000, seed=seed, words=400))
    (tmp_path / "corpus.en").write_text("The house is old.\n", encoding="utf-8")
    (tmp_path / "corpus.fr").write_text("La maison est ancienne.\n", encoding="utf-8")
    translator = tmp_path / "bin" / "apertium"
    translator.parent.mkdir()
    translator.write_text("#!/bin/sh\nexec cat\n", encoding="utf-8")
    translator.chmod(0o755)
    monkeypatch.setenv("PATH", f"{translator.parent}:{os.environ['PATH']}")
    return tmp_path


def test_every_example_works(files_of_the_examples, monkeypatch, capsys):
    """Those that read what the one before them made come after it."""
    for verb in VERBS:
        words = example_of(verb, capsys)
        given = Path(words.pop() if "<" in words else os.devnull)
        if verb == "score":
            gen = Benchmark.open("out/sget-mini").read("gen")
            lines = "".join(f"{example.references[0]}\n" for example in gen)
            for name in ("hypotheses", "ours", "theirs"):
                Path(f"{name}.txt").write_text(lines, encoding="utf-8")
        with given.open(encoding="utf-8") as standard_input:
            monkeypatch.setattr(sys, "stdin", standard_input)
            assert main([word for word in words if word != "<"]) == 0, verb
        printed = capsys.readouterr().out
        if verb == "translate":
            assert printed == Path("source.txt").read_text(encoding="utf-8")
        if verb == "score":
            assert "100.0" in printed


@pytest.mark.parametrize(
    ("word", "meant"), [("BUILD", "build"), ("scoer", "score"), ("new_language", "new-language")]
)
def test_a_word_that_is_no_verb_is_answered_with_the_nearest(word, meant, capsys):
    """In any case of letters."""
    assert main([word, "sget-mini"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"error: recombine has no verb '{word}'",
        f"hint: did you mean 'recombine {meant}'?",
    ]


@pytest.mark.parametrize("verb", VERBS_OF_PARSER)
def test_every_verb_has_an_example_of_itself(verb):
    """The example of a verb calls it."""
    assert f"recombine {verb.name} " in f"{verb.example} "


LOADED = """
import contextlib, sys
before = set(sys.modules)
import recombine
hub = set(sys.modules)
from recombine.cli import main
for verb in sys.argv[1:]:
    with contextlib.suppress(SystemExit):
        main([*filter(None, [verb]), "--help"])
print(*sorted(hub - before), "|", *sorted(set(sys.modules) - before), file=sys.stderr)
"""


def test_help_loads_nothing_heavy():
    """It answers at once: of the package a few small files, of other packages none at all."""
    command = [sys.executable, "-c", LOADED, "", *VERBS]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    hub, loaded = (words.split() for words in done.stderr.split("|"))
    ours = {name for name in loaded if name.partition(".")[0] == "recombine"}
    assert {name.partition(".")[0] for name in {*loaded} - ours} <= sys.stdlib_module_names
    allowed = {"recombine", "recombine.errors", "recombine.moved", "recombine.progress"}
    assert {name for name in ours if not name.startswith("recombine.cli")} <= allowed
    assert {name for name in hub if name.startswith("recombine")} <= allowed
    assert done.stdout.count("usage: recombine") == len(VERBS) + 1


LONG = (
    *("build", "export", "divergence", "contamination", "augment"),
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


def test_every_option_has_a_meaning(capsys):
    """`recombine list NAME` explains each, and explains none that is not there."""
    assert main(["list", "builders", "systems", "metrics", "--options", "--json"]) == 0
    known: dict[str, set[str]] = {}
    unexplained = []
    for classes in json.loads(capsys.readouterr().out).values():
        for name, options in classes.items():
            known.setdefault(name, set()).update(option["name"] for option in options)
            unexplained += [f"{name}.{one['name']}" for one in options if not one["meaning"]]
    assert unexplained == []
    known["*"] = set().union(*known.values())
    rows = read_table(data_path("words", "options.tsv"), ("of", "option", "meaning"))
    assert [row for row in rows if row["option"] not in known[row["of"]]] == []
