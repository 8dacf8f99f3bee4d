"""Experiments: what a file says, and what it takes from another."""

from __future__ import annotations

import pytest

from recombine.builders.recipe import build
from recombine.errors import ConfigError
from recombine.experiment.experiment import check_experiment, read_experiment

BASE = 'benchmark = "b"\nrun = "runs/base"\nseeds = [1, 2]\n[system.toy]\nuse = "copy"\n'


def test_an_experiment_may_be_another_one_with_changes(tmp_path):
    """Systems are merged by name; the run is its own, so that neither writes into the other's."""
    (tmp_path / "base.toml").write_text(BASE, encoding="utf-8")
    (tmp_path / "mine.toml").write_text(
        'preset = "base.toml"\nseeds = [3]\n[system.other]\nuse = "copy"\n', encoding="utf-8"
    )
    experiment = read_experiment(tmp_path / "mine.toml")
    assert experiment.seeds == (3,)
    assert list(experiment.system) == ["toy", "other"]
    assert experiment.run.as_posix() == "runs/mine"


def test_an_unknown_preset_is_refused_with_its_line(tmp_path):
    """No experiments are shipped, so a bare name is none."""
    (tmp_path / "mine.toml").write_text('# mine\npreset = "base"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="no preset 'base'") as caught:
        read_experiment(tmp_path / "mine.toml")
    assert str(caught.value.where).startswith(f"{tmp_path / 'mine.toml'}:2")


def test_check_finds_every_problem_at_once(tmp_path):
    """Keys, systems, their options, metrics, the benchmark: each with its line."""
    path = tmp_path / "mine.toml"
    path.write_text(
        'benchmark = "nowhere"\nmetrics = ["exact", "nosuchmetric"]\nsead = [1]\n'
        '[system.a]\nuse = "nosuch"\n[system.b]\nuse = "copy"\nnonsense = 1\n',
        encoding="utf-8",
    )
    found = {problem.where.line: problem.message for problem in check_experiment(path)}
    assert sorted(found) == [1, 2, 3, 5, 8]
    assert "nowhere is not a benchmark" in found[1]
    assert "nosuchmetric" in found[2]
    assert "sead" in found[3]
    assert "'nosuch'" in found[5]
    assert "nonsense" in found[8]


def test_a_neutral_system_is_one_of_the_experiment_and_learns_nothing(tmp_path):
    """`control_system` names it; what learns from the benchmark is not neutral."""
    path = tmp_path / "mine.toml"
    path.write_text(f'control_system = "toy"\n{BASE}', encoding="utf-8")
    assert read_experiment(path).control_system == "toy"
    path.write_text(f'control_system = "opus"\n{BASE}', encoding="utf-8")
    with pytest.raises(ConfigError, match="'opus' is no system of this experiment"):
        read_experiment(path)
    trained = BASE.replace('use = "copy"', 'use = "transformer"')
    path.write_text(f'control_system = "toy"\n{trained}', encoding="utf-8")
    with pytest.raises(ConfigError, match="it is not neutral") as caught:
        read_experiment(path)
    assert 'train = "control"' in caught.value.hint


def test_check_knows_the_splits_of_the_benchmark(tmp_path):
    """A split that is not there is found before anything is translated."""
    (tmp_path / "s.en").write_text("a dog\n", encoding="utf-8")
    build("imported", tmp_path / "b", overrides=[f"split.test.source={tmp_path / 's.en'}"])
    path = tmp_path / "mine.toml"
    text = f'benchmark = "{tmp_path / "b"}"\nsplits = ["test"]\n[system.a]\nuse = "copy"\n'
    path.write_text(text, encoding="utf-8")
    assert check_experiment(path) == []
    path.write_text(text.replace('["test"]', '["test", "gen"]'), encoding="utf-8")
    (problem,) = check_experiment(path)
    assert (problem.where.line, "no split 'gen'" in problem.message) == (2, True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sample = -3", "'sample' must not be negative"),
        ('run = "BENCHMARK/run"', "would be written into the benchmark"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_once(small_benchmark, tmp_path, text, told):
    """Not by one system after the other, and never with files inside a benchmark."""
    path = tmp_path / "experiment.toml"
    text = text.replace("BENCHMARK", str(small_benchmark))
    path.write_text(f'benchmark = "{small_benchmark}"\n{text}\n[system.a]\nuse = "copy"\n', "utf-8")
    with pytest.raises(ConfigError, match=told):
        read_experiment(path)


def test_a_recipe_is_no_experiment(tmp_path):
    """The verb that is meant is named."""
    path = tmp_path / "recipe.toml"
    path.write_text('builder = "imported"\n', "utf-8")
    with pytest.raises(ConfigError, match="is a recipe") as caught:
        read_experiment(path)
    assert "recombine build" in (caught.value.hint or "")
