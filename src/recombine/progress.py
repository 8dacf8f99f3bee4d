"""How far long work has come: bars on a terminal, plain lines in a log.

Work says `with progress("translate", 5000) as bar` and counts with `bar.advance()`. On a terminal
only the innermost bar is shown, and it goes when its work is done. Where standard error is a file
or a pipe, work that lasts says a line every LINE_SECONDS and one at its end; short work is silent.
`waiting` covers work that counts nothing. Only the process that the person started speaks.

rich draws the bars. It has no lines for a log, no sign of life for work that counts nothing, and
would send standard output, which is data here, where its bars are: these three are ours.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TextIO

# A log gets at most one line in so many seconds, and none from work that is done before.
LINE_SECONDS = 10.0
# An estimate of the rest wants so many items (a tenth of few), and seconds, after the first.
TELLING_ITEMS = 10
TELLING_SECONDS = 5.0


class Progress(Protocol):
    """What a long piece of work says of itself."""

    def advance(self, count: int = 1) -> None:
        """Count finished items."""

    def note(self, **values: Any) -> None:
        """Show current values (a loss, a rate) beside the bar."""


class _Steps:
    """The steps of a long command, and the one that is going on."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self.now = ""

    @property
    def label(self) -> str:
        """The step with its number, if the command has said how many there are."""
        place = self.names.index(self.now) + 1 if self.now in self.names else 0
        return f"[{place}/{len(self.names)}] {self.now}" if place else self.now

    def named(self, description: str) -> str:
        """A piece of work with the step that it belongs to: [3/8] train recombined, seed 1."""
        return ", ".join(filter(None, (self.label, description)))


_steps = _Steps()


@contextlib.contextmanager
def steps(names: Sequence[str]) -> Iterator[None]:
    """Say which steps a command has, so that each is shown with its number."""
    before, _steps.names = _steps.names, tuple(names)
    try:
        yield
    finally:
        _steps.names = before


@contextlib.contextmanager
def step(name: str) -> Iterator[None]:
    """Say to which step of a command the work below belongs."""
    before, _steps.now = _steps.now, name
    give_way()  # a sign of life names the step before
    try:
        yield
    finally:
        _steps.now = before


@contextlib.contextmanager
def progress(description: str, total: int | None = None) -> Iterator[Progress]:
    """Show how far a piece of work has come; `total` is the number of its items, if known."""
    description = _steps.named(description)
    if not _display.is_ours():
        yield _Silent()
    elif sys.stderr.isatty():
        bar = _display.open(description, total)
        try:
            yield bar
        finally:
            _display.close(bar)
    else:
        work = _LoggedWork(_log, description, total)
        _log.open.append(work)
        try:
            yield work
            work.end()
        finally:
            _log.open.remove(work)


class _Silent:
    def advance(self, count: int = 1) -> None:
        pass

    def note(self, **values: Any) -> None:
        pass


def _shown(values: Mapping[str, Any]) -> str:
    return " ".join(
        f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in values.items()
    )


class _Log:
    """Lines on standard error, seldom enough that a log stays readable."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.spoke = clock()
        # Work that is going on, the innermost last.
        self.open: list[_LoggedWork] = []
        # Where lines go while what others write is dropped; else to standard error as it is.
        self.stream: TextIO | None = None

    def is_due(self, began: float) -> bool:
        return self.clock() - max(began, self.spoke) >= LINE_SECONDS

    def say(self, text: str) -> None:
        self.spoke = self.clock()
        stream = self.stream or sys.stderr
        stream.write(text + "\n")
        stream.flush()


class _LoggedWork:
    def __init__(self, log: _Log, description: str, total: int | None) -> None:
        self._log = log
        self._description = description
        self._total = total
        self._began = log.clock()
        self._done = 0
        self._moved: tuple[float, int] | None = None  # when the first items were done, how many
        self._note = ""

    def advance(self, count: int = 1) -> None:
        self._done += count
        if self._moved is None and self._done:
            self._moved = self._log.clock(), self._done
        self._speak()

    def note(self, **values: Any) -> None:
        self._note = " " + _shown(values)
        self._speak()

    def end(self) -> None:
        took = self._log.clock() - self._began
        if took >= LINE_SECONDS:
            count = f"{self._count()} in " if self._done or self._total else ""
            self._log.say(f"{self._description}: {count}{_duration(took)}{self._note}")

    def _speak(self) -> None:
        if self._log.is_due(self._began):
            self.say_how_far()

    def say_how_far(self) -> None:
        """Say a line, also between two counts."""
        left = self._left()
        parts = [self._count()] if self._done or self._total else []
        parts.append(_duration(self._log.clock() - self._began))
        parts += [] if left is None else [f"{_duration(left)} left"]
        self._log.say(f"{self._description}: {', '.join(parts)}{self._note}")

    def _left(self) -> float | None:
        """Seconds to the end, once enough items after the first tell how fast they come.

        What comes before the first (loading a model, what an earlier run has done) tells nothing.
        """
        if not self._total or self._moved is None:
            return None
        since, before = self._moved
        now, moved = self._log.clock(), self._done - before
        if moved < min(TELLING_ITEMS, -(-self._total // 10)) or now - since < TELLING_SECONDS:
            return None
        return (now - since) * max(0, self._total - self._done) / moved

    def _count(self) -> str:
        if not self._total:
            return f"{self._done:,}"
        return f"{self._done:,}/{self._total:,} ({min(1.0, self._done / self._total):.0%})"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


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
        self.bars.update(self.task, description=f"{self._description} {_shown(values)}")


class _Display:
    """All bars of this process in one place, so that work inside other work does not garble."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shown: list[_Bar] = []
        self._process = os.getpid()

    def is_ours(self) -> bool:
        """Only the process that the person started speaks, not its copies."""
        return os.getpid() == self._process

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
_log = _Log()


@contextlib.contextmanager
def only_ours() -> Iterator[None]:
    """Drop what libraries write to standard error meanwhile, such as bars into a log."""
    if sys.stderr.isatty():
        yield
        return
    _log.stream = sys.stderr
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        _log.stream = None


def _make_bars() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
    from rich.table import Column
    from rich.text import Text

    class Count(ProgressColumn):
        """Done of all, as far as they are known, and what is left: 350/600, 0:12 left."""

        def render(self, task: Any) -> Text:
            count = f"{int(task.completed):,}" if task.completed or task.total else ""
            if task.total is not None:
                count += f"/{int(task.total):,}"
            parts = [count, f"{_clock(task.elapsed or 0.0)}"]
            if task.total is not None and task.time_remaining is not None:
                parts = [count, f"{_clock(task.time_remaining)} left"]
            return Text(", ".join(filter(None, parts)))

    console = Console(stderr=True)
    # What is counted is always whole; a narrow terminal shortens the bar, then the words.
    whole = Column(no_wrap=True, min_width=len("100,000/100,000, 0:00:00 left") // 2)
    words = Column(no_wrap=True, overflow="ellipsis", max_width=max(20, console.width * 3 // 5))
    # Finished bars go away: each verb says in words what it did. What is printed meanwhile is data
    # and stays where it was sent; what is said meanwhile goes above the bars.
    return Progress(
        TextColumn("{task.description}", markup=False, table_column=words),
        BarColumn(bar_width=max(8, min(40, console.width // 6))),
        Count(table_column=whole),
        console=console,
        transient=True,
        redirect_stdout=False,
    )


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class _Waiting:
    """A sign of life for work that counts nothing: it comes after a moment of silence."""

    def __init__(self, description: str, after: float) -> None:
        self._description = description
        self._after = after
        self._began = _log.clock()
        self._due = time.monotonic() + after
        self._bar: _Bar | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def end(self) -> None:
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
        is_terminal = sys.stderr.isatty()
        while not self._ended.wait(self._after / 5 if is_terminal else self._after):
            if is_terminal:
                with self._lock:
                    due = self._bar is None and time.monotonic() >= self._due
                    if due and not self._ended.is_set():
                        text = _steps.label or self._description
                        self._bar = _display.open(text, None, behind=True)
            elif _log.is_due(self._began):
                # Work that has been slow to count is named all the same.
                if _log.open:
                    _log.open[-1].say_how_far()
                    continue
                text = _steps.label or self._description
                _log.say(f"{text}: {_duration(_log.clock() - self._began)}")


class _GivesWay:
    """Standard output on a terminal: the bar goes before a line of data comes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        give_way()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


_waiting: list[_Waiting] = []


def give_way() -> None:
    """Take signs of life away for a moment: something is about to be printed."""
    for sign in _waiting:
        sign.give_way()


@contextlib.contextmanager
def waiting(description: str, *, after: float = 0.5) -> Iterator[None]:
    """Let work that counts nothing show that it goes on, after so many seconds of silence."""
    stream = sys.stdout
    sign = _Waiting(description, after)
    _waiting.append(sign)
    # Data that goes to a file or a pipe does not meet the bar.
    if stream.isatty():
        sys.stdout = _GivesWay(stream)
    try:
        yield
    finally:
        sys.stdout = stream
        sign.end()
        _waiting.remove(sign)
