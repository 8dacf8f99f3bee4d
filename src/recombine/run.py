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
import os
import re
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

from recombine.errors import ConfigError, StaleOutput
from recombine.files import Appender, read_json, write_json

__all__ = ["Appender", "Cell", "Meta", "Run", "Waiting", "difference", "progress", "set_aside"]

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
        found = difference(stored.get("fingerprint", {}), fingerprint)
        if found is not None:
            raise StaleOutput(
                f"{self.path.parent}: the existing output was made with another '{found.name}': "
                f"{_short(found.old)} then, {_short(found.new)} now",
                hint="use --force to make it again, or another run directory",
            )
        return bool(stored.get("complete"))


def set_aside(output: Path) -> None:
    """Keep what --force is about to replace: translations and models can be expensive."""
    if output.exists():
        number = 1
        while output.with_name(f"{output.name}.old-{number}").exists():
            number += 1
        output.rename(output.with_name(f"{output.name}.old-{number}"))
    Meta(output).path.unlink(missing_ok=True)


class Difference(NamedTuple):
    """A field in which two fingerprints differ, "options.steps" if it is inside another."""

    name: str
    old: Any
    new: Any


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> Difference | None:
    """Return the first field in which two fingerprints differ, or None."""
    plain_new = json.loads(json.dumps(new))
    for name in sorted({*old, *plain_new}):
        then, now = old.get(name), plain_new.get(name)
        if isinstance(then, dict) and isinstance(now, dict):
            inside = difference(then, now)
            if inside is not None:
                return inside._replace(name=f"{name}.{inside.name}")
        elif then != now:
            return Difference(name, then, now)
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
    def __init__(
        self, bars: Any, description: str, total: int | None, *, visible: bool = True
    ) -> None:
        self.bars = bars
        self.task = bars.add_task(description, total=total, visible=visible)
        self._description = description

    def advance(self, count: int = 1) -> None:
        self.bars.advance(self.task, count)

    def note(self, **values: Any) -> None:
        shown = " ".join(
            f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in values.items()
        )
        self.bars.update(self.task, description=f"{self._description} {shown}")


class _Display:
    """All bars of this process in one place, so that work inside other work does not garble."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shown: list[_Bar] = []
        self._process = os.getpid()

    def is_possible(self) -> bool:
        """Bars belong on a terminal, and to the process that the person started."""
        return sys.stderr.isatty() and os.getpid() == self._process

    def open(self, description: str, total: int | None, *, behind: bool = False) -> _Bar:
        with self._lock:
            bars = self._shown[-1].bars if self._shown else _make_bars()
            # The work that waits for other work is not moving: only the innermost is shown.
            if self._shown and not behind:
                self._show(self._shown[-1], False)
            bar = _Bar(bars, description, total, visible=not (self._shown and behind))
            self._shown.insert(0 if behind else len(self._shown), bar)
            if len(self._shown) == 1:
                bars.start()
            return bar

    def close(self, bar: _Bar) -> None:
        with self._lock:
            self._shown.remove(bar)
            if self._shown:
                bar.bars.remove_task(bar.task)
                self._show(self._shown[-1], True)
            else:
                bar.bars.stop()

    def _show(self, bar: _Bar, visible: bool) -> None:
        bar.bars.update(bar.task, visible=visible)


_display = _Display()


def _make_bars() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Count(ProgressColumn):
        """Done and total, as far as they are known."""

        def render(self, task: Any) -> Text:
            if task.total is None:
                return Text(f"{int(task.completed):,}" if task.completed else "")
            return Text(f"{int(task.completed):,}/{int(task.total):,}")

    # Finished bars go away: each verb says in words what it did. What is printed meanwhile is data
    # and stays where it was sent; what is said meanwhile goes above the bars.
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        Count(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
    )


@contextlib.contextmanager
def progress(description: str, total: int | None = None) -> Iterator[Progress]:
    """Show a bar on a terminal's standard error; be silent anywhere else."""
    if not _display.is_possible():
        yield _Silent()
        return
    bar = _display.open(description, total)
    try:
        yield bar
    finally:
        _display.close(bar)


class Waiting:
    """A bar for work that shows nothing of its own: it comes after a moment of silence."""

    def __init__(self, description: str, *, after: float = 0.5) -> None:
        self._description = description
        self._after = after
        self._due = time.monotonic() + after
        self._bar: _Bar | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        if _display.is_possible():
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self.give_way()

    def give_way(self) -> None:
        """Take the bar away: there is something else to see now."""
        with self._lock:
            self._due = time.monotonic() + self._after
            if self._bar is not None:
                _display.close(self._bar)
                self._bar = None

    def _watch(self) -> None:
        while not self._ended.wait(self._after / 5):
            with self._lock:
                due = self._bar is None and time.monotonic() >= self._due
                if due and not self._ended.is_set():
                    self._bar = _display.open(self._description, None, behind=True)
