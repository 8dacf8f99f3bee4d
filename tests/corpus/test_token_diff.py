"""Trimmed windows and edits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recombine.corpus.token_diff import Segment, differing, edit_distance, is_one_edit, trim

tokens = st.lists(st.sampled_from("abc"), max_size=8)


def test_trim_leaves_what_differs() -> None:
    """Common prefix and suffix are cut."""
    assert trim(["el", "rey", "ve"], ["la", "reina", "ve"]) == Segment(0, 2, 0, 2)
    assert trim(["a", "b"], ["a", "b", "b"]) == Segment(2, 2, 2, 3)


@given(tokens, tokens)
def test_one_edit_is_distance_one(first: list[str], second: list[str]) -> None:
    """The shortcut agrees with the full distance."""
    assert is_one_edit(first, second) == (edit_distance(first, second) == 1)


@given(tokens, tokens)
def test_differing_segments_rebuild_the_second(first: list[str], second: list[str]) -> None:
    """Replacing the segments turns one sequence into the other."""
    rebuilt: list[str] = []
    place = 0
    for one in differing(first, second):
        rebuilt += first[place : one.first_start] + second[one.second_start : one.second_end]
        place = one.first_end
    assert rebuilt + first[place:] == second


@given(tokens, tokens)
def test_distance_is_symmetric(first: list[str], second: list[str]) -> None:
    """Distance has no direction and vanishes for equals alone."""
    assert edit_distance(first, second) == edit_distance(second, first)
    assert (edit_distance(first, second) == 0) == (first == second)
