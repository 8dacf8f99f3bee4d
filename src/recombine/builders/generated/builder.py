"""Generated: sentences drawn from a grammar, with held-out patterns (SGET's method, any grammar).

A recipe names a grammar and, in `[split.NAME.PART]` blocks, what each part of each split is made
of. A pattern of a generalisation split is named once: it defines the split, its training exposures
go with it, and the certificate proves that training does not show it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from recombine.benchmark import Benchmark, Draft, Example
from recombine.builders.generated.certificate import (
    card_of,
    certify,
    check_generated,
    look_in_train,
)
from recombine.builders.generated.draw import Drawing, vocabulary_weights
from recombine.builders.generated.focus import FocusFinder
from recombine.builders.generated.held_out import TRAIN
from recombine.builders.generated.parts import (
    Draw,
    RecipePart,
    Setting,
    exposure_draws,
    part_draws,
    scaled,
)
from recombine.errors import ConfigError, GrammarError, Problems, RecombineError
from recombine.grammar import Grammar
from recombine.parallel import beside, collection_paused
from recombine.progress import progress


@dataclass(kw_only=True)
class Generated:
    """Recipe: a grammar and one `[split.NAME.PART]` table per part.

    scale: factor for all sizes. exposures: training sentences per exposure block.
    target_words: how many of a pattern's target words are used.
    concatenation: whether composed parts are built. selection: keep word pairs together.
    no_repeat: no source word form twice in a sentence.
    disjoint: no source sentence in two splits. unique: splits in which no sentence comes twice.
    vocabulary: how many words of a symbol ("N<animate>") are used.
    depth: bounds of every sentence, unless its part says otherwise.
    exclude: patterns no part shows. weights: rule weights for all parts.
    """

    grammar: str
    edition: str | None = None
    source_language: str = "en"
    target_language: str = "ja"
    split: dict[str, dict[str, RecipePart]]
    scale: float = 1.0
    exposures: int = 100
    target_words: int = 5
    concatenation: bool = True
    selection: bool = True
    no_repeat: bool = True
    disjoint: bool = True
    zipf: float | None = None
    vocabulary: dict[str, int] = field(default_factory=dict)
    depth: dict[str, Any] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    weights: dict[str, float] = field(default_factory=dict)
    unique: tuple[str, ...] = ("gen",)

    def __post_init__(self) -> None:
        if self.scale <= 0:
            raise ConfigError(f"scale {self.scale} must be more than 0")
        if self.target_words < 1 or self.exposures < 0:
            raise ConfigError("target_words must be 1 or more and exposures 0 or more")
        if not self.split:
            raise ConfigError("a generated benchmark needs at least one [split.NAME.PART]")
        known = [split for split in self.unique if split not in self.split]
        if known and self.unique != ("gen",):
            raise ConfigError(f"unique names split '{known[0]}', which the recipe does not have")

    # --- what the recipe says

    def load(self) -> Grammar:
        """Load the grammar; the languages must be there."""
        grammar = Grammar.load(self.grammar, edition=self.edition)
        for language in (self.source_language, self.target_language):
            grammar.concrete(language)
        return grammar

    def setting(self, grammar: Grammar) -> Setting:
        """What all parts share."""
        return Setting(
            source=self.source_language,
            zipf=self.zipf,
            selection=self.selection,
            no_repeat=self.no_repeat,
            depth=self.depth,
            exclude=self.exclude,
            weights={**vocabulary_weights(grammar, self.vocabulary), **self.weights},
            target_words=self.target_words,
        )

    def sizes(self) -> dict[str, int]:
        """The size of every split."""
        found: dict[str, int] = {}
        for split, parts in self.split.items():
            found[split] = sum(
                scaled(part.size, self.scale) for part in parts.values() if self._wanted(part)
            )
        if TRAIN in found:
            found[TRAIN] += sum(
                scaled(self.exposures if one.size is None else one.size, self.scale)
                for parts in self.split.values()
                for part in parts.values()
                for one in part.expose
            )
        return found

    def plan(self) -> dict[str, Any]:
        """Sizes and an estimate, for --dry-run; contradictions of the recipe are found here."""
        grammar = self.load()
        self.check_recipe(grammar)
        sizes = self.sizes()
        rate = 8_000
        return {
            "splits": sizes,
            "seconds": 3 + sum(sizes.values()) / rate,
            "basis": f"{rate:,} sentences a second, as measured on one core",
        }

    def check_recipe(self, grammar: Grammar) -> None:
        """Build every sampler before anything is drawn: bad blocks are reported all at once."""
        setting = self.setting(grammar)
        problems: list[RecombineError] = []
        for split, parts in self.split.items():
            for name, part in parts.items():
                try:
                    for draw in self._draws(split, name, part, setting):
                        sampler = grammar.sampler(draw.constraints)
                        if draw.unique and draw.size > sampler.trees:
                            raise GrammarError(
                                f"{draw.size} different sentences are asked for, "
                                f"but the grammar has only {sampler.trees:.0f}",
                                hint="lower the size",
                            )
                    FocusFinder(grammar, self.source_language, self.target_language, part, setting)
                except RecombineError as error:
                    problems.append(
                        ConfigError(
                            f"split.{split}.{name}: {error.message}", error.where, error.hint
                        )
                    )
        if problems:
            raise problems[0] if len(problems) == 1 else Problems(problems)

    def _wanted(self, part: RecipePart) -> bool:
        return self.concatenation or not part.compose

    def _draws(self, split: str, name: str, part: RecipePart, setting: Setting) -> Iterator[Draw]:
        size = scaled(part.size, self.scale)
        if not part.compose:
            yield from part_draws(
                f"{split}.{name}", part, setting, size, unique=split in self.unique
            )
        yield from exposure_draws(f"{TRAIN}.{name}", part, setting, self.exposures, self.scale)

    # --- building

    @collection_paused()
    def build(self, draft: Draft) -> None:
        """Draw every part, then write splits, certificate and card."""
        grammar = self.load()
        self.check_recipe(grammar)
        setting = self.setting(grammar)
        drawing = Drawing(self, grammar, setting, draft.seed)
        total = sum(self.sizes().values())
        with progress("sentences", total) as bar:
            splits = drawing.sentences(bar.advance)
        train = list(drawing.examples(TRAIN, splits.get(TRAIN, [])))
        # Parsing all of train takes as long as writing all splits does.
        look = beside(lambda: look_in_train(grammar, self.source_language, train, drawing.held))
        examples: dict[str, list[Example]] = {}
        for split, sentences in splits.items():
            examples[split] = train if split == TRAIN else list(drawing.examples(split, sentences))
            draft.write(split, examples[split])
        certificate = certify(self, grammar, examples, drawing.held, look)
        certificate["violations"] = drawing.violations(splits)
        draft.certificate(certificate)
        draft.card(card_of(self, grammar, certificate, examples))

    @staticmethod
    def check(benchmark: Benchmark) -> list[RecombineError]:
        """Re-verify the certificate from the files alone."""
        return check_generated(benchmark, Generated)
