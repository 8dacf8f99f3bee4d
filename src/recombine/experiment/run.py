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

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recombine.errors import ConfigError, StaleOutput
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
        found = []
        for path in self.path.glob("*/seed-*"):
            seed = path.name.removeprefix("seed-")
            if path.is_dir() and _SEED.fullmatch(seed):
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


IDLE = "idle"  # of a fingerprint: names of options on which nothing depends


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

    def is_current(self, fingerprint: Mapping[str, Any], *, growing: Sequence[str] = ()) -> bool:
        """Return True when complete and made from these inputs; raise when made from others.

        What differs in a `growing` field is not of another kind, there is only more or less of it.
        """
        stored = self.read()
        if stored is None:
            return False
        then, now = dict(stored.get("fingerprint", {})), json.loads(json.dumps(fingerprint))
        if "code" not in then:
            now.pop("code", None)  # made before fingerprints knew the content of files
        for name in (*then.pop(IDLE, ()), *now.pop(IDLE, ())):
            then.get("options", {}).pop(name, None)  # once it was not told apart
        extent = [then.pop(name, None) == now.pop(name, None) for name in growing]
        found = difference(then, now)
        if found is not None:
            raise stale_output(self.path.parent, found)
        return all(extent) and bool(stored.get("complete"))


def set_aside(output: Path) -> None:
    """Keep what --force is about to replace: translations and models can be expensive."""
    if output.exists():
        number = 1
        while output.with_name(f"{output.name}.old-{number}").exists():
            number += 1
        output.rename(output.with_name(f"{output.name}.old-{number}"))
    Meta(output).path.unlink(missing_ok=True)


class FieldDifference(NamedTuple):
    """A field in which two fingerprints differ, "options.steps" if it is inside another."""

    name: str
    old: Any
    new: Any


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> FieldDifference | None:
    """Return the first field in which two fingerprints differ, or None."""
    plain_new = json.loads(json.dumps(new))
    for name in sorted({*old, *plain_new}):
        then, now = old.get(name), plain_new.get(name)
        if isinstance(then, dict) and isinstance(now, dict):
            inside = difference(then, now)
            if inside is not None:
                return inside._replace(name=f"{name}.{inside.name}")
        elif then != now:
            return FieldDifference(name, then, now)
    return None


def stale_output(
    folder: Path,
    found: FieldDifference,
    hint: str = "use --force to make it again, or another run directory",
) -> StaleOutput:
    """Return what to say of an output that was made from other inputs."""
    return StaleOutput(
        f"{folder}: the existing output was made with another '{found.name}': "
        f"{_short(found.old)} then, {_short(found.new)} now",
        hint=hint,
    )


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."
