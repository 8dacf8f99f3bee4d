"""Ties: which words of a structure restrict which, by the %select and %mend lines of a grammar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recombine.errors import GrammarError
from recombine.grammar.inventory import Inventory
from recombine.grammar.model import Selection, SlotPath
from recombine.grammar.pattern import parse_atom
from recombine.grammar.tree import child_positions

MAX_SHAPES = 200_000

# Pairs by role and governor: the words that a governor takes.
Pairs = dict[str, dict[int, frozenset[int]]]


class Tie(NamedTuple):
    """A governor and a dependent node under one line, by its number."""

    governor: int
    dependent: int
    line: int


def read_pairs(inventory: Inventory) -> Pairs:
    """The words that every governor takes, by role; classes are put in; raises GrammarError."""
    found: dict[str, dict[int, set[int]]] = {}
    cells: dict[str, frozenset[int]] = {}

    def codes(cell: str) -> frozenset[int]:
        if cell not in cells:
            cells[cell] = words_of(inventory, cell)
        return cells[cell]

    for row in inventory.abstract.pairs:
        try:
            governors, dependents = codes(row.governor), codes(row.dependent)
        except GrammarError as error:
            raise GrammarError(f"pairs: {error.message}", row.where, error.hint) from None
        taken = found.setdefault(row.role, {})
        for governor in governors:
            taken.setdefault(governor, set()).update(dependents)
    return {
        role: {governor: frozenset(words) for governor, words in taken.items()}
        for role, taken in found.items()
    }


def words_of(inventory: Inventory, cell: str) -> frozenset[int]:
    """The codes that a cell names: words, rules, <class>, :Category; ! takes out, - is none."""
    found: set[int] = set()
    dropped: set[int] = set()
    for item in cell.split() if cell != "-" else ():
        name = item.removeprefix("!")
        known = inventory.codes.get(name)  # most items are words
        codes = {known} if known is not None else parse_atom(name).codes(inventory)
        if not codes:
            raise GrammarError(f"no word has '{name}'", hint="a class or category of the lexicon")
        (dropped if item.startswith("!") else found).update(codes)
    return frozenset(found - dropped)


class TieFinder:
    """Finds the ties of structures; a structure is kept, as most come again."""

    def __init__(self, inventory: Inventory, selections: Sequence[Selection]) -> None:
        self.inventory = inventory
        self._places: dict[int, list[tuple[int, _Way, _Way]]] = {}
        for number, selection in enumerate(selections):
            for place in selection.places:
                governor = _way(inventory, place.governor)
                dependent = _way(inventory, place.dependent)
                if governor is not None and dependent is not None:
                    code = inventory.codes[place.governor.steps[0][0]]
                    self._places.setdefault(code, []).append((number, governor, dependent))
        self._shapes: dict[tuple[int, ...], tuple[Tie, ...]] = {}

    def ties(self, shape: tuple[int, ...]) -> tuple[Tie, ...]:
        """The ties of a structure, by line and governor: its codes with -1 for words."""
        found = self._shapes.get(shape)
        if found is None:
            found = tuple(sorted(self._find(shape), key=lambda tie: (tie[2], tie[0])))
            if len(self._shapes) >= MAX_SHAPES:
                self._shapes.clear()
            self._shapes[shape] = found
        return found

    def _find(self, shape: tuple[int, ...]) -> Iterator[Tie]:
        places = self._places
        first = self.inventory.first_word
        # A word is the code of any word: it has no parts.
        children = child_positions(
            tuple([first if code < 0 else code for code in shape]), self.inventory.arity
        )
        for node, code in enumerate(shape):
            for number, governor, dependent in places.get(code, ()):
                others = self._reached(shape, children, node, dependent)
                if others:  # most paths of several steps lead nowhere
                    for upper in self._reached(shape, children, node, governor):
                        for other in others:
                            yield Tie(upper, other, number)

    def _reached(
        self, shape: tuple[int, ...], children: list[list[int]], node: int, way: _Way
    ) -> list[int]:
        for code, slot in way.steps:
            if shape[node] != code:
                return []
            if slot is None:
                return [node]  # the rule itself
            node = children[node][slot]
        if way.below is None:
            while shape[node] >= 0:
                index = self.inventory.heads[shape[node]]
                if index is None:
                    return []
                node = children[node][index]
            return [node]
        found, queue = [], [node]
        while queue:
            node = queue.pop()
            if shape[node] < 0:
                found.append(node)
                continue
            parts = self.inventory.rule(shape[node]).parts
            queue += [
                child
                for child, part in zip(children[node], parts, strict=True)
                if shape[child] >= 0 or part.symbol.category == way.below
            ]
        return sorted(found)


class _Way(NamedTuple):
    """A path in numbers."""

    steps: tuple[tuple[int, int | None], ...]
    below: str | None


def _way(inventory: Inventory, path: SlotPath) -> _Way | None:
    """None where a rule or slot is unknown, which `check` reports."""
    steps: list[tuple[int, int | None]] = []
    for rule, slot in path.steps:
        known = inventory.abstract.rules.get(rule)
        index = known.slot(slot) if known is not None and slot else None
        if known is None or (slot and index is None):
            return None
        steps.append((inventory.codes[rule], index))
    return _Way(tuple(steps), path.below or None)
