"""Run: the directory of an experiment, one folder per system and seed.

    run/experiment.toml
    run/<system>/seed-N/run.json            resolved options, versions, times
    run/<system>/seed-N/model/              a trained model
    run/<system>/seed-N/translations/<split>.jsonl, <split>.meta.json
    run/<system>/seed-N/scores/<metric>.<split>.jsonl, scores.csv

Each stage stores its key beside its output (`recombine.stage`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from recombine.errors import ConfigError
from recombine.files import read_json, write_json

_NAME = re.compile(r"[^\W_][\w.-]*")
_SEED = re.compile(r"-?[0-9]+")


class Run:
    """The directory of one experiment."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def cell(self, system: str, seed: int) -> Cell:
        """Return the folder of one system and seed."""
        if not _NAME.fullmatch(system):
            raise ConfigError(
                f"system name '{system}' cannot be a folder name",
                hint="use letters, digits, '.', '_' and '-'",
            )
        return Cell(self.path / system / f"seed-{seed}", system, seed)

    def cells(self) -> list[Cell]:
        """Return every system and seed of the run, in a stable order."""
        cells = []
        for path in self.path.glob("*/seed-*"):
            seed = path.name.removeprefix("seed-")
            if path.is_dir() and _SEED.fullmatch(seed):
                cells.append(Cell(path, path.parent.name, int(seed)))
        return sorted(cells, key=lambda cell: (cell.system, cell.seed))


class Cell:
    """One system with one seed: its model, translations and scores."""

    def __init__(self, path: Path, system: str, seed: int) -> None:
        self.path = path
        self.system = system
        self.seed = seed

    @property
    def record_path(self) -> Path:
        """`run.json`: how this was made."""
        return self.path / "run.json"

    @property
    def model(self) -> Path:
        """The folder of the trained model."""
        return self.path / "model"

    def translations(self, split: str, checkpoint: str | None = None) -> Path:
        """Return the file of a split's translations, of a given checkpoint if named."""
        name = split if checkpoint is None else f"{split}@{checkpoint}"
        return self.path / "translations" / f"{name}.jsonl"

    def scores(self, metric: str, split: str, checkpoint: str | None = None) -> Path:
        """Return the file of a metric's observations on a split."""
        name = split if checkpoint is None else f"{split}@{checkpoint}"
        # A metric given as ./file.py:Name is stored under Name.
        return self.path / "scores" / f"{metric.rpartition(':')[2]}.{name}.jsonl"

    def record(self) -> dict[str, Any]:
        """Return what `run.json` holds, or nothing yet."""
        if not self.record_path.exists():
            return {}
        value: dict[str, Any] = read_json(self.record_path)
        return value

    def update_record(self, **values: Any) -> None:
        """Add to `run.json`."""
        write_json(self.record_path, {**self.record(), **values})
