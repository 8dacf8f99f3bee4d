"""docs/results/languages.md and its appendix say what the raw scores beside it say."""

from __future__ import annotations

import csv
import re
from itertools import combinations, combinations_with_replacement, product
from pathlib import Path
from statistics import mean

from scipy import stats

LANGUAGES = ("ja", "es", "de", "zh")
SEEDS = 2

Scores = dict[tuple[str, str, str], float]


def exact(path: Path) -> Scores:
    """Exact match by split, tag and value."""
    with path.open(encoding="utf-8", newline="") as lines:
        return {
            (row["split"], row["tag"], row["value"]): float(row["score"])
            for row in csv.DictReader(lines)
            if row["metric"] == "exact"
        }


def agreement(left: list[Scores], right: list[Scores], patterns: list[str]) -> list[float]:
    """Kendall's tau of the patterns' order, for every pair of seeds."""
    pairs = combinations(left, 2) if left is right else product(left, right)
    return [
        stats.kendalltau(
            *([one["gen", "pattern", name] for name in patterns] for one in pair)
        ).statistic
        for pair in pairs
    ]


def test_the_tables_are_the_raw_scores(repository: Path) -> None:
    """Every pattern of every language, the agreement of their order, and Bergamot's two scores."""
    folder = repository / "docs" / "results"
    page, appendix = (
        (folder / f"{name}.md").read_text(encoding="utf-8")
        for name in ("languages", "languages-appendix")
    )
    scores = {
        code: [exact(path) for path in sorted((folder / "languages").glob(f"{code}-seed-?.csv"))]
        for code in LANGUAGES
    }
    assert {len(seeds) for seeds in scores.values()} == {SEEDS}
    patterns = [key[2] for key in scores["ja"][0] if key[:2] == ("gen", "pattern")]
    assert len(patterns) == 42
    unmarked = set(re.findall(r"^\| (\w+) † \|", appendix, re.MULTILINE))
    assert len(unmarked) == 4

    def row(*key: str) -> str:
        digits = 0 if key[1] == "pattern" else 1
        found = ([one[key] for one in seeds] for seeds in scores.values())  # type: ignore[index]
        return " | ".join(
            f"{mean(one):.1f} ({', '.join(f'{value:.{digits}f}' for value in one)})"
            for one in found
        )

    for pattern in patterns:
        mark = " †" if pattern in unmarked else ""
        assert f"| {pattern}{mark} | {row('gen', 'pattern', pattern)} |" in appendix
    categories = [key[2] for key in scores["ja"][0] if key[:2] == ("gen", "category")]
    assert all(f"| {name} | {row('gen', 'category', name)} |" in page for name in categories)
    assert all(f"| {split} | {row(split, 'all', 'all')} |" in page for split in ("test", "gen"))
    for left, right in combinations_with_replacement(LANGUAGES, 2):
        kept = [one for one in patterns if "zh" not in (left, right) or one not in unmarked]
        taus = agreement(scores[left], scores[right], kept)
        spread = f" ({min(taus):.2f} to {max(taus):.2f})" if len(taus) > 1 else ""
        assert f"{mean(taus):.2f}{spread}" in page
    every = [one for seeds in scores.values() for one in seeds]
    never = [one for one in patterns if not any(s["gen", "pattern", one] for s in every)]
    assert f"({len(never)} of 42 patterns are never right" in page
    bergamot = exact(folder / "languages" / "bergamot-pt.csv")
    for split in ("test", "gen"):
        assert f"| {split} | {bergamot[split, 'all', 'all']:.1f} |" in appendix


def test_real_against_nonce_is_as_scored(repository: Path) -> None:
    """The table of the how-to on private benchmarks."""
    docs = repository / "docs"
    page = (docs / "how-to" / "private-benchmarks.md").read_text(encoding="utf-8")
    real, nonce = (
        exact(docs / "results" / "languages" / f"{name}.csv")
        for name in ("ja-seed-1", "nonce-ja-seed-1")
    )
    for split in ("test", "gen"):
        row = next(line for line in page.split("\n") if line.startswith(f"| {split} | "))
        shown = [float(cell.split()[0]) for cell in row.split("|")[2:4]]
        assert shown == [round(one[split, "all", "all"], 1) for one in (real, nonce)]
