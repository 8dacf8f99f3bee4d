"""Blueprint: a generated recipe worked out for its grammar, before anything is drawn.

Drawing follows it, the certificate proves it: both see the same draws, the same held-out patterns
and the same places to look at, and neither sees the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from recombine.benchmark import CONTROL, TRAIN
from recombine.builders.generated.focus import FocusFinder
from recombine.builders.generated.held_out import HeldOut, HeldOuts
from recombine.builders.generated.lexicon import Lexicon
from recombine.builders.generated.parts import (
    Draw,
    GeneratedOptions,
    PlannedPart,
    RecipePart,
    plan_part,
    with_words,
)
from recombine.errors import ConfigError, GrammarError, RecombineError, raise_all
from recombine.grammar import Grammar
from recombine.grammar.coverage import unsaid
from recombine.grammar.model import Symbol
from recombine.grammar.sampling.selection import selector_of
from recombine.grammar.tree import Tree


class Blueprint:
    """Every draw of a recipe, what it holds out of training, and what metrics look at."""

    def __init__(self, grammar: Grammar, options: GeneratedOptions) -> None:
        self.grammar = grammar
        # Rules and words that a language lacks: a partial recipe never draws them.
        self.unsaid = uncovered(grammar, options.languages) if options.partial else frozenset()
        weights = {**vocabulary_weights(grammar, options.vocabulary), **options.weights}
        self.options = options = replace(options, weights=weights)
        self.left_out: dict[tuple[str, str], str] = {}  # (split, part) -> why, of a partial recipe
        self.parts: list[PlannedPart] = []
        self.control: list[PlannedPart] = []  # what a control shows of every pattern
        self.finders: dict[tuple[str, str], FocusFinder] = {}
        self.lexicon = Lexicon(grammar, options.source_language)
        self.problems: list[RecombineError] = []
        held: dict[str, HeldOut] = {}
        for split, name, part in options.parts():
            try:
                planned = self._plan(split, name, part)
                if planned is None:
                    continue
                self.finders[split, name] = FocusFinder(
                    grammar, self.lexicon, planned.recipe, options
                )
                if planned.is_pattern:
                    held[name] = HeldOut(grammar, planned.recipe)
                    self._plan_control(planned)
                self.parts.append(planned)
            except RecombineError as error:
                self.problems.append(_in_part(split, name, error))
        if options.partial and TRAIN not in self.splits:
            raise ConfigError(
                "no part of 'train' can be drawn: both languages together lack rules or words",
                hint="; ".join(dict.fromkeys(self.left_out.values())) or None,
            )
        self._check_words()
        self._check_pools()
        self.held = HeldOuts(grammar.inventory, held)

    def _plan(self, split: str, name: str, part: RecipePart) -> PlannedPart | None:
        """Work out a part; None where a partial recipe leaves it out."""
        options, unsaid = self.options, self.unsaid
        try:
            while True:
                said = with_words(part, options.target_words, unsaid)
                planned = plan_part(split, name, said, options, self.grammar.inventory)
                draws = (*planned.draws, *planned.exposures) if options.partial else ()
                for draw in draws:
                    _check_draw(self.grammar, draw)
                alone = {target for draw in draws for target in _without_words(self.grammar, draw)}
                if not alone:
                    return planned
                unsaid |= alone
        except RecombineError as error:
            if not options.partial:
                raise
            self.left_out[split, name] = error.message
            return None

    def _plan_control(self, planned: PlannedPart) -> None:
        """Work out what the control shows of a part that training must not show."""
        size = self.options.shown_by_control
        if not size:
            return
        if any(shown.name == planned.name for shown in self.control):
            raise ConfigError(
                "two splits have a part of this name, and a control shows each part by its name",
                hint="give the parts different names",
            )
        part = replace(planned.recipe, size=size, pool="", expose=())
        inventory = self.grammar.inventory
        self.control.append(plan_part(CONTROL, planned.name, part, self.options, inventory))

    @property
    def splits(self) -> list[str]:
        """The splits that are drawn, in the recipe's order."""
        return list(dict.fromkeys(part.split for part in self.parts))

    def describe_left_out(self) -> dict[str, Any]:
        """What a partial benchmark does not have, for its certificate."""
        return {
            "unsaid": sorted(self.unsaid),
            "parts": {f"{split}.{part}": why for (split, part), why in self.left_out.items()},
        }

    def patterns(self) -> Iterator[PlannedPart]:
        """The parts that training must not show."""
        return (part for part in self.parts if part.is_pattern)

    def draws(self) -> Iterator[Draw]:
        """All draws, of the control too."""
        for part in (*self.parts, *self.control):
            yield from (*part.draws, *part.exposures)

    def labels(self, split: str, *, composed: bool | None = None) -> set[str]:
        """The labels of a split but of exposures: all, or of what is (not) composed."""
        return {
            part.name
            for part in self.parts
            if part.split == split and composed in (None, bool(part.recipe.compose))
        }

    def sizes(self) -> dict[str, dict[str, int]]:
        """How many rows of each label each split has; a control is counted by its certificate."""
        found: dict[str, Counter[str]] = {split: Counter() for split in self.splits}
        for part in self.parts:
            if part.recipe.compose:
                found[part.split][part.name] += part.size
            for draw in (*(() if part.recipe.compose else part.draws), *part.exposures):
                found.setdefault(draw.split, Counter())[draw.label] += draw.size
        return {
            split: {n: size for n, size in rows.items() if size} for split, rows in found.items()
        }

    def pools(self) -> dict[str, list[PlannedPart]]:
        """The parts that share their draws."""
        found: dict[str, list[PlannedPart]] = {}
        for part in self.parts:
            if part.recipe.pool:
                found.setdefault(part.recipe.pool, []).append(part)
        return found

    def check(self) -> None:
        """Raise everything that is wrong with the recipe, all at once."""
        raise_all(self.problems)

    def violates(self, tree: Tree) -> bool:
        """Whether a tree pairs words that do not go together, where that is cared for.

        Only words that some pair has can violate the pairs: published ones know no names.
        """
        return self.options.selection and any(
            self.grammar.inventory.codes[dependent] in self._listed
            for _, _, dependent in self.grammar.violations(tree)
        )

    @cached_property
    def _listed(self) -> frozenset[int]:
        return selector_of(self.grammar.inventory).listed

    def check_draws(self) -> None:
        """Build every sampler before anything is drawn; what cannot be drawn is a problem too."""
        for part in (*self.parts, *self.control):
            try:
                for draw in (*part.draws, *part.exposures):
                    _check_draw(self.grammar, draw)
            except RecombineError as error:
                self.problems.append(_in_part(part.split, part.name, error))
        self.check()

    def _check_words(self) -> None:
        """Every word that may be drawn must be said in both languages."""
        inventory = self.grammar.inventory
        targets = {word for part in self.parts for word in part.recipe.targets}
        for language in self.options.languages:
            concrete = self.grammar.concrete(language)
            missing = [
                word.id
                for code, word in enumerate(inventory.words, start=inventory.first_word)
                if not concrete.word_forms(code)
                and (word.id in targets or self.options.weights.get(word.id, word.weight))
                and word.id not in self.unsaid
            ]
            if missing:
                self.problems.append(
                    GrammarError(
                        f"words without a row in a lexicon of '{language}': " + ", ".join(missing),
                        hint=f"add them to {language}.lexicon.tsv, or build with partial = true",
                    )
                )

    def _check_pools(self) -> None:
        for pool, members in self.pools().items():
            asked = {
                repr([draw.constraints for draw in part.draws]) for part in members if part.size
            }
            if len(asked) > 1 or any(len(part.draws) > 1 for part in members):
                self.problems.append(
                    ConfigError(f"the parts of pool '{pool}' must ask for the same sentences")
                )


def _check_draw(grammar: Grammar, draw: Draw) -> None:
    sampler = grammar.sampler(draw.constraints)
    if draw.unique and draw.size > sampler.trees:
        raise GrammarError(
            f"{draw.size} different sentences are asked for, "
            f"but the grammar has only {sampler.trees:.0f}",
            hint="lower the size",
        )


def _without_words(grammar: Grammar, draw: Draw) -> Iterator[str]:
    """The target words with which nothing can be drawn: no word that goes with them is left."""
    constraints = draw.constraints
    for target in draw.targets or ("",):
        others = dict.fromkeys((word for word in draw.targets if word != target), 0.0)
        asked = replace(constraints, weights={**constraints.weights, **others})
        try:
            next(grammar.sample(1, constraints=asked))
        except GrammarError:
            if not target:
                raise GrammarError(
                    "no combination of words that both languages have is possible here"
                ) from None
            yield target


def uncovered(grammar: Grammar, languages: Sequence[str]) -> frozenset[str]:
    """The rules and words that one of the languages lacks."""
    lacking = unsaid(grammar.concrete(language) for language in languages)
    needed = {word for mending in grammar.abstract.mendings for word in mending.fallback} & lacking
    if needed:
        raise GrammarError(
            f"%mend falls back on words without a lexicon row: {', '.join(sorted(needed))}",
            hint="add these to the lexicon first",
        )
    return lacking


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
