"""docs/what-it-survives.md says what the raw tables of docs/results/faults say."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

Row = dict[str, str]
KILLED = {
    "build (generated, generated with `--force`, divergent)": (
        "build", "build --force", "build, divergent",
    ),
    "augment": ("augment",),
    "train": ("train",),
    "translate (a command, a service, lines)": (
        "translate, command", "translate, HTTP", "translate, lines",
    ),
    "score": ("score",),
    "report": ("report",),
    "run (all of it)": ("run",),
}  # fmt: skip
# Section -> its raw table, where one sum is all that it says.
SUMMED = {
    "Two at once": "together",
    "Bad files": "bad-files",
    "Pages and tables": "inert",
    "Services": "services",
    "Same everywhere": "same-everywhere",
}


@pytest.fixture(scope="module")
def sections(repository: Path) -> dict[str, str]:
    """The sections of the page."""
    text = (repository / "docs" / "what-it-survives.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def raw(repository: Path, name: str) -> list[Row]:
    """The rows of a raw table."""
    path = repository / "docs" / "results" / "faults" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def tables(section: str) -> list[list[list[str]]]:
    """The cells of a section's tables, without their heads."""
    found = re.findall(r"(?:^\|.*\n)+", section, flags=re.MULTILINE)
    return [
        [[one.strip() for one in line.strip("|").split("|")] for line in table.splitlines()[2:]]
        for table in found
    ]


def cells(section: str) -> list[list[str]]:
    """The cells of a section's only table."""
    (table,) = tables(section)
    return table


def counts(rows: Iterable[Row]) -> tuple[int, int]:
    """Tried and survived, in all."""
    rows = list(rows)
    return sum(int(row["tried"]) for row in rows), sum(int(row["survived"]) for row in rows)


def told(rows: Iterable[Row]) -> str:
    """What the page says of some rows."""
    tried, survived = counts(rows)
    assert tried
    return f"{survived:,} of {tried:,}"


def flat(section: str) -> str:
    """A section as one line."""
    return " ".join(section.split())


def test_kills(repository: Path, sections: dict[str, str]) -> None:
    """Fifty moments for each command, by signal."""
    rows = raw(repository, "kill")
    signals = ("SIGKILL", "SIGTERM", "SIGINT")
    expected = [
        [
            shown,
            *(
                told(
                    row
                    for row in rows
                    if row["what"].removeprefix("kill ") in names and row["fault"] == signal
                )
                for signal in signals
            ),
        ]
        for shown, names in KILLED.items()
    ]
    assert cells(sections["Kill anywhere"]) == expected
    assert f"{told(rows)}." in flat(sections["Kill anywhere"])


@pytest.mark.parametrize("title", SUMMED)
def test_sums(title: str, repository: Path, sections: dict[str, str]) -> None:
    """What was tried and survived, in one number."""
    assert told(raw(repository, SUMMED[title])) in flat(sections[title])


def test_disks(repository: Path, sections: dict[str, str]) -> None:
    """Full, read-only, strange names, links, other file systems."""
    rows = raw(repository, "disk")
    kinds = ("disk full", "read-only folder", "strange path", "linked folder", "other file system")
    expected = [
        list(map(str, counts(row for row in rows if row["what"] == kind))) for kind in kinds
    ]
    assert [row[1:] for row in cells(sections["Disk and rights"])] == expected
    assert sum(int(tried) for tried, _ in expected) == counts(rows)[0]


def test_fuzzing(repository: Path, sections: dict[str, str]) -> None:
    """Inputs and seconds of all seeds together."""
    *rows, since = raw(repository, "fuzz")
    inputs, seconds = (sum(int(row[name]) for row in rows) for name in ("inputs", "seconds"))
    assert seconds >= 3600
    text = flat(sections["Bad files"])
    assert f"({len(rows)} seeds of three minutes) gave {inputs:,} inputs" in text
    assert since["faults"] == "0"
    assert f"{int(since['inputs']):,} more inputs" in text


def test_load(repository: Path, sections: dict[str, str]) -> None:
    """Time, memory, and the exponent from line to line."""
    before: Row | None = None
    expected = []
    for row in raw(repository, "load"):
        growth = ""
        if before is not None and before["work"] == row["work"]:
            times, sizes = (
                float(row[name]) / float(before[name]) for name in ("processor", "size")
            )
            growth = f"{math.log(times) / math.log(sizes):.2f}"
        numbers = (f"{float(row[name]):.1f}" for name in ("seconds", "processor"))
        size = f"{int(row['size']):,}"
        expected.append([row["work"], size, *numbers, f"{float(row['megabytes']):,.0f}", growth])
        before = row
    found = [
        [row[0].split(" (")[0], row[1].split()[0], *row[2:]] for row in cells(sections["Load"])
    ]
    assert found == expected


def test_mutants(repository: Path, sections: dict[str, str]) -> None:
    """Planted, caught at first sight and caught now; each survivor is on the page, with why."""
    rows = raw(repository, "mutants")
    choices, survivors = tables(sections["Do the tests bite?"])
    expected = []
    for seed in dict.fromkeys(row["seed"] for row in rows):
        of = [row for row in rows if row["seed"] == seed]
        caught = [sum(row[when] != "passed" for row in of) for when in ("first", "now")]
        shares = (f"{one} ({100 * one / len(of):.0f}%)" for one in caught)
        expected.append([seed, str(len(of)), *shares])
        assert 10 * caught[1] >= 9 * len(of)
    assert choices == expected
    assert len(rows) >= 3 * 300
    left = [row for row in rows if row["now"] == "passed" and row["seed"] != rows[0]["seed"]]
    assert survivors == [[row[name] for name in ("module", "line", "kind", "why")] for row in left]
    assert all(row["why"] for row in left)


def test_the_suite_does_not_flake(repository: Path, sections: dict[str, str]) -> None:
    """Ten runs with one outcome."""
    rows = raw(repository, "suite")
    (outcome,) = {(row["passed"], row["failed"]) for row in rows}
    assert len(rows) == 10
    told = f"{int(outcome[0]):,} tests passed in each run, and the same {outcome[1]} failed"
    assert told in flat(sections["Do the tests bite?"])
