"""How bounds on depths and counts are written."""

from __future__ import annotations

import pytest

from recombine.errors import GrammarError
from recombine.grammar.sampling.constraints import MAX_BOUND, Bound, read_bound

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
