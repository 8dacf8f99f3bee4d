"""Consistency: tests of systematicity, substitutivity and overgeneralisation from a recipe.

Dankers, Bruni & Hupkes (2022), sections 3 and 4. Synthetic sentences come from a template grammar,
semi-natural ones from fragments of the user's parsed corpus, natural ones from the user's text.
Splits: `sentences`, `systematicity`, `substitutivity`, `overgeneralisation`, `context` (idioms
among random words) and `probe` (what the metrics need beside the pairs).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from recombine.benchmark import Benchmark, Draft, Example, Focus
from recombine.builders.consistency.examples import (
    check_groups,
    clause_probes,
    group_example,
    idiom_example,
    phrase_probes,
    references_of,
    repeat_probes,
    slot_focus,
    synonym_examples,
    word_probes,
)
from recombine.builders.consistency.natural import NaturalText
from recombine.builders.consistency.seminatural import FrameSentences
from recombine.builders.consistency.synthetic import (
    SentenceMaker,
    SyntheticSentences,
    TemplateTrees,
    TemplateUse,
    TestSentence,
    join_sentences,
)
from recombine.builders.consistency.training import count_idioms, read_training, split_training
from recombine.builders.consistency.wordlists import (
    Idiom,
    SynonymPair,
    read_idioms,
    read_synonyms,
    read_words,
    require_clauses,
)
from recombine.errors import ConfigError, RecombineError

# One stream of random numbers per kind of data and test, so that sizes do not disturb each other.
_STREAMS = (
    "sentences",
    "pairs",
    "triples",
    "synonyms",
    "idioms",
    "context",
    "repeats",
    "natural",
    "training",
)
_KINDS = ("synthetic", "semi-natural", "natural")


@dataclass(kw_only=True)
class ConsistencyTests:
    """All sizes are per template and condition; 0 leaves a test out."""

    source_language: str = "en"
    target_language: str = ""
    grammar: str = "paradox"
    template: dict[str, TemplateUse] = field(default_factory=dict)
    data: tuple[Literal["synthetic", "semi-natural", "natural"], ...] = ("synthetic",)
    sentences: int = 3000
    pairs: int = 500
    triples: int = 500
    synonym_samples: int = 500
    idiom_samples: int = 500
    context_samples: int = 100
    context_words: int = 10
    repeats: int = 200
    clause_probes: bool = True
    join: str = " , and "
    synonyms: Path | None = None
    synonym_renderings: Path | None = None
    idioms: Path | None = None
    idiom_keywords: Path | None = None
    words: Path | None = None
    frames: Path | None = None
    parsed: Path | None = None
    fragment_count: int = 2
    fragment_tokens: tuple[int, ...] = (5, 20)
    text: Path | None = None
    translations: Path | None = None
    natural_samples: int = 3000
    training: Path | None = None
    training_translations: Path | None = None
    training_size: int = 0
    dev_size: int = 1000
    _clauses: list[str] = field(init=False, default_factory=list, repr=False)
    _bases: list[str] = field(init=False, default_factory=list, repr=False)
    _tested: set[str] = field(init=False, default_factory=set, repr=False)

    def __post_init__(self) -> None:
        if "semi-natural" in self.data and self.parsed is None:
            raise ConfigError(
                "semi-natural data needs a parsed corpus", hint="-o parsed=CORPUS.conllu"
            )
        if "natural" in self.data and self.text is None:
            raise ConfigError("natural data needs a text", hint="-o text=CORPUS.en")
        if not self.template:
            raise ConfigError(
                "no template is used", hint='[template.t1] np = "subj", vp = "obj", clause = "obj"'
            )

    def build(self, draft: Draft) -> None:
        """Write every split that has a size."""
        self._clauses, self._bases, self._tested = [], [], set()
        trees = TemplateTrees(self.grammar, self.source_language, self.target_language)
        synthetic = SyntheticSentences(trees, self.template)
        makers: list[SentenceMaker] = [synthetic] if "synthetic" in self.data else []
        if self.parsed is not None and "semi-natural" in self.data:
            makers.append(self._frames(trees))
        natural = (
            NaturalText(self.text, self.translations, set_apart=self.training is not None)
            if self.text is not None and "natural" in self.data
            else None
        )
        synonyms = read_synonyms(
            self.source_language, self.target_language, self.synonyms, self.synonym_renderings
        )
        idioms = read_idioms(
            self.source_language, self.target_language, self.idioms, self.idiom_keywords
        )
        if makers:
            require_clauses(synonyms, "synonym pair")
            require_clauses(idioms, "idiom")
        sizes = {
            "sentences": self._write(draft, "sentences", self._sentences(synthetic, draft.seed))
            if self.sentences
            else 0,
            "systematicity": self._write(
                draft, "systematicity", self._systematicity(synthetic, makers, natural, draft.seed)
            ),
            "substitutivity": self._write(
                draft, "substitutivity", self._substitutivity(makers, natural, synonyms, draft.seed)
            ),
            "overgeneralisation": self._write(
                draft,
                "overgeneralisation",
                self._overgeneralisation(makers, natural, idioms, draft.seed),
            ),
            "context": self._write(draft, "context", self._context(idioms, draft.seed))
            if self.context_samples
            else 0,
            "probe": self._write(draft, "probe", self._probes(trees, synonyms, idioms, draft.seed)),
        }
        certificate = {"sizes": sizes, "templates": self._template_counts(trees)}
        if self.training is not None:
            certificate["idioms_in_training"] = self._write_training(self.training, idioms, draft)
        draft.certificate(certificate)
        draft.card(_CARD)

    def plan(self) -> dict[str, Any]:
        """Return the number of sentences per split of generated data, for --dry-run."""
        kinds = len([kind for kind in self.data if kind != "natural"])
        templates = len(self.template)
        pairs = len(read_synonyms(self.source_language, self.target_language, self.synonyms))
        idioms = len(read_idioms(self.source_language, self.target_language, self.idioms))
        sizes = {
            "sentences": self.sentences * templates,
            "systematicity": 3 * (self.pairs + self.triples) * templates * kinds,
            "substitutivity": 2 * self.synonym_samples * templates * pairs * kinds,
            "overgeneralisation": self.idiom_samples * templates * idioms * kinds,
            "context": self.context_samples * idioms,
        }
        rate = 5_500
        return {
            "splits": sizes,
            "seconds": 1 + sum(sizes.values()) / rate,
            "basis": f"{rate:,} sentences a second, as measured on one core",
        }

    @staticmethod
    def check(benchmark: Benchmark) -> list[RecombineError]:
        """Verify from the files alone that pairs are minimal and conjuncts shared."""
        return check_groups(benchmark)

    def _frames(self, trees: TemplateTrees) -> FrameSentences:
        low, high = (*self.fragment_tokens, *self.fragment_tokens)[:2]
        return FrameSentences.from_corpus(
            self.parsed,
            trees,
            language=self.source_language,
            frames=self.frames,
            fewest=self.fragment_count,
            tokens=(low, high),
        )

    def _write(self, draft: Draft, split: str, examples: Iterator[Example]) -> int:
        """Write a split and remember its sources: training must not hold them."""

        def remembered() -> Iterator[Example]:
            for one in examples:
                self._tested.add(one.source)
                yield one

        return draft.write(split, remembered())

    def _write_training(self, path: Path, idioms: Sequence[Idiom], draft: Draft) -> dict[str, int]:
        """Write train and dev splits; return how often training shows each idiom."""
        pairs = read_training(
            path, self.training_translations, self.source_language, self.target_language
        )
        train, dev = split_training(
            pairs,
            size=self.training_size,
            dev_size=self.dev_size,
            forbidden=self._tested | set(self._clauses),
            rng=_stream(draft.seed, "training", "", 0),
        )
        draft.write("train", train)
        draft.write("dev", dev)
        return count_idioms((one.source for one in train), [idiom.text for idiom in idioms])

    def _template_counts(self, trees: TemplateTrees) -> dict[str, int]:
        return {name: trees.count(name) for name in self.template}

    def _sentences(self, synthetic: SyntheticSentences, seed: int) -> Iterator[Example]:
        for place, template in enumerate(synthetic.templates):
            rng = _stream(seed, "sentences", synthetic.data, place)
            for one in synthetic.draw(template, self.sentences, rng):
                yield Example.make(
                    source=one.source,
                    references=references_of(one),
                    tags={"template": template, "data": one.data},
                    salt="sentences",
                )

    def _systematicity(
        self,
        synthetic: SyntheticSentences,
        makers: Sequence[SentenceMaker],
        natural: NaturalText | None,
        seed: int,
    ) -> Iterator[Example]:
        for maker in makers:
            for place, template in enumerate(maker.templates):
                rng = _stream(seed, "pairs", maker.data, place)
                for number, base in enumerate(maker.draw(template, self.pairs, rng)):
                    group = f"np-vp/{maker.data}/{template}/{number}"
                    yield from self._pairs(maker, base, group, rng)
        for maker in makers:
            for place, template in enumerate(maker.templates):
                rng = _stream(seed, "triples", maker.data, place)
                drawn = maker.draw(template, self.triples, rng)
                for number, second in enumerate(drawn):
                    group = f"conj/{maker.data}/{template}/{number}"
                    yield from self._triple(synthetic, second, group, rng)
        if natural is not None and self.triples:
            rng = _stream(seed, "triples", "natural", 0)
            size = self.triples * len(self.template)
            for number, text in enumerate(natural.matched(self._clauses, size, rng)):
                template = synthetic.templates[number % len(self.template)]
                second = TestSentence(text, template, "natural", is_question=text.endswith("?"))
                yield from self._triple(synthetic, second, f"conj/natural/{number}", rng)

    def _pairs(
        self, maker: SentenceMaker, base: TestSentence, group: str, rng: np.random.Generator
    ) -> Iterator[Example]:
        roles = maker.roles(base.template)
        self._bases.append(base.source)
        focus = tuple(slot_focus(base, role, role) for role in roles)
        yield group_example(base, "base", group, base.source, focus)
        for role in roles:
            variant = maker.swap(base, role, rng)
            focus = (slot_focus(variant, role, role),)
            yield group_example(variant, role, group, variant.source, focus)

    def _triple(
        self,
        synthetic: SyntheticSentences,
        second: TestSentence,
        group: str,
        rng: np.random.Generator,
    ) -> Iterator[Example]:
        others = [name for name in synthetic.templates if name != second.template]
        first, third = (others[int(i)] for i in rng.permutation(len(others))[:2])
        s1 = synthetic.draw(first, 1, rng)[0]
        s3 = synthetic.draw(third, 1, rng)[0]
        if second.is_question:
            s1, s3 = synthetic.question(s1), synthetic.question(s3)
        self._clauses.append(second.source)
        for role, opening in (("base", s1), ("s1p", synthetic.swap(s1, "vp", rng)), ("s3", s3)):
            source, start = join_sentences(opening, second.source, self.join)
            clause = Focus(text=second.source, role="clause", start=start, end=len(source))
            focus: tuple[Focus, ...] = (clause,)
            if role == "s1p":
                focus = (slot_focus(opening, "vp", "s1p"), clause)
            yield group_example(second, role, group, source, focus)

    def _substitutivity(
        self,
        makers: Sequence[SentenceMaker],
        natural: NaturalText | None,
        synonyms: Sequence[SynonymPair],
        seed: int,
    ) -> Iterator[Example]:
        for maker in makers:
            for place, template in enumerate(maker.templates):
                for number, pair in enumerate(synonyms):
                    rng = _stream(seed, "synonyms", maker.data, place, number)
                    for index, base in enumerate(maker.draw(template, self.synonym_samples, rng)):
                        group = f"synonym/{maker.data}/{template}/{number}/{index}"
                        yield from synonym_examples(base, pair, group)
        if natural is not None:
            for number, pair in enumerate(synonyms):
                rng = _stream(seed, "natural", "synonyms", number)
                found = natural.with_synonyms(pair, self.natural_samples, rng)
                for index, one in enumerate(found):
                    yield from one.examples(pair, f"synonym/natural/{number}/{index}")

    def _overgeneralisation(
        self,
        makers: Sequence[SentenceMaker],
        natural: NaturalText | None,
        idioms: Sequence[Idiom],
        seed: int,
    ) -> Iterator[Example]:
        for maker in makers:
            for place, template in enumerate(maker.templates):
                for number, idiom in enumerate(idioms):
                    rng = _stream(seed, "idioms", maker.data, place, number)
                    for base in maker.draw(template, self.idiom_samples, rng):
                        source, _ = base.with_clause(idiom.clause)
                        tags = {"idiom": idiom.text, "data": base.data, "template": template}
                        yield idiom_example(source, idiom, tags)
        if natural is not None:
            for idiom in idioms:
                rng = _stream(seed, "natural", "idioms", len(idiom.text))
                for source, reference in natural.with_idiom(idiom, self.natural_samples, rng):
                    tags = {"idiom": idiom.text, "data": "natural"}
                    yield idiom_example(source, idiom, tags, reference)

    def _context(self, idioms: Sequence[Idiom], seed: int) -> Iterator[Example]:
        """Yield idioms among random words: section 4.3.2 asks whether context matters."""
        words = read_words(self.source_language, self.words)
        for number, idiom in enumerate(idioms):
            rng = _stream(seed, "context", "random", number)
            for _ in range(self.context_samples):
                chosen = [words[int(i)] for i in rng.permutation(len(words))[: self.context_words]]
                chosen.insert(int(rng.integers(len(chosen) + 1)), idiom.text)
                tags = {"idiom": idiom.text, "data": "random-words"}
                yield idiom_example(" ".join(chosen), idiom, tags)

    def _probes(
        self,
        trees: TemplateTrees,
        synonyms: Sequence[SynonymPair],
        idioms: Sequence[Idiom],
        seed: int,
    ) -> Iterator[Example]:
        classes = tuple(dict.fromkeys(name for use in self.template.values() for name in use.swap))
        yield from phrase_probes(trees.phrases(classes))
        yield from word_probes(synonyms, idioms)
        if self.clause_probes:
            yield from clause_probes(self._clauses)
        yield from repeat_probes(self._bases, self.repeats, _stream(seed, "repeats", "", 0))


def _stream(seed: int, test: str, data: str, *places: int) -> np.random.Generator:
    """Return the random numbers of one cell; other cells never shift them."""
    kind = _KINDS.index(data) if data in _KINDS else len(_KINDS)
    key = (_STREAMS.index(test), kind, *places)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


_CARD = """\
Every `group` holds a `base` and its variants. `np` and `vp` differ from their base in one noun of
the same number; `s1p` (one noun) and `s3` (another sentence) differ in the first conjunct alone;
`synonym` replaces a term by its synonym. The metrics `consistency`, `synonym-consistency`,
`locality` and `literal` read the roles and the foci. The split `probe` holds isolated noun
phrases, second conjuncts, bare words and repeated sentences: translate it with the others.
"""
