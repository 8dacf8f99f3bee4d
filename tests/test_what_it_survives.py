"""docs/what-it-survives.md says what the raw tables of docs/results/faults say."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from pathlib import Path

import pytest

Row = dict[str, str]
# The raw table of each row of the page's table, in order.
TABLES = (
    "kill", "together", "disk", "bad-files", "inert", "services", "same-everywhere",
)  # fmt: skip


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    """The page as it is written."""
    return (repository / "docs" / "what-it-survives.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def prose(page: str) -> str:
    """The page on one line."""
    return " ".join(page.split())


def raw(repository: Path, name: str) -> list[Row]:
    """The rows of a raw table."""
    path = repository / "docs" / "results" / "faults" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def total(rows: list[Row], column: str) -> int:
    """The sum of a column."""
    return sum(int(row[column]) for row in rows)


def test_tried_and_survived(repository: Path, page: str) -> None:
    """The second column of the table, row by row."""
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| ")][1:]
    shown = [row[2].strip() for row in rows if not row[2].strip().startswith("---")]
    expected = []
    for name in TABLES:
        faults = raw(repository, name)
        expected.append(f"{total(faults, 'survived'):,} of {total(faults, 'tried'):,}")
    assert shown == expected


def test_load(repository: Path, prose: str) -> None:
    """The largest work of each kind: size, processor seconds and memory."""
    rows = raw(repository, "load")
    largest = {row["work"]: row for row in rows}
    for work, size in (
        ("score", "{:,} hypotheses"), ("report", "{} systems"), ("split", "{:,} sentences"),
    ):  # fmt: skip
        row = largest[work]
        assert size.format(int(row["size"])) in prose
        assert f"{float(row['processor']):.0f} seconds" in prose
        assert f"{float(row['megabytes']) / 1000:.1f} GB" in prose
    for before, after in itertools.pairwise(rows):
        if before["work"] == after["work"]:
            time, size_ratio = (
                float(after[name]) / float(before[name]) for name in ("processor", "size")
            )
            assert time <= size_ratio


def test_mutants(repository: Path, prose: str) -> None:
    """Planted and caught, and a reason for each survivor of the last two rounds."""
    rows = raw(repository, "mutants")
    caught = sum(row["now"] != "passed" for row in rows)
    assert f"Of {len(rows)} planted faults" in prose
    assert f"now catch {caught} ({100 * caught / len(rows):.0f}%)" in prose
    rounds = Counter(row["seed"] for row in rows)
    assert all(
        10 * sum(row["now"] != "passed" for row in rows if row["seed"] == seed) >= 9 * planted
        for seed, planted in rounds.items()
    )
    survivors = [row for row in rows if row["now"] == "passed" and row["seed"] != rows[0]["seed"]]
    assert all(row["why"] for row in survivors)


def test_fuzzing(repository: Path, prose: str) -> None:
    """Inputs of all seeds together, the faults they found, and what was tried since."""
    *rows, since = raw(repository, "fuzz")
    assert total(rows, "seconds") >= 3600
    assert f"{total(rows, 'inputs'):,} damaged files" in prose
    assert since["faults"] == "0"
    assert f"{int(since['inputs']):,} inputs since found none" in prose


def test_the_suite_does_not_flake(repository: Path) -> None:
    """Ten runs with one outcome."""
    rows = raw(repository, "suite")
    assert len(rows) == 10
    assert len({(row["passed"], row["failed"]) for row in rows}) == 1
