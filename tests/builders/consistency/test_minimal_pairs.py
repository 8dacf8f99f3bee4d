"""What the groups of a benchmark must satisfy."""

from __future__ import annotations

from recombine.benchmark import Example, Focus
from recombine.builders.consistency.examples import _faults


def member(role: str, source: str, clause: str = "") -> Example:
    """Return one member of a group."""
    focus = (Focus(text=clause, role="clause"),) if clause else ()
    return Example.make(source=source, group="g", role=role, focus=focus)


def test_good_groups() -> None:
    """One token differs, the conjunct is shared, the synonym changes something."""
    assert list(_faults({"base": member("base", "a b c"), "np": member("np", "a x c")})) == []
    triple = {role: member(role, f"{role} , and d", "d") for role in ("base", "s1p", "s3")}
    assert list(_faults(triple)) == []


def test_bad_groups() -> None:
    """Every rule has its message."""
    assert list(_faults({"np": member("np", "a")})) == ["it has no base"]
    longer = {"base": member("base", "a b"), "vp": member("vp", "a b c")}
    assert "exactly one token" in next(_faults(longer))
    two = {"base": member("base", "a , and d", "d"), "s3": member("s3", "b , and e", "e")}
    assert "second conjunct" in next(_faults(two))
    same = {"base": member("base", "a"), "synonym": member("synonym", "a")}
    assert "same sentence" in next(_faults(same))
