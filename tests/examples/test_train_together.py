"""The example that trains different experiments together leaves what `recombine` goes on from."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from recombine.cli import main

EXPERIMENT = """
benchmark = "{benchmark}"
run = "{run}"
splits = ["test"]
metrics = ["exact"]
[system.{use}]
use = "{use}"
{options}
"""


def test_experiments_are_trained_translated_and_can_be_scored(
    repository: Path, small_benchmark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prepared first, as for a machine without a segmenter; nothing is left to train after it."""
    run = tmp_path / "run"
    paths = []
    for use, options in (
        ("transformer", 'preset = "tiny"\nsteps = 2'),
        ("lstm", "width = 8\nencoder_layers = 1\ndecoder_layers = 1\nsteps = 2\nbatch_size = 2"),
    ):
        path = tmp_path / f"{use}.toml"
        path.write_text(
            EXPERIMENT.format(benchmark=small_benchmark, run=run, use=use, options=options)
        )
        paths.append(str(path))
    script = str(repository / "examples" / "reproduce-sget" / "train_together.py")
    for flags in (["--prepare"], []):
        monkeypatch.setattr(sys, "argv", [script, *flags, *paths])
        runpy.run_path(script, run_name="__main__")
        assert (run / "lstm" / "seed-1" / "model" / "data").is_dir()
        assert (run / "lstm" / "seed-1" / "translations").exists() != bool(flags)
    for path in paths:
        assert main(["score", path]) == 0
    assert len(list(run.glob("*/seed-1/scores.csv"))) == 2
