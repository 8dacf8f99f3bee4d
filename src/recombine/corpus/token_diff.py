"""Where two token sequences differ: the trimmed window, and the segments inside it."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

Tokens = Sequence[str]


class Segment(NamedTuple):
    """A stretch of the first sequence that stands against a stretch of the second."""

    first_start: int
    first_end: int
    second_start: int
    second_end: int


def trim(first: Tokens, second: Tokens) -> Segment:
    """Return what is left of both when their common prefix and suffix are cut off."""
    shortest = min(len(first), len(second))
    start = 0
    while start < shortest and first[start] == second[start]:
        start += 1
    end = 0
    while end < shortest - start and first[-1 - end] == second[-1 - end]:
        end += 1
    return Segment(start, len(first) - end, start, len(second) - end)


def is_one_edit(first: Tokens, second: Tokens) -> bool:
    """Return True when the edit distance is exactly 1.

    One substitution, insertion or deletion leaves at most one token on either side of the trimmed
    window, and nothing else does, so no distance matrix is needed.
    """
    window = trim(first, second)
    left = window.first_end - window.first_start
    right = window.second_end - window.second_start
    return max(left, right) == 1


def differing(first: Tokens, second: Tokens, window: Segment | None = None) -> list[Segment]:
    """Return the segments in which two sequences differ, in order, inside their trimmed window."""
    window = window or trim(first, second)
    left = window.first_end - window.first_start
    right = window.second_end - window.second_start
    if left == 0 and right == 0:
        return []
    if min(left, right) <= 1 and left + right <= 3:
        return [window]
    matcher = SequenceMatcher(
        None,
        first[window.first_start : window.first_end],
        second[window.second_start : window.second_end],
        autojunk=False,
    )
    offset = window.first_start
    return [
        Segment(i1 + offset, i2 + offset, j1 + offset, j2 + offset)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def edit_distance(first: Tokens, second: Tokens) -> int:
    """Return the number of insertions, deletions and substitutions between two sequences."""
    window = trim(first, second)
    first = first[window.first_start : window.first_end]
    second = second[window.second_start : window.second_end]
    previous = list(range(len(second) + 1))
    for i, left in enumerate(first, start=1):
        current = [i]
        for j, right in enumerate(second, start=1):
            current.append(
                previous[j - 1]
                if left == right
                else 1 + min(previous[j - 1], previous[j], current[j - 1])
            )
        previous = current
    return previous[-1]
