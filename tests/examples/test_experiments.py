"""Every experiment file among the examples is understood."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from recombine.experiment.experiment import read_experiment


def test_every_experiment_is_read(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unknown keys, systems and options would be named."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.tsv").write_text("cat\tgato\n")  # cross-suite/words.py makes a real one
    paths = sorted((repository / "examples").glob("*/*.toml"))
    experiments = [path for path in paths if "system" in tomllib.loads(path.read_text())]
    assert len(experiments) >= 8
    for path in experiments:
        assert read_experiment(path).system
