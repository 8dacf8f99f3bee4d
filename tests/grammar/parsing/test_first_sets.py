"""What follows from productions: empty symbols, first and last terminals, glue, similar strings."""

from __future__ import annotations

import pytest

from recombine.grammar.parsing.first_sets import (
    Production,
    Touching,
    bits,
    find_families,
    find_first,
    find_glue,
    find_last,
    find_nullable,
)

# Terminals a b c; S -> N a M, N -> (nothing) | b, M -> c N, with a `+` between a and M.
A, B, C, S, N, M = range(6)
NOTHING: frozenset[int] = frozenset()
PRODUCTIONS = [
    Production(S, 0, (N, A, M), (0, -1, 1), frozenset({1})),
    Production(N, 1, (), (), NOTHING),
    Production(N, 2, (B,), (0,), NOTHING),
    Production(M, 3, (C, N), (0, 1), NOTHING),
]
TERMINAL = [True, True, True, False, False, False]


def test_nullable() -> None:
    """A symbol is empty if some production of it is, through others and through silent words."""
    nullable = find_nullable(PRODUCTIONS, [False] * 6)
    assert [symbol for symbol in range(6) if nullable[symbol]] == [N]
    silent = find_nullable(PRODUCTIONS, [symbol == C for symbol in range(6)])
    assert [symbol for symbol in range(6) if silent[symbol]] == [C, N, M]


def test_first_and_last() -> None:
    """Beginnings and ends look past what can be empty, and no further."""
    nullable = find_nullable(PRODUCTIONS, [False] * 6)
    first = find_first(PRODUCTIONS, TERMINAL, nullable)
    last = find_last(PRODUCTIONS, TERMINAL, nullable)
    assert (first[S], first[N], first[M]) == (1 << A | 1 << B, 1 << B, 1 << C)
    assert (last[S], last[M]) == (1 << B | 1 << C, 1 << B | 1 << C)


def test_glue() -> None:
    """A `+` ties the last string of its left side to the first one of its right side."""
    nullable = find_nullable(PRODUCTIONS, [False] * 6)
    first = find_first(PRODUCTIONS, TERMINAL, nullable)
    last = find_last(PRODUCTIONS, TERMINAL, nullable)
    assert find_glue(PRODUCTIONS, first, last, nullable) == Touching(((1 << A, 1 << C),), 0, 0)


def test_glue_at_the_end_of_a_line() -> None:
    """A `+` with nothing, or only silence, on one side holds against any neighbour there."""
    productions = [
        Production(M, 0, (C,), (-1,), frozenset({-1})),
        Production(S, 1, (A, N), (-1, 0), frozenset({0})),
        Production(N, 2, (), (), NOTHING),
        Production(N, 3, (B,), (0,), NOTHING),
    ]
    nullable = find_nullable(productions, [False] * 6)
    first = find_first(productions, TERMINAL, nullable)
    last = find_last(productions, TERMINAL, nullable)
    found = find_glue(productions, first, last, nullable)
    assert found == Touching(((1 << A, 1 << B),), any_left=1 << C, any_right=1 << A)
    assert found.allows(1 << B, 1 << C)
    assert found.allows(1 << A, 1 << A)
    assert not found.allows(1 << B, 1 << A)


def test_left_recursion_ends() -> None:
    """A symbol that begins with itself has the beginnings of its other productions."""
    recursive = [
        Production(S, 0, (S, A), (0, -1), NOTHING),
        Production(S, 1, (B,), (0,), NOTHING),
    ]
    nullable = find_nullable(recursive, [False] * 6)
    assert find_first(recursive, TERMINAL, nullable)[S] == 1 << B
    assert find_last(recursive, TERMINAL, nullable)[S] == 1 << A | 1 << B


def test_bits_of_a_mask() -> None:
    """Bits are listed from the lowest, for masks wider than a machine word too."""
    assert bits(0) == ()
    assert bits(1 << 100 | 0b101) == (0, 2, 100)


def test_similar_strings_are_one_family() -> None:
    """Masks that share more than a third belong together; others do not."""
    families = find_families([], [True] * 8, [0] * 8, [0b0011, 0b0111, 0b110000, 0b1000000])
    assert families.of_mask[0b0011] == families.of_mask[0b0111]
    assert families.of_mask[0b0011] != families.of_mask[0b110000]
    assert families.masks[families.of_mask[0b0011]] == 0b0111


def test_literals_in_the_same_places_are_twins() -> None:
    """Two literals that only ever stand in the same place share a family and are uncertain."""
    the, a, beside, left = range(4)
    productions = [
        Production(left, 0, (the, left), (-1, 0), NOTHING),
        Production(left, 1, (a, left), (-1, 0), NOTHING),
        Production(left, 2, (left, beside, left), (0, -1, 1), NOTHING),
    ]
    families = find_families(
        productions, [True, True, True, False], [-1, -1, -1, 0], [1 << the, 1 << a, 1 << beside]
    )
    assert families.of_mask[1 << the] == families.of_mask[1 << a]
    assert families.of_mask[1 << the] != families.of_mask[1 << beside]
    assert families.is_shared == [True, True, False, False]


def test_words_are_never_shared_literals() -> None:
    """Terminals of words are told apart by their entries, so they are not marked."""
    families = find_families([], [True] * 3, [0] * 3, [0b011, 0b111])
    assert families.masks == [0b111]
    assert families.is_shared == [False] * 3


def test_many_masks_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit every mask is its own family, and nothing is compared."""
    monkeypatch.setattr("recombine.grammar.parsing.first_sets.MAX_MASKS", 1)
    families = find_families([], [True] * 3, [0] * 3, [0b011, 0b111])
    assert families.of_mask == {0b011: 0, 0b111: 1}
