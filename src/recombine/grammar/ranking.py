"""Which analysis is meant: declared preferences, then weights, then the order of the file."""

from __future__ import annotations

import math
from typing import NamedTuple

from recombine.grammar.inventory import Inventory


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
