"""Rows of modifiers of one kind: which words stand together, and in which order.

"The small round red ball": words that never meet though both are frequent, and that stand before
and behind the same others, are of one set, and a row has one of each set. Sets stand in the order
that training shows of their words together, so that a rare word stands where its like does.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence

Words = tuple[str, ...]

# Words are of one set when what stands around them is so alike (cosine).
ALIKE = 0.5
ROUNDS = 3
# Two sets that should have met so often and never did exclude each other.
EXPECTED = 5.0


class ModifierRows:
    """Sets of words for a row of one kind of modifier."""

    def __init__(
        self,
        words: Sequence[Words],
        before: Mapping[tuple[Words, Words], int],
        heads: Mapping[Words, Counter[int]],
    ) -> None:
        """Learn from how often a word stands before another, and with which sorts of heads."""
        self._words = words
        met: Counter[tuple[Words, Words]] = Counter()
        for (first, second), count in before.items():
            met[first, second] += count
            met[second, first] += count
        self._set = _sets(words, before, met)
        seen: dict[int, Counter[int]] = {}
        for word, own in self._set.items():
            seen.setdefault(own, Counter()).update(heads.get(word, Counter()))
        together: Counter[tuple[int, int]] = Counter()
        first_of: Counter[tuple[int, int]] = Counter()
        for (first, second), count in before.items():
            a, b = self._set[first], self._set[second]
            together[a, b] += count
            together[b, a] += count
            first_of[a, b] += count
        total: Counter[int] = Counter()
        for counts in seen.values():
            total.update(counts)
        self._met = together
        self._excluded = {
            (a, b)
            for a in seen
            for b in seen
            if a == b
            or (
                not together[a, b]
                and sum(n * seen[b][sort] / total[sort] for sort, n in seen[a].items()) >= EXPECTED
            )
        }
        ahead = {a: sum(first_of[a, b] > first_of[b, a] for b in seen) for a in seen}
        behind = {a: sum(first_of[b, a] > first_of[a, b] for b in seen) for a in seen}
        # Where in its rows a set stands: 0 first, 1 last.
        self._place = {
            a: behind[a] / (ahead[a] + behind[a]) if ahead[a] + behind[a] else 0.5 for a in seen
        }
        self._rank = {a: behind[a] - ahead[a] for a in seen}

    def draw(self, stream: random.Random, words: Sequence[Words], size: int) -> list[Words]:
        """Draw so many of the words, or fewer where training shows no such row.

        One word that was never seen beside the others, nor could have been, may be added. Where
        training has no rows at all, any words stand in any order.
        """
        if not self._met:
            return stream.sample(words, min(size, len(words)))
        row: list[Words] = []
        for word in stream.sample(words, len(words)):
            if len(row) == size:
                break
            if not row or all(self._met[self._set[word], self._set[other]] for other in row):
                row.append(word)
        row.sort(key=lambda word: (self._rank[self._set[word]], word))
        if 1 < len(row) < size:
            own = [self._set[word] for word in row]
            others = [
                word
                for word in self._words
                if not any(
                    self._met[self._set[word], a] or (self._set[word], a) in self._excluded
                    for a in own
                )
            ]
            if others:
                word = stream.choice(others)
                # Beside the place that it has in rows of its own.
                at = self._place[self._set[word]] * len(row)
                near = [n for n in range(len(row) + 1) if abs(n - at) <= 1]
                row.insert(stream.choice(near), word)
        return row


def _sets(
    words: Sequence[Words],
    before: Mapping[tuple[Words, Words], int],
    met: Counter[tuple[Words, Words]],
) -> dict[Words, int]:
    counts: Counter[Words] = Counter()
    for (first, second), count in before.items():
        counts[first] += count
        counts[second] += count
    order = sorted(words, key=lambda word: (-counts[word], word))
    own = {word: number for number, word in enumerate(order)}
    for _ in range(ROUNDS):
        around: dict[Words, Counter[tuple[str, int]]] = {word: Counter() for word in words}
        for (first, second), count in before.items():
            around[first]["before", own[second]] += count
            around[second]["behind", own[first]] += count
        sets: list[list[Words]] = []
        centres: list[Counter[tuple[str, int]]] = []
        for word in order:
            scores = [
                (_cosine(around[word], centres[number]), -number)
                for number, members in enumerate(sets)
                if not any(met[word, other] for other in members)
            ]
            best, number = max(scores, default=(0.0, 0))
            if best >= ALIKE:
                sets[-number].append(word)
                centres[-number].update(around[word])
            else:
                sets.append([word])
                centres.append(Counter(around[word]))
        own = {word: number for number, members in enumerate(sets) for word in members}
    return own


def _cosine(a: Counter[tuple[str, int]], b: Counter[tuple[str, int]]) -> float:
    dot = sum(math.sqrt(count * b[key]) for key, count in a.items() if key in b)
    return dot / math.sqrt(a.total() * b.total()) if a and b else 0.0
