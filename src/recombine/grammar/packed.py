"""All analyses of a text, packed: shared nodes with alternatives.

A node is a constituent with every stretch of text it is known by, so the parts of a discontinuous
constituent meet here again: alternatives that do not fit together disappear (as in parsing of
multiple context-free grammars, Seki et al. 1991, with the context-free chart as a filter).

A packed forest is made for a whole family of texts whose strings are similar to the chart;
forest.py keeps of it what holds for one text.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recombine.grammar.earley import Chart
from recombine.grammar.productions import Entry, Productions

MAX_ALTERNATIVES = 150_000  # of one family of texts; beyond that it counts as not analysable
MAX_COMBINATIONS = 20_000  # ways to put the parts of one discontinuous constituent together

Stretch = tuple[int, int, int]  # symbol, from node, to node
Entries = Sequence[Entry]  # the string on each edge of the text's graph
Heard = tuple[int, tuple[int, ...]]  # a terminal, and the edges it can be


class Alternative(NamedTuple):
    """A rule, the nodes of its slots, and the literals that not every text of the family has."""

    rule: int
    children: tuple[int, ...]
    literals: tuple[Heard, ...] = ()


class Leaf(NamedTuple):
    """A word: for every stretch what is heard; nothing if the word is silent or unsaid."""

    kind: int
    stretches: tuple[Heard, ...]


class Packed:
    """The analyses of a family of texts."""

    def __init__(self, productions: Productions, chart: Chart) -> None:
        self.productions = productions
        self.alternatives: list[list[Alternative]] = []
        self.leaves: list[Leaf | None] = []
        self.needs_words = False  # whether it depends on which words they are
        self.unsaid: dict[int, int] = {}  # nodes of which nothing is heard -> their kind
        self._numbers: dict[tuple[int, tuple[Stretch, ...]], int] = {}
        self._queue: list[tuple[int, tuple[Stretch, ...]]] = []
        self.roots = self._roots(chart, chart.lattice.size - 1)
        self.truncated = False
        total = 0
        while self._queue and not self.truncated:
            number = self._expand(self._queue.pop(), chart)
            total += len(self.alternatives[number])
            self.truncated = total > MAX_ALTERNATIVES

    def _roots(self, chart: Chart, end: int) -> list[int]:
        found: list[int] = []
        for symbol in self.productions.roots:
            whole = (symbol, 0) in chart.complete[end]
            if self.productions.is_terminal[symbol]:
                whole = any(
                    chart.lattice.edges[n].end == end and chart.masks[n] >> symbol & 1
                    for n in chart.edges_from[0]
                )
            elif end == 0:
                whole = self.productions.nullable[symbol]
            if whole:
                found.append(self._number(self.productions.kind_of[symbol], ((symbol, 0, end),)))
        return found

    def _number(self, kind: int, stretches: tuple[Stretch, ...]) -> int:
        key = (kind, stretches)
        if key not in self._numbers:
            self._numbers[key] = len(self.alternatives)
            if not stretches:
                self.unsaid[len(self.alternatives)] = kind
            self.alternatives.append([])
            self.leaves.append(None)
            self._queue.append(key)
        return self._numbers[key]

    def _expand(self, key: tuple[int, tuple[Stretch, ...]], chart: Chart) -> int:
        kind, stretches = key
        number = self._numbers[key]
        source = self.productions
        if source.inventory.is_lexical(source.kinds[kind].symbol):
            self.leaves[number] = self._leaf(kind, stretches, chart)
            return number
        if len(stretches) == 1:
            self.alternatives[number] = self._simple(stretches[0], chart)
            return number
        ways: list[dict[int, list[tuple[tuple[int, Stretch], ...]]]] = []
        for symbol, start, end in stretches:
            here: dict[int, list[tuple[tuple[int, Stretch], ...]]] = {}
            for index, spans in self._derivations(symbol, start, end, chart):
                production = source.productions[index]
                here.setdefault(production.instance, []).append(
                    tuple(
                        (slot, (child, *span))
                        for slot, child, span in zip(
                            production.slots, production.right, spans, strict=True
                        )
                        if slot >= 0 or source.is_shared[child]
                    )
                )
            ways.append(here)
        instances = sorted(ways[0]) if ways else source.instances_of[kind]
        seen: dict[Alternative, None] = {}
        for instance in instances:
            if any(instance not in here for here in ways):
                continue
            slots = source.instances[instance].slots
            options = [here[instance] for here in ways]
            for chosen in itertools.islice(itertools.product(*options), MAX_COMBINATIONS):
                asked: list[set[Stretch]] = [set() for _ in slots]
                literals: list[Heard] = []
                for parts in chosen:
                    for slot, stretch in parts:
                        if slot >= 0:
                            asked[slot].add(stretch)
                        else:
                            literals.append((stretch[0], self._edges(*stretch, chart)))
                children = tuple(
                    self._number(slot_kind, tuple(sorted(wanted)))
                    for slot_kind, wanted in zip(slots, asked, strict=True)
                )
                rule = source.instances[instance].rule
                seen[Alternative(rule, children, tuple(literals))] = None
        self.alternatives[number] = sorted(seen)
        return number

    def _derivations(
        self, symbol: int, start: int, end: int, chart: Chart
    ) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
        if start < end:
            found: Sequence[int] = chart.complete[end].get((symbol, start), ())
        else:
            found = self.productions.by_left.get(symbol, ())
        for index in found:
            for spans in chart.splits(index, start, end):
                yield index, spans

    def _simple(self, stretch: Stretch, chart: Chart) -> list[Alternative]:
        """The alternatives of a constituent that is known by one stretch of text."""
        source = self.productions
        seen: dict[Alternative, None] = {}
        for index, spans in self._derivations(*stretch, chart):
            _, instance, right, slots, _ = source.productions[index]
            rule, kinds = source.instances[instance]
            asked: list[list[Stretch]] = [[] for _ in kinds]
            literals: list[Heard] = []
            for slot, child, (start, end) in zip(slots, right, spans, strict=True):
                if slot >= 0:
                    asked[slot].append((child, start, end))
                elif source.is_shared[child]:
                    literals.append((child, self._edges(child, start, end, chart)))
            children = tuple(
                [
                    self._number(
                        kind, tuple(wanted) if len(wanted) < 2 else tuple(sorted(set(wanted)))
                    )
                    for kind, wanted in zip(kinds, asked, strict=True)
                ]
            )
            seen[Alternative(rule, children, tuple(literals))] = None
        return sorted(seen) if len(seen) > 1 else list(seen)

    def _leaf(self, kind: int, stretches: tuple[Stretch, ...], chart: Chart) -> Leaf:
        if len(stretches) > 1:
            self.needs_words = True
        return Leaf(
            kind, tuple((stretch[0], self._edges(*stretch, chart)) for stretch in stretches)
        )

    def _edges(self, symbol: int, start: int, end: int, chart: Chart) -> tuple[int, ...]:
        """The edges between two nodes that can be a terminal."""
        return tuple(
            [
                number
                for number in chart.edges_from[start]
                if chart.lattice.edges[number][1] == end and chart.masks[number] >> symbol & 1
            ]
        )

    def words(self, number: int, entries: Entries) -> tuple[int, ...]:
        """The words a leaf can be in a text, the first meant first."""
        leaf = self.leaves[number]
        assert leaf is not None
        if len(leaf.stretches) == 1:
            terminal, edges = leaf.stretches[0]
            if len(edges) == 1:
                return entries[edges[0]].words.get(terminal, ())
        found: tuple[int, ...] | None = None
        for terminal, edges in leaf.stretches:
            if edges:
                here = tuple(
                    dict.fromkeys(
                        code for edge in edges for code in entries[edge].words.get(terminal, ())
                    )
                )
            else:
                here = self.productions.silent_words.get(terminal, ())
            found = here if found is None else tuple(code for code in found if code in here)
        return self.productions.kind_words(leaf.kind) if found is None else found
