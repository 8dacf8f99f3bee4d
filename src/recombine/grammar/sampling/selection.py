"""Words that go together: %select lines applied to a tree that was drawn."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recombine.grammar.inventory import Inventory
from recombine.grammar.model import Selection
from recombine.grammar.tree import Tree, child_positions

_MAX_SHAPES = 200_000
_WORD = 1 << 64


class Tie(NamedTuple):
    """A governor and a dependent node under one %select line."""

    governor: int
    dependent: int
    selection: int


class Selector:
    """Finds and mends pairs of words that do not go together."""

    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        abstract = inventory.abstract
        self.selections: tuple[Selection, ...] = abstract.selections
        self._places: dict[int, list[tuple[int, int, int]]] = {}
        for number, selection in enumerate(self.selections):
            for place in selection.places:
                code = inventory.codes.get(place.rule, inventory.first_word)
                if code >= inventory.first_word:
                    continue
                governor = inventory.rule(code).slot(place.governor)
                dependent = inventory.rule(code).slot(place.dependent)
                if governor is not None and dependent is not None:
                    self._places.setdefault(code, []).append((number, governor, dependent))
        self._allowed: dict[tuple[str, int], frozenset[int]] = {}
        for (role, word), dependents in abstract.pairs.items():
            if word in inventory.codes:
                self._allowed[role, inventory.codes[word]] = frozenset(
                    inventory.codes[name] for name in dependents if name in inventory.codes
                )
        self._fallback = [
            [inventory.codes[name] for name in selection.fallback if name in inventory.codes]
            for selection in self.selections
        ]
        self._shapes: dict[tuple[int, ...], tuple[Tie, ...]] = {}
        self._lists: dict[tuple[str, int, int], tuple[list[int], list[int]]] = {}

    def ties(self, shape: tuple[int, ...], codes: Sequence[int]) -> Iterator[Tie]:
        """The pairs of a structure, in the order of the %select lines; a word is mended once.

        `shape` is like `codes` with -1 for words: which nodes are tied depends on rules alone.
        """
        mended: set[int] = set()
        for tie in self._tied(shape):
            allowed = self._allowed.get((self.selections[tie.selection].role, codes[tie.governor]))
            if allowed is None or tie.dependent in mended:
                continue
            mended.add(tie.dependent)  # one that satisfies one verb already stays
            if codes[tie.dependent] not in allowed:
                yield tie

    def _tied(self, shape: tuple[int, ...]) -> tuple[Tie, ...]:
        found = self._shapes.get(shape)
        if found is None:
            first = self.inventory.first_word
            found = self._find(tuple([first if code < 0 else code for code in shape]))
            if len(self._shapes) >= _MAX_SHAPES:
                self._shapes.clear()
            self._shapes[shape] = found
        return found

    def fits(self, governor: int, dependent: int, selection: int) -> bool:
        """Whether two words go together; a governor without pairs takes anything."""
        allowed = self._allowed.get((self.selections[selection].role, governor))
        return allowed is None or dependent in allowed

    def mend(
        self, codes: list[int], tie: Tie, candidates: list[int], random: Iterator[int]
    ) -> None:
        """Put another word in place of the dependent: one that fits, or the last resort."""
        declared = self.selections[tie.selection]
        if not declared.direct:
            # The list is kept beside its filtered form, so that no other list can have its id.
            key = (declared.role, codes[tie.governor], id(candidates))
            known = self._lists.get(key)
            if known is None:
                allowed = self._allowed[declared.role, codes[tie.governor]]
                known = (candidates, [code for code in candidates if code in allowed])
                if len(self._lists) >= _MAX_SHAPES:
                    self._lists.clear()
                self._lists[key] = known
            options = known[1]
            if options:
                codes[tie.dependent] = options[next(random) * len(options) // _WORD]
                return
        for code in self._fallback[tie.selection]:
            if code in candidates:
                codes[tie.dependent] = code
                return

    def violations(self, tree: Tree) -> list[Tie]:
        """The pairs of a tree that do not go together."""
        first = self.inventory.first_word
        shape = tuple([code if code < first else -1 for code in tree.codes])
        return [
            tie
            for tie in self._tied(shape)
            if not self.fits(tree.codes[tie.governor], tree.codes[tie.dependent], tie.selection)
        ]

    def _find(self, codes: tuple[int, ...]) -> tuple[Tie, ...]:
        children = child_positions(codes, self.inventory.arity)
        found: list[Tie] = []
        for node, code in enumerate(codes):
            for number, governor_slot, dependent_slot in self._places.get(code, ()):
                governor = self._head(codes, children, children[node][governor_slot])
                dependent = self._head(codes, children, children[node][dependent_slot])
                if governor is not None and dependent is not None:
                    found.append(Tie(governor, dependent, number))
        return tuple(sorted(found, key=lambda tie: (tie.selection, tie.governor)))

    def _head(self, codes: tuple[int, ...], children: list[list[int]], node: int) -> int | None:
        while codes[node] < self.inventory.first_word:
            index = self.inventory.heads[codes[node]]
            if index is None:
                return None
            node = children[node][index]
        return node


@functools.lru_cache(maxsize=16)
def selector_of(inventory: Inventory) -> Selector:
    """The selector of a grammar: its samplers share what it has learned of structures."""
    return Selector(inventory)
