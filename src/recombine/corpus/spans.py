"""Which stretch of a sentence hangs below a token of its dependency tree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property


class Subtrees:
    """The stretch of every token's subtree; heads are 0-based, the root has -1."""

    def __init__(self, heads: Sequence[int]) -> None:
        size = len(heads)
        self.heads = heads
        self.first = list(range(size))
        self.last = list(range(size))
        self.count = [1] * size
        first, last, count = self.first, self.last, self.count
        # Every token belongs to the subtrees of all its ancestors (readers refuse cycles).
        for token in range(size):
            above = heads[token]
            while above >= 0:
                count[above] += 1
                if token < first[above]:
                    first[above] = token
                elif token > last[above]:
                    last[above] = token
                above = heads[above]

    def span(self, token: int) -> tuple[int, int] | None:
        """Return where a subtree begins and ends, or None where it is not contiguous."""
        first, last = self.first[token], self.last[token]
        return (first, last + 1) if last - first + 1 == self.count[token] else None

    @cached_property
    def children(self) -> list[list[int]]:
        """The dependents of every token, from left to right."""
        children: list[list[int]] = [[] for _ in self.heads]
        for token, head in enumerate(self.heads):
            if head >= 0:
                children[head].append(token)
        return children
