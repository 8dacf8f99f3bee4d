"""A small n-gram model: does a sentence still read like its original after a phrase was put in?

Trigrams with absolute discounting, interpolated down to uniform (Chen & Goodman 1999). Only windows
that the change touched are looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from recombine.builders.alignment import number

DISCOUNT = 0.75
START = "<s>"
END = "</s>"

Longs = npt.NDArray[np.int64]


class NgramModel:
    """Trigram probabilities of a corpus; an n-gram is one number with a digit per word."""

    def __init__(self, sentences: Iterable[Sequence[str]]) -> None:
        side = number([START, START, *sentence, END] for sentence in sentences)
        self.vocabulary = side.vocabulary
        self._codes = {word: code for code, word in enumerate(side.vocabulary)}
        # One digit more, for all words that the corpus lacks.
        self._base = base = len(side.vocabulary) + 1
        words = side.words.astype(np.int64)
        # Every word but the two starts of a sentence ends an n-gram of each order.
        starts = side.offsets[:-1]
        ends = np.delete(np.arange(len(words)), np.concatenate([starts, starts + 1]))
        unigrams = words[ends]
        bigrams = words[ends - 1] * base + unigrams
        trigrams = words[ends - 2] * base**2 + bigrams
        self._unigrams, _ = _count(unigrams, base)
        self._bigrams, self._after_word = _count(bigrams, base)
        self._trigrams, self._after_bigram = _count(trigrams, base)
        self._total = len(ends)
        self._logs: dict[tuple[str, str, str], float] = {}

    def probability(self, first: str, second: str, third: str) -> float:
        """Return the probability of the third word after the first two."""
        unknown = self._base - 1
        word = self._codes.get(third, unknown)
        before = self._codes.get(second, unknown)
        pair = self._codes.get(first, unknown) * self._base + before
        types = max(1, len(self._unigrams))
        score = (self._unigrams.get(word, 0) + 0.5) / (self._total + 0.5 * (types + 1))
        for counts, going_on, beginning in (
            (self._bigrams, self._after_word, before),
            (self._trigrams, self._after_bigram, pair),
        ):
            if beginning in going_on:
                after, kinds = going_on[beginning]
                kept = max(counts.get(beginning * self._base + word, 0) - DISCOUNT, 0.0)
                score = (kept + DISCOUNT * kinds * score) / after
        return score

    def window(self, words: Sequence[str], start: int, end: int) -> float:
        """Return the mean log probability of the words from `start` to two behind `end`."""
        padded = [START, START, *words, END]
        last = min(end + 2, len(words) + 1)
        scores = []
        for at in range(start, last):
            trigram = (padded[at], padded[at + 1], padded[at + 2])
            score = self._logs.get(trigram)
            if score is None:
                score = self._logs[trigram] = math.log(self.probability(*trigram))
            scores.append(score)
        return sum(scores) / len(scores) if scores else 0.0


def _count(ngrams: Longs, base: int) -> tuple[dict[int, int], dict[int, tuple[int, int]]]:
    """Return the count of every n-gram; and of its beginning: how often and in how many ways."""
    kinds, counts = np.unique(ngrams, return_counts=True)
    beginnings, firsts, ways = np.unique(kinds // base, return_index=True, return_counts=True)
    after = np.add.reduceat(counts, firsts)
    return (
        dict(zip(kinds.tolist(), counts.tolist(), strict=True)),
        dict(
            zip(beginnings.tolist(), zip(after.tolist(), ways.tolist(), strict=True), strict=True)
        ),
    )
