"""All analyses of a text, packed: shared nodes with alternatives.

A node is a constituent with every stretch of text it is known by, so the parts of a
discontinuous constituent meet here again: alternatives that do not fit together disappear (as in
parsing of multiple context-free grammars, Seki et al. 1991, with the context-free chart as a
filter).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recombine.grammar.earley import Chart
from recombine.grammar.inventory import Inventory
from recombine.grammar.productions import Entry, Productions

MAX_COMBINATIONS = 20_000  # ways to put the parts of one discontinuous constituent together

Stretch = tuple[int, int, int]  # symbol, from node, to node
Entries = Sequence[Entry]  # the string on each edge of the text's graph


class Alternative(NamedTuple):
    """A rule and the forest nodes of its slots."""

    rule: int
    children: tuple[int, ...]


class Leaf(NamedTuple):
    """A word: for every stretch its terminal and the edges it can be; none if nothing is heard."""

    kind: int
    stretches: tuple[tuple[int, tuple[int, ...]], ...]


class _Value(NamedTuple):
    score: tuple[int, ...]
    counts: tuple[int, ...]  # per preference: such nodes below
    depths: tuple[int, ...]  # per preference: sum of their depths
    plain: tuple[int, int]  # -(rules of weight 0), log weight in millionths


class Ranking:
    """Which analysis is meant: declared preferences, then weights, then the order of the file."""

    def __init__(self, inventory: Inventory) -> None:
        self.preferences = inventory.abstract.preferences
        self._marked = [
            frozenset(
                code
                for code, rule in enumerate(inventory.rules)
                if (
                    preference.label in rule.tags
                    if preference.is_tag
                    else preference.label == rule.name
                )
            )
            for preference in self.preferences
        ]
        totals: dict[str, float] = {}
        for rule in inventory.rules:
            totals[rule.category] = totals.get(rule.category, 0.0) + rule.weight
        self._weights = [
            (0, round(math.log(rule.weight / totals[rule.category]) * 1e6))
            if rule.weight
            else (-1, 0)
            for rule in inventory.rules
        ]
        none = (0,) * len(self.preferences)
        self.word = _Value(self._score(none, none, (0, 0)), none, none, (0, 0))

    def value(self, rule: int, children: list[_Value]) -> _Value:
        """The value of a node from those of its children."""
        counts = tuple(
            sum(child.counts[i] for child in children) + (rule in marked)
            for i, marked in enumerate(self._marked)
        )
        depths = tuple(
            sum(child.depths[i] + child.counts[i] for child in children)
            for i in range(len(self._marked))
        )
        zero, weight = self._weights[rule]
        plain = (
            zero + sum(child.plain[0] for child in children),
            weight + sum(child.plain[1] for child in children),
        )
        return _Value(self._score(counts, depths, plain), counts, depths, plain)

    def _score(
        self, counts: tuple[int, ...], depths: tuple[int, ...], plain: tuple[int, int]
    ) -> tuple[int, ...]:
        declared: list[int] = []
        for preference, count, depth in zip(self.preferences, counts, depths, strict=True):
            value = depth if preference.kind in ("deep", "shallow") else count
            declared.append(value if preference.kind in ("deep", "many") else -value)
        return (*declared, *plain)


class Forest:
    """The packed analyses of all texts that look alike to the chart."""

    def __init__(
        self, productions: Productions, chart: Chart, ranking: Ranking, words: Entries | None
    ) -> None:
        self.productions = productions
        self.alternatives: list[list[Alternative]] = []
        self.leaves: list[Leaf | None] = []
        self.needs_words = False  # whether it depends on which words they are
        self._forked = False  # whether anything has to be ranked
        self._numbers: dict[tuple[int, tuple[Stretch, ...]], int] = {}
        self._queue: list[tuple[int, tuple[Stretch, ...]]] = []
        end = chart.lattice.size - 1
        roots = self._roots(chart, end)
        while self._queue:
            self._expand(self._queue.pop(), chart)
        if self._forked or len(roots) > 1 or words is not None:
            roots = self._rank(roots, ranking, words)
        self.roots = roots
        self.best: tuple[int, ...] | None = self._best() if self.roots else None

    def _roots(self, chart: Chart, end: int) -> list[int]:
        found: list[int] = []
        for symbol in self.productions.roots:
            whole = (symbol, 0) in chart.complete[end]
            if self.productions.is_terminal[symbol]:
                whole = any(
                    edge.end == end and edge.entry.mask >> symbol & 1
                    for edge in (chart.lattice.edges[n] for n in chart.edges_from[0])
                )
            elif end == 0:
                whole = self.productions.nullable[symbol]
            if whole:
                found.append(self._number(self.productions.kind_of[symbol], ((symbol, 0, end),)))
        return found

    def _number(self, kind: int, stretches: tuple[Stretch, ...]) -> int:
        key = (kind, stretches)
        if key not in self._numbers:
            if len(stretches) != 1:
                self._forked = True
            self._numbers[key] = len(self.alternatives)
            self.alternatives.append([])
            self.leaves.append(None)
            self._queue.append(key)
        return self._numbers[key]

    def _expand(self, key: tuple[int, tuple[Stretch, ...]], chart: Chart) -> None:
        kind, stretches = key
        number = self._numbers[key]
        source = self.productions
        if source.inventory.is_lexical(source.kinds[kind].symbol):
            self.leaves[number] = self._leaf(kind, stretches, chart)
            return
        if len(stretches) == 1:
            self.alternatives[number] = self._simple(stretches[0], chart)
            return
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
                        if slot >= 0
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
                for parts in chosen:
                    for slot, stretch in parts:
                        asked[slot].add(stretch)
                children = tuple(
                    self._number(slot_kind, tuple(sorted(wanted)))
                    for slot_kind, wanted in zip(slots, asked, strict=True)
                )
                seen[Alternative(source.instances[instance].rule, children)] = None
        self.alternatives[number] = sorted(seen)

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
            for slot, child, (start, end) in zip(slots, right, spans, strict=True):
                if slot >= 0:
                    asked[slot].append((child, start, end))
            children = tuple(
                [
                    self._number(
                        kind, tuple(wanted) if len(wanted) < 2 else tuple(sorted(set(wanted)))
                    )
                    for kind, wanted in zip(kinds, asked, strict=True)
                ]
            )
            seen[Alternative(rule, children)] = None
        if len(seen) > 1:
            self._forked = True
            return sorted(seen)
        return list(seen)

    def _leaf(self, kind: int, stretches: tuple[Stretch, ...], chart: Chart) -> Leaf:
        if len(stretches) > 1:
            self.needs_words = True
        return Leaf(
            kind,
            tuple(
                (
                    symbol,
                    tuple(
                        number
                        for number in chart.edges_from[start]
                        if chart.lattice.edges[number].end == end
                        and chart.lattice.edges[number].entry.mask >> symbol & 1
                    )
                    if start < end
                    else (),
                )
                for symbol, start, end in stretches
            ),
        )

    def words(self, number: int, entries: Entries) -> tuple[int, ...]:
        """The words a leaf can be in a text, the first meant first."""
        leaf = self.leaves[number]
        assert leaf is not None
        if len(leaf.stretches) == 1:
            terminal, edges = leaf.stretches[0]
            if len(edges) == 1:
                return entries[edges[0]].words[terminal]
        found: tuple[int, ...] | None = None
        for terminal, edges in leaf.stretches:
            if edges:
                here = tuple(
                    dict.fromkeys(code for edge in edges for code in entries[edge].words[terminal])
                )
            else:
                here = self.productions.silent_words.get(terminal, ())
            found = here if found is None else tuple(code for code in found if code in here)
        return self.productions.kind_words(leaf.kind) if found is None else found

    def _rank(self, roots: list[int], ranking: Ranking, words: Entries | None) -> list[int]:
        """Drop what cannot be completed, and sort alternatives: what is meant comes first."""
        values: dict[int, _Value | None] = {}
        is_open: set[int] = set()
        stack = list(roots)
        while stack:
            number = stack[-1]
            if number in values:
                stack.pop()
                continue
            if self.leaves[number] is not None:
                dead = words is not None and not self.words(number, words)
                values[number] = None if dead else ranking.word
                stack.pop()
                continue
            if number not in is_open:
                is_open.add(number)
                stack.extend(
                    child
                    for alternative in self.alternatives[number]
                    for child in alternative.children
                    if child not in values and child not in is_open
                )
                continue
            ranked: list[tuple[_Value, Alternative]] = []
            for alternative in self.alternatives[number]:
                below = [values.get(child) for child in alternative.children]
                alive = [value for value in below if value is not None]
                if len(alive) == len(below):  # a node that contains itself never gets here
                    ranked.append((ranking.value(alternative.rule, alive), alternative))
            ranked.sort(key=lambda pair: pair[0].score, reverse=True)
            self.alternatives[number] = [alternative for _, alternative in ranked]
            values[number] = ranked[0][0] if ranked else None
            is_open.discard(number)
            stack.pop()
        alive_roots = [(values[root], root) for root in dict.fromkeys(roots)]
        kept = [(value, root) for value, root in alive_roots if value is not None]
        kept.sort(key=lambda pair: pair[0].score, reverse=True)
        return [root for _, root in kept]

    def _best(self) -> tuple[int, ...]:
        """The analysis that is meant: rule codes, and leaves as -1 - node."""
        shape: list[int] = []
        stack = [self.roots[0]]
        while stack:
            number = stack.pop()
            if self.leaves[number] is not None:
                shape.append(-1 - number)
                continue
            alternative = self.alternatives[number][0]
            shape.append(alternative.rule)
            stack.extend(reversed(alternative.children))
        return tuple(shape)

    def enumerate(self, entries: Entries) -> Iterator[tuple[int, ...]]:
        """Every analysis as codes, the one that is meant first."""
        choices: list[int] = []
        while True:
            radix: list[int] = []
            codes: list[int] = []
            root = _pick(len(self.roots), choices, radix)
            stack = [self.roots[root]]
            while stack:
                number = stack.pop()
                if self.leaves[number] is not None:
                    words = self.words(number, entries)
                    codes.append(words[_pick(len(words), choices, radix)])
                    continue
                options = self.alternatives[number]
                alternative = options[_pick(len(options), choices, radix)]
                codes.append(alternative.rule)
                stack.extend(reversed(alternative.children))
            yield tuple(codes)
            choices.extend([0] * (len(radix) - len(choices)))
            while choices and choices[-1] + 1 >= radix[len(choices) - 1]:
                choices.pop()
            if not choices:
                return
            choices[-1] += 1

    def count(self, entries: Entries) -> int:
        """How many analyses there are."""
        counts: dict[int, int] = {}
        stack = list(self.roots)
        while stack:
            number = stack[-1]
            if number in counts:
                stack.pop()
            elif self.leaves[number] is not None:
                counts[number] = len(self.words(number, entries))
            else:
                waiting = [
                    child
                    for alternative in self.alternatives[number]
                    for child in alternative.children
                    if child not in counts
                ]
                if waiting:
                    stack.extend(waiting)
                    continue
                counts[number] = sum(
                    math.prod(counts[child] for child in alternative.children)
                    for alternative in self.alternatives[number]
                )
        return sum(counts[root] for root in self.roots)

    def contains(
        self, codes: tuple[int, ...], positions: list[list[int]], entries: Entries
    ) -> bool:
        """Whether a tree is among the analyses."""
        return any(self._has(root, codes, positions, entries) for root in self.roots)

    def _has(
        self, root: int, codes: tuple[int, ...], positions: list[list[int]], entries: Entries
    ) -> bool:
        """Match a tree from its leaves up: a shared node is looked at once per tree node."""
        wanted: list[set[int]] = [set() for _ in codes]  # tree node -> forest nodes it may be
        wanted[0].add(root)
        for node, code in enumerate(codes):  # preorder: parents come first
            for number in wanted[node]:
                for alternative in self.alternatives[number]:
                    if alternative.rule == code:
                        for child, below in zip(positions[node], alternative.children, strict=True):
                            wanted[child].add(below)
        matched: list[set[int]] = [set() for _ in codes]
        for node in range(len(codes) - 1, -1, -1):
            for number in wanted[node]:
                if self.leaves[number] is not None:
                    ok = codes[node] in self.words(number, entries)
                else:
                    ok = any(
                        alternative.rule == codes[node]
                        and all(
                            below in matched[child]
                            for child, below in zip(
                                positions[node], alternative.children, strict=True
                            )
                        )
                        for alternative in self.alternatives[number]
                    )
                if ok:
                    matched[node].add(number)
        return root in matched[0]


def _pick(ways: int, choices: list[int], radix: list[int]) -> int:
    position = len(radix)
    radix.append(ways)
    return choices[position] if position < len(choices) else 0
