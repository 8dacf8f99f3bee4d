"""What can go wrong, said to the person who can put it right."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple


class Where(NamedTuple):
    """A place in a file: path, 1-based line and column, and the line's text for the caret."""

    path: str
    line: int | None = None
    column: int | None = None
    text: str | None = None
    width: int = 1

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


class RecombineError(Exception):
    """A mistake the user can correct: what is wrong, where, and a hint."""

    exit_code = 2

    def __init__(self, message: str, where: Where | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.where is None else f"{self.where}: {self.message}"

    def __reduce__(self) -> tuple[Any, ...]:
        # Worker processes raise these too; children with other arguments must survive the way back.
        return _restore, (type(self), self.args, self.__dict__)

    def render(self) -> str:
        """Return the full text for a terminal: error line, source line with caret, hint."""
        lines = [f"error: {_clipped(str(self))}"]
        if self.where is not None and self.where.text is not None and self.where.line is not None:
            lines += _pointed_at(self.where)
        if self.hint:
            lines.append(f"hint: {_clipped(self.hint)}")
        return "\n".join(lines)


_LONGEST = 4000  # characters of a message, which may quote what somebody wrote


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


_SHOWN = 200  # characters of a line, around what is wrong in it


def _pointed_at(where: Where) -> Iterator[str]:
    """The line with a caret below what is wrong; of a long line the part around it."""
    assert where.text is not None
    gutter = f"  {where.line} | "
    before = (where.column or 1) - 1
    start = max(0, min(before - _SHOWN // 4, len(where.text) - _SHOWN))
    text = where.text[start : start + _SHOWN]
    begin, end = "…" * (start > 0), "…" * (start + _SHOWN < len(where.text))
    # Tabs would move the caret away from what it points at, other controls the whole terminal.
    shown = "".join(letter if letter.isprintable() else " " for letter in text)
    yield f"{gutter}{begin}{shown}{end}"
    if where.column is not None:
        before -= start
        blank = " " * (len(gutter) + len(begin) + _columns(text[:before]))
        # A place beyond the end of its line is still pointed at.
        blank += " " * (before - len(text))
        width = min(where.width, max(1, len(text) - before))
        yield blank + "^" * max(1, width, _columns(text[before : before + width]))


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes: letters of East Asia take two."""
    return len(text) + sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)


def _restore(
    kind: type[RecombineError], arguments: tuple[Any, ...], state: dict[str, Any]
) -> RecombineError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


class ConfigError(RecombineError):
    """A recipe, experiment or option is wrong."""


class GrammarError(RecombineError):
    """A grammar or lexicon file is wrong."""


class DataError(RecombineError):
    """A data file is wrong."""


class MissingExtra(RecombineError):
    """A feature needs an optional dependency that is not installed."""

    def __init__(self, feature: str, extra: str, module: str) -> None:
        super().__init__(
            f"{feature} needs the package '{module}', which is not installed",
            hint=f"pip install 'recombine[{extra}]'",
        )
        self.extra = extra
        self.module = module


class StaleOutput(RecombineError):
    """An existing output was made from other inputs than those given now."""


class SystemFailure(RecombineError):
    """A translation system failed; nothing the user wrote is wrong."""

    exit_code = 1


class Problems(RecombineError):
    """Several mistakes, all found before stopping."""

    def __init__(self, problems: Sequence[RecombineError]) -> None:
        self.problems = list(problems)
        count = len(self.problems)
        super().__init__(f"{count} problem{'' if count == 1 else 's'} found")

    def render(self) -> str:
        """Return every problem in full, then the count."""
        return "\n\n".join([*(problem.render() for problem in self.problems), self.message])


def did_you_mean(name: str, names: Iterable[str], otherwise: str | None = None) -> str | None:
    """The hint of a misspelt name: the closest of the names, or what to say where none is close."""
    close = difflib.get_close_matches(name, list(names), n=1)
    return f"did you mean '{close[0]}'?" if close else otherwise


def raise_all(problems: Sequence[RecombineError]) -> None:
    """Raise what was found: nothing, the one problem as it is, or several together."""
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise Problems(problems)


@contextmanager
def collect_errors(problems: list[RecombineError], where: Where | None = None) -> Iterator[None]:
    """Keep the problems of what is tried here, and go on; `where` is for those without a place."""
    try:
        yield
    except RecombineError as error:
        for problem in error.problems if isinstance(error, Problems) else [error]:
            problem.where = problem.where or where
            problems.append(problem)
