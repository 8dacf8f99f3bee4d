"""Strings that are similar to the chart, so that one chart serves them all.

Two strings belong to one family if most of what they can be is the same (verbs with somewhat
different frames), or if they are literals that stand in the same places (the, a). A chart for
families finds all analyses of all their members; which of them hold for a text is decided in
forest.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from recombine.grammar.closure import Production

SIMILAR = 0.34  # shared terminals over all terminals of two strings; halves the charts of SGET
MAX_MASKS = 2_000  # above that every mask is its own family: comparing them all would take long


class Families(NamedTuple):
    """The family of every mask, what its members can be, and the literals that members share."""

    of_mask: dict[int, int]
    masks: list[int]
    is_shared: list[bool]


def find_families(
    productions: Sequence[Production],
    is_terminal: Sequence[bool],
    kind_of: Sequence[int],
    masks: Iterable[int],
) -> Families:
    """Group the masks of a language."""
    every = list(masks)
    parent = {mask: mask for mask in every}

    def find(mask: int) -> int:
        while parent[mask] != mask:
            parent[mask] = parent[parent[mask]]
            mask = parent[mask]
        return mask

    twins = _twins(productions, is_terminal, kind_of)
    if len(every) <= MAX_MASKS:
        for index, one in enumerate(every):
            for other in every[index + 1 :]:
                common = (one & other).bit_count()
                if common and common > SIMILAR * (one | other).bit_count():
                    parent[find(one)] = find(other)
        alone = {mask.bit_length() - 1: mask for mask in every if mask.bit_count() == 1}
        for group in twins:
            first = [alone[literal] for literal in group if literal in alone]
            for other in first[1:]:
                parent[find(first[0])] = find(other)
    numbers: dict[int, int] = {}
    union: list[int] = []
    of_mask: dict[int, int] = {}
    for mask in every:
        number = numbers.setdefault(find(mask), len(numbers))
        if number == len(union):
            union.append(0)
        union[number] |= mask
        of_mask[mask] = number
    return Families(of_mask, union, _shared(of_mask, union, is_terminal, kind_of))


def _twins(
    productions: Sequence[Production], is_terminal: Sequence[bool], kind_of: Sequence[int]
) -> list[list[int]]:
    """Literals that stand in exactly the same places."""
    places: dict[int, set[tuple[int, tuple[int, ...], int]]] = {}
    for production in productions:
        for index, symbol in enumerate(production.right):
            if is_terminal[symbol] and kind_of[symbol] < 0:
                rest = (*production.right[:index], -1, *production.right[index + 1 :])
                places.setdefault(symbol, set()).add((production.left, rest, index))
    groups: dict[frozenset[tuple[int, tuple[int, ...], int]], list[int]] = {}
    for literal, found in places.items():
        groups.setdefault(frozenset(found), []).append(literal)
    return [group for group in groups.values() if len(group) > 1]


def _shared(
    of_mask: Mapping[int, int],
    union: Sequence[int],
    is_terminal: Sequence[bool],
    kind_of: Sequence[int],
) -> list[bool]:
    """Literals that some member of a family has and another has not."""
    uncertain = 0
    for mask, family in of_mask.items():
        uncertain |= union[family] & ~mask
    return [
        terminal and kind_of[symbol] < 0 and bool(uncertain >> symbol & 1)
        for symbol, terminal in enumerate(is_terminal)
    ]


def bits(mask: int) -> tuple[int, ...]:
    """The numbers of the bits of a mask."""
    return tuple(index for index in range(mask.bit_length()) if mask >> index & 1)
