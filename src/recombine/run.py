"""Run: the directory of an experiment, one folder per system and seed.

    run/experiment.toml
    run/<system>/seed-N/run.json            resolved options, versions, times
    run/<system>/seed-N/model/              a trained model
    run/<system>/seed-N/translations/<split>.jsonl, <split>.meta.json
    run/<system>/seed-N/scores/<metric>.<split>.jsonl, scores.csv

Each stage stores the fingerprint of its inputs beside its output. Equal fingerprint: the output is
kept. Different: the stage stops and names the field, it never reuses silently.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from recombine.errors import ConfigError, StaleOutput
from recombine.files import Appender, read_json, write_json

__all__ = ["Appender", "Cell", "Meta", "Run", "difference", "progress"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


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
        found = []
        for path in self.path.glob("*/seed-*"):
            seed = path.name.removeprefix("seed-")
            if path.is_dir() and seed.isdigit():
                found.append(Cell(path, path.parent.name, int(seed)))
        return sorted(found, key=lambda cell: (cell.system, cell.seed))


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


class Meta:
    """The side file of an output: the fingerprint of its inputs and whether it is complete."""

    def __init__(self, output: Path) -> None:
        self.path = output.with_name(output.name.removesuffix(".jsonl") + ".meta.json")

    def read(self) -> dict[str, Any] | None:
        """Return what is stored, or None when the output was never begun."""
        if not self.path.exists():
            return None
        value: dict[str, Any] = read_json(self.path)
        return value

    def write(self, fingerprint: Mapping[str, Any], *, complete: bool, **more: Any) -> None:
        """Store the fingerprint."""
        write_json(self.path, {"fingerprint": dict(fingerprint), "complete": complete, **more})

    def is_current(self, fingerprint: Mapping[str, Any]) -> bool:
        """Return True when complete and made from these inputs; raise when made from others."""
        stored = self.read()
        if stored is None:
            return False
        field = difference(stored.get("fingerprint", {}), fingerprint)
        if field is not None:
            old, new = stored["fingerprint"].get(field), fingerprint.get(field)
            raise StaleOutput(
                f"{self.path.parent}: the existing output was made with another '{field}': "
                f"{_short(old)} then, {_short(new)} now",
                hint="use --force to make it again, or another run directory",
            )
        return bool(stored.get("complete"))


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str | None:
    """Return the first field in which two fingerprints differ, or None."""
    plain_new = json.loads(json.dumps(new))
    names: list[str] = sorted({*old, *plain_new})
    for name in names:
        if old.get(name) != plain_new.get(name):
            return name
    return None


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."


class Progress(Protocol):
    """What a long piece of work says of itself."""

    def advance(self, count: int = 1) -> None:
        """Count finished items."""

    def note(self, **values: Any) -> None:
        """Show current values (a loss, a rate) beside the bar."""


class _Silent:
    def advance(self, count: int = 1) -> None:
        pass

    def note(self, **values: Any) -> None:
        pass


class _Bar:
    def __init__(self, bar: Any, task: Any, description: str) -> None:
        self._bar = bar
        self._task = task
        self._description = description

    def advance(self, count: int = 1) -> None:
        self._bar.advance(self._task, count)

    def note(self, **values: Any) -> None:
        shown = " ".join(
            f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in values.items()
        )
        self._bar.update(self._task, description=f"{self._description} {shown}")


@contextlib.contextmanager
def progress(description: str, total: int | None = None) -> Iterator[Progress]:
    """Show a bar on a terminal's standard error; be silent anywhere else."""
    if not sys.stderr.isatty():
        yield _Silent()
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress
    except ModuleNotFoundError:
        yield _Silent()
        return
    with RichProgress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    ) as bar:
        yield _Bar(bar, bar.add_task(description, total=total), description)
