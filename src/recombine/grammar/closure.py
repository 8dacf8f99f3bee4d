"""Productions and what follows from them: empty symbols, first and last strings, neighbours."""

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


def find_glue(
    productions: Sequence[Production],
    first: Sequence[int],
    last: Sequence[int],
    nullable: Sequence[bool],
) -> tuple[int, int]:
    """Terminals that can touch their left, and their right, neighbour without a join."""
    left = right = 0
    for production in productions:
        for position in production.glue:
            for symbol in reversed(production.right[: position + 1]):
                right |= last[symbol]
                if not nullable[symbol]:
                    break
            for symbol in production.right[position + 1 :]:
                left |= first[symbol]
                if not nullable[symbol]:
                    break
    return left, right
