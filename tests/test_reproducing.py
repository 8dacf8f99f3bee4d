"""docs/reproducing.md: the numbers of its SGET tables are those of the raw scores."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev

import pytest

from recombine.registry import data_path

TRANSFORMERS = [f"transformer-256-seed-{seed}" for seed in (1, 2, 3, 4)]
LSTMS = [f"lstm-256-seed-{seed}" for seed in (1, 2)]
SHORT = ["transformer-256-without-concatenation-seed-1"]
Key = tuple[str, str, str, str]


@pytest.fixture(scope="module")
def scores(repository: Path) -> dict[str, dict[Key, float]]:
    """Every raw score, by model."""
    found = {}
    for name in TRANSFORMERS + LSTMS + SHORT:
        path = repository / "docs" / "results" / "sget" / f"{name}.csv"
        with path.open(encoding="utf-8", newline="") as lines:
            found[name] = {
                (row["split"], row["tag"], row["value"], row["metric"]): float(row["score"])
                for row in csv.DictReader(lines)
            }
    return found


@pytest.fixture(scope="module")
def published() -> dict[str, float]:
    """The paper's exact match of its Transformer, by group and pattern."""
    with data_path("published", "generated.tsv").open(encoding="utf-8", newline="") as lines:
        return {
            row["value"]: float(row["score"])
            for row in csv.DictReader(lines, delimiter="\t")
            if row["system"] == "Transformer"
        }


def table(repository: Path, heading: str) -> list[list[str]]:
    """Return the cells below the first row that begins so."""
    text = (repository / "docs" / "reproducing.md").read_text(encoding="utf-8")
    rows = text.split(f"\n| {heading} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip(" *") for cell in row.strip("|").split("|")] for row in rows]


def spread(values: Sequence[float]) -> str:
    """Return mean and standard deviation as the tables write them."""
    return f"{mean(values):.1f} ± {stdev(values):.1f}"


def spreads(scores: dict[str, dict[Key, float]], split: str, tag: str, value: str) -> list[str]:
    """Return both models' scores on each metric, or a dash where it is not defined."""
    found = []
    for metric in ("exact", "bleu", "partial"):
        for names in (TRANSFORMERS, LSTMS):
            values = [scores[name].get((split, tag, value, metric)) for name in names]
            known = [score for score in values if score is not None]
            found.append(spread(known) if known else "-")
    return found


def test_patterns(
    repository: Path, scores: dict[str, dict[Key, float]], published: dict[str, float]
) -> None:
    """Table 10: every model, the mean and what the paper has."""
    patterns = [
        key for key in scores[TRANSFORMERS[0]] if key[:2] == ("gen", "pattern") and "exact" in key
    ]
    assert len(patterns) == 42
    for key, row in zip(patterns, table(repository, "pattern | T 1"), strict=True):
        ours = [scores[name][key] for name in TRANSFORMERS]
        theirs = published.get(key[2])
        assert row[1:] == [
            *(f"{score:.1f}" for score in ours),
            spread(ours),
            "-" if theirs is None else f"{theirs:.1f}",
            "-" if theirs is None else f"{mean(ours) - theirs:+.1f}",
            *(f"{scores[name][key]:.1f}" for name in LSTMS + SHORT),
        ], key


def test_groups(
    repository: Path, scores: dict[str, dict[Key, float]], published: dict[str, float]
) -> None:
    """Tables 2 and 3."""
    groups = ["lexical", "lexical+morphological", "structural"]
    places = [("test", "all", "all"), *(("gen", "group_name", group) for group in groups)]
    places.append(("gen", "all", "all"))
    for place, row in zip(places, table(repository, "group"), strict=True):
        expected = spreads(scores, *place)
        theirs = published.get("" if place[0] == "gen" and place[2] == "all" else place[2])
        expected.insert(1, "-" if theirs is None else f"{theirs:.1f}")
        assert row[1:] == expected, place


def test_categories(repository: Path, scores: dict[str, dict[Key, float]]) -> None:
    """Table 4, and Table 6 by category."""
    rows = {row[0].strip(): row[1:] for row in table(repository, "category")}
    keys = [key for key in scores[TRANSFORMERS[0]] if key[1] == "category" and "exact" in key]
    assert {key[2].lower() for key in keys} == set(rows)
    for split, tag, category, _ in keys:
        expected = spreads(scores, split, tag, category)
        expected.insert(2, f"{scores[SHORT[0]][split, tag, category, 'exact']:.1f}")
        assert rows[category.lower()] == expected, category


def test_complement_clause(repository: Path) -> None:
    """Table 11: each row is one of the report's."""
    path = repository / "docs" / "results" / "sget" / "table-11-transformer-1-4-lstm-1-2.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        found = [
            [
                f"{float(row[f'{system} exact, in_cp={inside}']):.1f}"
                for system in ("transformer", "lstm")
                for inside in (0, 1)
            ]
            for row in csv.DictReader(lines)
            if row["lstm exact, in_cp=1"]
        ]
    rows = table(repository, "pattern | Transformer outside")
    assert len(rows) == 9
    assert all(row[1:] in found for row in rows)


def test_curve(repository: Path) -> None:
    """Test, gen, groups and patterns over training, and dev."""
    folder = repository / "docs" / "results" / "sget"
    curves: dict[tuple[str, str], list[str]] = {}
    with (folder / "transformer-256-seed-4-curve.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if row["metric"] == "exact":
                curve = curves.setdefault((row["split"], row["value"]), [])
                curve.append(f"{float(row['score']):.1f}")
    rows = {row[0].strip(): row[1:] for row in table(repository, "exact match after step")}
    assert rows.pop("test") == curves["test", "all"]
    assert rows.pop("gen") == curves["gen", "all"]
    steps = ("5000", "10000", "20000", "30000", "50000", "70000")
    with (folder / "dev-curves.csv").open(encoding="utf-8", newline="") as lines:
        dev = {
            row["step"]: f"{100 * float(row['dev_exact']):.1f}"
            for row in csv.DictReader(lines)
            if (row["model"], row["seed"]) == ("transformer-256", "4")
        }
    assert rows.pop("dev") == [dev[step] for step in steps]
    assert all(row in curves.values() for row in rows.values())
