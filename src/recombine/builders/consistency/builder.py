"""Consistency: tests of systematicity, substitutivity and overgeneralisation from a recipe.

Dankers, Bruni & Hupkes (2022), sections 3 and 4. Synthetic sentences come from a template grammar,
semi-natural ones from fragments of the user's parsed corpus, natural ones from the user's text.
Splits: `sentences`, `systematicity`, `substitutivity`, `overgeneralisation`, `context` (idioms
among random words) and `probe` (what the metrics need beside the pairs).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from recombine.benchmark import Benchmark, Example
from recombine.builders.check import Proof
from recombine.builders.consistency.examples import (
    clause_probes,
    phrase_probes,
    repeat_probes,
    word_probes,
)
from recombine.builders.consistency.options import ConsistencyOptions
from recombine.builders.consistency.proof import TESTS, benchmark_faults, read_tables
from recombine.builders.consistency.sentences import (
    conjunctions,
    idiom_sentences,
    idioms_among_words,
    noun_pairs,
    plain_sentences,
    random_streams,
    read_material,
    synonym_pairs,
)
from recombine.builders.consistency.spacing import naturally_spaced
from recombine.builders.consistency.training import count_idioms, read_training, write_training
from recombine.builders.consistency.wordlists import (
    read_idioms,
    read_synonyms,
    read_words,
    shipped_tables,
)
from recombine.draft import Draft
from recombine.grammar.benchmark_grammar import grammar_inputs
from recombine.progress import progress


@dataclass(kw_only=True)
class ConsistencyTests(ConsistencyOptions):
    """Minimal pairs and idioms: systematicity, substitutivity, overgeneralisation."""

    proves: ClassVar[str] = "groups, idioms, probes, and that train has none of them"
    own_text: ClassVar[tuple[str, ...]] = ("text", "parsed", "training")
    metrics: ClassVar[tuple[str, ...]] = (
        "consistency", "synonym-consistency", "locality", "literal",
    )  # fmt: skip

    def build(self, draft: Draft) -> None:
        """Read, make every test, and then what depends on the tests: probes and training."""
        material, random = read_material(self), random_streams(draft.seed)
        pairs = list(noun_pairs(material, self.pairs, random))
        triples = list(conjunctions(material, self.triples, self.join, random))
        clauses = [part.text for item in triples for part in item.focus if part.role == "clause"]
        bases = [example.source for example in pairs if example.role == "base"]
        classes = dict.fromkeys(name for use in self.template.values() for name in use.swap)
        words = read_words(self.source_language, self.words) if self.context_samples else []
        tests: dict[str, Iterable[Example]] = {
            "sentences": plain_sentences(material, self.sentences, random),
            "systematicity": chain(pairs, triples),
            "substitutivity": synonym_pairs(
                material, self.synonym_samples, self.natural_samples, random
            ),
            "overgeneralisation": idiom_sentences(
                material, self.idiom_samples, self.natural_samples, random
            ),
            "context": idioms_among_words(
                material.idioms, words, self.context_samples, self.context_words, random
            ),
            "probe": chain(
                phrase_probes(material.trees.phrases(tuple(classes))),
                word_probes(material.synonyms, material.idioms),
                clause_probes(clauses if self.clause_probes else ()),
                repeat_probes(bases, self.repeats, random("repeats", "", 0)),
            ),
        }
        left_out = {"sentences": not self.sentences, "context": not self.context_samples}
        sizes, tested = dict.fromkeys(tests, 0), set(clauses)
        for split, examples in tests.items():
            if not left_out.get(split):
                sizes[split] = self._write(draft, split, examples, tested)
        certificate: dict[str, Any] = {
            "sizes": sizes,
            "templates": {name: material.trees.count(name) for name in self.template},
        }
        if self.training is not None:
            train = write_training(
                draft,
                read_training(
                    self.training,
                    self.training_translations,
                    self.source_language,
                    self.target_language,
                ),
                [],
                size=self.training_size,
                dev_size=self.dev_size,
                forbidden=tested,
                rng=random("training", "", 0),
            )
            certificate["idioms_in_training"] = self._idioms_in(train)
        draft.certificate(certificate)
        draft.set_card(_CARD)

    def _write(
        self, draft: Draft, split: str, examples: Iterable[Example], tested: set[str]
    ) -> int:
        """Write a split, and add its sources to those that training must not hold."""
        with progress(f"write {split}") as bar:

            def spaced() -> Iterator[Example]:
                for example in examples:
                    tested.add(example.source)
                    bar.advance()
                    yield naturally_spaced(example) if self.spacing == "natural" else example

            return draft.write(split, spaced())

    def reads(self) -> dict[str, Path]:
        """The template grammar, and the shipped tables of the languages."""
        languages = (self.source_language, self.target_language)
        return {
            **grammar_inputs(self.grammar, None, languages, variants=False),
            **shipped_tables(*languages),
        }

    def sizes(self) -> dict[str, int]:
        """Return the most sentences of generated data that each split can have."""
        kinds = len([kind for kind in self.data if kind != "natural"])
        templates = len(self.template)
        pairs = len(read_synonyms(self.source_language, self.target_language, self.synonyms))
        idioms = len(read_idioms(self.source_language, self.target_language, self.idioms))
        return {
            "sentences": self.sentences * templates,
            "systematicity": 3 * (self.pairs + self.triples) * templates * kinds,
            "substitutivity": 2 * self.synonym_samples * templates * pairs * kinds,
            "overgeneralisation": self.idiom_samples * templates * idioms * kinds,
            "context": self.context_samples * idioms,
        }

    def plan(self) -> dict[str, Any]:
        """Return sizes, for --dry-run."""
        return {"splits": self.sizes()}

    def prove(self, benchmark: Benchmark) -> Proof:
        """Prove groups, idioms, probes and training, and count again."""
        sizes = benchmark.manifest.splits
        tables = read_tables(self)
        counted: dict[str, Any] = {"sizes": {split: sizes.get(split, 0) for split in TESTS}}
        if tables.trees is not None:
            counted["templates"] = {name: tables.trees.count(name) for name in self.template}
        if "train" in sizes:
            counted["idioms_in_training"] = self._idioms_in(benchmark.iterate("train"))
        faults = list(benchmark_faults(benchmark, self, tables))
        return Proof(counted, faults, ("templates",), lambda certificate: _CARD)

    def _idioms_in(self, examples: Iterable[Example]) -> dict[str, int]:
        """Count the sources that contain each idiom."""
        idioms = read_idioms(
            self.source_language, self.target_language, self.idioms, self.idiom_keywords
        )
        sources = (example.source for example in examples)
        return count_idioms(sources, [idiom.text for idiom in idioms])


_CARD = """\
Every `group` holds a `base` and its variants. `np` and `vp` differ from their base in one noun of
the same number; `s1p` (one noun) and `s3` (another sentence) differ in the first conjunct alone;
`synonym` replaces a term by its synonym. The metrics `consistency`, `synonym-consistency`,
`locality` and `literal` read the roles and the foci. The split `probe` holds isolated noun
phrases, second conjuncts, bare words and repeated sentences: translate it with the others.

## Ceiling

There is no control: a pair tests a system against itself, and nothing was kept out of training.
Each share can reach 100 for a system that answers one sentence one way; the repeated sentences of
`probe` show whether it does. Two trainings of one system do not agree on every sentence, and two
sentences that differ cannot be asked to agree more: train two seeds and compare their outputs. A
synonym that is rare is difficult, new or not: read the pairs of two frequent terms by themselves.
"""
