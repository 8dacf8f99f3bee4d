"""Spans of dependency trees."""

from __future__ import annotations

from recombine.corpus.spans import Subtrees


def test_a_subtree_spans_its_token_and_all_below():
    """The stretch is half-open, as slices are; dependents come from left to right."""
    trees = Subtrees([1, 2, -1, 4, 2])
    assert trees.span(1) == (0, 2)
    assert trees.span(2) == (0, 5)
    assert trees.children == [[], [0], [1, 4], [], [3]]


def test_a_gap_in_the_subtree_excludes_it():
    """Discontinuous phrases cannot be replaced in one piece."""
    trees = Subtrees([1, -1, 0])
    assert trees.span(0) is None
    assert trees.span(1) == (0, 3)
