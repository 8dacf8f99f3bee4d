"""Which strings share a chart."""

from __future__ import annotations

import pytest

from recombine.grammar.parsing.first_sets import Production, bits, find_families

NO_GLUE: frozenset[int] = frozenset()


def test_bits_of_a_mask() -> None:
    """Bits are listed from the lowest, for masks wider than a machine word too."""
    assert bits(0) == ()
    assert bits(1 << 100 | 0b101) == (0, 2, 100)


def test_literals_in_the_same_places_are_twins() -> None:
    """Two literals that only ever stand in the same place share a family and are uncertain."""
    the, a, beside, left = range(4)
    productions = [
        Production(left, 0, (the, left), (-1, 0), NO_GLUE),
        Production(left, 1, (a, left), (-1, 0), NO_GLUE),
        Production(left, 2, (left, beside, left), (0, -1, 1), NO_GLUE),
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
