"""progress."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, Protocol, Self


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
