"""Raw files and pages of docs/results that are about SGET, read for the tests of what they say."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev

from recombine.builders.recipe import read_recipe
from recombine.report.tables.published import SGET, find

OFFICIAL = [f"released-256-official-seed-{seed}" for seed in (1, 2, 3)]
CORRECTED = [f"transformer-256-seed-{seed}" for seed in (1, 2, 3, 4, 5)]
LARGE = ["transformer-1024-seed-1"]
LSTMS = [f"lstm-256-seed-{seed}" for seed in (1, 2)]
GROUPS = ("lexical", "lexical+morphological", "structural")
PLACES = [
    ("test", "all", "all"),
    ("gen", "all", "all"),
    *(("gen", "group_name", name) for name in GROUPS),
]


def page(repository: Path, name: str) -> str:
    """The text of a page of results."""
    return (repository / "docs" / "results" / f"{name}.md").read_text(encoding="utf-8")


def raw(repository: Path, name: str) -> list[dict[str, str]]:
    """The rows of a raw file."""
    path = repository / "docs" / "results" / "sget" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def rows_below(text: str, heading: str) -> list[list[str]]:
    """The cells below the first row that begins so."""
    rows = text.split(f"\n| {heading} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def spread(values: Sequence[float]) -> str:
    """Mean and standard deviation as the tables write them; one value has no deviation."""
    return f"{mean(values):.1f}" + (f" ± {stdev(values):.1f}" if len(values) > 1 else "")


def scores(repository: Path, names: Sequence[str], place: Sequence[str], metric: str) -> str:
    """What models have at a place; a group's BLEU is the mean of its patterns', by sentences."""
    found = []
    parts = read_recipe("sget").builder.split["gen"]
    for name in names:
        by_place = {
            (row["split"], row["tag"], row["value"]): float(row["score"])
            for row in raw(repository, name)
            if row["metric"] == metric
        }
        if metric == "bleu" and place[1] == "group_name":
            own = [pattern for pattern in parts if parts[pattern].group == place[2]]
            sizes = [parts[pattern].size for pattern in own]
            each = [by_place["gen", "pattern", pattern] for pattern in own]
            found.append(sum(map(lambda n, s: n * s, sizes, each)) / sum(sizes))
        else:
            found.append(by_place[tuple(place)])  # type: ignore[index]
    return spread(found)


def printed(number: str, system: str, metric: str, value: str) -> str:
    """What the paper prints, with its standard deviation where it prints one."""
    found = find(SGET, table=number, system=system, metric=metric, value=value)
    if found is None or found.score is None:
        return "-"
    return f"{found.score:.1f}" + ("" if found.sd is None else f" ± {found.sd:.1f}")


def printed_at(place: Sequence[str], system: str, metric: str) -> str:
    """What the paper prints at a place of Tables 2 and 3."""
    split, tag, value = place
    return printed(
        *(("2", system, metric, split) if tag == "all" else ("3", system, metric, value))
    )
