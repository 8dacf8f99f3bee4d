"""Experiments: what a file says, and what it takes from another."""

from __future__ import annotations

import pytest

from recombine.errors import ConfigError
from recombine.experiment.experiment import read_experiment

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
