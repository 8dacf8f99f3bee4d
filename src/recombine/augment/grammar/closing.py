"""Marks that close a constituent, and are not written before another mark.

A German relative clause ends in a comma, of which nothing is seen before a full stop or before
another comma. Where a kind of phrase is followed by one mark, or by marks that this one is never
seen before, and by nothing else, the mark is its last word. It is put in where it is missing; from
drawn text it is dropped there again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from recombine.augment.tokens import Tokens
from recombine.corpus.segment import is_punctuation

# A phrase must be seen with its mark so often, and with other words in a smaller share of cases.
WITH_MARK, WITHOUT = 4, 0.02

# The closed words of a phrase, in the source.
Shape = tuple[str, ...]


class Closing(NamedTuple):
    """The marks by the shape of the phrases that they close, and before which marks they go."""

    marks: Mapping[Shape, str] = {}
    dropped: frozenset[tuple[str, str]] = frozenset()

    def texts(self, tokens: Sequence[str]) -> list[str]:
        """Return tokens without the marks that stand before others."""
        following = [*tokens[1:], ""]
        return [
            token
            for token, after in zip(tokens, following, strict=True)
            if (token, after) not in self.dropped
        ]


class PhraseEnd(NamedTuple):
    """A phrase that ends in a word of its own: its shape, its pair, and where its target ends."""

    shape: Shape
    number: int
    end: int


def find_closing(ends: Iterable[PhraseEnd], targets: Sequence[Tokens]) -> Closing:
    """Learn closing marks from where phrases end in the target."""
    after: dict[Shape, Counter[str]] = defaultdict(Counter)
    inside: dict[Shape, Counter[str]] = defaultdict(Counter)
    for shape, number, end in ends:
        target = targets[number]
        if end < len(target):
            after[shape][target[end]] += 1
            inside[shape][target[end]] += end + 1 < len(target)
    together = {pair for target in targets for pair in pairwise(target)}
    marks: dict[Shape, str] = {}
    dropped: set[tuple[str, str]] = set()
    for shape, counts in after.items():
        for mark in sorted(filter(is_mark, counts)):
            hides = {other for other in counts if is_mark(other) and (mark, other) not in together}
            others = sum(counts.values()) - counts[mark] - sum(counts[o] for o in hides - {mark})
            if hides and inside[shape][mark] >= WITH_MARK and others <= WITHOUT * counts[mark]:
                marks[shape] = mark
                dropped |= {(mark, other) for other in hides}
    return Closing(marks, frozenset(dropped))


def is_mark(token: str) -> bool:
    """Whether a token is punctuation."""
    return is_punctuation(token.strip())


def put_in(target: Tokens, places: Iterable[tuple[int, str]]) -> Tokens:
    """Return a target with marks before these places."""
    tokens = list(target)
    for place, mark in sorted(places, reverse=True):
        tokens.insert(place, mark)
    return tuple(tokens)
