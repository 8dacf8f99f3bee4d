"""How much of a grammar a language says: which words and rules, and which it lacks.

A language need not be complete to be of use. `unsaid` names what its files cannot say; a
benchmark may leave that out (`partial = true` in a recipe), and `check` tells the share.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from recombine.grammar.compiled import CompiledLanguage
from recombine.grammar.parsing.cfg import ContextFreeGrammar


class Coverage(NamedTuple):
    """What one language says of a grammar, and the names of what it does not say."""

    language: str
    words: int
    rules: int
    missing_words: tuple[str, ...]
    missing_rules: tuple[str, ...]

    @property
    def is_complete(self) -> bool:
        """Whether everything can be said."""
        return not (self.missing_words or self.missing_rules)

    def describe(self) -> str:
        """The shares in words."""

        def share(every: int, missing: int) -> str:
            said = every - missing
            return f"{said} of {every} ({100 * said // max(1, every)}%)"

        return (
            f"{self.language} says {share(self.words, len(self.missing_words))} words"
            f" and {share(self.rules, len(self.missing_rules))} rules"
        )


def coverage(compiled: CompiledLanguage) -> Coverage:
    """What a language says; a word is covered if it has every form that any line asks of it."""
    inventory = compiled.inventory
    missing = ContextFreeGrammar(compiled).missing
    words = set(missing.words)
    rules = set(missing.rules)
    for category, fields in compiled.features.items():
        for code in inventory.words_of.get(category, ()):
            if any(field not in compiled.word_forms(code) for field in fields):
                words.add(code)
        for code in inventory.rules_of.get(category, ()):
            if any(compiled.line(code, field) is None for field in fields):
                rules.add(code)
    # A word or rule that nothing asks for yet, because what is above it is not said either.
    said = {rule for rule, _ in compiled.language.lines}
    for code, rule in enumerate(inventory.rules):
        if rule.name not in said:
            rules.add(code)
    for code in range(inventory.first_word, len(inventory.labels)):
        if not compiled.word_forms(code):
            words.add(code)
    return Coverage(
        compiled.language.code,
        len(inventory.words),
        inventory.first_word,
        tuple(inventory.labels[code] for code in sorted(words)),
        tuple(inventory.labels[code] for code in sorted(rules)),
    )


def looks_complete(compiled: CompiledLanguage) -> bool:
    """Whether every rule has some line and every word some form: quick, and nearly always right."""
    lines = {rule for rule, _ in compiled.language.lines}
    return all(compiled.forms) and all(rule.name in lines for rule in compiled.inventory.rules)


def unsaid(languages: Iterable[CompiledLanguage]) -> frozenset[str]:
    """The words and rules that one of several languages lacks."""
    found = [coverage(compiled) for compiled in languages]
    return frozenset(name for one in found for name in (*one.missing_words, *one.missing_rules))
