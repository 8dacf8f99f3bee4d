"""The fault suite: `make test-faults` runs it, `make test` does not. It ends with a table."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from faults.launch import WarmPython

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here has the marker."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.faults)


class FaultTable:
    """What was tried and what was survived, row by row."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], list[int]] = {}

    def add(self, point: str, fault: str, survived: bool) -> None:
        """Count one fault."""
        row = self.rows.setdefault((point, fault), [0, 0])
        row[0] += 1
        row[1] += survived

    def lines(self) -> Iterator[str]:
        """The table as Markdown."""
        yield "| what happens | fault | tried | survived |"
        yield "| --- | --- | ---: | ---: |"
        for (point, fault), (tried, survived) in sorted(self.rows.items()):
            yield f"| {point} | {fault} | {tried} | {survived} |"
        tried, survived = (sum(row[place] for row in self.rows.values()) for place in (0, 1))
        yield f"| all | | {tried} | {survived} |"


_table = FaultTable()


@pytest.fixture
def survive() -> Callable[..., None]:
    """Return a function that counts a fault; what went wrong fails the test, unless `later`."""

    def count(point: str, fault: str, wrong: str = "", *, later: bool = False) -> None:
        _table.add(point, fault, not wrong)
        assert later or not wrong, f"{point}, {fault}: {wrong}"

    return count


@pytest.fixture(scope="session")
def warm() -> Iterator[WarmPython]:
    """A Python that has imported what the verbs need, and runs them in copies of itself."""
    server = WarmPython()
    yield server
    server.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table, and write it where it is asked for."""
    if not _table.rows:
        return
    terminalreporter.section("faults tried and survived")
    for line in _table.lines():
        terminalreporter.write_line(line)
    path = terminalreporter.config.getoption("--fault-table")
    if path:
        with Path(path).open("w", encoding="utf-8", newline="") as stream:
            table = csv.writer(stream, lineterminator="\n")
            table.writerow(("what", "fault", "tried", "survived"))
            table.writerows((*key, *counts) for key, counts in sorted(_table.rows.items()))
