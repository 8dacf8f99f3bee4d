"""All analyses of a text in one graph, and which of them is meant.

**Packing.** A sentence with ten attachments has thousands of trees, but few constituents. A packed
forest has one node per constituent and a list of alternatives under it (a rule and the nodes of its
slots), so trees share their parts. Here a node is a constituent of a kind with *all* stretches of
text it is known by: where a line says two fields of one slot (a verb and its prefix), the two
stretches, which the chart found independently, meet in one node, and alternatives under which they
would be different constituents disappear. This is parsing of a multiple context-free grammar (Seki
et al. 1991) with the context-free chart as a filter. A slot that is never said is a node with no
stretches: anything of its kind.

**Pruning.** `PackedForest` may be made for many texts at once, whose strings are similar to the
chart (fast/families.py). `Forest` keeps of it what holds for the strings at hand: from the leaves
up, a leaf must have a word, a literal must really be heard, an alternative needs all its nodes.

**Ranking.** Of several analyses the one that is meant comes first. A node's value is computed from
its children's: for every %prefer line how many marked nodes there are below and how deep they lie,
then how few rules of weight 0, then the log weight of the rules. Values add up from the leaves, and
a shared node has one best alternative whoever asks, so the best tree is found in one pass.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from recombine.grammar.inventory import Inventory
from recombine.grammar.parsing.cfg import ContextFreeGrammar, TerminalEntry
from recombine.grammar.parsing.chart import Chart
from recombine.grammar.realise.walk import Choices

MAX_ALTERNATIVES = 150_000  # of one family of texts; beyond that it counts as not analysable
MAX_COMBINATIONS = 20_000  # ways to put the parts of one discontinuous constituent together

Stretch = tuple[int, int, int]  # symbol, from node, to node
Entries = Sequence[TerminalEntry]  # the string on each edge of the text's lattice
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


class PackedForest:
    """The analyses of a text, or of texts that differ in words and in `uncertain` literals."""

    def __init__(
        self,
        cfg: ContextFreeGrammar,
        chart: Chart,
        most_alternatives: int = sys.maxsize,
        uncertain: frozenset[int] = frozenset(),
    ) -> None:
        self.cfg = cfg
        self._uncertain = uncertain
        self.alternatives: list[list[Alternative]] = []
        self.leaves: list[Leaf | None] = []
        self.parted: list[int] = []  # leaves whose parts stand apart, and must be one word's
        self._numbers: dict[tuple[int, tuple[Stretch, ...]], int] = {}
        self._queue: list[tuple[int, tuple[Stretch, ...]]] = []
        self.roots = self._roots(chart, chart.lattice.size - 1)
        self.truncated = False
        most = min(MAX_ALTERNATIVES, most_alternatives)
        total = 0
        while self._queue and not self.truncated:
            number = self._expand(self._queue.pop(), chart)
            total += len(self.alternatives[number])
            self.truncated = total > most

    def _roots(self, chart: Chart, end: int) -> list[int]:
        found: list[int] = []
        for symbol in self.cfg.roots:
            whole = (symbol, 0) in chart.complete[end]
            if self.cfg.is_terminal[symbol]:
                whole = any(
                    chart.lattice.edges[n].end == end
                    and symbol in chart.lattice.edges[n].entry.words
                    for n in chart.edges_from[0]
                )
            elif end == 0:
                whole = self.cfg.nullable[symbol]
            if whole:
                found.append(self._number(self.cfg.kind_of[symbol], ((symbol, 0, end),)))
        return found

    def _number(self, kind: int, stretches: tuple[Stretch, ...]) -> int:
        key = (kind, stretches)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.alternatives)
            self.alternatives.append([])
            self.leaves.append(None)
            self._queue.append(key)
        return number

    def _expand(self, key: tuple[int, tuple[Stretch, ...]], chart: Chart) -> int:
        kind, stretches = key
        number = self._numbers[key]
        cfg = self.cfg
        if cfg.inventory.is_lexical(cfg.kinds[kind].symbol):
            self.leaves[number] = Leaf(
                kind, tuple((stretch[0], self._edges(*stretch, chart)) for stretch in stretches)
            )
            if len(stretches) > 1:
                self.parted.append(number)
            return number
        if len(stretches) == 1:
            self.alternatives[number] = self._simple(stretches[0], chart)
            return number
        ways: list[dict[int, list[tuple[tuple[int, Stretch], ...]]]] = []
        for symbol, start, end in stretches:
            here: dict[int, list[tuple[tuple[int, Stretch], ...]]] = {}
            for index, spans in self._derivations(symbol, start, end, chart):
                production = cfg.productions[index]
                here.setdefault(production.instance, []).append(
                    tuple(
                        (slot, (child, *span))
                        for slot, child, span in zip(
                            production.slots, production.right, spans, strict=True
                        )
                        if slot >= 0 or (child in self._uncertain and span[0] < span[1])
                    )
                )
            ways.append(here)
        instances = sorted(ways[0]) if ways else cfg.instances_of[kind]
        seen: dict[Alternative, None] = {}
        for instance in instances:
            if any(instance not in here for here in ways):
                continue
            slots = cfg.instances[instance].slots
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
                rule = cfg.instances[instance].rule
                seen[Alternative(rule, children, tuple(literals))] = None
        self.alternatives[number] = sorted(seen)
        return number

    def _derivations(
        self, symbol: int, start: int, end: int, chart: Chart
    ) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
        if start < end:
            found: Sequence[int] = chart.complete[end].get((symbol, start), ())
        else:
            found = self.cfg.by_left.get(symbol, ())
        for index in found:
            for spans in chart.splits(index, start, end):
                yield index, spans

    def _simple(self, stretch: Stretch, chart: Chart) -> list[Alternative]:
        """The alternatives of a constituent that is known by one stretch of text."""
        cfg = self.cfg
        seen: dict[Alternative, None] = {}
        for index, spans in self._derivations(*stretch, chart):
            _, instance, right, slots, _ = cfg.productions[index]
            rule, kinds = cfg.instances[instance]
            asked: list[list[Stretch]] = [[] for _ in kinds]
            literals: list[Heard] = []
            for slot, child, (start, end) in zip(slots, right, spans, strict=True):
                if slot >= 0:
                    asked[slot].append((child, start, end))
                elif child in self._uncertain and start < end:
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

    def _edges(self, symbol: int, start: int, end: int, chart: Chart) -> tuple[int, ...]:
        """The edges between two nodes that can be a terminal."""
        edges = chart.lattice.edges
        return tuple(
            [
                number
                for number in chart.edges_from[start]
                if edges[number][1] == end and symbol in edges[number][2].words
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
        found: dict[int, None] | None = None
        for terminal, edges in leaf.stretches:
            if len(edges) == 1:
                here = dict.fromkeys(entries[edges[0]].words.get(terminal, ()))
            elif edges:
                here = dict.fromkeys(
                    code for edge in edges for code in entries[edge].words.get(terminal, ())
                )
            else:
                here = dict.fromkeys(self.cfg.silent_words.get(terminal, ()))
            found = here if found is None else {code: None for code in found if code in here}
        return self.cfg.kind_words(leaf.kind) if found is None else tuple(found)


class Value(NamedTuple):
    """What counts for and against an analysis of some words."""

    score: tuple[int, ...]
    counts: tuple[int, ...]  # per preference: such nodes below
    depths: tuple[int, ...]  # per preference: sum of their depths
    plain: tuple[int, int]  # -(rules of weight 0), log weight in millionths


class Ranking:
    """Compares analyses of the same words."""

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
        self.word = Value(self._score(none, none, (0, 0)), none, none, (0, 0))

    def value(self, rule: int, children: list[Value]) -> Value:
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
        return Value(self._score(counts, depths, plain), counts, depths, plain)

    def _score(
        self, counts: tuple[int, ...], depths: tuple[int, ...], plain: tuple[int, int]
    ) -> tuple[int, ...]:
        declared: list[int] = []
        for preference, count, depth in zip(self.preferences, counts, depths, strict=True):
            value = depth if preference.kind in ("deep", "shallow") else count
            declared.append(value if preference.kind in ("deep", "many") else -value)
        return (*declared, *plain)


class Forest:
    """The analyses of all texts that look alike to the chart."""

    def __init__(self, packed: PackedForest, entries: Entries, ranking: Ranking) -> None:
        self.packed = packed
        self.alternatives: dict[int, list[Alternative]] = {}
        self._forked = len(packed.roots) > 1
        self.roots = self._prune(entries)
        if self._forked and self.roots:
            self._rank(ranking)
        # The analysis that is meant, with a gap for each word: where it stands, edge and terminal
        # of words that are heard on one edge, and the leaves of others.
        self._rules: list[int] = []
        self._plain: list[tuple[int, int, int]] = []
        self._others: list[tuple[int, int]] = []
        if self.roots:
            self._find_best()

    def _prune(self, entries: Entries) -> list[int]:
        """Keep the alternatives that can be completed with these words."""
        packed, kept = self.packed, self.alternatives
        alive: dict[int, bool] = {}
        opened: set[int] = set()
        stack = list(packed.roots)
        while stack:
            number = stack[-1]
            if number in alive:
                stack.pop()
            elif packed.leaves[number] is not None:
                alive[number] = bool(packed.words(number, entries))
                stack.pop()
            elif number not in opened:
                opened.add(number)
                stack.extend(
                    [
                        child
                        for alternative in packed.alternatives[number]
                        for child in alternative[1]
                        if child not in alive and child not in opened
                    ]
                )
            else:
                # A child that is not done yet contains this node: a circle, which adds nothing.
                good = [
                    alternative
                    for alternative in packed.alternatives[number]
                    if all(map(alive.get, alternative[1]))
                    and (not alternative[2] or _heard(alternative, entries))
                ]
                if len(good) > 1:
                    self._forked = True
                kept[number] = good
                alive[number] = bool(good)
                stack.pop()
        return [root for root in dict.fromkeys(packed.roots) if alive[root]]

    def _rank(self, ranking: Ranking) -> None:
        """Sort alternatives: what is meant comes first."""
        values: dict[int, Value] = {}
        leaves = self.packed.leaves
        stack = list(self.roots)
        while stack:
            number = stack[-1]
            if number in values:
                stack.pop()
                continue
            if leaves[number] is not None:
                values[number] = ranking.word
                stack.pop()
                continue
            options = self.alternatives[number]
            waiting = [c for option in options for c in option[1] if c not in values]
            if waiting:
                stack.extend(waiting)
                continue
            ranked = [
                (ranking.value(option.rule, [values[c] for c in option.children]), option)
                for option in options
            ]
            if len(ranked) > 1:
                ranked.sort(key=lambda pair: pair[0].score, reverse=True)
                self.alternatives[number] = [option for _, option in ranked]
            values[number] = ranked[0][0]
            stack.pop()
        self.roots.sort(key=lambda root: values[root].score, reverse=True)

    def _find_best(self) -> None:
        """Write down the first alternative of every node, in preorder."""
        rules, leaves = self._rules, self.packed.leaves
        stack = [self.roots[0]]
        while stack:
            number = stack.pop()
            leaf = leaves[number]
            if leaf is None:
                rule, children, _ = self.alternatives[number][0]
                rules.append(rule)
                stack.extend(children[::-1])
                continue
            if len(leaf.stretches) == 1 and len(leaf.stretches[0][1]) == 1:
                terminal, (edge,) = leaf.stretches[0]
                self._plain.append((len(rules), edge, terminal))
            else:
                self._others.append((len(rules), number))
            rules.append(-1)

    def best(self, entries: Entries) -> tuple[int, ...]:
        """The analysis that is meant, as codes."""
        codes = self._rules.copy()
        for place, edge, terminal in self._plain:
            codes[place] = entries[edge].words[terminal][0]
        for place, number in self._others:
            codes[place] = self.packed.words(number, entries)[0]
        return tuple(codes)

    def is_only(self, entries: Entries) -> bool:
        """Whether there is no other analysis than that; False where it is not plain to see."""
        if self._forked or self._others:
            return False
        return all(len(entries[edge].words[terminal]) == 1 for _, edge, terminal in self._plain)

    def enumerate(
        self, entries: Entries, choose: Callable[[tuple[int, ...]], int] | None = None
    ) -> Iterator[tuple[int, ...]]:
        """Every analysis as codes, the one that is meant first.

        `choose` takes one of the words that a leaf can be; without it each is an analysis.
        """
        choices = Choices()
        known: dict[int, tuple[int, ...]] = {}  # what a leaf can be, the same in every analysis
        while True:
            codes: list[int] = []
            stack = [self.roots[choices.pick(len(self.roots))]]
            while stack:
                number = stack.pop()
                if self.packed.leaves[number] is not None:
                    words = known.get(number, ())
                    if not words:
                        words = self.packed.words(number, entries)
                        words = known[number] = (choose(words),) if choose else words
                    codes.append(words[0] if choose else words[choices.pick(len(words))])
                    continue
                options = self.alternatives[number]
                alternative = options[choices.pick(len(options))]
                codes.append(alternative.rule)
                stack.extend(reversed(alternative.children))
            yield tuple(codes)
            if not choices.advance():
                return

    def count(self, entries: Entries) -> int:
        """How many analyses there are."""
        counts: dict[int, int] = {}
        stack = list(self.roots)
        while stack:
            number = stack[-1]
            if number in counts:
                stack.pop()
            elif self.packed.leaves[number] is not None:
                counts[number] = len(self.packed.words(number, entries))
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


def _heard(alternative: Alternative, entries: Entries) -> bool:
    return all(
        any(entries[edge].mask >> terminal & 1 for edge in edges)
        for terminal, edges in alternative.literals
    )
