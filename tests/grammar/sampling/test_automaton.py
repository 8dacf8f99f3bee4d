"""The automaton of constraints: what a subtree's state remembers, and what kills it."""

from __future__ import annotations

import pytest

from recombine.errors import GrammarError
from recombine.grammar import Constraints, Grammar
from recombine.grammar.sampling.automaton import Automaton

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


def test_patterns_and_roles(small: Grammar) -> None:
    """Required patterns, excluded ones and the roles of words all decide."""
    assert admitted(small, Constraints(require=("beside",)), FLAT, NESTED) == [False, True]
    assert admitted(small, Constraints(exclude=("beside >> beside",)), FLAT, NESTED) == [
        True,
        False,
    ]
    role = Constraints(only={"cat": ("trans.obj",)})
    as_object = "decl(def(dog), trans(see, def(cat)))"
    assert admitted(small, role, FLAT, as_object) == [False, True]


def test_unknown_tags_and_roles_are_refused(small: Grammar) -> None:
    """A demand that nothing could ever meet or break is a mistake."""
    with pytest.raises(GrammarError, match="no rule has the tag 'rc'"):
        Automaton(small.inventory, Constraints(depth={"rc": 1}))
    with pytest.raises(GrammarError, match=r"'decl\.object' is not a role"):
        Automaton(small.inventory, Constraints(only={"cat": ("decl.object",)}))
