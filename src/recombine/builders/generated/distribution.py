"""Distribution: how far a sample of a grammar lies from given sentences.

Both are parsed with the same grammar, so that constructions, words, lengths and depths are counted
the same way; each table gets its total variation distance, a chi-square test and its largest
deviations.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from recombine.grammar import Grammar, Tree

LARGEST = 5
SMALL = 5.0  # expected counts below this are pooled, as usual for the chi-square test


@dataclass(frozen=True)
class SampleComparison:
    """One table of two samples."""

    name: str
    distance: float  # total variation: half the sum of absolute differences of shares
    chi_square: float
    freedom: int
    p_value: float
    largest: tuple[tuple[str, float, float], ...]  # key, share here, share there


def tables(
    grammar: Grammar, sources: Iterable[str], language: str, tags: Sequence[str]
) -> dict[str, Counter[str]]:
    """Count constructions (per category), words (per category), lengths and depths."""
    found: dict[str, Counter[str]] = {}

    def add(table: str, key: str, times: int) -> None:
        found.setdefault(table, Counter())[key] += times

    parse = grammar.parser(language).parse
    for source, times in Counter(sources).items():
        tree = parse(source).tree
        if tree is None:
            add("sentences", "outside the grammar", times)
            continue
        add("sentences", "inside the grammar", times)
        add("length", str(len(source.split(" "))), times)
        for tag in tags:
            add(f"depth of {tag}", str(tree.depth(tag)), times)
        _count(tree, times, add)
    return found


def _count(tree: Tree, times: int, add: Callable[[str, str, int], None]) -> None:
    inventory = tree.inventory
    for code in tree.codes:
        kind = "words" if inventory.is_word(code) else "constructions"
        add(f"{kind} of {inventory.category(code)}", inventory.labels[code], times)


def compare(
    here: Mapping[str, Counter[str]], there: Mapping[str, Counter[str]], *, at_least: int = 100
) -> list[SampleComparison]:
    """Compare the tables that both samples have with enough counts, the farthest first."""
    found = []
    for name in sorted(set(here) & set(there)):
        if min(here[name].total(), there[name].total()) >= at_least:
            found.append(_compare(name, here[name], there[name]))
    return sorted(found, key=lambda one: -one.distance)


def _compare(name: str, here: Counter[str], there: Counter[str]) -> SampleComparison:
    keys = sorted(set(here) | set(there))
    mine, theirs = here.total(), there.total()
    shares = [(key, here[key] / mine, there[key] / theirs) for key in keys]
    distance = sum(abs(a - b) for _, a, b in shares) / 2
    chi_square, freedom = _chi_square(here, there, keys)
    largest = sorted(shares, key=lambda row: -abs(row[1] - row[2]))[:LARGEST]
    return SampleComparison(
        name, distance, chi_square, freedom, _survival(chi_square, freedom), tuple(largest)
    )


def _chi_square(here: Counter[str], there: Counter[str], keys: Sequence[str]) -> tuple[float, int]:
    """Pearson's statistic of homogeneity; rare keys are pooled into one."""
    mine, theirs = here.total(), there.total()
    total = mine + theirs
    cells: list[tuple[int, int]] = []
    pool = [0, 0]
    for key in keys:
        pair = (here[key], there[key])
        if sum(pair) * min(mine, theirs) / total < SMALL:
            pool[0] += pair[0]
            pool[1] += pair[1]
        else:
            cells.append(pair)
    if sum(pool):
        cells.append((pool[0], pool[1]))
    statistic = 0.0
    for a, b in cells:
        for count, size in ((a, mine), (b, theirs)):
            expected = (a + b) * size / total
            statistic += (count - expected) ** 2 / expected
    return statistic, max(1, len(cells) - 1)


def _survival(statistic: float, freedom: int) -> float:
    """P(chi-square >= statistic), by the Wilson-Hilferty cube-root normal approximation (1931)."""
    if statistic <= 0:
        return 1.0
    spread = 2 / (9 * freedom)
    z = ((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)
    return 0.5 * math.erfc(z / math.sqrt(2))
