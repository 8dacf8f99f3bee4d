"""docs/results: pages of one form, whose tables are those of the raw files beside them."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest

from recombine.builders.recipe import read_recipe, recipe_names

PAGES = ("sget", "cognition", "dbca", "paradox", "recombination", "languages")
# Where the notes lie that belong to a page.
NOTES = {
    "sget": "sget/notes", "cognition": "compounds/notes", "dbca": "divergent/notes",
    "paradox": "consistency/notes", "recombination": "sget/recombined",
    "languages": "languages/notes",
}  # fmt: skip
NUMBER = re.compile(r"(?<![\w.])(?:\d*\.\d+|\d[\d,]*)(?![\w+])")
TABLE = re.compile(r"<!-- table: .*?<!-- end -->", re.DOTALL)
DBCA_RECIPES = ("dbca-min", "dbca-random", "dbca-max")


def page(repository: Path, name: str) -> str:
    """The text of a page of results, or of notes."""
    return (repository / "docs" / "results" / f"{name}.md").read_text(encoding="utf-8")


def verdict(text: str) -> str:
    """The paragraph that says what was found."""
    return text.split("**Verdict.**")[1].split("\n\n")[0]


def test_the_tables_are_those_of_the_raw_files(repository: Path) -> None:
    """`make results` would change nothing."""
    script = repository / "docs" / "results" / "make.py"
    done = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_page_that_disagrees_with_its_data_is_found(repository: Path, tmp_path: Path) -> None:
    """One digit changed in a table, and the check names the page."""
    copy = tmp_path / "docs" / "results"
    copy.mkdir(parents=True)
    for name in ("make.py", "raw.py"):
        (copy / name).write_bytes((repository / "docs" / "results" / name).read_bytes())
    (copy / "small").mkdir()
    (copy / "small" / "data.csv").write_text("name,n\na,1\n", encoding="utf-8")
    (copy / "small" / "tables.py").write_text(
        "from raw import Table, rows\n"
        "def counts():\n"
        "    return Table(('name', 'n'), [[r['name'], r['n']] for r in rows('small/data')])\n",
        encoding="utf-8",
    )
    (copy / "page.md").write_text("<!-- table: small.counts -->\n<!-- end -->\n", encoding="utf-8")

    def run(*options: str) -> int:
        command = [sys.executable, str(copy / "make.py"), *options]
        return subprocess.run(command, capture_output=True, check=False).returncode

    assert run("--check") == 1
    assert run() == 0
    text = (copy / "page.md").read_text(encoding="utf-8")
    assert "| name | n |\n| --- | ---: |\n| a | 1 |\n<!-- end -->" in text
    assert run("--check") == 0
    (copy / "page.md").write_text(text.replace("| 1 |", "| 2 |"), encoding="utf-8")
    assert run("--check") == 1


@pytest.mark.parametrize("name", PAGES)
def test_pages_have_one_form(repository: Path, name: str) -> None:
    """A short verdict, one figure, one table, what differs, the command; under 600 words."""
    text = page(repository, name)
    prose = TABLE.sub("", text)
    assert len(text.split()) < 600
    assert len(verdict(text).split()) <= 60
    assert len(NUMBER.findall(verdict(text))) <= 5
    assert text.count("![") == 1
    assert len(TABLE.findall(text)) == 1
    assert not [line for line in prose.splitlines() if line.startswith("|")]
    assert "\n## What differs" in text
    assert "\n## Command\n" in text


@pytest.mark.parametrize("name", PAGES)
def test_numbers_of_a_verdict_are_in_a_table(repository: Path, name: str) -> None:
    """Of its page, or of its notes: written from raw files."""
    made = " ".join(TABLE.findall(page(repository, name) + page(repository, NOTES[name])))
    known = set(NUMBER.findall(made))
    said = {number for number in NUMBER.findall(verdict(page(repository, name))) if "." in number}
    assert said
    assert said <= known


def test_cells_add_up_to_the_scores(repository: Path) -> None:
    """Two raw files of the same outputs of SGET's authors' edition agree in every pattern."""
    folder = repository / "docs" / "results" / "sget"
    right: dict[tuple[str, str], list[int]] = {}
    with (folder / "official-cells.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if (row["model"], row["search"]) == ("released", "beam"):
                counts = right.setdefault((row["seed"], row["pattern"]), [0, 0])
                counts[0] += int(row["exact"])
                counts[1] += int(row["n"])
    checked = 0
    for seed in "123":
        path = folder / f"released-256-official-seed-{seed}.csv"
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                if (row["split"], row["tag"], row["metric"]) == ("gen", "pattern", "exact"):
                    exact, n = right[seed, row["value"]]
                    assert 100 * exact / n == pytest.approx(float(row["score"]), abs=1e-4)
                    checked += 1
    assert checked == 3 * 42


def test_size_of_the_consistency_benchmark(repository: Path) -> None:
    """The how-to gives the number of sentences that the recipe plans."""
    planned = sum(read_recipe("consistency").builder.plan()["splits"].values())
    text = (repository / "docs" / "how-to" / "consistency.md").read_text(encoding="utf-8")
    assert f"sizes of the paper: {planned:,} sentences" in text


def test_real_against_nonce_is_as_scored(repository: Path) -> None:
    """The table of the how-to on private benchmarks."""
    text = (repository / "docs" / "how-to" / "private-benchmarks.md").read_text(encoding="utf-8")
    for split in ("test", "gen"):
        line = next(line for line in text.split("\n") if line.startswith(f"| {split} | "))
        shown = [float(cell.split()[0]) for cell in line.split("|")[2:4]]
        found = []
        for name in ("ja-seed-1", "nonce-ja-seed-1"):
            path = repository / "docs" / "results" / "languages" / f"{name}.csv"
            with path.open(encoding="utf-8", newline="") as lines:
                found += [
                    round(float(row["score"]), 1)
                    for row in csv.DictReader(lines)
                    if (row["split"], row["tag"], row["metric"]) == (split, "all", "exact")
                ]
        assert shown == found


@pytest.mark.parametrize("name", [name for name in recipe_names() if name != "consistency"])
def test_recipes_cite_titles_that_exist(repository: Path, name: str) -> None:
    """Every recipe of a paper cites it by its title in CITATION.cff."""
    known = (repository / "CITATION.cff").read_text(encoding="utf-8").lower()
    titles = [line.split('"')[1] for line in known.splitlines() if line.strip().startswith("title")]
    needed = {"sget-release": ["path=x"], **{key: ["corpus=x"] for key in DBCA_RECIPES}}
    citation = read_recipe(name, needed.get(name, [])).head.citation
    assert any(title in citation.lower() for title in titles)
