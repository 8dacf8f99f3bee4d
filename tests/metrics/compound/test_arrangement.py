"""Choosing among the occurrences of atoms."""

from __future__ import annotations

from recombine.metrics.compound.arrangement import MOST_COMBINATIONS, arrange, between
from recombine.metrics.compound.units import Atom

SMALL = Atom("small", "ADJ", ("s",), True)
CLOWN = Atom("clown", "N", ("sc",), True)
EVERY = Atom("every", "DET", ("e",), True)


def test_the_narrowest_choice_wins():
    """Of two places for 'every' the one next to its noun is meant."""
    found = arrange("exxxexsc", [EVERY, CLOWN], before={("DET", "N")})
    assert [place.span for place in found.placed] == [(4, 5), (6, 8)]
    assert between("exxxexsc", found.placed) == "x"


def test_one_place_cannot_serve_two_atoms():
    """'Small' inside the word for 'clown' is not 'small'."""
    assert arrange("sc", [SMALL, CLOWN], before=set()) is None
    assert arrange("ssc", [SMALL, CLOWN], before=set()) is not None


def test_order_counts_more_than_width():
    """A wide choice in order beats a narrow one out of order."""
    found = arrange("exxxsce", [EVERY, CLOWN], before={("DET", "N")})
    assert not found.misplaced
    assert found.start == 0
    found = arrange("sce", [EVERY, CLOWN], before={("DET", "N")})
    assert found.misplaced == (EVERY,)


def test_foreign_units_are_those_not_allowed_and_not_of_the_head():
    """A unit may be a filler or part of the head; anything else is foreign."""
    found = arrange("eabhsc", [EVERY, CLOWN], before=set(), allowed={"a"}, bridges=[(3, 4)])
    assert found.foreign == "b"


def test_a_missing_atom_gives_nothing():
    """Without all atoms there is no phrase to judge."""
    assert arrange("sc", [EVERY, CLOWN], before=set()) is None


def test_degenerate_repetition_stays_cheap():
    """A system that repeats itself must not stop the scoring."""
    found = arrange("es" * 500 + "sc", [EVERY, SMALL, CLOWN], before=set())
    assert found is not None
    assert MOST_COMBINATIONS < 500 * 500


def test_nothing_foreign_counts_more_than_width_and_then_what_comes_first():
    """A wide choice with fillers beats a narrow one with a foreign unit."""
    found = arrange("scaaaexsc", [EVERY, CLOWN], before=set(), allowed={"a"})
    assert (found.start, found.end, found.foreign) == (0, 6, "")
    narrow = arrange("scaaaexsc", [EVERY, CLOWN], before=set())
    assert (narrow.start, narrow.end) == (5, 9)
    equal = arrange("scesc", [EVERY, CLOWN], before=set(), allowed=set())
    assert (equal.start, equal.end) == (0, 3)


def test_a_bridge_is_crossed_as_a_whole():
    """The longest that begins there and ends before the next atom."""
    for bridges, foreign in (
        ([(1, 3)], ""),
        ([(1, 2), (1, 3)], ""),
        ([(1, 2)], "h"),
        ([(2, 3)], "h"),
        ([(1, 4)], "hh"),
        ([], "hh"),
    ):
        found = arrange("ehhsc", [EVERY, CLOWN], before=set(), allowed=set(), bridges=bridges)
        assert found.foreign == foreign, bridges


def test_whoever_must_come_first_is_misplaced_behind():
    """Each atom that has one of its successors to the left."""
    found = arrange("scse", [EVERY, SMALL, CLOWN], before={("DET", "N"), ("ADJ", "N")})
    assert found.misplaced == (SMALL, EVERY)
    assert arrange("scse", [EVERY, SMALL, CLOWN], before={("N", "DET")}).misplaced == ()
