"""The published tool's rules, one by one."""

from __future__ import annotations

from recombine.benchmark import Focus
from recombine.metrics.compound.official import official_fault

DET = Focus(text="every", role="DET", accepted=("每",))
ADJ = Focus(text="small", role="ADJ", accepted=("小",))
NOUN = Focus(text="dog", role="N", accepted=("狗", "犬"))
MOD = Focus(text="at the store", role="MOD", accepted=("店里",))
VERB = Focus(text="saw", role="V", accepted=("看",))


def test_missing_atoms_come_before_order():
    """The first missing atom is named."""
    assert official_fault((DET, NOUN), "狗来了") == ("missing", "every")


def test_order_is_lenient():
    """The smallest start of the first against the largest of the second."""
    assert official_fault((DET, NOUN), "狗每天看狗") is None
    assert official_fault((DET, NOUN), "狗每天") == ("misplaced", "every")


def test_a_modifier_has_an_order_only_without_a_verb():
    """The tool never checks where a modifier stands in a verb phrase."""
    assert official_fault((DET, NOUN, MOD), "每狗店里") == ("misplaced", "at the store")
    assert official_fault((VERB, DET, NOUN, MOD), "看每狗店里") is None


def test_unlisted_and_empty_renderings_are_never_missing():
    """A lone slash, or a slash at the end of the list."""
    unlisted = Focus(text="the", role="DET")
    empty = Focus(text="liked", role="V", accepted=("喜欢", ""))
    assert official_fault((empty, unlisted, NOUN), "狗") is None


def test_subword_marks_and_spaces_are_removed():
    """As the tool does before it looks."""
    assert official_fault((MOD, NOUN), "店@@ 里 的 狗") is None


def test_an_empty_hypothesis_is_an_error():
    """Where the tool crashes, the system is wrong."""
    assert official_fault((DET, NOUN), "  ") == ("empty", "")
