"""Constraints as a tree automaton: a small state per node, computed from the leaves up.

The state remembers what the constraints still need to know about a subtree: pattern bits, depths
and counts of tags, and a word that waits for its role. A state of None is dead: no tree above it
can be admitted (trees only grow, so an exceeded bound or an excluded pattern stays).
"""

from __future__ import annotations

from typing import NamedTuple

from recombine.errors import GrammarError
from recombine.grammar.inventory import Inventory
from recombine.grammar.pattern import Matcher, Pattern
from recombine.grammar.sampling.constraints import Allowed, Constraints, read_bound

State = tuple[int, ...]
_FREE = -1


class _Tagged(NamedTuple):
    codes: frozenset[int]
    allowed: Allowed
    deep: bool  # depth, not count


class Automaton:
    """Runs all constraints of a split at once."""

    def __init__(self, inventory: Inventory, constraints: Constraints) -> None:
        self.inventory = inventory
        self._required = [Pattern.parse(text).compile(inventory) for text in constraints.require]
        self._excluded = [Pattern.parse(text).compile(inventory) for text in constraints.exclude]
        self._tagged = [
            _Tagged(self._codes_of(tag), read_bound(tag, bound), deep)
            for bounds, deep in ((constraints.depth, True), (constraints.count, False))
            for tag, bound in bounds.items()
        ]
        self._roles: list[frozenset[tuple[int, int]]] = []
        self._root_allowed: list[bool] = []
        self._group_of: dict[int, int] = {}
        self._read_roles(constraints)
        # All words that no constraint names are in one state.
        self._named = frozenset(self._group_of).union(
            *(matcher.named for matcher in (*self._required, *self._excluded)),
            *(tagged.codes for tagged in self._tagged),
        )
        self._unnamed: State = (
            *[0] * (len(self._required) + len(self._excluded) + len(self._tagged)),
            *[_FREE] * bool(self._roles),
        )

    def _codes_of(self, tag: str) -> frozenset[int]:
        codes = self.inventory.tagged(tag)
        if not codes:
            raise GrammarError(f"no rule has the tag '{tag}'", hint="depth and count go by {tag}")
        return codes

    def _read_roles(self, constraints: Constraints) -> None:
        known: dict[tuple[frozenset[tuple[int, int]], bool], int] = {}
        for word, roles in constraints.only.items():
            code = self.inventory.code(word)
            if not self.inventory.is_word(code):
                raise GrammarError(f"'{word}' is a rule; roles are for words")
            places: set[tuple[int, int]] = set()
            for role in roles:
                if role == "^":
                    continue
                rule_name, _, slot = role.partition(".")
                rule = self.inventory.code(rule_name)
                index = (
                    None if self.inventory.is_word(rule) else self.inventory.rule(rule).slot(slot)
                )
                if index is None:
                    raise GrammarError(f"'{role}' is not a role", hint="write rule.slot")
                places.add((rule, index))
            key = (frozenset(places), "^" in roles)
            group = known.setdefault(key, len(known))
            if group == len(self._roles):
                self._roles.append(key[0])
                self._root_allowed.append(key[1])
            self._group_of[code] = group

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
        if self._roles:
            waiting = self._role(code, [c[position] for c in children])
            if waiting is None:
                return None
            state.append(waiting)
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

    def _role(self, code: int, waiting: list[int]) -> int | None:
        if self.inventory.is_word(code):
            return self._group_of.get(code, _FREE)
        head = self.inventory.heads[code]
        passed = _FREE
        for index, group in enumerate(waiting):
            if group == _FREE or (code, index) in self._roles[group]:
                continue
            if index != head:
                return None
            passed = group
        return passed

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
        return not self._roles or state[position] == _FREE or self._root_allowed[state[position]]

    def admits(self, codes: tuple[int, ...], positions: list[list[int]]) -> bool:
        """Whether a finished tree is admitted."""
        states: list[State] = [()] * len(codes)
        for node in range(len(codes) - 1, -1, -1):
            state = self.step(codes[node], tuple([states[child] for child in positions[node]]))
            if state is None:
                return False
            states[node] = state
        return self.accepts(states[0])
