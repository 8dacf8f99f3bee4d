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
    changed = True
    while changed:
        changed = False
        for production in productions:
            if not nullable[production.left] and all(nullable[s] for s in production.right):
                nullable[production.left] = True
                changed = True
    return nullable


def find_first(
    productions: Sequence[Production], is_terminal: Sequence[bool], nullable: Sequence[bool]
) -> list[int]:
    """Per symbol: the terminals it can begin with, as bits."""
    first = [1 << number if terminal else 0 for number, terminal in enumerate(is_terminal)]
    changed = True
    while changed:
        changed = False
        for production in productions:
            mask = first[production.left]
            for symbol in production.right:
                mask |= first[symbol]
                if not nullable[symbol]:
                    break
            if mask != first[production.left]:
                first[production.left] = mask
                changed = True
    return first


def find_last(
    productions: Sequence[Production], is_terminal: Sequence[bool], nullable: Sequence[bool]
) -> list[int]:
    """Per symbol: the terminals it can end with, as bits."""
    last = [1 << number if terminal else 0 for number, terminal in enumerate(is_terminal)]
    changed = True
    while changed:
        changed = False
        for production in productions:
            mask = last[production.left]
            for symbol in reversed(production.right):
                mask |= last[symbol]
                if not nullable[symbol]:
                    break
            if mask != last[production.left]:
                last[production.left] = mask
                changed = True
    return last


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
