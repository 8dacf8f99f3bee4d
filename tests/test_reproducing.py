"""docs/reproducing.md: the numbers of its SGET tables are those of the raw scores."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev

import pytest

from recombine.registry import data_path

TRANSFORMERS = [f"transformer-256-seed-{seed}" for seed in (1, 2, 3, 4, 5)]
LARGE = ["transformer-1024-seed-1"]
LSTMS = [f"lstm-256-seed-{seed}" for seed in (1, 2)]
SHORT = ["transformer-256-without-concatenation-seed-1"]

# Drawn anew between the trainings: its scores before and after are not of the same sentences.
REDRAWN = "adjective_depth_5_6"
BEFORE = [*TRANSFORMERS[:4], *LSTMS, *SHORT]

CONTAINING = [("all", "all"), ("group_name", "structural"), ("category", "Recursion")]

Key = tuple[str, str, str, str]
Scores = dict[str, dict[Key, float]]


@pytest.fixture(scope="module")
def scores(repository: Path) -> Scores:
    """Every raw score, by model; "but REDRAWN" is what a place has without that pattern."""
    found = {}
    for name in TRANSFORMERS + LARGE + LSTMS + SHORT:
        path = repository / "docs" / "results" / "sget" / f"{name}.csv"
        means: dict[Key, tuple[float, int]] = {}
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                key = row["split"], row["tag"], row["value"], row["metric"]
                means[key] = float(row["score"]), int(row["n"])
        found[name] = {key: score for key, (score, _) in means.items()}
        for metric in ("exact", "partial"):
            less, fewer = means["gen", "pattern", REDRAWN, metric]
            for tag, value in CONTAINING:
                score, n = means["gen", tag, value, metric]
                rest = (score * n - less * fewer) / (n - fewer)
                found[name]["gen", tag, f"{value} but {REDRAWN}", metric] = rest
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
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def spread(values: Sequence[float]) -> str:
    """Return mean and standard deviation as the tables write them; one value has no deviation."""
    if len(values) == 1:
        return f"{values[0]:.1f}"
    return f"{mean(values):.1f} ± {stdev(values):.1f}"


def difference(points: float) -> str:
    """Return the distance from the paper; what the text must explain is bold."""
    return f"**{points:+.1f}**" if abs(points) > 15 else f"{points:+.1f}"


def spreads(scores: Scores, split: str, tag: str, value: str) -> list[str]:
    """Return the models' scores on each metric, or a dash where it is not defined."""
    found = []
    for metric in ("exact", "bleu", "partial"):
        for names in (TRANSFORMERS, LARGE, LSTMS):
            values = [scores[name].get((split, tag, value, metric)) for name in names]
            known = [score for score in values if score is not None]
            found.append(spread(known) if known else "-")
    return found


def test_patterns(repository: Path, scores: Scores, published: dict[str, float]) -> None:
    """Table 10: every model, the mean and what the paper has."""
    patterns = [
        key for key in scores[TRANSFORMERS[0]] if key[:2] == ("gen", "pattern") and "exact" in key
    ]
    assert len(patterns) == 42
    for key, row in zip(patterns, table(repository, "pattern | T 1"), strict=True):
        redrawn = key[2] == REDRAWN
        single = {
            name: f"({found[key]:.1f})" if redrawn and name in BEFORE else f"{found[key]:.1f}"
            for name, found in scores.items()
        }
        ours = [scores[name][key] for name in TRANSFORMERS]
        theirs = published.get(key[2])
        assert row[1:] == [
            *(single[name] for name in TRANSFORMERS),
            "-" if redrawn else spread(ours),
            "-" if theirs is None else f"{theirs:.1f}",
            "-" if theirs is None else difference(mean(ours) - theirs),
            *(single[name] for name in LARGE + LSTMS + SHORT),
        ], key


def test_groups(repository: Path, scores: Scores, published: dict[str, float]) -> None:
    """Tables 2 and 3."""
    groups = ["lexical", "lexical+morphological", "structural", f"structural but {REDRAWN}"]
    places = [("test", "all", "all"), *(("gen", "group_name", group) for group in groups)]
    places += [("gen", "all", "all"), ("gen", "all", f"all but {REDRAWN}")]
    for place, row in zip(places, table(repository, "group"), strict=True):
        expected = spreads(scores, *place)
        theirs = published.get("" if place[0] == "gen" and place[2] == "all" else place[2])
        expected.insert(1, "-" if theirs is None else f"{theirs:.1f}")
        assert row[1:] == expected, place


def test_categories(repository: Path, scores: Scores) -> None:
    """Table 4, and Table 6 by category."""
    rows = {row[0]: row[1:] for row in table(repository, "category")}
    keys = [key for key in scores[TRANSFORMERS[0]] if key[1] == "category" and "exact" in key]
    names = [key[2].lower().replace(REDRAWN, "adjective depth 5-6") for key in keys]
    assert set(names) == set(rows)
    for name, (split, tag, category, _) in zip(names, keys, strict=True):
        expected = spreads(scores, split, tag, category)
        expected.insert(3, f"{scores[SHORT[0]][split, tag, category, 'exact']:.1f}")
        assert rows[name] == expected, category


def test_complement_clause(repository: Path) -> None:
    """Table 11: each row is one of the reports' (of models before and after the new draw)."""
    columns = []
    for models, systems in (
        ("transformer-1-4-lstm-1-2", ("transformer", "lstm")),
        ("transformer-5-transformer-1024-1", ("transformer-1024",)),
    ):
        path = repository / "docs" / "results" / "sget" / f"table-11-{models}.csv"
        with path.open(encoding="utf-8", newline="") as lines:
            rows = [row for row in csv.DictReader(lines) if row[f"{systems[0]} exact, in_cp=1"]]
        columns += [
            [f"{float(row[f'{system} exact, in_cp={inside}']):.1f}" for row in rows]
            for system in systems
            for inside in (0, 1)
        ]
    found = [list(row) for row in zip(*columns, strict=True)]
    written = table(repository, "pattern | Transformer outside")
    assert len(written) == 9
    assert all(row[1:] in found for row in written)


@pytest.mark.parametrize(
    ("heading", "model", "seed"),
    [
        ("exact match after step", "transformer-256", "4"),
        ("exact match at 1,024 after step", "transformer-1024", "1"),
    ],
)
def test_curve(repository: Path, heading: str, model: str, seed: str) -> None:
    """Test, gen, groups and patterns over training, and dev."""
    folder = repository / "docs" / "results" / "sget"
    curves: dict[tuple[str, str], list[str]] = {}
    with (folder / f"{model}-seed-{seed}-curve.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if row["metric"] == "exact":
                curve = curves.setdefault((row["split"], row["value"]), [])
                curve.append(f"{float(row['score']):.1f}")
    rows = {row[0]: row[1:] for row in table(repository, heading)}
    assert rows.pop("test") == curves["test", "all"]
    assert rows.pop("gen") == curves["gen", "all"]
    steps = ("5000", "10000", "20000", "30000", "50000", "70000")
    with (folder / "dev-curves.csv").open(encoding="utf-8", newline="") as lines:
        dev = {
            row["step"]: f"{100 * float(row['dev_exact']):.1f}"
            for row in csv.DictReader(lines)
            if (row["model"], row["seed"]) == (model, seed)
        }
    assert rows.pop("dev") == [dev[step] for step in steps]
    assert all(row in curves.values() for row in rows.values())
