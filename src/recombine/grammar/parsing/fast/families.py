"""Strings that are similar to the chart: the chart of a text is made for many texts at once.

A string of the language is known by the set of terminals it can be (its mask, bit n standing for
terminal n). Two masks that share more than a third of their terminals are one family, and so are
literals that stand in exactly the same places (*the*, *a*). In a coarse lattice every string can be
what any string of its family can be. So its forest is that of many texts, and which constituents
hold for one of them is found out afterwards: a leaf must have a word, and a literal that another
member of the family has must really be heard (forest.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from recombine.grammar.parsing.cfg import ContextFreeGrammar, TerminalEntry
from recombine.grammar.parsing.first_sets import Production
from recombine.grammar.parsing.lattice import Edge, Lattice

SIMILAR = 0.34  # shared terminals over all terminals of two strings; halves the charts of SGET
MAX_MASKS = 2_000  # above that every mask is its own family: comparing them all would take long


class CoarseLattices:
    """Makes lattices coarse, for one language."""

    def __init__(self, cfg: ContextFreeGrammar) -> None:
        masks = dict.fromkeys(entry.mask for entry in cfg.entries.values())
        families = find_families(cfg.productions, cfg.is_terminal, cfg.kind_of, masks)
        self.uncertain = families.uncertain
        self._family = families.of_mask
        self._entries = [
            TerminalEntry("", mask, dict.fromkeys(bits(mask), ()), -1) for mask in families.masks
        ]

    def key(self, lattice: Lattice) -> tuple[object, ...]:
        """The same for all lattices that are the same when they are coarse."""
        family = self._family
        return tuple([(start, end, family[entry.mask]) for start, end, entry in lattice.edges])

    def coarse(self, lattice: Lattice) -> Lattice:
        """The lattice in which every string can be what its family can be."""
        edges = [
            Edge(start, end, self._entries[self._family[entry.mask]])
            for start, end, entry in lattice.edges
        ]
        return lattice._replace(edges=edges)


class Families(NamedTuple):
    """The family of every mask, what its members can be, and the literals that members share."""

    of_mask: dict[int, int]
    masks: list[int]
    uncertain: frozenset[int]


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
    return Families(of_mask, union, _uncertain(of_mask, union, kind_of))


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


def _uncertain(
    of_mask: Mapping[int, int], union: Sequence[int], kind_of: Sequence[int]
) -> frozenset[int]:
    """Literals that some member of a family has and another has not."""
    lacking = 0
    for mask, family in of_mask.items():
        lacking |= union[family] & ~mask
    return frozenset(terminal for terminal in bits(lacking) if kind_of[terminal] < 0)


def bits(mask: int) -> tuple[int, ...]:
    """The numbers of the bits of a mask."""
    return tuple(index for index in range(mask.bit_length()) if mask >> index & 1)
