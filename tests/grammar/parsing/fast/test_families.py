"""Strings that are similar to the chart: one family, and literals that must really be heard."""

from __future__ import annotations

import pytest

from recombine.grammar.parsing.fast.families import bits, find_families
from recombine.grammar.parsing.first_sets import Production

NOTHING: frozenset[int] = frozenset()


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
    assert families.uncertain == {the, a}


def test_words_are_never_shared_literals() -> None:
    """Terminals of words are told apart by their entries, so they are not marked."""
    families = find_families([], [True] * 3, [0] * 3, [0b011, 0b111])
    assert families.masks == [0b111]
    assert families.uncertain == NOTHING


def test_many_masks_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit every mask is its own family, and nothing is compared."""
    monkeypatch.setattr("recombine.grammar.parsing.fast.families.MAX_MASKS", 1)
    families = find_families([], [True] * 3, [0] * 3, [0b011, 0b111])
    assert families.of_mask == {0b011: 0, 0b111: 1}


def test_bits_of_a_mask() -> None:
    """Bits are listed from the lowest, for masks wider than a machine word too."""
    assert bits(0) == ()
    assert bits(1 << 100 | 0b101) == (0, 2, 100)
