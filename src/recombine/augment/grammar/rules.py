"""Rules of both languages at once, and derivations by them.

A rule has a source and a target with the same slots. A derivation is a rule with what fills its
slots: a word with its translation, or another derivation. Its texts are those of both languages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recombine.augment.grammar.constituents import HEAD, PHRASE
from recombine.augment.tokens import Tokens

# A word and its translation.
Unit = tuple[str, Tokens]


class RuleSlot(NamedTuple):
    """A place in a rule: for a phrase, a clause, a head, or an open word."""

    kind: str


class PairRule(NamedTuple):
    """A source and a target with slots; in the target a slot is its number in the source.

    `endings` are what the translations in some slots of words end in, where words alternate there.
    """

    kind: str
    source: tuple[str | RuleSlot, ...]
    target: tuple[str | int, ...]
    endings: tuple[tuple[int, str], ...] = ()

    def slots(self) -> list[RuleSlot]:
        """The slots in source order."""
        return [part for part in self.source if isinstance(part, RuleSlot)]

    def head(self) -> int | None:
        """The slot of what a modifier modifies: it is of the kind of the whole."""
        if self.kind not in (PHRASE, HEAD):
            return None
        kinds = [slot.kind for slot in self.slots()]
        return kinds.index(self.kind) if self.kind in kinds and len(kinds) > 1 else None

    def core(self) -> int:
        """The slot of the word that a phrase is about."""
        head = self.head()
        return head if head is not None else len(self.slots()) - 1

    def frame(self) -> Frame:
        """The source side, which other rules have with other targets."""
        return self.kind, self.source

    def __str__(self) -> str:
        """Both sides as text: "X _ X. | X1 _2 X3"."""
        source = [p.kind if isinstance(p, RuleSlot) else p.strip() for p in self.source]
        kinds = [slot.kind for slot in self.slots()]
        target = [f"{kinds[p]}{p + 1}" if isinstance(p, int) else p.strip() for p in self.target]
        ends = "".join(f" {place + 1}:-{end}" for place, end in self.endings)
        return f"{' '.join(source)} | {' '.join(target)}{ends}"


Frame = tuple[str, tuple[str | RuleSlot, ...]]


class Derivation:
    """A rule with what fills its slots: words or derivations."""

    __slots__ = ("children", "rule")

    def __init__(self, rule: PairRule, children: Sequence[Derivation | Unit]) -> None:
        self.rule = rule
        self.children = list(children)

    def core(self) -> Unit:
        """The word that a phrase is about."""
        child = self.children[self.rule.core()]
        return child.core() if isinstance(child, Derivation) else child

    def base(self) -> Derivation:
        """The phrase without its modifiers."""
        head = self.rule.head()
        if head is None:
            return self
        child = self.children[head]
        return child.base() if isinstance(child, Derivation) else self

    def texts(self) -> tuple[list[str], list[str]]:
        """The tokens of both sides."""
        parts = [
            child.texts() if isinstance(child, Derivation) else ([child[0]], list(child[1]))
            for child in self.children
        ]
        source: list[str] = []
        number = 0
        for part in self.rule.source:
            if isinstance(part, RuleSlot):
                source += parts[number][0]
                number += 1
            else:
                source.append(part)
        target: list[str] = []
        for item in self.rule.target:
            if isinstance(item, int):
                target += parts[item][1]
            else:
                target.append(item)
        return source, target

    def walk(self) -> Iterator[Derivation]:
        """Yield all derivations inside, outermost first."""
        yield self
        for child in self.children:
            if isinstance(child, Derivation):
                yield from child.walk()
