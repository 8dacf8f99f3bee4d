"""Blueprint: a generated recipe worked out for its grammar, before anything is drawn.

Drawing follows it, the certificate proves it: both see the same draws, the same held-out patterns
and the same places to look at, and neither sees the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from recombine.builders.generated.focus import FocusFinder
from recombine.builders.generated.held_out import HeldOut, HeldOuts
from recombine.builders.generated.lexicon import Lexicon
from recombine.builders.generated.parts import PlannedPart, RecipePart, Setting, plan_part
from recombine.errors import ConfigError, GrammarError, RecombineError, raise_all
from recombine.grammar import Grammar
from recombine.grammar.model import Symbol


class Blueprint:
    """Every draw of a recipe, what it holds out of training, and what metrics look at."""

    def __init__(
        self, grammar: Grammar, setting: Setting, split: Mapping[str, Mapping[str, RecipePart]]
    ) -> None:
        self.grammar = grammar
        self.setting = setting
        self.splits = tuple(split)
        self.parts: list[PlannedPart] = []
        self.finders: dict[tuple[str, str], FocusFinder] = {}
        self.lexicon = Lexicon(grammar, setting.source)
        self.problems: list[RecombineError] = []
        held: dict[str, HeldOut] = {}
        for name, parts in split.items():
            for label, part in parts.items():
                try:
                    planned = plan_part(name, label, part, setting, grammar.inventory)
                    self.finders[name, label] = FocusFinder(grammar, self.lexicon, part, setting)
                    if planned.is_pattern:
                        held[label] = HeldOut(grammar, part, setting)
                    self.parts.append(planned)
                except RecombineError as error:
                    self.problems.append(_in_part(name, label, error))
        self._check_words()
        self._check_pools()
        self.held = HeldOuts(grammar.inventory, held)

    def patterns(self) -> Iterator[PlannedPart]:
        """The parts that training must not show."""
        return (one for one in self.parts if one.is_pattern)

    def pools(self) -> dict[str, list[PlannedPart]]:
        """The parts that share their draws."""
        found: dict[str, list[PlannedPart]] = {}
        for one in self.parts:
            if one.part.pool:
                found.setdefault(one.part.pool, []).append(one)
        return found

    def check(self) -> None:
        """Raise everything that is wrong with the recipe, all at once."""
        raise_all(self.problems)

    def check_draws(self) -> None:
        """Build every sampler before anything is drawn; what cannot be drawn is a problem too."""
        for one in self.parts:
            try:
                for draw in (*one.draws, *one.exposures):
                    sampler = self.grammar.sampler(draw.constraints)
                    if draw.unique and draw.size > sampler.trees:
                        raise GrammarError(
                            f"{draw.size} different sentences are asked for, "
                            f"but the grammar has only {sampler.trees:.0f}",
                            hint="lower the size",
                        )
            except RecombineError as error:
                self.problems.append(_in_part(one.split, one.name, error))
        self.check()

    def _check_words(self) -> None:
        """Every word that may be drawn must be said in both languages."""
        inventory = self.grammar.inventory
        targets = {word for one in self.parts for word in one.part.targets}
        for language in (self.setting.source, self.setting.target):
            concrete = self.grammar.concrete(language)
            missing = [
                word.id
                for code, word in enumerate(inventory.words, start=inventory.first_word)
                if not concrete.word_forms(code)
                and (word.id in targets or self.setting.weights.get(word.id, word.weight))
            ]
            if missing:
                self.problems.append(
                    GrammarError(
                        f"words without a row in a lexicon of '{language}': " + ", ".join(missing),
                        hint=f"add them to {language}.lexicon.tsv, or give them weight 0",
                    )
                )

    def _check_pools(self) -> None:
        for pool, members in self.pools().items():
            asked = {repr([draw.constraints for draw in one.draws]) for one in members if one.size}
            if len(asked) > 1 or any(len(one.draws) > 1 for one in members):
                self.problems.append(
                    ConfigError(f"the parts of pool '{pool}' must ask for the same sentences")
                )


def _in_part(split: str, name: str, error: RecombineError) -> ConfigError:
    return ConfigError(f"split.{split}.{name}: {error.message}", error.where, error.hint)


def vocabulary_weights(grammar: Grammar, vocabulary: Mapping[str, int]) -> dict[str, float]:
    """Weight 0 for words beyond the first so many of a symbol such as "N<animate>"."""
    inventory = grammar.inventory
    kept: set[int] = set()
    touched: set[int] = set()
    for text, size in vocabulary.items():
        codes = [c for c in inventory.choices(read_symbol(text)) if inventory.word(c).weight]
        if not codes:
            raise ConfigError(f"vocabulary: the grammar has no words '{text}'")
        touched.update(codes)
        kept.update(codes[:size])
    return {inventory.labels[code]: 0.0 for code in sorted(touched - kept)}


def read_symbol(text: str) -> Symbol:
    """Read a symbol such as "N<animate !target>"."""
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:<([^<>]*)>)?\s*", text)
    if match is None:
        raise ConfigError(
            f"vocabulary: '{text}' is not a category", hint='write "N" or "N<animate>"'
        )
    classes = (match[2] or "").split()
    return Symbol(
        match[1],
        tuple(sorted(name for name in classes if not name.startswith("!"))),
        tuple(sorted(name[1:] for name in classes if name.startswith("!"))),
    )
