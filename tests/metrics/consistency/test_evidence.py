"""Language-neutral judgements, piece by piece."""

from __future__ import annotations

from recombine.benchmark import Example, Focus
from recombine.metrics.base import Scored
from recombine.metrics.consistency.evidence import (
    Evidence,
    Judgement,
    evidence_of,
    second_clause,
    swap_pair,
)


def item(role: str, source: str, hypothesis: str, focus: tuple[Focus, ...] = ()) -> Scored:
    """Return a translated member of a group."""
    example = Example.make(source=source, group="g", role=role, focus=focus, tags={"template": 1})
    return Scored(example, hypothesis)


def test_swap_pair_knows_frame_and_nouns() -> None:
    """What differs in the sources is the noun; the rest is the frame."""
    pair = swap_pair(
        item("base", "The old man runs .", "a"), item("np", "The old queen runs .", "b")
    )
    assert pair.nouns == ("man", "queen")
    assert pair.frame == "The old _ runs ."
    assert (pair.template, pair.role) == ("1", "np")


def test_second_clause_and_its_place() -> None:
    """The focus tells the clause; without one the middle is assumed."""
    focus = (Focus(text="she runs .", role="clause", start=10, end=20),)
    clause, share = second_clause(item("base", "He sleeps, she runs .", "x", focus))
    assert clause == "she runs ."
    assert 0.4 < share < 0.6
    assert second_clause(item("base", "He sleeps .", "x")) == ("", 0.5)


def test_given_window_and_default() -> None:
    """An option wins; without anything to learn from the default is article and noun."""
    given = Evidence(window=3)
    given.learn({}, [])
    assert (given.calibrated, given.calibration) == (3, "given")
    nothing = Evidence()
    nothing.learn({}, [])
    assert (nothing.calibrated, nothing.calibration) == (2, "default")


def test_empty_outputs_are_failures() -> None:
    """Silence is never consistent."""
    evidence = Evidence()
    evidence.learn({}, [])
    for role in ("np", "s3", "synonym"):
        judged = evidence.judge(role, item("base", "a b", ""), item(role, "a c", "x"))
        assert (judged.kind, judged.consistent, judged.counts) == ("empty", False, True)


def test_detail_leaves_out_what_is_unknown() -> None:
    """A judgement is short where there is little to say."""
    assert Judgement("identical", True, locality=1.0).detail() == {
        "class": "identical",
        "locality": 1.0,
    }


def test_metrics_of_one_scoring_share_what_was_learned() -> None:
    """The same list and options give the same evidence; another list its own."""
    items = [item("base", "The man runs .", "a b"), item("np", "The boy runs .", "c b")]
    options = {"window": None, "support": 5, "hold_out": "swap"}
    first = evidence_of({}, items, **options)
    assert evidence_of({}, items, **options) is first
    assert evidence_of({}, items, **{**options, "window": 1}) is not first
    assert evidence_of({}, list(items), **options) is not first
