"""What a training corpus says about compounds: how often they and their atoms occur, and together.

Li et al. 2021, sections 6.1, 6.3 and 6.4: frequency of the compound, of its atoms, and the mean
pointwise mutual information of its atoms within five words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from recombine.benchmark import Example
from recombine.metrics.segment import segment

WINDOW = 5


class CorpusCounts:
    """Counts over the source side of a corpus, for the atoms and compounds asked for."""

    def __init__(self, sources: Iterable[str], examples: Iterable[Example]) -> None:
        texts: set[str] = set()
        pairs: set[tuple[str, str]] = set()
        for example in examples:
            atoms = atoms_of(example)
            texts.update(atoms)
            texts.add(compound_text(example))
            pairs.update(combinations(sorted(set(atoms)), 2))
        self.occurrences: Counter[str] = Counter()
        self.windows_with: Counter[str] = Counter()
        self.windows_with_both: Counter[tuple[str, str]] = Counter()
        self.windows = 0
        self._lengths: dict[str, set[int]] = {}
        for text in texts:
            words = text.split()
            if words:
                self._lengths.setdefault(words[0], set()).add(len(words))
        self._texts = texts
        for source in sources:
            self._count([token.lower() for token in segment(source)], pairs)

    def _count(self, words: Sequence[str], pairs: set[tuple[str, str]]) -> None:
        places: list[tuple[str, int, int]] = []
        for start, word in enumerate(words):
            for length in self._lengths.get(word, ()):
                text = " ".join(words[start : start + length])
                if text in self._texts:
                    self.occurrences[text] += 1
                    places.append((text, start, start + length))
        windows = max(1, len(words) - WINDOW + 1)
        self.windows += windows
        last = max(0, len(words) - WINDOW)
        reach = [
            (text, max(0, end - WINDOW), min(start, last)) for text, start, end in places
        ]  # the windows that hold the text whole: first and last start
        for text, first, final in reach:
            self.windows_with[text] += max(0, final - first + 1)
        for (one, first, final), (other, second, ending) in combinations(reach, 2):
            key = (one, other) if one < other else (other, one)
            if key in pairs:
                self.windows_with_both[key] += max(0, min(final, ending) - max(first, second) + 1)

    def association(self, atoms: Sequence[str]) -> float | None:
        """Return the mean pointwise mutual information of all pairs of atoms that occur.

        Pairs that never meet count as if they had met once in half a window (a floor, because the
        logarithm of zero would hide how rare the words are).
        """
        values = []
        for one, other in combinations(sorted(set(atoms)), 2):
            single = self.windows_with[one] * self.windows_with[other]
            if single:
                both = max(self.windows_with_both[one, other], 0.5)
                values.append(math.log2(both * self.windows / single))
        return sum(values) / len(values) if values else None


def atoms_of(example: Example) -> list[str]:
    """Return the atoms of an example in lower case."""
    return [focus.text.lower() for focus in example.focus]


def compound_text(example: Example) -> str:
    """Return the compound of an example in lower case."""
    return str(example.tags.get("compound", "")).lower()


def frequency_class(count: int) -> str:
    """Return zero, few or many shot (section 6.1)."""
    if count == 0:
        return "zero shot (0)"
    return "few shot (1-9)" if count < 10 else "many shot (10+)"


def equal_bins(values: Mapping[str, float], bins: int) -> dict[str, str]:
    """Put keys into bins of equal size by value; ties stay together in the lower bin."""
    order = sorted(values, key=lambda key: (values[key], key))
    found: dict[str, str] = {}
    labels: dict[int, tuple[float, float]] = {}
    placed: dict[float, int] = {}
    for place, key in enumerate(order):
        number = placed.setdefault(values[key], place * bins // len(order))
        low, high = labels.get(number, (values[key], values[key]))
        labels[number] = (min(low, values[key]), max(high, values[key]))
        found[key] = str(number)
    return {key: _range(*labels[int(number)]) for key, number in found.items()}


def _range(low: float, high: float) -> str:
    def show(value: float) -> str:
        return f"{value:,.0f}" if float(value).is_integer() else f"{value:.2f}"

    return show(low) if low == high else f"{show(low)} to {show(high)}"
