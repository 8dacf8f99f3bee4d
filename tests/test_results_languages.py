"""docs/results/languages.md says what the raw scores beside it say."""

from __future__ import annotations

import csv
import re
from itertools import combinations
from pathlib import Path

from scipy import stats

LANGUAGES = {"ja": "Japanese", "es": "Spanish", "de": "German", "zh": "Chinese"}


def exact(path: Path) -> dict[tuple[str, str, str], float]:
    """Exact match by split, tag and value."""
    with path.open(encoding="utf-8", newline="") as lines:
        return {
            (row["split"], row["tag"], row["value"]): float(row["score"])
            for row in csv.DictReader(lines)
            if row["metric"] == "exact"
        }


def test_the_tables_are_the_raw_scores(repository: Path) -> None:
    """Every pattern of every language, the agreement of their order, and Bergamot's two scores."""
    folder = repository / "docs" / "results"
    page = (folder / "languages.md").read_text(encoding="utf-8")
    scores = {code: exact(folder / "languages" / f"{code}-seed-1.csv") for code in LANGUAGES}
    patterns = [value for split, tag, value in scores["ja"] if (split, tag) == ("gen", "pattern")]
    assert len(patterns) == 42
    unmarked = set(re.findall(r"^\| (\w+) † \|", page, re.MULTILINE))
    assert len(unmarked) == 4
    for pattern in patterns:
        shown = " | ".join(f"{one['gen', 'pattern', pattern]:.1f}" for one in scores.values())
        mark = " †" if pattern in unmarked else ""
        assert f"| {pattern}{mark} | {shown} |" in page
    for left, right in combinations(LANGUAGES, 2):
        kept = [one for one in patterns if "zh" not in (left, right) or one not in unmarked]
        ours = [[scores[code]["gen", "pattern", one] for one in kept] for code in (left, right)]
        tau, rho = stats.kendalltau(*ours).statistic, stats.spearmanr(*ours).statistic
        assert f"{tau:.2f}, {rho:.2f}" in page
    never = [one for one in patterns if not any(s["gen", "pattern", one] for s in scores.values())]
    assert len(never) == 12
    bergamot = exact(folder / "languages" / "bergamot-pt.csv")
    for split in ("test", "gen"):
        assert f"| {split} | {bergamot[split, 'all', 'all']:.1f} |" in page


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
