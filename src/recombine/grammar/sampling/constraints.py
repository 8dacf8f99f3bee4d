"""What a split asks of its trees. One grammar, many constraints; never copies of grammars."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from recombine.errors import GrammarError

Bound = int | str | Sequence[int]
MAX_BOUND = 10_000


class Allowed(NamedTuple):
    """Which depths or counts are admitted; above the last one either all or none."""

    values: frozenset[int]
    cap: int  # numbers above are treated like cap + 1
    open_ended: bool  # whether everything above the cap is admitted

    def admits(self, number: int) -> bool:
        """Whether a number is admitted."""
        return self.open_ended if number > self.cap else number in self.values

    @property
    def hopeless_above(self) -> int | None:
        """Numbers above this can never be admitted again, as trees only grow."""
        return None if self.open_ended else self.cap


@dataclass(frozen=True, kw_only=True)
class Constraints:
    """The demands of one split.

    require, exclude: patterns every tree matches, or none does. depth, count: per tag; a number
    is an upper bound, a pair a range, a string a set ("1,2,4", "3-"). weights: rule, word,
    "{tag}", "<class>" or ":Category" -> weight; later entries win. zipf: another exponent for all
    categories that have one. select: keep word pairs of the grammar's %select lines together.
    no_repeat: a language in which no word form may occur twice. start: another start category.
    """

    require: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    depth: Mapping[str, Bound] = field(default_factory=dict)
    count: Mapping[str, Bound] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    zipf: float | None = None
    select: bool = False
    no_repeat: str | None = None
    start: str | None = None


def read_bound(tag: str, bound: Bound) -> Allowed:
    """Read a depth or count bound; raises GrammarError."""
    values: set[int] = set()
    open_from: int | None = None
    if isinstance(bound, bool):
        raise GrammarError(f"'{tag}': {bound!r} is not a bound")
    if isinstance(bound, int):
        ranges = [(0, bound)]
    elif isinstance(bound, str):
        ranges = []
        for item in bound.split(","):
            match = re.fullmatch(r"\s*(\d{1,6})\s*(-?)\s*(\d{0,6})\s*", item)
            if match is None or (match[3] and not match[2]):
                raise GrammarError(f"'{tag}': '{bound}' is not a set", hint='write "1,2,4" or "3-"')
            low = int(match[1])
            if match[2] and not match[3]:
                open_from = low if open_from is None else min(open_from, low)
                ranges.append((low, low))
            else:
                ranges.append((low, int(match[3] or match[1])))
    else:
        if len(bound) != 2:
            raise GrammarError(f"'{tag}': a range has two numbers, found {list(bound)!r}")
        ranges = [(bound[0], bound[1])]
    for low, high in ranges:
        if low < 0 or high < low or high > MAX_BOUND:
            raise GrammarError(f"'{tag}': {low} to {high} is not a range of 0 to {MAX_BOUND}")
        values.update(range(low, high + 1))
    if open_from is not None:
        values.update(range(open_from, max(values) + 1))
    return Allowed(frozenset(values), max(values), open_from is not None)
