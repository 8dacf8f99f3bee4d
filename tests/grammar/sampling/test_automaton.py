"""Constraints: how bounds are written, what a state remembers of a subtree, what kills it."""

from __future__ import annotations

import pytest

from recombine.errors import GrammarError
from recombine.grammar import Constraints, Grammar
from recombine.grammar.sampling.automaton import Automaton
from recombine.grammar.sampling.constraints import MAX_BOUND, Bound, read_bound

FLAT = "decl(def(cat), sleep_(sleep))"
NESTED = "decl(beside(cat, beside(dog, def(house))), sleep_(sleep))"


def admitted(grammar: Grammar, constraints: Constraints, *trees: str) -> list[bool]:
    """Whether each tree is admitted."""
    automaton = Automaton(grammar.inventory, constraints)
    read = [grammar.tree(text) for text in trees]
    return [automaton.admits(tree.codes, tree.positions) for tree in read]


def test_an_exceeded_bound_is_dead_at_once(small: Grammar) -> None:
    """No state is built above a subtree that can never be admitted again."""
    automaton = Automaton(small.inventory, Constraints(depth={"pp": 1}))
    code = small.inventory.code("beside")
    word = automaton.step(small.inventory.code("cat"), ())
    assert word is not None
    once = automaton.step(code, (word, word))
    assert once is not None
    assert automaton.step(code, (word, once)) is None


def test_depth_and_count_differ(small: Grammar) -> None:
    """Depth follows one path, count adds up the branches."""
    side_by_side = "decl(beside(cat, def(dog)), trans(see, beside(dog, def(house))))"
    assert admitted(small, Constraints(depth={"pp": 1}), FLAT, side_by_side) == [True, True]
    assert admitted(small, Constraints(count={"pp": 1}), FLAT, side_by_side) == [True, False]


def test_patterns_decide(small: Grammar) -> None:
    """A tree shows every required pattern and no excluded one."""
    assert admitted(small, Constraints(require=("beside",)), FLAT, NESTED) == [False, True]
    assert admitted(small, Constraints(exclude=("beside >> beside",)), FLAT, NESTED) == [
        True,
        False,
    ]


def test_unknown_tags_are_refused(small: Grammar) -> None:
    """A demand that nothing could ever meet or break is a mistake."""
    with pytest.raises(GrammarError, match="no rule has the tag 'rc'"):
        Automaton(small.inventory, Constraints(depth={"rc": 1}))


BOUNDS: list[tuple[Bound, list[int], bool]] = [
    (2, [0, 1, 2], False),
    ((1, 3), [1, 2, 3], False),
    ("1,2,4", [1, 2, 4], False),
    ("1-2, 5", [1, 2, 5], False),
    ("3-", [3, 4, 5, 6, 7, 8, 9], True),
    ("2-,5", [2, 3, 4, 5, 6, 7, 8, 9], True),
]


@pytest.mark.parametrize(("bound", "admitted", "endless"), BOUNDS)
def test_bounds(bound: Bound, admitted: list[int], endless: bool) -> None:
    """A number is an upper bound, a pair a range, a string a set that may have no end."""
    allowed = read_bound("cp", bound)
    assert [number for number in range(10) if allowed.admits(number)] == admitted
    assert allowed.admits(MAX_BOUND + 1) == endless


def test_hopeless_above() -> None:
    """A finite bound is lost above its largest number, an open one never."""
    assert read_bound("cp", "1,4").hopeless_above == 4
    assert read_bound("cp", "3-").hopeless_above is None


@pytest.mark.parametrize("bound", [True, -1, (3, 1), (1, 2, 3), "two", "1 2", "", MAX_BOUND + 1])
def test_wrong_bounds(bound: Bound) -> None:
    """What is no bound is refused with the tag it was meant for."""
    with pytest.raises(GrammarError, match="'cp'"):
        read_bound("cp", bound)
