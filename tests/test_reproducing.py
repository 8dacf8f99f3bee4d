"""docs/reproducing.md: the numbers of its SGET tables are those of the raw scores."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from statistics import correlation, mean, stdev
from typing import Any

import pytest

from recombine.builders.recipe import read_recipe, recipe_names
from recombine.report.tables.generated import published_values
from recombine.report.tables.published import COGNITION, DBCA, SGET, find, lookup

TRANSFORMERS = [f"transformer-256-seed-{seed}" for seed in (1, 2, 3, 4, 5)]
LARGE = ["transformer-1024-seed-1"]
LSTMS = [f"lstm-256-seed-{seed}" for seed in (1, 2)]
SHORT = ["transformer-256-without-concatenation-seed-1"]

# Drawn anew between the trainings: its scores before and after are not of the same sentences.
REDRAWN = "adjective_depth_5_6"
BEFORE = [*TRANSFORMERS[:4], *LSTMS, *SHORT]

CONTAINING = [("all", "all"), ("group_name", "structural"), ("category", "Recursion")]

METRICS = ("exact", "bleu")
DBCA_RECIPES = ("dbca-min", "dbca-random", "dbca-max")

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


def printed(number: str, system: str, metric: str, value: str) -> str:
    """Return what the paper prints, with its standard deviation where it prints one."""
    found = find(SGET, table=number, system=system, metric=metric, value=value)
    if found is None:
        return "-"
    return f"{found.score:.1f}" + ("" if found.sd is None else f" ± {found.sd:.1f}")


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


def bleu(scores: Scores, name: str, tag: str, value: str) -> float | None:
    """Return a group's BLEU as the paper has it: the mean of its patterns', by sentences."""
    parts = read_recipe("sget").builder.split["gen"]
    names = {"group_name": "group", "category": "category"}
    members = [p for p, part in parts.items() if getattr(part, names[tag]) == value]
    if not members:
        return None
    sizes = {pattern: parts[pattern].size for pattern in members}
    total = sum(sizes[p] * scores[name]["gen", "pattern", p, "bleu"] for p in members)
    return total / sum(sizes.values())


def spreads(scores: Scores, split: str, tag: str, value: str) -> list[str]:
    """Return exact match, BLEU and Partial Match of each kind of model."""
    found = []
    for metric in ("exact", "bleu", "partial"):
        for names in (TRANSFORMERS, LARGE, LSTMS):
            if metric == "bleu" and tag != "all":
                values = [bleu(scores, name, tag, value) for name in names]
            else:
                values = [scores[name].get((split, tag, value, metric)) for name in names]
            known = [score for score in values if score is not None]
            found.append(spread(known) if known else "-")
    return found


def pattern_row(scores: Scores, pattern: str) -> list[str]:
    """Return a row of Table 10."""
    key = ("gen", "pattern", pattern, "exact")
    redrawn = pattern == REDRAWN
    single = {
        name: f"({found[key]:.1f})" if redrawn and name in BEFORE else f"{found[key]:.1f}"
        for name, found in scores.items()
    }
    ours = [scores[name][key] for name in TRANSFORMERS]
    theirs = lookup(SGET, table="10", system="Transformer", metric="exact", value=pattern)
    return [
        *(single[name] for name in TRANSFORMERS),
        "-" if redrawn else spread(ours),
        f"{theirs:.1f}",
        "-" if redrawn else difference(mean(ours) - theirs),
        *(single[name] for name in LARGE + LSTMS + SHORT),
    ]


def group_row(scores: Scores, split: str, tag: str, value: str) -> list[str]:
    """Return a row of Tables 2 and 3, what the paper prints beside ours."""
    row = spreads(scores, split, tag, value)
    whole = value == "all"
    number, name = ("2", split) if whole else ("3", value)
    row.insert(1, printed(number, "Transformer", "exact", name))
    row.insert(4, printed(number, "LSTM", "exact", name))
    row.insert(6, printed(number, "Transformer", "bleu", name))
    row.insert(9, printed(number, "LSTM", "bleu", name))
    return row


GROUPS = [
    ("test", "all", "all"), ("gen", "group_name", "lexical"),
    ("gen", "group_name", "lexical+morphological"), ("gen", "group_name", "structural"),
    ("gen", "group_name", f"structural but {REDRAWN}"), ("gen", "all", "all"),
    ("gen", "all", f"all but {REDRAWN}"),
]  # fmt: skip


def phrase_row(scores: Scores, pattern: str) -> list[str]:
    """Return a row of Table 4."""
    key = ("gen", "pattern", pattern, "exact")
    return [
        spread([scores[name][key] for name in TRANSFORMERS]),
        printed("4", "Transformer", "exact", pattern),
        *(spread([scores[name][key] for name in names]) for names in (LARGE, LSTMS)),
    ]


def recursion_row(scores: Scores, pattern: str) -> list[str]:
    """Return a row of Table 6."""
    key = ("gen", "pattern", pattern, "exact")
    without = f"{scores[SHORT[0]][key]:.1f}"
    ours = [scores[name][key] for name in TRANSFORMERS]
    return [
        "-" if pattern == REDRAWN else spread(ours),
        printed("6", "Transformer, with concatenation", "exact", pattern),
        f"({without})" if pattern == REDRAWN else without,
        printed("6", "Transformer, without concatenation", "exact", pattern),
    ]


def category_row(scores: Scores, category: str) -> list[str]:
    """Return a row of the table by category."""
    row = spreads(scores, "gen", "category", category)
    row.insert(3, f"{scores[SHORT[0]]['gen', 'category', category, 'exact']:.1f}")
    return row


def test_patterns(repository: Path, scores: Scores) -> None:
    """Table 10: every model, the mean and what the paper has."""
    patterns = [
        key for key in scores[TRANSFORMERS[0]] if key[:2] == ("gen", "pattern") and "exact" in key
    ]
    assert len(patterns) == 42
    for key, row in zip(patterns, table(repository, "pattern | T 1"), strict=True):
        assert row[1:] == pattern_row(scores, key[2]), key


def test_means_far_from_the_paper_are_counted(repository: Path, scores: Scores) -> None:
    """The text says how many means of Table 10 differ by more than 15 points."""
    rows = table(repository, "pattern | T 1")
    far = sum(row[8].startswith("**") for row in rows)
    text = (repository / "docs" / "reproducing.md").read_text(encoding="utf-8")
    assert f"**{far} means differ by more than 15 points.**" in text


def test_groups(repository: Path, scores: Scores) -> None:
    """Tables 2 and 3."""
    for place, row in zip(GROUPS, table(repository, "group"), strict=True):
        assert row[1:] == group_row(scores, *place), place


@pytest.mark.parametrize(("number", "row_of"), [("4", phrase_row), ("6", recursion_row)])
def test_rows_of_the_paper(repository: Path, scores: Scores, number: str, row_of: Any) -> None:
    """Table 4 has six patterns of phrase recombination, Table 6 eight of recursion."""
    values = published_values(number)
    for value, row in zip(values, table(repository, f"pattern of Table {number}"), strict=True):
        assert row[1:] == row_of(scores, value), value


def test_categories(repository: Path, scores: Scores) -> None:
    """The table by category, which the paper has not."""
    rows = {row[0]: row[1:] for row in table(repository, "category")}
    keys = [key for key in scores[TRANSFORMERS[0]] if key[1] == "category" and "exact" in key]
    names = [key[2].lower().replace(REDRAWN, "adjective depth 5-6") for key in keys]
    assert set(names) == set(rows)
    for name, key in zip(names, keys, strict=True):
        assert rows[name] == category_row(scores, key[2]), key[2]


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


def test_llama_of_the_paper(repository: Path) -> None:
    """The row that stands below our language model."""
    rows = {row[0]: row[1:] for row in table(repository, "| test exact")}
    whole = [
        printed("2", "Llama 2", metric, split) for split in ("test", "gen") for metric in METRICS
    ]
    groups = ["lexical", "lexical+morphological", "structural"]
    parts = [printed("3", "Llama 2", "exact", group) for group in groups]
    assert rows["Llama 2 (paper)"] == [*whole, "-", *parts]


def test_divergent_results_of_the_paper(repository: Path) -> None:
    """chrF2++ and BLEU of the authors' models, printed or released."""
    names = {"minimal": "de min", "random": "de random", "maximal": "de max"}
    for row in table(repository, "split | D_A")[:3]:
        for cell, metric in zip(row[-2:], ("chrf++", "bleu"), strict=True):
            found = lookup(DBCA, system="Transformer", metric=metric, value=names[row[0]])
            assert cell == f"{found:.1f}", row
    text = (repository / "docs" / "reproducing.md").read_text(encoding="utf-8")
    for metric in ("D_C", "D_A"):
        printed_ = [
            lookup(DBCA, table="2", metric=metric, row=f"Europarl random split {size}")
            for size in ("3k", "10k", "30k")
        ]
        assert f"(paper: {', '.join(f'{one:.2f}' for one in printed_)}" in " ".join(text.split())


def test_compounds_of_the_paper(repository: Path) -> None:
    """Table 6 as people judged it."""
    text = (repository / "docs" / "compounds-results.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith("| people"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    places = [("gen category", one) for one in ("NP", "VP", "PP")] + [("split", "gen")]
    for cell, (tag, value) in zip(cells[1:], places, strict=True):
        found = [
            lookup(COGNITION, table="6", metric=f"cter-{kind}", tag=tag, value=value)
            for kind in ("instance", "aggregate")
        ]
        assert cell == " / ".join(f"{one:.2f}" for one in found)
        assert f"{lookup(COGNITION, table='6', metric='bleu', tag=tag, value=value)}" in cells[0]


def test_size_of_the_consistency_benchmark(repository: Path) -> None:
    """The how-to gives the number of sentences that the recipe plans."""
    planned = sum(read_recipe("consistency").builder.plan()["splits"].values())
    text = (repository / "docs" / "how-to" / "consistency.md").read_text(encoding="utf-8")
    assert f"sizes of the paper: {planned:,} sentences" in text


@pytest.mark.parametrize("name", [name for name in recipe_names() if name != "consistency"])
def test_recipes_cite_titles_that_exist(repository: Path, name: str) -> None:
    """Every recipe of a paper cites it by its title in CITATION.cff."""
    known = (repository / "CITATION.cff").read_text(encoding="utf-8").lower()
    titles = [line.split('"')[1] for line in known.splitlines() if line.strip().startswith("title")]
    needed = {"sget-release": ["path=x"], **{key: ["corpus=x"] for key in DBCA_RECIPES}}
    citation = read_recipe(name, needed.get(name, [])).head.citation
    assert any(title in citation.lower() for title in titles)


def test_the_authors_edition(repository: Path, scores: Scores) -> None:
    """What is said of the one model on the authors' edition is what its raw scores say."""
    path = repository / "docs" / "results" / "sget" / "released-256-official-seed-1.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["metric"] == "exact"]
    whole = {row["split"]: float(row["score"]) for row in rows if row["tag"] == "all"}
    one = {row["value"]: float(row["score"]) for row in rows if row["tag"] == "pattern"}
    five = {
        name: mean(scores[model]["gen", "pattern", name, "exact"] for model in TRANSFORMERS)
        for name in one
    }
    paper = [
        found.score
        for name in one
        if (found := find(SGET, table="10", system="Transformer", metric="exact", value=name))
    ]
    assert len(paper) == len(one) == 42

    def beside(found: dict[str, float]) -> tuple[str, str, int]:
        """The mean distance from the paper, the correlation, and how many rows are far."""
        distances = [abs(ours - theirs) for ours, theirs in zip(found.values(), paper, strict=True)]
        near = f"{correlation(list(found.values()), paper):.2f}".removeprefix("0")
        return f"{mean(distances):.1f}", near, sum(distance > 15 for distance in distances)

    text = (repository / "docs" / "reproducing.md").read_text(encoding="utf-8")
    said = " ".join(text.split("### The authors' edition")[1].split("\n## ")[0].split())
    distance, near, far = beside(one)
    assert f"{whole['gen']:.1f} on gen" in said
    assert f"{whole['test']:.1f} on test" in said
    assert f"{distance} points and the correlation {near}" in said
    assert f"{far} rows differ" in said
    assert f"{one[REDRAWN]:.1f} where the paper has 99.5" in said
    distance, near, _ = beside(five)
    assert f"{distance} and {near})" in said
