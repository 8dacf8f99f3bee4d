"""Modifiers are what can be deleted beside a head in both languages."""

from __future__ import annotations

from collections import Counter

from recombine.augment.phrases.deletion import chosen_modifiers, deletions
from recombine.augment.phrases.slots import PhraseSlot

ONE, TWO, THREE = (PhraseSlot(number) for number in range(3))
PLAIN = (("X", " saw", "X", "."), (ONE, "が", TWO, "を", "見た", "。"))
WHOLE = (("X", " saw", "X", " in", "X", "."), (ONE, "が", THREE, "の中の", TWO, "を", "見た", "。"))


def test_what_can_be_deleted_beside_its_head_modifies_it():
    """X saw X in X without " in X" is a sentence whose target lacks just Xの中の before the X."""
    (found,) = deletions(*WHOLE, dict([PLAIN, WHOLE]))
    assert (found.source, found.target) == ((" in", ONE), (ONE, "の中の"))
    assert found.before == (False, True)


def test_what_is_missing_elsewhere_in_the_target_modifies_nothing():
    """The target must lack one stretch beside the same head."""
    apart = (ONE, "が", THREE, "で", TWO, "を", "よく", "見た", "。")
    assert list(deletions(WHOLE[0], apart, dict([PLAIN, (WHOLE[0], apart)]))) == []


def test_a_modifier_needs_witnesses():
    """One sentence with it is none of two."""
    known = dict([PLAIN, WHOLE])
    found = Counter(deletions(*WHOLE, known))
    assert chosen_modifiers(found, known, 2, alike=False) == {}
    assert list(chosen_modifiers(found, known, 1, alike=False)) == [(" in", ONE)]
