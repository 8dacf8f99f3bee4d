"""What follows from productions: empty symbols, first and last terminals, glue."""

from __future__ import annotations

from recombine.grammar.parsing.first_sets import (
    Production,
    Touching,
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
