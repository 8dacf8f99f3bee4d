"""A small n-gram model: does a sentence still read like its original after a phrase was put in?

Trigrams with absolute discounting, interpolated down to uniform (Chen & Goodman 1999). Only windows
that the change touched are looked at.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

DISCOUNT = 0.75
START = "<s>"
END = "</s>"


class NgramModel:
    """Trigram probabilities of a corpus."""

    def __init__(self, sentences: Iterable[Sequence[str]]) -> None:
        self.trigrams: Counter[tuple[str, str, str]] = Counter()
        self.bigrams: Counter[tuple[str, str]] = Counter()
        self.unigrams: Counter[str] = Counter()
        for sentence in sentences:
            words = [START, START, *sentence, END]
            self.unigrams.update(words[2:])
            self.bigrams.update(pairwise(words[1:]))
            self.trigrams.update(zip(words, words[1:], words[2:], strict=False))
        self.total = self.unigrams.total()
        self.after_bigram: Counter[tuple[str, str]] = Counter()
        self.kinds_after_bigram: Counter[tuple[str, str]] = Counter()
        self.after_word: Counter[str] = Counter()
        self.kinds_after_word: Counter[str] = Counter()
        for (first, second, _), count in self.trigrams.items():
            self.after_bigram[first, second] += count
            self.kinds_after_bigram[first, second] += 1
        for (first, _), count in self.bigrams.items():
            self.after_word[first] += count
            self.kinds_after_word[first] += 1

    def probability(self, first: str, second: str, third: str) -> float:
        """Return the probability of the third word after the first two."""
        types = max(1, len(self.unigrams))
        score = (self.unigrams[third] + 0.5) / (self.total + 0.5 * (types + 1))
        after = self.after_word[second]
        if after:
            kept = max(self.bigrams[second, third] - DISCOUNT, 0.0)
            score = (kept + DISCOUNT * self.kinds_after_word[second] * score) / after
        after = self.after_bigram[first, second]
        if after:
            kept = max(self.trigrams[first, second, third] - DISCOUNT, 0.0)
            score = (kept + DISCOUNT * self.kinds_after_bigram[first, second] * score) / after
        return score

    def window(self, words: Sequence[str], start: int, end: int) -> float:
        """Return the mean log probability of the words from `start` to two behind `end`."""
        padded = [START, START, *words, END]
        last = min(end + 2, len(words) + 1)
        scores = [
            math.log(self.probability(padded[at], padded[at + 1], padded[at + 2]))
            for at in range(start, last)
        ]
        return sum(scores) / len(scores) if scores else 0.0
