"""What follows from the productions of a context-free grammar (Aho et al. 2006, section 4.4).

Sets of terminals are integers, bit n standing for terminal n, so that a union is one instruction.

- `find_nullable`: symbols that can be empty. `find_first`, `find_last`: the terminals a symbol can
  begin and end with. Each is a least fixed point, found by spreading facts along the productions.
- `find_glue`: which terminals can stand side by side without a space, from LAST of what is before
  a `+` and FIRST of what is after it. The lattice needs it to cut *dog.* but not *thecat*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Production(NamedTuple):
    """One way to spell a field of an instance: symbols, and whose slot each is (-1: literal)."""

    left: int
    instance: int
    right: tuple[int, ...]
    slots: tuple[int, ...]
    glue: frozenset[int]  # positions after which there is no join


def find_nullable(productions: Sequence[Production], silent: list[bool]) -> list[bool]:
    """Symbols that can be empty."""
    nullable = list(silent)
    uses: dict[int, list[int]] = {}
    missing: list[int] = []  # per production: symbols that are not known to be nullable
    queue = [symbol for symbol, empty in enumerate(nullable) if empty]
    for number, production in enumerate(productions):
        missing.append(len(production.right))
        for symbol in production.right:
            uses.setdefault(symbol, []).append(number)
        if not production.right and not nullable[production.left]:
            nullable[production.left] = True
            queue.append(production.left)
    while queue:
        for number in uses.get(queue.pop(), ()):
            missing[number] -= 1
            left = productions[number].left
            if not missing[number] and not nullable[left]:
                nullable[left] = True
                queue.append(left)
    return nullable


def find_first(
    productions: Sequence[Production], is_terminal: Sequence[bool], nullable: Sequence[bool]
) -> list[int]:
    """Per symbol: the terminals it can begin with, as bits."""
    return _spread([(p.left, p.right) for p in productions], is_terminal, nullable)


def find_last(
    productions: Sequence[Production], is_terminal: Sequence[bool], nullable: Sequence[bool]
) -> list[int]:
    """Per symbol: the terminals it can end with, as bits."""
    return _spread([(p.left, p.right[::-1]) for p in productions], is_terminal, nullable)


def _spread(
    rules: Sequence[tuple[int, tuple[int, ...]]],
    is_terminal: Sequence[bool],
    nullable: Sequence[bool],
) -> list[int]:
    masks = [1 << number if terminal else 0 for number, terminal in enumerate(is_terminal)]
    above: dict[int, set[int]] = {}  # symbol -> symbols that can begin with it
    for left, right in rules:
        for symbol in right:
            above.setdefault(symbol, set()).add(left)
            if not nullable[symbol]:
                break
    queue = [symbol for symbol, terminal in enumerate(is_terminal) if terminal]
    while queue:
        symbol = queue.pop()
        for left in sorted(above.get(symbol, ())):
            merged = masks[left] | masks[symbol]
            if merged != masks[left]:
                masks[left] = merged
                queue.append(left)
    return masks


class Touching(NamedTuple):
    """Terminals that can touch a neighbour without a join, as bits.

    Between two pieces with a `+` both must be meant: `pairs` has what can be heard last before it
    with what can be heard first after it. A `+` at the end of a line holds against whatever
    stands outside: `any_left` and `any_right`.
    """

    pairs: tuple[tuple[int, int], ...]
    any_left: int
    any_right: int

    def allows(self, before: int, after: int) -> bool:
        """Whether something of one mask can stand right before something of another."""
        return bool(
            before & self.any_right
            or after & self.any_left
            or any(before & last and after & first for last, first in self.pairs)
        )


def find_glue(
    productions: Sequence[Production],
    first: Sequence[int],
    last: Sequence[int],
    nullable: Sequence[bool],
) -> Touching:
    """What can touch its left or right neighbour without a join."""
    pairs: dict[int, int] = {}
    any_left = any_right = 0
    for production in productions:
        for position in production.glue:
            before, before_is_open = _edge(
                production.right[position::-1] if position >= 0 else (), last, nullable
            )
            after, after_is_open = _edge(production.right[position + 1 :], first, nullable)
            if before and after:
                pairs[before] = pairs.get(before, 0) | after
            any_left |= after if before_is_open else 0
            any_right |= before if after_is_open else 0
    return Touching(tuple(pairs.items()), any_left, any_right)


def _edge(
    symbols: Sequence[int], masks: Sequence[int], nullable: Sequence[bool]
) -> tuple[int, bool]:
    """What can be heard first, and whether all of the symbols can be silent."""
    found = 0
    for symbol in symbols:
        found |= masks[symbol]
        if not nullable[symbol]:
            return found, False
    return found, True
