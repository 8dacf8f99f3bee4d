"""Rules, words and symbols as numbers: what the sampler, realiser and parser work on.

A rule's code is its position in the file; word codes follow the rules'. A tree is the preorder
sequence of its codes, so trees are small, hashable and independent of recursion limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from recombine.errors import GrammarError
from recombine.grammar.model import Abstract, Rule, Symbol, Word


class Inventory:
    """Numbers for the rules, words and symbols of one abstract syntax.

    Other `words` may stand in the place of its own, one of them several times: once for each sense.
    """

    def __init__(self, abstract: Abstract, words: Sequence[Word] | None = None) -> None:
        self.abstract = abstract
        self.rules: tuple[Rule, ...] = tuple(abstract.rules.values())
        self.words: tuple[Word, ...] = tuple(abstract.words.values() if words is None else words)
        self.first_word = len(self.rules)
        self.labels: list[str] = [
            *(rule.name for rule in self.rules),
            *(word.id for word in self.words),
        ]
        self.codes: dict[str, int] = {}
        for code, label in enumerate(self.labels):
            self.codes.setdefault(label, code)
        self.arity: list[int] = [len(rule.parts) for rule in self.rules] + [0] * len(self.words)
        self.rules_of: dict[str, list[int]] = {}
        for code, rule in enumerate(self.rules):
            self.rules_of.setdefault(rule.category, []).append(code)
        self.words_of: dict[str, list[int]] = {}
        for code, word in enumerate(self.words, start=self.first_word):
            self.words_of.setdefault(word.category, []).append(code)
        self.heads: list[int | None] = [rule.head for rule in self.rules]
        self._symbols: dict[Symbol, tuple[int, ...]] = {}
        self._tagged: dict[str, frozenset[int]] = {}

    def is_word(self, code: int) -> bool:
        """Whether a code stands for a word."""
        return code >= self.first_word

    def rule(self, code: int) -> Rule:
        """The rule behind a code."""
        return self.rules[code]

    def word(self, code: int) -> Word:
        """The word behind a code."""
        return self.words[code - self.first_word]

    def category(self, code: int) -> str:
        """The category of a rule or word."""
        return self.word(code).category if self.is_word(code) else self.rules[code].category

    def tags(self, code: int) -> Sequence[str]:
        """The tags of a rule; none for a word."""
        return () if self.is_word(code) else self.rules[code].tags

    def tagged(self, tag: str) -> frozenset[int]:
        """The rules with a tag."""
        if tag not in self._tagged:
            self._tagged[tag] = frozenset(
                code for code, rule in enumerate(self.rules) if tag in rule.tags
            )
        return self._tagged[tag]

    @cached_property
    def smallest(self) -> dict[str, int]:
        """How many nodes the smallest tree of a category has; none that never ends is in it."""
        sizes = dict.fromkeys(self.words_of, 1)
        changed = True
        while changed:
            changed = False
            for rule in self.rules:
                parts = [sizes.get(part.symbol.category) for part in rule.parts]
                size = 1 + sum(part for part in parts if part is not None)
                if None not in parts and size < sizes.get(rule.category, size + 1):
                    sizes[rule.category] = size
                    changed = True
        return sizes

    def is_lexical(self, symbol: Symbol) -> bool:
        """Whether a symbol stands for words."""
        return symbol.category in self.words_of and symbol.category not in self.rules_of

    def choices(self, symbol: Symbol) -> tuple[int, ...]:
        """Codes that can fill a symbol, in file order (words: in order of rank)."""
        found = self._symbols.get(symbol)
        if found is None:
            codes = self.rules_of.get(symbol.category)
            if codes is None:
                codes = [
                    code
                    for code in self.words_of.get(symbol.category, ())
                    if self.admits(symbol, code)
                ]
                # Words without a rank keep their place in the file, after the ranked ones.
                codes.sort(key=lambda code: (self._rank(code), code))
            found = tuple(codes)
            self._symbols[symbol] = found
        return found

    def admits(self, symbol: Symbol, code: int) -> bool:
        """Whether a code can fill a symbol."""
        if self.category(code) != symbol.category:
            return False
        if not self.is_word(code):
            return True
        classes = self.word(code).classes
        return all(name in classes for name in symbol.require) and not any(
            name in classes for name in symbol.forbid
        )

    def code(self, label: str) -> int:
        """The code of a rule or word; raises GrammarError for an unknown name."""
        found = self.codes.get(label)
        if found is None:
            raise GrammarError(f"the grammar has no rule or word '{label}'")
        return found

    def _rank(self, code: int) -> float:
        rank = self.word(code).rank
        return float("inf") if rank is None else rank
