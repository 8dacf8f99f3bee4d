"""Meaning graphs: heads, slots and lists, without a real grammar's vocabulary."""

from __future__ import annotations

import pytest

from recombine.grammar import Grammar
from recombine.metrics.anatomy.dependencies import CLASSES, closeness, match, units_of


@pytest.fixture(scope="module")
def toy() -> Grammar:
    """The toy grammar."""
    return Grammar.load("toy")


def test_heads_come_before_dependants_and_slots_are_named(toy):
    """Every unit's head has a smaller number; roles keep the grammar's slot names."""
    tree = list(toy.sample(30, seed=4))
    for one in tree:
        graph = units_of(one, lambda label: label, {})
        assert all(unit.head < index for index, unit in enumerate(graph))
        assert sum(unit.head == -1 for unit in graph) == 1


def test_match_prefers_the_same_place(toy):
    """A graph matches itself unit by unit, and is closest to itself."""
    trees = list(toy.sample(20, seed=5))
    for one in trees:
        graph = units_of(one, lambda label: label, {})
        assert match(graph, graph) == {index: index for index in range(len(graph))}
        other = units_of(trees[0], lambda label: label, {})
        assert closeness(graph, graph) >= closeness(graph, other)


def test_classes_are_unique():
    """The priority list names every class once."""
    assert len(set(CLASSES)) == len(CLASSES)
