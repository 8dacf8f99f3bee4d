"""Constraints as a tree automaton: a small state per node, computed from the leaves up.

A deterministic bottom-up tree automaton reads a tree by giving every node a state that depends on
its label and on the states of its children alone. Ours runs all constraints of a split side by
side; its state is a tuple with one number for each:

- a required or excluded pattern: the bits of the pattern's tests that hold here, below or at the
  head (pattern.Matcher);
- a depth of a tag: the largest number of tagged nodes on a way down, a count: the number of all.

The tuple is all that matters about a subtree, so two subtrees in one state may replace each other;
that is what makes the product with the grammar finite (product.py). States are kept few: a pattern
that is found remembers nothing else, numbers beyond the last bound are one number, and all words
that no constraint names are in one state. A state of None is dead: trees only grow, so an exceeded
bound or an excluded pattern stays.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from recombine.errors import GrammarError
from recombine.grammar.inventory import Inventory
from recombine.grammar.pattern import Matcher, Pattern
from recombine.grammar.sampling.constraints import Allowed, Constraints, read_bound

State = tuple[int, ...]


class _Tagged(NamedTuple):
    codes: frozenset[int]
    allowed: Allowed
    deep: bool  # depth, not count


@lru_cache(maxsize=1024)
def _matcher(inventory: Inventory, text: str) -> Matcher:
    """The parts of a recipe exclude the same patterns: they share what one has learned of nodes."""
    return Pattern.parse(text).compile(inventory)


class Automaton:
    """Runs all constraints of a split at once."""

    def __init__(self, inventory: Inventory, constraints: Constraints) -> None:
        self.inventory = inventory
        self._required = [_matcher(inventory, text) for text in constraints.require]
        self._excluded = [_matcher(inventory, text) for text in constraints.exclude]
        self._tagged = [
            _Tagged(self._codes_of(tag), read_bound(tag, bound), deep)
            for bounds, deep in ((constraints.depth, True), (constraints.count, False))
            for tag, bound in bounds.items()
        ]
        # All words that no constraint names are in one state.
        self._named: frozenset[int] = frozenset().union(
            *(matcher.named for matcher in (*self._required, *self._excluded)),
            *(tagged.codes for tagged in self._tagged),
        )
        self._unnamed: State = (0,) * (
            len(self._required) + len(self._excluded) + len(self._tagged)
        )

    def _codes_of(self, tag: str) -> frozenset[int]:
        codes = self.inventory.tagged(tag)
        if not codes:
            raise GrammarError(f"no rule has the tag '{tag}'", hint="depth and count go by {tag}")
        return codes

    def step(self, code: int, children: tuple[State, ...]) -> State | None:
        """The state of a node, or None if no tree with this node can be admitted."""
        if not children and code not in self._named:
            return self._unnamed
        state: list[int] = []
        position = 0
        for matcher in self._required:
            state.append(self._require(matcher, code, tuple([c[position] for c in children])))
            position += 1
        for matcher in self._excluded:
            bits = matcher.step(code, tuple([c[position] for c in children]))
            if matcher.single is not None and bits & matcher.single:
                return None
            state.append(bits)
            position += 1
        for codes, allowed, deep in self._tagged:
            values = [c[position] for c in children]
            number = (max(values, default=0) if deep else sum(values)) + (code in codes)
            limit = allowed.hopeless_above
            if limit is not None and number > limit:
                return None
            state.append(min(number, allowed.cap + 1))
            position += 1
        return tuple(state)

    def _require(self, matcher: Matcher, code: int, children: tuple[int, ...]) -> int:
        done = matcher.single
        if done is None:
            return matcher.step(code, children)
        for child in children:
            if child & done:
                return done  # the pattern is there: nothing else about it matters any more
        bits = matcher.step(code, children)
        return done if bits & done else bits

    def accepts(self, state: State) -> bool:
        """Whether a whole tree with this state is admitted."""
        position = 0
        for matcher in self._required:
            if not matcher.accepts(state[position]):
                return False
            position += 1
        for matcher in self._excluded:
            if matcher.accepts(state[position]):
                return False
            position += 1
        for _, allowed, _ in self._tagged:
            if not allowed.admits(state[position]):
                return False
            position += 1
        return True

    def admits(self, codes: tuple[int, ...], positions: list[list[int]]) -> bool:
        """Whether a finished tree is admitted."""
        states: list[State] = [()] * len(codes)
        for node in range(len(codes) - 1, -1, -1):
            state = self.step(codes[node], tuple([states[child] for child in positions[node]]))
            if state is None:
                return False
            states[node] = state
        return self.accepts(states[0])
