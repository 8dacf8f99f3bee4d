"""%select lines: words that go together, in a tree that was drawn.

A word must please all its governors. One that does not is drawn again among the words that do, with
their own weights; where there is none, a governor is drawn again among the words that leave one. So
governors keep their shares, and a tree is dropped only where no words fit its structure.
"""

from __future__ import annotations

import functools
import itertools
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from recombine.grammar.inventory import Inventory
from recombine.grammar.sampling.mending import Mender
from recombine.grammar.sampling.product import Choice
from recombine.grammar.sampling.ties import MAX_SHAPES, Tie, TieFinder, read_pairs
from recombine.grammar.tree import Tree

ROUNDS = 24  # of drawing governors again, before a tree is dropped
_BITS = 64  # of a random word

# The line and the governor's word; words under the same demands have the same options.
Demands = tuple[tuple[int, int], ...]


class Bound(NamedTuple):
    """A dependent node and its governors, as (line, governor node)."""

    node: int
    governors: tuple[tuple[int, int], ...]


class WeightedWords(NamedTuple):
    """Words that fit, and their weights summed up."""

    words: Sequence[int]
    sums: list[int]

    def draw(self, random: Iterator[int]) -> int:
        """Draw one by weight."""
        return self.words[bisect_right(self.sums, next(random) * self.sums[-1] >> _BITS)]


class Selector:
    """The restrictions of a grammar, shared by its samplers."""

    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        abstract = inventory.abstract
        self._pairs = read_pairs(inventory)
        self._finder = TieFinder(inventory, abstract.selections)
        self.allowed = [self._pairs.get(line.role, {}) for line in abstract.selections]
        self.mender = Mender(inventory, self._pairs) if abstract.mendings else None
        self.listed: frozenset[int] = frozenset().union(
            *(words for taken in self._pairs.values() for words in taken.values())
        )
        self._plans: dict[tuple[int, ...], tuple[Bound, ...]] = {}
        self._pleasing: dict[Demands, frozenset[int] | None] = {}

    def plan(self, shape: tuple[int, ...]) -> tuple[Bound, ...]:
        """The dependents of a structure with their governors, no word before its governors.

        `shape` has the codes of rules, and -1 for words: rules alone say what is tied.
        """
        plan = self._plans.get(shape)
        if plan is None:
            governors: dict[int, list[tuple[int, int]]] = {}
            for tie in self._finder.ties(shape):
                governors.setdefault(tie.dependent, []).append((tie.line, tie.governor))
            plan = tuple(Bound(node, tuple(governors[node])) for node in _in_order(governors))
            if len(self._plans) >= MAX_SHAPES:
                self._plans.clear()
            self._plans[shape] = plan
        return plan

    def pleasing(self, demands: Demands) -> frozenset[int] | None:
        """The words that please all governors; None where any word does."""
        if demands not in self._pleasing:
            taken = [self.allowed[line].get(governor) for line, governor in demands]
            listed = [words for words in taken if words is not None]
            self._pleasing[demands] = frozenset.intersection(*listed) if listed else None
        return self._pleasing[demands]

    def fits(self, role: str, governor: int, dependent: int) -> bool:
        """Whether two words go together; a governor without pairs takes anything."""
        allowed = self._pairs.get(role, {}).get(governor)
        return allowed is None or dependent in allowed

    def violations(self, tree: Tree) -> list[tuple[str, Tie]]:
        """The roles and places of words that do not go together."""
        codes, first = tree.codes, self.inventory.first_word
        shape = tuple([code if code < first else -1 for code in codes])
        abstract = self.inventory.abstract
        ties = [(abstract.selections[tie.line].role, tie) for tie in self._finder.ties(shape)]
        if self.mender is not None:
            ties += [(abstract.mendings[tie.line].role, tie) for tie in self.mender.tied(shape)]
        return [
            (role, tie)
            for role, tie in ties
            if not self.fits(role, codes[tie.governor], codes[tie.dependent])
        ]


def _in_order(governors: Mapping[int, Iterable[tuple[int, int]]]) -> Iterator[int]:
    """The dependents, each after those that govern it; in circles somebody has to be first."""
    seen: set[int] = set()
    for start in sorted(governors):
        stack = [(start, False)]
        while stack:
            node, is_done = stack.pop()
            if is_done:
                yield node
            elif node in governors and node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack += [(governor, False) for _, governor in reversed(list(governors[node]))]


class WordFitter:
    """Draws words again that do not fit, for the trees of one sampler."""

    def __init__(self, selector: Selector, choices: Sequence[Choice]) -> None:
        self._selector = selector
        self._allowed = selector.allowed
        self._choices = choices
        self._first_word = selector.inventory.first_word
        self._options: dict[tuple[int, Demands], WeightedWords | None] = {}
        self._weighed: dict[int, list[tuple[int, int]]] = {}
        self._better: dict[tuple[int, Demands, int, int, Demands], WeightedWords | None] = {}

    def fit(
        self,
        shape: tuple[int, ...],
        codes: list[int],
        sources: Sequence[int],
        random: Iterator[int],
    ) -> bool:
        """Put fitting words in; False where there are none.

        `sources` has for every node the number of the choice that it was drawn from.
        """
        plan = self._selector.plan(shape)
        allowed = self._allowed
        for _ in range(ROUNDS):
            settled = True
            for bound in plan:
                word = codes[bound.node]
                for line, governor in bound.governors:
                    taken = allowed[line].get(codes[governor])
                    if taken is not None and word not in taken:
                        break
                else:
                    continue
                demands = tuple([(line, codes[governor]) for line, governor in bound.governors])
                options = self._fitting(sources[bound.node], demands)
                if options is None:
                    if not self._change_governor(bound, plan, codes, sources, random):
                        return False
                    settled = False
                else:
                    codes[bound.node] = options.draw(random)
            if settled:
                return True
        return False

    def _fitting(self, source: int, demands: Demands) -> WeightedWords | None:
        """The words of a choice that please all governors."""
        key = source, demands
        if key not in self._options:
            pleasing = self._selector.pleasing(demands)
            self._options[key] = _options(
                [pair for pair in self._weights(source) if pleasing is None or pair[0] in pleasing]
            )
        return self._options[key]

    def _weights(self, source: int) -> list[tuple[int, int]]:
        """The words of a choice with their weights."""
        if source not in self._weighed:
            choice = self._choices[source]
            bounds = [0, *choice.thresholds, 1 << _BITS]
            weights = [high - low for low, high in itertools.pairwise(bounds)]
            self._weighed[source] = [
                pair for pair in zip(choice.codes, weights, strict=True) if pair[1]
            ]
        return self._weighed[source]

    def _change_governor(
        self,
        bound: Bound,
        plan: Sequence[Bound],
        codes: list[int],
        sources: Sequence[int],
        random: Iterator[int],
    ) -> bool:
        """Draw a governor again, the last that can help; it still pleases its own governors."""
        for line, node in reversed(bound.governors):
            if codes[node] < self._first_word:
                continue  # a rule
            others = tuple([(n, codes[up]) for n, up in bound.governors if up != node])
            above = tuple(
                [
                    (n, codes[up])
                    for other in plan
                    if other.node == node
                    for n, up in other.governors
                ]
            )
            key = sources[node], above, line, sources[bound.node], others
            if key not in self._better:
                self._better[key] = self._helpful(*key)
            options = self._better[key]
            if options is not None:
                codes[node] = options.draw(random)
                return True
        return False

    def _helpful(
        self, source: int, above: Demands, line: int, dependent_source: int, others: Demands
    ) -> WeightedWords | None:
        """The words of a governor's choice that leave a word for its dependent."""
        words = self._fitting(dependent_source, others)
        left = frozenset(words.words if words else ())
        allowed = self._allowed[line]
        pleasing = self._selector.pleasing(above)
        return _options(
            [
                pair
                for pair in self._weights(source)
                if (pleasing is None or pair[0] in pleasing)
                and not left.isdisjoint(allowed.get(pair[0], left))
            ]
        )


def _options(weighed: Sequence[tuple[int, int]]) -> WeightedWords | None:
    """Words with weights as options; none are None."""
    if not weighed:
        return None
    words, weights = zip(*weighed, strict=True)
    return WeightedWords(words, list(itertools.accumulate(weights)))


@functools.lru_cache(maxsize=16)
def selector_of(inventory: Inventory) -> Selector:
    """The selector of a grammar: its samplers share what it has learned of structures."""
    return Selector(inventory)
