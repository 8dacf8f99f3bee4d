"""How often words and phrases occur in a corpus, and how often near each other.

All are found in one walk over the corpus. Near is within a window of five words, and how much more
often than by chance two are near is their pointwise mutual information (Church & Hanks 1990; as Li
et al. 2021, section 6.4, use it).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.corpus.segment import segment

WINDOW = 5
Numbers = npt.NDArray[np.int64]


class CorpusCounts:
    """Counts over sentences: of single texts, and of those that are looked for together."""

    def __init__(
        self, sources: Iterable[str], singles: Iterable[str], together: Iterable[Sequence[str]]
    ) -> None:
        texts = set(singles)
        pairs: set[tuple[str, str]] = set()
        for group in together:
            texts.update(group)
            pairs.update(combinations(sorted(set(group)), 2))
        # Words of a text are joined by one space; others are found nowhere.
        names = sorted(text for text in texts if text and " ".join(text.split()) == text)
        words = sorted({word for name in names for word in name.split()})
        corpus = _Corpus(sources, words)
        places = _places(corpus, names)
        self.windows = corpus.windows
        self.occurrences = _named(names, np.bincount(places.text, minlength=len(names)))
        weights = np.maximum(0, places.final - places.first + 1)
        self.windows_with = _named(names, np.bincount(places.text, weights, len(names)))
        self.windows_with_both = _count_pairs(places, names, pairs)

    def association(self, texts: Sequence[str]) -> float | None:
        """Return the mean pointwise mutual information of all pairs of texts that occur.

        Pairs that never meet count as if they had met once in half a window (a floor, because the
        logarithm of zero would hide how rare the words are).
        """
        values = []
        for text, other in combinations(sorted(set(texts)), 2):
            single = self.windows_with[text] * self.windows_with[other]
            if single:
                both = max(self.windows_with_both[text, other], 0.5)
                values.append(math.log2(both * self.windows / single))
        return sum(values) / len(values) if values else None


class _Corpus:
    """The words of a corpus as numbers, sentences apart; 0 is a word that is not counted."""

    def __init__(self, sources: Iterable[str], words: Sequence[str]) -> None:
        numbers = _Numbers({word: number for number, word in enumerate(words, start=1)})
        parts: list[int] = []
        lengths: list[int] = []
        for source in sources:
            tokens = segment(source)
            parts.extend(map(numbers.__getitem__, tokens))
            lengths.append(len(tokens))
        self.vocabulary = numbers.known
        self.words = np.array(parts, dtype=np.int64)
        sizes = np.array(lengths, dtype=np.int64)
        ends = np.cumsum(sizes)
        # For each word, where its sentence begins and ends.
        self.starts = np.repeat(ends - sizes, sizes)
        self.ends = np.repeat(ends, sizes)
        self.windows = int(np.maximum(1, sizes - WINDOW + 1).sum())


class _Numbers(dict[str, int]):
    """The number of a token's lower case; each form of a token is looked up once."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        super().__init__()
        self.known = numbers

    def __missing__(self, token: str) -> int:
        self[token] = number = self.known.get(token.lower(), 0)
        return number


class _Places(NamedTuple):
    """Occurrences in order of their first word, with the first and last window that hold them."""

    text: Numbers
    start: Numbers
    first: Numbers
    final: Numbers


def _places(corpus: _Corpus, names: Sequence[str]) -> _Places:
    """Find all texts at once: walk every word of the corpus down the tree of their words."""
    edges: dict[tuple[int, int], int] = {}
    texts: dict[int, int] = {}
    for number, name in enumerate(names):
        node = 0
        for word in name.split():
            node = edges.setdefault((node, corpus.vocabulary[word]), len(edges) + 1)
        texts[node] = number
    width = len(corpus.vocabulary) + 1
    steps = sorted((node * width + word, target) for (node, word), target in edges.items())
    keys, targets = np.array(steps, dtype=np.int64).reshape(-1, 2).T
    text_of = np.full(len(edges) + 1, -1, dtype=np.int64)
    text_of[list(texts)] = list(texts.values())
    at = np.arange(len(corpus.words))
    nodes = np.zeros(len(at), dtype=np.int64)
    occurrences: list[tuple[Numbers, Numbers, int]] = []
    length = 0
    while len(at) and len(keys):
        edge = nodes * width + corpus.words[at + length]
        place = np.minimum(np.searchsorted(keys, edge), len(keys) - 1)
        hit = keys[place] == edge
        at, nodes = at[hit], targets[place[hit]]
        length += 1
        whole = text_of[nodes] >= 0
        occurrences.append((text_of[nodes[whole]], at[whole], length))
        inside = at + length < corpus.ends[at]
        at, nodes = at[inside], nodes[inside]
    empty = np.empty(0, dtype=np.int64)
    text = np.concatenate([empty, *(texts for texts, _, _ in occurrences)])
    start = np.concatenate([empty, *(starts for _, starts, _ in occurrences)])
    end = np.concatenate([empty, *(starts + length for _, starts, length in occurrences)])
    order = np.argsort(start, kind="stable")
    text, start, end = text[order], start[order], end[order]
    begins, last = corpus.starts[start], corpus.ends[start] - WINDOW
    return _Places(
        text,
        start,
        np.maximum(begins, end - WINDOW),
        np.minimum(start, np.maximum(begins, last)),
    )


def _count_pairs(
    places: _Places, names: Sequence[str], pairs: Iterable[tuple[str, str]]
) -> Counter[tuple[str, str]]:
    """Count the windows that hold both texts of a pair, for each two places that are near."""
    size = len(names)
    total: Counter[int] = Counter()
    for step in range(1, len(places.start)):
        # Words further apart than a window share none.
        near = np.flatnonzero(places.start[step:] - places.start[:-step] < WINDOW)
        if not len(near):
            break
        then = near + step
        shared = np.minimum(places.final[near], places.final[then]) + 1
        shared -= np.maximum(places.first[near], places.first[then])
        first, other = places.text[near], places.text[then]
        keys = np.minimum(first, other) * size + np.maximum(first, other)
        kinds, place = np.unique(keys, return_inverse=True)
        sums = np.bincount(place, np.maximum(0, shared))
        total.update(dict(zip(kinds.tolist(), sums.astype(np.int64).tolist(), strict=True)))
    number = {name: place for place, name in enumerate(names)}
    both: Counter[tuple[str, str]] = Counter()
    for one_name, other_name in pairs:
        if one_name in number and other_name in number:
            meetings = total[number[one_name] * size + number[other_name]]
            if meetings:
                both[one_name, other_name] = meetings
    return both


def _named(names: Sequence[str], counts: npt.NDArray[Any]) -> Counter[str]:
    return Counter({n: int(c) for n, c in zip(names, counts.tolist(), strict=True) if c})
