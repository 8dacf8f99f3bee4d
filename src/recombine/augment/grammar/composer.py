"""Draws derivations: rules, words and depths nearly uniformly, each only where it agrees.

What a model must learn from such text is what combines, not what is frequent (Yao & Koller 2024).
How deep clauses and modifiers go is drawn first, beyond training. A modifier may stand on phrases
in any place of a clause, if it changes nothing around it; inside other modifiers only where it was
seen.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from recombine.augment.grammar.agreement import RuleAgreement
from recombine.augment.grammar.constituents import CLAUSE, HEAD, PHRASE, SENTENCE
from recombine.augment.grammar.rules import Derivation, Frame, PairRule, Unit
from recombine.augment.grammar.tables import BARE, RulePlace, RuleTables
from recombine.augment.grammar.words import OPEN

# Half of the sentences have no modifier, and clauses and modifiers are as often deep as flat.
MODIFIERS, CLAUSES = (0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6), (0, 0, 0, 1, 2, 3, 4, 5, 6)
ADJECTIVES = (0, 0, 0, 1, 1, 2, 3, 4, 5, 6)
# A modifier changes what stands around it if this share of its rivals' places is another.
CHANGES, CHANGES_SEEN = 0.7, 8
TRIES = 12
# A rule that is seen once in a place may be an error, unless little is seen there.
LITTLE = 30


class Composer:
    """Draws sentences from a learnt grammar."""

    def __init__(
        self, tables: RuleTables, agreement: RuleAgreement, depth: int, *, uniform: bool
    ) -> None:
        self.tables, self.agreement = tables, agreement
        self.stream = random.Random(0)
        self._depth = depth
        self._uniform = uniform
        self._cache: dict[Any, Any] = {}
        roots = defaultdict(list)
        for rule in tables.rules:
            if rule.kind == SENTENCE:
                roots[rule.frame()].append(rule)
        self._roots = [
            (frame, sum(tables.rules[rule] for rule in rules)) for frame, rules in roots.items()
        ]
        self._root_rules = roots
        power = 0.5 if uniform else 1.0
        self._root_sums = list(accumulate(count**power for _, count in self._roots))
        self._modifiers = [
            rule for rule in tables.rules if rule.kind == PHRASE and rule.head() is not None
        ]
        frames = defaultdict(list)
        for rule in self._modifiers:
            frames[rule.frame()].append(rule)
        self._modifier_frames = list(frames.values())

    def sentence(self) -> Derivation | None:
        """Draw a sentence, or None where nothing agrees."""
        frame = self._weighted([frame for frame, _ in self._roots], self._root_sums)
        rule = self._by_count(self._root_rules[frame])
        modifiers = min(self._depth, self._one(MODIFIERS))
        clauses = min(self._depth, self._one(CLAUSES))
        adjectives = min(self._depth, self._one(ADJECTIVES))
        return self._fill(rule, [modifiers, adjectives], clauses)

    # --- choices ----------------------------------------------------------------------------

    def _one(self, items: Sequence[Any]) -> Any:
        return items[int(self.stream.random() * len(items))]

    def _weighted(self, items: Sequence[Any], sums: Sequence[float]) -> Any:
        drawn = self.stream.random() * sums[-1]
        low, high = 0, len(sums) - 1
        while low < high:
            middle = (low + high) // 2
            if sums[middle] > drawn:
                high = middle
            else:
                low = middle + 1
        return items[low]

    def _by_count(self, rules: Sequence[PairRule]) -> PairRule:
        key = tuple(map(id, rules))
        sums = self._cache.get(key)
        if sums is None:
            sums = self._cache[key] = list(accumulate(self.tables.rules[rule] for rule in rules))
        found: PairRule = self._weighted(rules, sums)
        return found

    def _children(self, place: RulePlace) -> list[tuple[Frame, list[PairRule], list[int]]]:
        """What was seen in a place: rules by their source, with summed counts."""
        key = "children", place
        found: list[tuple[Frame, list[PairRule], list[int]]] | None = self._cache.get(key)
        if found is None:
            found = self._by_frame(
                Counter(
                    {
                        rule: count
                        for rule, count in self.tables.children[place].items()
                        if self.tables.fits(place, rule)
                    }
                )
            )
            self._cache[key] = found
        return found

    def _by_frame(self, counts: Counter[PairRule]) -> list[tuple[Frame, list[PairRule], list[int]]]:
        little = sum(counts.values()) < LITTLE
        rows: dict[Frame, list[PairRule]] = defaultdict(list)
        for rule, count in counts.items():
            if count > 1 or little:
                rows[rule.frame()].append(rule)
        return [
            (frame, rules, list(accumulate(counts[rule] for rule in rules)))
            for frame, rules in rows.items()
        ]

    def _kinds(self, place: RulePlace) -> tuple[list[Any], list[Any], list[Any]]:
        """The same, apart: phrases without modifiers, with modifiers; and clauses with clauses."""
        key = "kinds", place
        found: tuple[list[Any], list[Any], list[Any]] | None = self._cache.get(key)
        if found is None:
            rows = self._children(place)
            found = (
                [row for row in rows if row[1][0].head() is None],
                [row for row in rows if row[1][0].head() is not None],
                [row for row in rows if any(s.kind == CLAUSE for s in row[1][0].slots())],
            )
            self._cache[key] = found
        return found

    def _bases(self, place: RulePlace) -> list[tuple[Frame, list[PairRule], list[int]]]:
        """Phrases that were seen in a place, without their modifiers."""
        key = "bases", place
        found: list[tuple[Frame, list[PairRule], list[int]]] | None = self._cache.get(key)
        if found is None:
            found = self._by_frame(self.tables.bases[place])
            self._cache[key] = found
        return found

    # --- constituents -----------------------------------------------------------------------

    def _fill(self, rule: PairRule, budget: list[int], clauses: int) -> Derivation | None:
        """Draw what fills a rule. `budget`: modifiers and adjectives that are left to be drawn."""
        slots = rule.slots()
        children: list[Derivation | Unit | None] = [None] * len(slots)
        words: dict[int, Unit] = {}
        for slot, kind in enumerate(slots):
            if kind.kind == OPEN:
                units = self.agreement.words(RulePlace(rule, slot))
                if not units:
                    return None
                words[slot] = children[slot] = self._one(units)
        for slot, kind in enumerate(slots):
            if kind.kind != OPEN:
                child = self._child(RulePlace(rule, slot), kind.kind, words, budget, clauses)
                if child is None:
                    return None
                children[slot] = child
        return Derivation(rule, [child for child in children if child is not None])

    def _child(
        self, place: RulePlace, kind: str, words: dict[int, Unit], budget: list[int], clauses: int
    ) -> Derivation | Unit | None:
        governor = next(iter(words.values()))[0] if words else None
        for _ in range(TRIES):
            if kind == CLAUSE:
                child = self._clause(place, words, budget, clauses)
            elif kind == PHRASE:
                child = self._phrase(place, words, governor, budget)
            else:
                units = self.agreement.fillers(place, BARE, governor)
                return self._one(units) if units else None
            if child is not None:
                return child
        return None

    def _clause(
        self, place: RulePlace, words: dict[int, Unit], budget: list[int], clauses: int
    ) -> Derivation | None:
        every, _, deep = self._kinds(place)
        flat = [row for row in every if row not in deep]
        rows = deep if clauses > 0 and deep else flat or every
        if not rows:
            return None
        _, rules, sums = self._one(rows)
        rule = self._weighted(rules, sums)
        if not self.agreement.governs(place, words, rule):
            return None
        return self._fill(rule, budget, clauses - 1)

    def _phrase(
        self, place: RulePlace, words: dict[int, Unit], governor: str | None, budget: list[int]
    ) -> Derivation | None:
        bases = self._bases(place)
        if not bases:
            return None
        _, rules, sums = self._one(bases)
        rule: PairRule = self._weighted(rules, sums)
        if not self.agreement.governs(place, words, rule):
            return None
        units = self.agreement.fillers(place, rule, governor)
        if not units:
            return None
        if budget[0] > 0:
            found = self._modified(place, rule, units, budget)
            if found is not None:
                return found
        if not self.tables.fits(place, rule):
            return None  # This place has modified phrases only.
        return self._base(rule, self._one(units), budget, place)

    def _base(
        self, rule: PairRule, unit: Unit, budget: list[int], place: RulePlace | None
    ) -> Derivation | None:
        """Put a word into the rule of a phrase, with words that modify it."""
        inside = rule.core()
        if len(rule.slots()) > 1:
            return None
        if rule.slots()[inside].kind == HEAD and budget[1] > 0:
            take, budget[1] = budget[1], 0
            if place is None or self._takes_adjectives(place, rule):
                chain = self._adjectives(RulePlace(rule, inside), unit, take, None)
                if chain is not None:
                    return Derivation(rule, [chain])
        return Derivation(rule, [unit])

    def _takes_adjectives(self, place: RulePlace, rule: PairRule) -> bool:
        """Inside modifiers, only phrases that were seen with adjectives have any."""
        if place.rule.head() is None:
            return True
        key = "adjectives", place
        found: bool | None = self._cache.get(key)
        if found is None:
            cores = self.tables.cores[place]
            bare = self.agreement.tables.words  # words seen under the rule itself
            found = any(
                sum(cores[r].values()) and self._modified_under(place, r) for r in cores
            ) and bool(bare)
            self._cache[key] = found
        return found

    def _modified_under(self, place: RulePlace, rule: PairRule) -> bool:
        return (place, rule) in self.tables.with_modified_head

    def _adjectives(
        self, place: RulePlace, unit: Unit, count: int, outer: str | None
    ) -> Derivation | None:
        """Draw a chain of words before (or behind) a head; the order is one that was seen."""
        rows = [row for row in self._children(place) if row[1][0].head() is not None]
        if not rows:
            return None
        _, rules, sums = self._one(rows)
        rule: PairRule = self._weighted(rules, sums)
        head = rule.head()
        assert head is not None
        slot = next(n for n, kind in enumerate(rule.slots()) if n != head)
        if rule.slots()[slot].kind != OPEN:
            return None
        if not self.agreement.fits(place, rule, unit, None):
            return None
        for _ in range(TRIES):
            words = self.agreement.words(RulePlace(rule, slot))
            if not words:
                return None
            word = self._one(words)
            if outer is not None and word[0] not in self.tables.inner.get(outer, ()):
                continue
            if not self.agreement.fits(RulePlace(rule, head), BARE, unit, word[0]):
                continue
            inside: Derivation | None = None
            if count > 1:
                inside = self._adjectives(RulePlace(rule, head), unit, count - 1, word[0])
            if inside is not None and not self.agreement.governs(
                RulePlace(rule, head), {slot: word}, inside.rule
            ):
                continue
            if inside is None and not self.tables.words[RulePlace(rule, head)]:
                continue  # *et* joins a second adjective, never the first.
            children: list[Derivation | Unit] = [unit, unit]
            children[slot] = word
            children[head] = inside if inside is not None else unit
            return Derivation(rule, children)
        return None

    def _modified(
        self, place: RulePlace, base: PairRule, units: Sequence[Unit], budget: list[int]
    ) -> Derivation | None:
        """Draw a phrase with a modifier, which may have modifiers inside."""
        depth = budget[0]
        frames = self._frames_at(place)
        if not frames:
            return None
        modifier = self._by_count(self._one(frames))
        head = modifier.head()
        assert head is not None
        inner = RulePlace(modifier, head)
        if not self.tables.bases[inner][base] or not self._stays(place, modifier):
            return None
        words: dict[int, Unit] = {}
        for slot, kind in enumerate(modifier.slots()):
            if kind.kind == OPEN:
                choices = self.agreement.words(RulePlace(modifier, slot))
                if not choices:
                    return None
                words[slot] = self._one(choices)
        governor = next(iter(words.values()))[0] if words else None
        if not self.agreement.governs(inner, words, base):
            return None
        for _ in range(TRIES):
            unit = self._one(units)
            if self.agreement.fits(inner, base, unit, governor):
                break
        else:
            return None
        budget[0] = 0
        children: list[Derivation | Unit | None] = [None] * len(modifier.slots())
        children[head] = self._base(base, unit, budget, inner)
        rest = [depth - 1, 0]
        for slot, kind in enumerate(modifier.slots()):
            if slot in words:
                children[slot] = words[slot]
            elif slot != head:
                child = self._child(RulePlace(modifier, slot), kind.kind, words, rest, 0)
                children[slot] = child
        if any(child is None for child in children):
            return None
        return Derivation(modifier, [child for child in children if child is not None])

    def _frames_at(self, place: RulePlace) -> list[list[PairRule]]:
        """The modifiers that phrases in a place may have."""
        key = "frames", place
        found: list[list[PairRule]] | None = self._cache.get(key)
        if found is None:
            if place.rule.head() is None:
                found = self._modifier_frames
            else:
                seen = self.tables.children[place]
                found = [
                    rules for rules in self._modifier_frames if any(seen[rule] for rule in rules)
                ]
            self._cache[key] = found
        return found

    def _stays(self, place: RulePlace, modifier: PairRule) -> bool:
        """Whether a modifier may stand here: as often as among rivals, or it changes nothing."""
        fits = self.tables.fits(place, modifier)
        if fits is not None:
            return fits
        key = "stays", modifier
        found: bool | None = self._cache.get(key)
        if found is None:
            most = 0.0
            for frame, rules in self.tables.frames.items():
                if len(rules) < 2 or frame[0] == PHRASE:
                    continue
                for slot in range(len(rules[0].slots())):
                    here = [self.tables.children[RulePlace(rule, slot)] for rule in rules]
                    with_ = [counts[modifier] for counts in here]
                    every = [sum(counts.values()) for counts in here]
                    if sum(with_) >= CHANGES_SEEN:
                        a, b = sum(with_), sum(every)
                        apart = sum(abs(x / a - y / b) for x, y in zip(with_, every, strict=True))
                        most = max(most, apart / 2)
            found = most < CHANGES
            self._cache[key] = found
        return found
