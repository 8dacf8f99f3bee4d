"""Builder `compounds`: novel compounds of known atoms in known contexts, from any parsed corpus.

The method of Li et al. 2021 (CoGnition) for any language pair: filter the corpus, align its words,
choose atoms that are translated consistently, compose them into patterns that the recipe declares,
put every compound into several sentence templates taken from parses. Train, dev and test are the
filtered corpus; `gen` holds the compounds, `context` the original sentence of every template.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from recombine.benchmark import CONTROL, Benchmark, Example
from recombine.builders.check import Proof
from recombine.builders.compounds.assemble import Assembly, CompoundDesign, paper_roles
from recombine.builders.compounds.certificate import census, data_card, prove_compounds
from recombine.builders.compounds.contexts import Embedded
from recombine.builders.compounds.control import SHOWN, CompoundFinder, control_facts, exchange
from recombine.builders.compounds.filter import Filtered, Pair, filter_corpus, statistics_table
from recombine.builders.compounds.references import read_references, review_lines
from recombine.builders.recipe import take_as_corpus
from recombine.corpus.alignment import align
from recombine.corpus.conllu import ParsedSentence, read_parsed
from recombine.corpus.parsers import parsed_file, require_relations
from recombine.draft import Draft
from recombine.errors import ConfigError, DataError, Where
from recombine.files import read_lines
from recombine.parallel import gc_paused
from recombine.progress import progress


@dataclass(frozen=True, kw_only=True)
class Compounds(CompoundDesign):
    """Novel compounds of known words, each in several contexts, made of a parsed parallel corpus.

    How it is made: docs/how-to/compounds.md.
    """

    proves: ClassVar[str] = "compounds, their parts, contexts from train, and that train lacks them"
    own_text: ClassVar[tuple[str, ...]] = ("corpus",)
    metrics: ClassVar[tuple[str, ...]] = ("compound", "compound_aggregate", "bleu", "chrf")
    corpus: Path
    target_corpus: Path | None = None
    parser: str | None = None
    target_language: str = ""
    limit: int = 0
    shortest: int = 4
    longest_target: int = 50
    vocabulary: int = 8000
    dev: int = 1000
    test: int = 1000
    references: Path | None = None
    drafts: Path | None = None
    control_half: int = 1

    def __post_init__(self) -> None:
        require_relations(self.parser, "a compound")
        if self.control and self.keep_seen:
            raise ConfigError("with a control no compound is seen in train: leave out 'keep_seen'")
        if self.control_half not in (1, 2):
            raise ConfigError(f"control_half = {self.control_half}: there are two halves, 1 and 2")
        used = set(paper_roles())
        for category, patterns in self.patterns.items():
            if category not in self.slots:
                raise ConfigError(
                    f"pattern category '{category}' has no slot",
                    hint=f"slots: {', '.join(self.slots)}; add [slots.{category}]",
                )
            for pattern in patterns:
                unknown = [role for role in pattern.split() if role not in self.roles]
                if unknown:
                    raise ConfigError(
                        f"pattern '{pattern}' uses role '{unknown[0]}', which [roles] lacks"
                    )
                used.update(pattern.split())
                head = self.slots[category].head
                if head and pattern.split()[0] != head:
                    raise ConfigError(f"pattern '{pattern}' must begin with its head '{head}'")
        if idle := next((role for role in self.roles if role not in used), None):
            raise ConfigError(
                f"no pattern uses the role '{idle}'", hint=f"roles: {', '.join(sorted(used))}"
            )

    @staticmethod
    def take_text(data: dict[str, Any], text: str, translation: str | None, language: str) -> None:
        """Take raw text as the corpus."""
        take_as_corpus(data, text, translation, language, words=False)

    @gc_paused()
    def build(self, draft: Draft) -> None:
        """Run the steps in order and write every split."""
        if not self.target_language:
            raise ConfigError("[benchmark] must name the 'target' language of the corpus")
        filtered = self._filter()
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(draft.seed)))
        train, dev, test = self._hold_out(filtered.pairs, generator)
        with progress("align words", 1) as bar:
            tokens = [pair.tokens for pair in train]
            alignment = align(tokens, [pair.target_tokens for pair in train])
            bar.advance()
        work = Assembly(self, train, alignment, generator)
        embedded = work.embed_all()
        control, held_in = self._control(work, embedded, (dev, test)) if self.control else ([], {})
        if not embedded:
            raise DataError(
                "no compound found enough contexts",
                hint="raise reuse or worst_drop, or take a larger corpus",
            )
        references = read_references(self.references) if self.references else {}
        splits = {"train": work.visible, "dev": dev, "test": test}
        if self.control:
            splits[CONTROL] = control
        for split, pairs in splits.items():
            draft.write(
                split, (Example.make(source=p.source, references=[p.target]) for p in pairs)
            )
        examples = list(work.examples(embedded, references, held_in))
        draft.write("gen", examples)
        draft.write("context", work.originals(embedded))
        drafts = read_references(self.drafts) if self.drafts else {}
        if any(not example.references for example in examples):
            draft.add_file("review.tsv", "\n".join(review_lines(examples, drafts)) + "\n")
        draft.add_file("statistics.tsv", "\n".join(statistics_table(filtered.statistics)) + "\n")
        draft.add_file("atoms.tsv", "\n".join(work.atom_lines()) + "\n")
        certificate = {
            **census(examples, Counter(e.phrase.sentence for e in embedded)),
            "removed_by_filter": filtered.removed,
            "rejected_contexts": work.rejected(),
            "compounds_seen_in_train": work.seen_count(embedded),
            "compounds_without_contexts": work.dropped,
        }
        if self.control:
            sources = {split: [pair.source for pair in pairs] for split, pairs in splits.items()}
            sources["gen"] = [example.source for example in examples]
            certificate[CONTROL] = {"half": self.control_half, **control_facts(sources, held_in)}
        draft.certificate(certificate)
        draft.set_card(data_card(certificate, filtered.statistics))

    def prove(self, benchmark: Benchmark) -> Proof:
        """Recount compounds and contexts, and look for the compounds in the training data."""
        return prove_compounds(benchmark, has_control=self.control)

    def _control(
        self, work: Assembly, embedded: Sequence[Embedded], held_out: Sequence[Sequence[Pair]]
    ) -> tuple[list[Pair], dict[str, str]]:
        """Return the pairs of the control, and what it knows of each tested compound."""
        tested = {embedding.source for embedding in embedded}
        tested |= {pair.source for pairs in held_out for pair in pairs}
        control = exchange(
            work.pairs,
            work.held,
            self.control_half,
            templates={embedding.phrase.sentence for embedding in embedded},
            tested=tested,
            generator=work.generator,
        )
        texts = {embedding.compound.text.lower() for embedding in embedded}
        finder = CompoundFinder(texts)
        shown = {text for pair in control for text in finder.in_text(pair.source)}
        held_in = {
            text: work.held.told_of(text, self.control_half, shown) for text in sorted(texts)
        }
        if SHOWN not in held_in.values():
            raise DataError(
                "the corpus shows none of the compounds that the control should show",
                hint="take more text, or more frequent atoms (-o floor=N)",
            )
        return control, held_in

    def _filter(self) -> Filtered:
        sentences = self._sentences()
        with progress("read corpus", None) as bar:

            def counted() -> Iterator[ParsedSentence]:
                for sentence in islice(sentences, self.limit or None):
                    bar.advance()
                    yield sentence

            filtered = filter_corpus(
                counted(),
                self.target_language,
                shortest=self.shortest,
                longest=self.longest,
                longest_target=self.longest_target,
                vocabulary=self.vocabulary,
            )
        if len(filtered.pairs) <= self.dev + self.test:
            reasons = ", ".join(f"{why}: {count:,}" for why, count in filtered.removed.items())
            raise DataError(
                f"{len(filtered.pairs):,} pairs are left, not enough for dev {self.dev} "
                f"and test {self.test}",
                hint=f"take more text, or -o dev=N -o test=N; removed by the filter: {reasons}",
            )
        return filtered

    def _sentences(self) -> Iterator[ParsedSentence]:
        sentences = read_parsed(parsed_file(self.corpus, self.parser, words=False))
        if self.target_corpus is None:
            yield from sentences
            return
        lines = read_lines(self.target_corpus)
        for sentence in sentences:
            line = next(lines, None)
            if line is None:
                raise DataError(
                    f"fewer lines than {self.corpus} has sentences", Where(str(self.target_corpus))
                )
            yield sentence._replace(translations={self.target_language: line[1]})
        if not self.limit and next(lines, None) is not None:
            raise DataError(
                f"more lines than {self.corpus} has sentences", Where(str(self.target_corpus))
            )

    def _hold_out(
        self, pairs: Sequence[Pair], generator: np.random.Generator
    ) -> tuple[list[Pair], list[Pair], list[Pair]]:
        order = generator.permutation(len(pairs))
        held = [set(order[: self.dev].tolist())]
        held.append(set(order[self.dev : self.dev + self.test].tolist()))
        out = held[0] | held[1]
        return (
            [pair for place, pair in enumerate(pairs) if place not in out],
            [pair for place, pair in enumerate(pairs) if place in held[0]],
            [pair for place, pair in enumerate(pairs) if place in held[1]],
        )
