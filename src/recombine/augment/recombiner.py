"""Learn a grammar from pairs, draw new pairs from it, and say how they are made."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from recombine.augment.files.grammar_files import StoredGrammar
from recombine.augment.grammar.composer import Composer
from recombine.augment.grammar.constituents import CLAUSE, HEAD, PHRASE
from recombine.augment.grammar.learned import LearnedGrammar
from recombine.augment.grammar.rules import Derivation, PairRule, Unit
from recombine.augment.grammar.tables import RulePlace
from recombine.augment.options import (
    AugmentOptions,
    Recombined,
    Review,
    TrainingPair,
    check_pairs,
    unit_text,
)
from recombine.augment.tokens import Tokeniser, tokenisers
from recombine.errors import DataError
from recombine.progress import progress as show_progress

# Longer sentences are not learnt from: they have no rules that short ones lack.
LONGEST_LEARNT = 22
# Of the words that are exchanged, the review shows so many.
SHOWN = 50

Bar = Callable[[str, int | None], AbstractContextManager[Any]]


class Recombiner:
    """What was learnt from pairs, and new pairs drawn from it."""

    def __init__(
        self,
        pairs: Sequence[TrainingPair],
        options: AugmentOptions,
        sides: tuple[Tokeniser, Tokeniser],
        grammar: LearnedGrammar,
        *,
        turned: bool,
    ) -> None:
        self.pairs = pairs
        self.options = options
        self.grammar = grammar
        # In the order in which the grammar was learnt.
        self._sides = sides
        self.turned = turned
        self._known = frozenset(pair.source.strip() for pair in pairs)
        self._first_with: dict[Unit, int] = {}
        for number in sorted(grammar.derivations):
            for part in grammar.derivations[number].walk():
                for child in part.children:
                    if not isinstance(child, Derivation):
                        self._first_with.setdefault(child, number)

    @classmethod
    def learn(
        cls,
        pairs: Sequence[TrainingPair],
        options: AugmentOptions | None = None,
        progress: Bar = show_progress,
    ) -> Recombiner:
        """Learn from training pairs, and from nothing else."""
        options = options or AugmentOptions()
        check_pairs(pairs, options)
        with progress("cut the pairs into words", None):
            sides = tokenisers(pairs, options, words=True)
            texts = [[side.truecase(row) for row in side.raw] for side in sides]
        numbers = _short(texts, options.most_pairs)
        tried = []
        with progress("learn a grammar", None):
            # Phrases are found in one language and followed in the other: the one in which more
            # pairs have a derivation comes first. English finds its phrases by its articles.
            for first, second in ((0, 1), (1, 0)):
                grammar = LearnedGrammar.learn(
                    [texts[first][number] for number in numbers],
                    [texts[second][number] for number in numbers],
                )
                tried.append(grammar)
                if grammar.constituents.phrase:
                    break
        turned = len(tried) == 2 and (
            bool(tried[1].constituents.phrase)
            or len(tried[1].derivations) > len(tried[0].derivations)
        )
        grammar = tried[turned]
        derived = len(grammar.derivations)
        if derived < options.alike * len(numbers):
            raise DataError(
                f"running text: of {len(pairs):,} pairs only {derived:,} are built as others are",
                hint="-o method=exchange exchanges words of running text",
            )
        # From here on, pairs are known by their numbers among all.
        grammar = grammar.renumbered(numbers)
        return cls(pairs, options, (sides[turned], sides[not turned]), grammar, turned=bool(turned))

    @classmethod
    def stored(
        cls, pairs: Sequence[TrainingPair], options: AugmentOptions, stored: StoredGrammar
    ) -> Recombiner:
        """Draw from a grammar that was learnt before, and perhaps corrected."""
        check_pairs(pairs, options)
        sides = tokenisers(pairs, options, words=True)
        ordered = (sides[1], sides[0]) if stored.turned else sides
        return cls(pairs, options, ordered, stored.grammar, turned=stored.turned)

    def draw(self, n: int | None = None, seed: int | None = None) -> Iterator[Recombined]:
        """Yield new pairs, no source twice and none that is in training."""
        options = self.options
        n = options.n if n is None else n
        composer = Composer(
            self.grammar.tables, self.grammar.agreement, options.depth, uniform=options.uniform
        )
        composer.stream = random.Random(options.seed if seed is None else seed)
        known = set(self._known)
        drawn = failed = 0
        while drawn < n and failed < 10 * n + 1000:
            derivation = composer.sentence()
            texts = self._texts(derivation) if derivation is not None else None
            if derivation is None or texts is None or texts[0] in known:
                failed += 1
                continue
            known.add(texts[0])
            drawn += 1
            parents, steps = self._provenance(derivation)
            yield Recombined(*texts, parents, steps, depth_of(derivation))

    def _texts(self, derivation: Derivation) -> tuple[str, str] | None:
        """Source and target as text, in the direction of the pairs."""
        first, second = self.grammar.texts(derivation)
        if len(first) > self.options.longest:
            return None
        texts = self._sides[0].text(first), self._sides[1].text(second)
        return (texts[1], texts[0]) if self.turned else texts

    def _provenance(self, derivation: Derivation) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Training pairs that show the rules and words, and what was exchanged into new places."""
        tables = self.grammar.tables
        parents: dict[int, None] = {}
        steps: dict[str, None] = {}
        for part in derivation.walk():
            parents[tables.shown_by[part.rule]] = None
            steps[f"rule: {part.rule}"] = None
            for slot, child in enumerate(part.children):
                place = RulePlace(part.rule, slot)
                if isinstance(child, Derivation):
                    if not tables.children[place][child.rule]:
                        steps[f"new place: {child.rule}"] = None
                    continue
                number = tables.shown_by.get((place, child))
                if child in tables.bare:
                    model, bare = tables.bare[child]
                    parents[bare] = None
                    steps[f"bare word: {self._named(child)} as {self._named(model)}"] = None
                    number = tables.shown_by.get((place, model), self._first_with[model])
                if number is None:
                    number = self._first_with[child]
                    steps[f"exchange: {self._named(child)}"] = None
                parents[number] = None
        ids = (self.pairs[number].id or str(number) for number in parents)
        return tuple(dict.fromkeys(ids)), tuple(steps)

    def _named(self, unit: Unit) -> str:
        pair = unit[0].strip(), "".join(unit[1]).strip()
        return unit_text((pair[1], pair[0]) if self.turned else pair)

    def derived(self, pair: TrainingPair) -> list[bool]:
        """Return for every derivation of a source whether it gives the pair's own target."""
        sides = pair.source.strip(), pair.target.strip()
        first, second = (sides[1], sides[0]) if self.turned else sides
        return [
            self._sides[1].text(self.grammar.texts(derivation)[1]) == second
            for derivation in self.grammar.derive(self._sides[0].cut(first))
        ]

    def explain(self, source: str) -> list[str] | None:
        """Return how a sentence can be made of training pairs, line by line, or None."""
        if self.turned:  # The grammar reads the other language; draw and look instead.
            return None
        for derivation in self.grammar.derive(self._sides[0].cut(source)):
            texts = self._texts(derivation)
            if texts is not None:
                parents, steps = self._provenance(derivation)
                shown = [f"from {parent}" for parent in parents]
                return [f"{texts[0]}\t{texts[1]}", *shown, *steps]
        return None

    def review(self) -> Review:
        """Return the classes of words and the rules, most supported first."""
        words: dict[str, Counter[str]] = defaultdict(Counter)
        for place, counts in self.grammar.tables.words.items():
            del place
            for unit, count in counts.items():
                words[self.grammar.symbols[unit[0]]][self._named(unit)] += count
        classes = [
            {
                "name": counts.most_common(1)[0][0],
                "members": [name for name, _ in counts.most_common(SHOWN)],
                "support": len(counts),
            }
            for counts in words.values()
        ]
        rules = [
            {"name": f"{_KINDS[rule.kind]}: {rule}", "members": [], "support": count}
            for rule, count in self.grammar.tables.rules.most_common()
        ]
        classes.sort(key=lambda row: -int(str(row["support"])))
        return Review(classes, rules)


_KINDS = {"ROOT": "sentence", CLAUSE: "clause", PHRASE: "phrase", HEAD: "head"}


def depth_of(derivation: Derivation) -> int:
    """How many clauses or modifiers stand inside each other."""
    inside = [depth_of(c) for c in derivation.children if isinstance(c, Derivation)]
    return max(inside, default=0) + _deepens(derivation.rule)


def _deepens(rule: PairRule) -> bool:
    return rule.kind == CLAUSE or rule.head() is not None


def _short(texts: Sequence[Sequence[Sequence[str]]], most: int) -> list[int]:
    """The numbers of the pairs that are learnt from: short ones, each once."""
    seen = set()
    numbers = []
    for number, rows in enumerate(zip(*texts, strict=True)):
        if len(rows[0]) <= LONGEST_LEARNT and len(rows[1]) <= 2 * LONGEST_LEARNT:
            key = tuple(map(tuple, rows))
            if key not in seen:
                seen.add(key)
                numbers.append(number)
    order = sorted(numbers, key=lambda number: len(texts[0][number]))
    return sorted(order[:most])
