"""The analyses of one text: what of a packed forest holds for its words, the meant one first."""

from __future__ import annotations

import math
from collections.abc import Iterator

from recombine.grammar.packed import Alternative, Entries, Packed
from recombine.grammar.ranking import Ranking, Value


class Forest:
    """The analyses of all texts that look alike to the chart."""

    def __init__(self, packed: Packed, entries: Entries, ranking: Ranking) -> None:
        self.packed = packed
        self.needs_words = packed.needs_words
        self.alternatives: dict[int, list[Alternative]] = {}
        self._forked = len(packed.roots) > 1
        self.roots = self._prune(entries)
        if self._forked and self.roots:
            self._rank(ranking)
        self.best: tuple[int, ...] | None = self._best() if self.roots else None

    def _prune(self, entries: Entries) -> list[int]:
        """Keep the alternatives that can be completed with these words."""
        packed, kept = self.packed, self.alternatives
        alive: dict[int, bool] = {}
        is_open: set[int] = set()
        stack = list(packed.roots)
        while stack:
            number = stack[-1]
            if number in alive:
                stack.pop()
            elif packed.leaves[number] is not None:
                alive[number] = bool(packed.words(number, entries))
                stack.pop()
            elif number not in is_open:
                is_open.add(number)
                stack.extend(
                    [
                        child
                        for alternative in packed.alternatives[number]
                        for child in alternative[1]
                        if child not in alive and child not in is_open
                    ]
                )
            else:
                # A child that is still open contains this node: a circle, which adds nothing.
                good = [
                    alternative
                    for alternative in packed.alternatives[number]
                    if all(alive.get(child, False) for child in alternative[1])
                    and (not alternative[2] or _heard(alternative, entries))
                ]
                if len(good) > 1:
                    self._forked = True
                kept[number] = good
                alive[number] = bool(good)
                is_open.discard(number)
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

    def _best(self) -> tuple[int, ...]:
        """The analysis that is meant: rule codes, and leaves as -1 - node."""
        shape: list[int] = []
        stack = [self.roots[0]]
        while stack:
            number = stack.pop()
            if self.packed.leaves[number] is not None:
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
                if self.packed.leaves[number] is not None:
                    words = self.packed.words(number, entries)
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
                for alternative in self.alternatives.get(number, ()):
                    if alternative.rule == code:
                        for child, below in zip(positions[node], alternative.children, strict=True):
                            wanted[child].add(below)
        matched: list[set[int]] = [set() for _ in codes]
        for node in range(len(codes) - 1, -1, -1):
            for number in wanted[node]:
                if number in self.packed.unsaid:
                    kind = self.packed.unsaid[number]
                    ok = self.packed.productions.is_of_kind(kind, codes, positions, node)
                elif self.packed.leaves[number] is not None:
                    ok = codes[node] in self.packed.words(number, entries)
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


def _heard(alternative: Alternative, entries: Entries) -> bool:
    return all(
        any(entries[edge].mask >> terminal & 1 for edge in edges)
        for terminal, edges in alternative.literals
    )
