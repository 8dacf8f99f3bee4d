"""Phrases as they stand in a reduced sentence, and the modifiers that were taken out of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from recombine.augment.classes import Unit

# The symbols of reduced sentences: a phrase, a head that still lacks its D, and D.
PHRASE, HEAD, FREE = "X", "N", "D"


class PhraseSlot(NamedTuple):
    """A place of a reduced sentence that holds a phrase: `number` is its place in the pair."""

    number: int


Item = str | PhraseSlot


@dataclass(frozen=True)
class Modifier:
    """What may be added to a phrase: (" in X" | "Xの中の").

    `before` says on which side of the head it stands, source and target. Slots are numbered in
    source order.
    """

    source: tuple[Item, ...]
    target: tuple[Item, ...]
    before: tuple[bool, bool]
    support: int = 0

    @property
    def slots(self) -> int:
        """How many phrases are inside."""
        return sum(isinstance(item, PhraseSlot) for item in self.source)

    def __str__(self) -> str:
        return f"{pattern(self.source)} | {pattern(self.target)}"


@dataclass
class HeadPhrase:
    """A phrase of a training pair: a word with its D, and modifiers with phrases inside."""

    unit: Unit
    label: int
    free: str = ""
    modifiers: list[tuple[Modifier, list[HeadPhrase]]] = field(default_factory=list)
    # Its place in source and target, and the places of its modifiers in the target.
    place: tuple[int, int] = (-1, -1)
    places: list[tuple[int, ...]] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """Which modifiers it has, innermost first; lexical ones by their shape."""
        return " ".join(shape(modifier) for modifier, _ in self.modifiers)


def pattern(items: Iterable[Item]) -> str:
    """Return a row of items for people."""
    return "".join(
        f" X{item.number + 1}" if isinstance(item, PhraseSlot) else item for item in items
    ).strip()


def shape(modifier: Modifier) -> str:
    """Return how a modifier is built, whatever its words are: side and phrases inside."""
    return ("<" if modifier.before[0] else ">") + str(modifier.slots)
