"""Every experiment file among the examples is understood."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import pytest

from recombine.config import dump_toml
from recombine.experiment.experiment import read_experiment


def test_every_experiment_is_read(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unknown keys, systems and options would be named."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.tsv").write_text("cat\tgato\n")  # cross-suite/words.py makes a real one
    paths = sorted((repository / "examples").glob("*/*.toml"))
    found = {path: tomllib.loads(path.read_text()) for path in paths}
    # who-composes lists systems for several suites, and is read by its own script.
    experiments = [p for p, said in found.items() if "system" in said and "suite" not in said]
    assert len(experiments) >= 8
    for path in experiments:
        assert read_experiment(path).system


def test_the_systems_that_are_compared_are_read(repository: Path, tmp_path: Path) -> None:
    """The file of `who_composes.py` is of systems; each makes an experiment of its own."""
    path = repository / "examples" / "who-composes" / "systems.toml"
    for name, given in tomllib.loads(path.read_text())["engine"].items():
        assert len(given.pop("pair").split("-")) == 2
        made = tmp_path / f"{name}.toml"
        made.write_text(dump_toml({"benchmark": "out", "system": {name: given}}))
        assert set(read_experiment(made).system) == {name}


def test_experiments_train_what_the_pages_report(repository: Path) -> None:
    """Seeds and steps of the raw files; the smaller models of DBCA have one set of options."""
    examples, results = repository / "examples", repository / "docs" / "results"
    with (results / "sget" / "official-cells.csv").open(encoding="utf-8", newline="") as lines:
        cells = [row for row in csv.DictReader(lines) if row["model"] == "whole-words"]
    words = tomllib.loads((examples / "reproduce-sget" / "without-subwords.toml").read_text())
    assert {int(row["seed"]) for row in cells} == set(words["seeds"])
    novel = results / "compounds" / "europarl-en-de-novel.csv"
    columns = novel.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
    compounds = tomllib.loads((examples / "recombine-natural" / "compounds.toml").read_text())
    assert [f"plain-{seed}" for seed in compounds["seeds"]] == [c for c in columns if "plain" in c]
    with (results / "divergent" / "other-splits.csv").open(encoding="utf-8", newline="") as lines:
        splits = list(csv.DictReader(lines))
    smaller = tomllib.loads((examples / "reproduce-dbca" / "smaller.toml").read_text())
    assert {int(row["seed"]) for row in splits} == set(smaller["seeds"])
    plain = smaller["system"]["plain"]
    assert {int(row["steps"]) for row in splits} == {plain["steps"]}
    longer = tomllib.loads((examples / "recombine-natural" / "dbca.toml").read_text())
    lengths = {"steps", "evaluate_every", "checkpoint_every"}
    assert {
        key for key, value in longer["system"]["plain"].items() if plain[key] != value
    } == lengths
    readme = (examples / "reproduce-dbca" / "README.md").read_text()
    for row in splits:
        assert f"{row['language']}-{row['split']}-{row['split seed']}" in readme, row
