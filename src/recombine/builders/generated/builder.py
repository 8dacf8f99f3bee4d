"""Generated: sentences drawn from a grammar, with held-out patterns (SGET's method, any grammar).

A recipe names a grammar and, in `[split.NAME.PART]` blocks, what each part of each split is made
of. A pattern of a generalisation split is named once: it defines the split, its training exposures
go with it, and the certificate proves that training does not show it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recombine.benchmark import Benchmark, Example
from recombine.builders.generated.blueprint import Blueprint, uncovered, vocabulary_weights
from recombine.builders.generated.certificate import card_of, certify, compare, compare_card
from recombine.builders.generated.draw import Drawing
from recombine.builders.generated.parts import TRAIN, RecipePart, Setting, scaled
from recombine.builders.generated.proof import Proof, look_in_train, prove, violation_bounds
from recombine.config import parse_config, to_plain
from recombine.draft import Draft, card_head
from recombine.errors import ConfigError, Problems, RecombineError
from recombine.files import read_json
from recombine.grammar import Grammar
from recombine.grammar.benchmark_grammar import declared_grammar, keep_grammar
from recombine.grammar.files.folder import find_grammar
from recombine.parallel import beside, gc_paused
from recombine.progress import progress

MOST_REFERENCES = 32  # of one example


@dataclass(kw_only=True)
class Generated:
    """Sentences and translations of a grammar, with combinations held out of training.

    Recipe: a grammar and one `[split.NAME.PART]` table per part.

    scale: factor for all sizes. exposures: training sentences per exposure block.
    target_words: how many of a pattern's target words are used.
    concatenation: whether composed parts are built. selection: keep word pairs together.
    no_repeat: no source word form twice in a sentence.
    disjoint: no source sentence in two splits. unique: splits in which no sentence comes twice.
    vocabulary: how many words of a symbol ("N<animate>") are used.
    depth: bounds of every sentence, unless its part says otherwise.
    exclude: patterns no part shows. weights: rule weights for all parts.
    partial: draw only what both languages say; parts that cannot be drawn then are left out.
    references: how many references an example to be judged has; those after the first are variants.
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
    partial: bool | None = None
    references: int | None = None

    def __post_init__(self) -> None:
        if self.scale <= 0:
            raise ConfigError(f"scale {self.scale} must be more than 0")
        if self.target_words < 1 or self.exposures < 0:
            raise ConfigError("target_words must be 1 or more and exposures 0 or more")
        if not 1 <= (self.references or 1) <= MOST_REFERENCES or self.references == 0:
            raise ConfigError(f"references must be between 1 and {MOST_REFERENCES}")
        if not self.split:
            raise ConfigError("a generated benchmark needs at least one [split.NAME.PART]")
        known = [split for split in self.unique if split not in self.split]
        if known and self.unique != ("gen",):
            raise ConfigError(f"unique names split '{known[0]}', which the recipe does not have")

    def load(self) -> Grammar:
        """Load the grammar; the languages must be there."""
        grammar = Grammar.load(self.grammar, edition=self.edition)
        for language in self._languages:
            grammar.concrete(language)
        return grammar

    @property
    def _languages(self) -> tuple[str, str]:
        return self.source_language, self.target_language

    def blueprint(self) -> Blueprint:
        """Work the recipe out for its grammar."""
        grammar = self.load()
        unsaid = uncovered(grammar, self._pair()) if self.partial else frozenset()
        setting = Setting(
            source=self.source_language,
            target=self.target_language,
            scale=self.scale,
            exposures=self.exposures,
            disjoint=self.disjoint,
            unique=self.unique,
            zipf=self.zipf,
            selection=self.selection,
            no_repeat=self.no_repeat,
            depth=self.depth,
            exclude=self.exclude,
            weights={**vocabulary_weights(grammar, self.vocabulary), **self.weights},
            target_words=self.target_words,
            unsaid=unsaid,
            place=self.grammar,
            references=self.references or 1,
        )
        return Blueprint(grammar, setting, self._wanted(), partial=bool(self.partial))

    def _pair(self) -> tuple[str, str]:
        return self.source_language, self.target_language

    def describe_coverage(self) -> str:
        """How much of the recipe can be drawn from what both languages say."""
        blueprint = self.blueprint()
        every = sum(len(parts) for parts in self._wanted().values())
        drawn = every - len(blueprint.left_out)
        text = f"{drawn} of {every} parts ({100 * drawn // max(1, every)}%) can be drawn"
        missing = sorted(
            {
                word
                for parts in self._wanted().values()
                for part in parts.values()
                for word in part.targets[: self.target_words]
                if word in blueprint.setting.unsaid
            }
        )
        return text + (f"; it needs the target words {', '.join(missing)}" if missing else "")

    def _wanted(self) -> dict[str, dict[str, RecipePart]]:
        return {
            split: {n: part for n, part in parts.items() if self.concatenation or not part.compose}
            for split, parts in self.split.items()
        }

    def sizes(self) -> dict[str, int]:
        """The size of every split."""
        found = {
            split: sum(scaled(part.size, self.scale) for part in parts.values())
            for split, parts in self._wanted().items()
        }
        if TRAIN in found:
            found[TRAIN] += sum(
                scaled(self.exposures if one.size is None else one.size, self.scale)
                for parts in self.split.values()
                for part in parts.values()
                for one in part.expose
            )
        return found

    def check_recipe(self) -> None:
        """Raise everything that contradicts itself or the grammar."""
        self.blueprint().check_draws()

    def plan(self) -> dict[str, Any]:
        """Sizes and an estimate, for --dry-run; contradictions of the recipe are found here."""
        self.check_recipe()
        sizes = self.sizes()
        rate = 8_000
        return {
            "splits": sizes,
            "seconds": 3 + sum(sizes.values()) / rate,
            "basis": f"{rate:,} sentences a second, as measured on one core",
        }

    @gc_paused()
    def build(self, draft: Draft) -> None:
        """Draw every part, then write splits, certificate and card."""
        blueprint = self.blueprint()
        blueprint.check_draws()
        drawing = Drawing(blueprint, draft.seed)
        with progress("sentences", sum(self.sizes().values())) as bar:
            splits = drawing.sentences(bar.advance)
        train = list(drawing.examples(TRAIN, splits.get(TRAIN, [])))
        # Parsing all of train takes as long as writing all splits does.
        look = beside(lambda: look_in_train(blueprint, train))
        examples: dict[str, list[Example]] = {}
        for split, sentences in splits.items():
            examples[split] = train if split == TRAIN else list(drawing.examples(split, sentences))
            draft.write(split, examples[split])
        certificate = certify(blueprint, self.grammar, examples, look)
        certificate["violations"] = drawing.violations(splits)
        if self.partial:
            certificate["left_out"] = blueprint.describe_left_out()
        draft.certificate(certificate)
        keep_grammar(draft, self.grammar)
        draft.card("\n".join([self._card(certificate, examples), *self._notes()]))

    def _card(
        self, certificate: Mapping[str, Any], examples: Mapping[str, Sequence[Example]]
    ) -> str:
        """The data card, as far as it follows from what was proved."""
        told = [self._describe(certificate["grammar"]), "", card_of(certificate, examples)]
        return "\n".join([*told, *self._left_out(certificate)])

    def _describe(self, grammar: Mapping[str, Any]) -> str:
        return (
            f"Drawn from the grammar `{grammar['name']}`, edition `{grammar['edition']}`. "
            "Word choice: "
            f"Zipf exponent {self.zipf}; selectional restrictions "
            f"{'on' if self.selection else 'off'}; concatenation "
            f"{'on' if self.concatenation else 'off'}; {self.exposures} exposures per block; "
            f"{self.target_words} target words per pattern; scale {self.scale}."
        )

    def _left_out(self, certificate: Mapping[str, Any]) -> list[str]:
        """What a partial benchmark lacks, on its card."""
        left_out = certificate.get("left_out", {})
        if not left_out.get("unsaid"):
            return []
        names = ", ".join(left_out["unsaid"])
        parts = [f"- `{part}`: {why}" for part, why in left_out["parts"].items()]
        return [
            "",
            "## Left out",
            "",
            f"Words and rules that {' or '.join(self._pair())} does not say: {names}.",
            "",
            *(parts or ["No part of the recipe is missing."]),
        ]

    def _notes(self) -> list[str]:
        """What the grammar's author says of it, of the two languages and of the edition."""
        own = [f"editions/{self.edition}/NOTES.md"] if self.edition else []
        names = ("NOTES.md", *(f"NOTES.{code}.md" for code in self._languages), *own)
        files = (find_grammar(self.grammar) / name for name in names)
        read = (path.read_text(encoding="utf-8").strip() for path in files if path.is_file())
        return [line for text in read for line in ("", text)]

    @staticmethod
    @gc_paused()
    def check(benchmark: Benchmark) -> list[RecombineError]:
        """Re-verify the certificate from the files alone."""
        try:
            options = dict(benchmark.manifest.recipe)
            own = declared_grammar(benchmark)
            name = options.get("grammar", "")
            recipe = parse_config(
                Generated, {**options, "grammar": own.place if own is not None else name}
            )
            blueprint = recipe.blueprint()
            blueprint.check()
            examples = {split: benchmark.read(split) for split in benchmark.splits}
            proof = prove(blueprint, examples)
            proved = certify(blueprint, recipe.grammar, examples, lambda: proof.train)
            proved["grammar"]["name"] = name
            proved["violations"] = _agreed_violations(benchmark, blueprint, examples, proof)
            if recipe.partial:
                proved["left_out"] = blueprint.describe_left_out()
        except Problems as error:
            return error.problems
        except RecombineError as error:
            return [error]
        head = card_head(to_plain(benchmark.manifest), benchmark.manifest.splits)
        card = head + recipe._card(proved, examples)
        return [
            *compare(benchmark.path, proved, proof.faults),
            *compare_card(benchmark.path / "README.md", card),
        ]


def _agreed_violations(
    benchmark: Benchmark,
    blueprint: Blueprint,
    examples: Mapping[str, Sequence[Example]],
    proof: Proof,
) -> dict[str, int]:
    """What was counted, or what is written where ambiguous pairs leave that open."""
    try:
        certificate = read_json(benchmark.path / "certificate.json")
        written = dict(certificate["violations"])
    except (RecombineError, KeyError, TypeError, ValueError):
        return proof.violations  # a certificate that is none is a problem of its own
    agreed = dict(proof.violations)
    for split, said in written.items():
        if isinstance(said, int) and said != agreed.get(split, said):
            fewest, most = violation_bounds(blueprint, examples[split])
            if fewest <= said <= most:
                agreed[split] = said
    return agreed
