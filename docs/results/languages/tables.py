"""Tables on SGET in four languages."""

from __future__ import annotations

from functools import cache
from itertools import combinations, combinations_with_replacement, product
from statistics import mean

from raw import Table, bare, rows, score
from scipy import stats

LANGUAGES = {"ja": "Japanese", "es": "Spanish", "de": "German", "zh": "Chinese"}
# Patterns that ask for a tense that Chinese does not mark.
UNMARKED = (
    "present_infinitive",
    "present_complement",
    "transitive_to_present_infinitive",
    "transitive_to_present_complement",
)
SEEDS = (1, 2)


@cache
def values(tag: str) -> list[str]:
    """The patterns or categories of gen."""
    return list(
        dict.fromkeys(
            row["value"]
            for row in rows("languages/ja-seed-1")
            if row["split"] == "gen" and row["tag"] == tag
        )
    )


def cells(split: str, value: str, digits: int = 1) -> list[str]:
    """Mean and seeds of every language."""
    found = [
        [score(f"languages/{code}-seed-{seed}", split, value) for seed in SEEDS]
        for code in LANGUAGES
    ]
    return [f"{mean(own):.1f} ({', '.join(f'{one:.{digits}f}' for one in own)})" for own in found]


def categories() -> Table:
    """Test, gen and categories."""
    made = [[split, *cells(split, "all")] for split in ("test", "gen")]
    made += [[name, *cells("gen", name)] for name in values("category")]
    return Table(("exact match, mean (seeds)", *LANGUAGES.values()), made)


def patterns() -> Table:
    """Every pattern."""
    made = [[name, *cells("gen", name, 0)] for name in values("pattern")]
    return Table(("exact match, mean (seeds)", *LANGUAGES.values()), made)


def agreement() -> Table:
    """Kendall's tau of the order of the patterns, over all pairs of seeds."""
    found: dict[tuple[str, str], str] = {}
    for left, right in combinations_with_replacement(LANGUAGES, 2):
        kept = [
            name for name in values("pattern") if "zh" not in (left, right) or name not in UNMARKED
        ]
        sides = [
            [
                [score(f"languages/{code}-seed-{seed}", "gen", name) for name in kept]
                for seed in SEEDS
            ]
            for code in (left, right)
        ]
        pairs = combinations(sides[0], 2) if left == right else product(*sides)
        taus = [stats.kendalltau(one, other).statistic for one, other in pairs]
        found[left, right] = bare(mean(taus)) + (
            f" ({bare(min(taus))} to {bare(max(taus))})" if len(taus) > 1 else ""
        )
    made = [
        [name, *(found.get((left, right), "") for right in LANGUAGES)]
        for left, name in LANGUAGES.items()
    ]
    return Table(("Kendall's tau", *LANGUAGES.values()), made)
