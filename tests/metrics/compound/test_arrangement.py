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
