"""Failures: one system's failure stops no other.

A stage does each cell (a system with a seed) apart from the others; what went wrong is noted, the
other cells go on, and the stage raises once, at its end, with everything that failed.
"""

from __future__ import annotations

import contextlib
import errno
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recombine.errors import RecombineError, StaleOutput, SystemFailure
from recombine.experiment.run import Cell
from recombine.files import write_text

# These are no fault of a system, and the next one would meet them, too.
_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


class CellFailure(NamedTuple):
    """What went wrong in a cell."""

    cell: Cell
    error: RecombineError


class SentencesRefused(SystemFailure):
    """Some sentences were refused for good: the same command would change nothing."""


class SystemsFailed(SystemFailure):
    """Some systems failed, or some of their sentences; the others are finished."""

    def __init__(self, failures: Sequence[CellFailure]) -> None:
        self.failures = list(failures)
        self.exit_code = max(failure.error.exit_code for failure in self.failures)
        super().__init__(
            "; ".join(f"{failure.cell.path}: {failure.error}" for failure in self.failures)
        )
        refused = all(isinstance(failure.error, SentencesRefused) for failure in self.failures)
        again = "with --accept-failures or --retry" if refused else "the same command again"
        self.hint = f"everything else is finished; run {again} to continue"

    def __reduce__(self) -> tuple[Any, ...]:
        return SystemsFailed, (self.failures,)

    def render(self) -> str:
        """Return every failure in full, then how many systems it concerns."""
        lines = []
        for cell, error in self.failures:
            first, *rest = error.render().splitlines()
            lines += [f"{cell.system}, seed {cell.seed}: {first}", *rest]
        systems = dict.fromkeys(failure.cell.system for failure in self.failures)
        lines += [f"error: not all of {', '.join(systems)} could be done", f"hint: {self.hint}"]
        return "\n".join(lines)


class Failures:
    """The failures of a stage, or of several."""

    def __init__(self) -> None:
        self.found: list[CellFailure] = []
        # Cells in which lies what was made with other options.
        self.stale: set[Path] = set()

    @contextlib.contextmanager
    def apart(self, *cells: Cell) -> Iterator[None]:
        """Let what fails inside fail for these cells alone."""
        try:
            yield
            for cell in cells:
                # What failed here before has been mended.
                (cell.path / "traceback.txt").unlink(missing_ok=True)
        except RecombineError as error:
            self.add(error, *cells)
        except Exception as error:
            if isinstance(error, OSError) and error.errno in _OF_THE_DISK:
                raise
            # A fault of the system's own code; its traceback is for whoever wrote it.
            path = cells[0].path / "traceback.txt"
            write_text(path, traceback.format_exc())
            reason = f"{type(error).__name__}: {error}".rstrip(": ")
            self.add(SystemFailure(reason, hint=f"the traceback is in {path}"), *cells)

    def add(self, error: RecombineError, *cells: Cell) -> None:
        """Note a failure of these cells."""
        self.found += [CellFailure(cell, error) for cell in cells]

    def gather(self, stage: Callable[..., Any], *arguments: Any, **options: Any) -> None:
        """Do a stage; what it raises about cells that failed before is known already."""
        try:
            stage(*arguments, **options)
        except SystemsFailed as failed:
            paths = {failure.cell.path for failure in self.found}
            self.stale |= {
                failure.cell.path
                for failure in failed.failures
                if isinstance(failure.error, StaleOutput)
            }
            self.found += [failure for failure in failed.failures if failure.cell.path not in paths]

    def raise_any(self) -> None:
        """Raise once for all, if anything failed."""
        if self.found:
            raise SystemsFailed(self.found)
