"""Asking for a batch until every item has an answer: who spoils it for the others is found.

Programs and services differ in what an exchange is, not in what to do when it stops short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from recombine.systems.base import Failure

Fault = TypeVar("Fault")


class Item(NamedTuple):
    """One source and its place, counted from 0, among the sources of a call."""

    place: int
    source: str


def settle(
    batch: Sequence[Item],
    exchange: Callable[[list[Item]], tuple[Mapping[int, str | Failure], Fault]],
    alone: Callable[[Item, Fault], str | Failure],
) -> Iterator[tuple[int, str | Failure]]:
    """Yield an answer or a Failure for every item of a batch, by place.

    `exchange` asks for some items and returns the answers that can be trusted, by place, and why
    others lack. `alone` decides on an item that failed by itself.
    """
    waiting = [list(batch)] if batch else []
    while waiting:
        part = waiting.pop()
        answers, fault = exchange(part)
        yield from answers.items()
        rest = [item for item in part if item.place not in answers]
        if not rest:
            continue
        if len(part) == 1:
            yield part[0].place, alone(part[0], fault)
        elif answers:
            # It got this far: the first item without an answer is the suspect.
            waiting += [rest[1:], rest[:1]] if len(rest) > 1 else [rest]
        else:
            # Nothing can be trusted; halves show which item is to blame.
            middle = len(rest) // 2
            waiting += [rest[middle:], rest[:middle]]
