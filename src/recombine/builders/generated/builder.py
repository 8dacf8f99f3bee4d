"""Generated: sentences drawn from a grammar, with held-out patterns (SGET's method, any grammar).

A recipe names a grammar and, in `[split.NAME.PART]` blocks, what each part of each split is made
of. A pattern of a generalisation split is named once: it defines the split, its training exposures
go with it, and the certificate proves that training does not show it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from recombine.benchmark import CONTROL, TRAIN, TRAINING_SPLITS, Benchmark, Example
from recombine.builders.check import Proof
from recombine.builders.generated.blueprint import Blueprint, uncovered
from recombine.builders.generated.certificate import (
    broken_promises,
    card_of,
    certify,
    rows_at_fault,
    sizes_at_fault,
)
from recombine.builders.generated.draw import Drawing, DrawnSentence
from recombine.builders.generated.focus import TAGS
from recombine.builders.generated.parts import GeneratedOptions, RecipePart, scaled
from recombine.builders.generated.proof import (
    RowProof,
    look_in_training,
    prove_rows,
    violation_bounds,
)
from recombine.draft import Draft
from recombine.errors import ConfigError, DataError, RecombineError, Where
from recombine.files import read_json
from recombine.grammar import Grammar
from recombine.grammar.benchmark_grammar import (
    declared_grammar,
    grammar_inputs,
    is_shipped,
    keep_grammar,
)
from recombine.grammar.files.folder import find_grammar
from recombine.parallel import gc_paused, run_in_fork
from recombine.progress import progress

MOST_REFERENCES = 32  # of one example
LISTED = 24  # words that a language lacks, in a message

DrawnSplits = Mapping[str, list[DrawnSentence]]


@dataclass(kw_only=True)
class Generated(GeneratedOptions):
    """Sentences and translations of a grammar, with combinations held out of training.

    A recipe is a grammar and one `[split.NAME.PART]` table for each part
    (docs/how-to/add-a-phenomenon.md).
    """

    proves: ClassVar[str] = "every row, what training shows, certificate and card, with the grammar"
    metrics: ClassVar[tuple[str, ...]] = ("exact", "bleu", "partial")
    grammar: str
    split: dict[str, dict[str, RecipePart]]

    def __post_init__(self) -> None:
        if self.scale <= 0:
            raise ConfigError(f"scale {self.scale} must be more than 0")
        if self.target_words < 1 or self.exposures < 0:
            raise ConfigError("target_words must be 1 or more and exposures 0 or more")
        if not 1 <= (self.references or 1) <= MOST_REFERENCES or self.references == 0:
            raise ConfigError(f"references must be between 1 and {MOST_REFERENCES}")
        if not self.split:
            raise ConfigError("a generated benchmark needs at least one [split.NAME.PART]")
        if self.control and (CONTROL in self.split or TRAIN not in self.split):
            raise ConfigError(
                "'control' writes a split of that name, made from that called 'train'"
            )
        if self.control and not self.shown_by_control:
            raise ConfigError(
                "a control needs sentences of every pattern",
                hint="control_size = 100: so many of each",
            )
        if self.control_size is not None and not self.control:
            raise ConfigError("control_size goes with control = true")
        if self.inside_tag in (*TAGS, "length", "longer_than_train"):
            raise ConfigError(f"inside_tag: every sentence has a tag '{self.inside_tag}' already")
        known = [split for split in self.unique if split not in self.split]
        if known and self.unique != ("gen",):
            raise ConfigError(f"unique names split '{known[0]}', which the recipe does not have")

    def load(self) -> Grammar:
        """Load the grammar; the languages must be there."""
        grammar = Grammar.load(self.grammar, edition=self.edition)
        for language in self.languages:
            grammar.concrete(language)
        return grammar

    def reads(self) -> dict[str, Path]:
        """The files of the grammar; its variants where they are drawn, or go with the benchmark."""
        variants = (self.references or 1) > 1 or not is_shipped(self.grammar)
        return grammar_inputs(self.grammar, self.edition, self.languages, variants=variants)

    def blueprint(self) -> Blueprint:
        """Work the recipe out for its grammar."""
        return Blueprint(self.load(), self)

    def needs(self) -> frozenset[str]:
        """The rules and words of the grammar that some part of the recipe can draw."""
        blueprint = self.blueprint()
        inventory = blueprint.grammar.inventory
        codes: set[int] = set()
        for draw in blueprint.draws():
            codes |= blueprint.grammar.sampler(draw.constraints).drawable()
        return frozenset(inventory.labels[code] for code in codes)

    def describe_coverage(self) -> str:
        """How much of the recipe can be drawn from what both languages say, and what it lacks."""
        parts = [part for _, _, part in self.parts()]
        unsaid = uncovered(self.load(), self.languages)
        try:
            left_out = replace(self, partial=True).blueprint().left_out
            drawn = len(parts) - len(left_out)
            share = 100 * drawn // max(1, len(parts))
            text = f"{drawn} of {len(parts)} parts ({share}%) can be drawn"
            if left_out:
                names = ", ".join(f"{split}.{name}" for split, name in left_out)
                text += f"; not yet: {names}"
        except ConfigError as error:
            text = error.message
        targets = {word for part in parts for word in part.targets[: self.target_words]} & unsaid
        if targets:
            text += f"; it needs the target words {', '.join(sorted(targets))}"
        others = sorted((replace(self, partial=False).needs() & unsaid) - targets)
        if others:
            shown = ", ".join(others[:LISTED]) + (", ..." if len(others) > LISTED else "")
            text += f"; it can use {len(others)} more words and rules: {shown}"
        return text

    def sizes(self) -> dict[str, int]:
        """The size of every split."""
        sizes: Counter[str] = Counter()
        for split, _, part in self.parts():
            sizes[split] += scaled(part.size, self.scale)
        if TRAIN in sizes:
            for parts in self.split.values():
                for exposure in (exposure for part in parts.values() for exposure in part.expose):
                    size = self.exposures if exposure.size is None else exposure.size
                    sizes[TRAIN] += scaled(size, self.scale)
            if self.control:
                sizes[CONTROL] = sizes[TRAIN]
        return dict(sizes)

    def check_recipe(self) -> None:
        """Raise everything that contradicts itself or the grammar."""
        self.blueprint().check_draws()

    def plan(self) -> dict[str, Any]:
        """Sizes, for --dry-run; contradictions of the recipe are found here."""
        self.check_recipe()
        return {"splits": self.sizes()}

    @gc_paused()
    def build(self, draft: Draft) -> None:
        """Draw every part, then write splits, certificate and card."""
        blueprint, drawing, splits = self._drawn(draft.seed)
        training = _training_rows(drawing, splits)
        # Parsing all of train takes as long as writing all splits does.
        look = run_in_fork(lambda: look_in_training(blueprint, training))
        examples = _write_rows(draft, drawing, splits, training)
        violations = drawing.violations(splits)
        certificate = certify(blueprint, self.grammar, examples, look, violations)
        draft.certificate(certificate)
        keep_grammar(draft, self.grammar)
        card = self._card(certificate, examples=examples, shown=blueprint.labels(TRAIN))
        draft.set_card("\n".join([card, *self._notes()]))

    @gc_paused()
    def build_rows(self, draft: Draft) -> None:
        """Write the splits alone: `prove` counts the certificate from them."""
        _, drawing, splits = self._drawn(draft.seed)
        _write_rows(draft, drawing, splits, _training_rows(drawing, splits))

    def _drawn(self, seed: int) -> tuple[Blueprint, Drawing, DrawnSplits]:
        blueprint = self.blueprint()
        blueprint.check_draws()
        drawing = Drawing(blueprint, seed)
        with progress("sentences", sum(self.sizes().values())) as bar:
            return blueprint, drawing, drawing.sentences(bar.advance)

    def _card(
        self,
        certificate: Mapping[str, Any],
        *,
        examples: Mapping[str, Sequence[Example]],
        shown: Collection[str],
    ) -> str:
        """The data card, as far as it follows from what was proved."""
        proved = card_of(certificate, examples, shown)
        described = self._describe(certificate["grammar"])
        return "\n".join([described, "", proved, *self._left_out(certificate)])

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
            f"Words and rules that {' or '.join(self.languages)} does not say: {names}.",
            "",
            *(parts or ["No part of the recipe is missing."]),
        ]

    def _notes(self) -> list[str]:
        """What the grammar's author says of it, of the two languages and of the edition."""
        own = [f"editions/{self.edition}/NOTES.md"] if self.edition else []
        names = ("NOTES.md", *(f"NOTES.{code}.md" for code in self.languages), *own)
        files = (find_grammar(self.grammar) / name for name in names)
        read = (path.read_text(encoding="utf-8").strip() for path in files if path.is_file())
        return [line for text in read for line in ("", text)]

    @staticmethod
    def placed(benchmark: Benchmark, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options that name the grammar where it is: in the benchmark, or shipped."""
        own = declared_grammar(benchmark)
        return {**options, "grammar": options.get("grammar", "") if own is None else own.place}

    @gc_paused()
    def prove(self, benchmark: Benchmark) -> Proof:
        """Prove every row, and count anew, from the files alone."""
        blueprint = self.blueprint()
        blueprint.check()
        examples = {split: benchmark.read(split) for split in benchmark.splits}
        rows = prove_rows(blueprint, examples)
        violations = _agreed_violations(benchmark, blueprint, examples, rows)
        counted = certify(blueprint, self.grammar, examples, lambda: rows.training, violations)
        counted["grammar"]["name"] = benchmark.manifest.recipe.get("grammar", "")
        faults = [
            *rows_at_fault(benchmark.path, rows.faults),
            *sizes_at_fault(benchmark.path, blueprint, examples),
            *(DataError(text, Where(str(benchmark.path))) for text in broken_promises(counted)),
        ]
        card = partial(self._card, examples=examples, shown=blueprint.labels(TRAIN))
        return Proof(counted, faults, card=card)


def _training_rows(drawing: Drawing, splits: DrawnSplits) -> dict[str, list[Example]]:
    return {
        split: list(drawing.examples(split, splits[split]))
        for split in TRAINING_SPLITS
        if split in splits
    }


def _write_rows(
    draft: Draft,
    drawing: Drawing,
    splits: DrawnSplits,
    training: Mapping[str, Sequence[Example]],
) -> dict[str, Sequence[Example]]:
    examples: dict[str, Sequence[Example]] = {}
    for split, sentences in splits.items():
        rows = training.get(split)
        examples[split] = list(drawing.examples(split, sentences)) if rows is None else rows
        draft.write(split, examples[split])
    return examples


def _agreed_violations(
    benchmark: Benchmark,
    blueprint: Blueprint,
    examples: Mapping[str, Sequence[Example]],
    proof: RowProof,
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
