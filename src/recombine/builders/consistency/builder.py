"""Consistency: tests of systematicity, substitutivity and overgeneralisation from a recipe.

Dankers, Bruni & Hupkes (2022), sections 3 and 4. Synthetic sentences come from a template grammar,
semi-natural ones from fragments of the user's parsed corpus, natural ones from the user's text.
Splits: `sentences`, `systematicity`, `substitutivity`, `overgeneralisation`, `context` (idioms
among random words) and `probe` (what the metrics need beside the pairs).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from recombine.benchmark import Benchmark, Example, Focus
from recombine.builders.check import Proof
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
from recombine.builders.consistency.spacing import naturally_spaced
from recombine.builders.consistency.synthetic import (
    SentenceMaker,
    SyntheticSentences,
    TemplateSentence,
    TemplateTrees,
    TemplateUse,
    join_sentences,
)
from recombine.builders.consistency.training import count_idioms, read_training, write_training
from recombine.builders.consistency.wordlists import (
    Idiom,
    read_idioms,
    read_synonyms,
    read_words,
    require_clauses,
    shipped_tables,
)
from recombine.corpus.parsers import parsed_text, parser_hint
from recombine.draft import Draft
from recombine.errors import ConfigError
from recombine.grammar.benchmark_grammar import grammar_inputs
from recombine.progress import progress
from recombine.stage import identity_of


@dataclass(kw_only=True)
class ConsistencyTests:
    """Minimal pairs and idioms: systematicity, substitutivity, overgeneralisation.

    The recipe. All sizes are per template and condition; 0 leaves a test out.
    """

    proves: ClassVar[str] = "that groups are minimal pairs with their roles, tags and places"
    own_text: ClassVar[tuple[str, ...]] = ("text", "parsed", "training")
    metrics: ClassVar[tuple[str, ...]] = (
        "consistency", "synonym-consistency", "locality", "literal",
    )  # fmt: skip
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
    parser: str | None = None
    fragment_count: int = 2
    fragment_tokens: tuple[int, ...] = (5, 20)
    text: Path | None = None
    translations: Path | None = None
    natural_samples: int = 3000
    training: Path | None = None
    training_translations: Path | None = None
    training_size: int = 0
    dev_size: int = 1000
    spacing: Literal["natural", "tokens"] | None = None

    def __post_init__(self) -> None:
        # Text to train on has its punctuation set apart, and so have the tests beside it.
        self.spacing = self.spacing or ("natural" if self.training is None else "tokens")
        if self.parser == "words":
            raise ConfigError(
                "semi-natural sentences need dependency relations; the parser 'words' has none",
                hint="natural sentences need no parser: leave it out. Or "
                + parser_hint(words=False),
            )
        parsed = self.parsed or (self.parser and self.text)
        if "semi-natural" in self.data and not parsed:
            raise ConfigError(
                "semi-natural data needs a parsed corpus",
                hint="-o parsed=CORPUS.conllu, or -o text=CORPUS.en -o parser=PARSER: "
                + parser_hint(words=False),
            )
        if "natural" in self.data and self.text is None:
            raise ConfigError("natural data needs a text", hint="-o text=CORPUS.en")
        if not self.template:
            raise ConfigError(
                "no template is used", hint='[template.t1] np = "subj", vp = "obj", clause = "obj"'
            )

    @staticmethod
    def take_text(data: dict[str, Any], text: str, translation: str | None, language: str) -> None:
        """Take raw text for natural sentences, and with a parser for semi-natural ones."""
        data["text"] = text
        kinds = ["semi-natural", "natural"] if data.get("parser") else ["natural"]
        data["data"] = list(dict.fromkeys([*data.get("data", ()), *kinds]))
        if translation is not None:
            data["translations"] = translation

    def build(self, draft: Draft) -> None:
        """Write every split that has a size."""
        _Build(self, draft).write_all()

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
        """Prove that pairs are minimal and conjuncts shared, and count again."""
        sizes = benchmark.manifest.splits
        counted: dict[str, Any] = {"sizes": {split: sizes.get(split, 0) for split in _TESTS}}
        if "train" in sizes:
            idioms = self._idioms()
            sources = (example.source for example in benchmark.iterate("train"))
            counted["idioms_in_training"] = count_idioms(sources, [idiom.text for idiom in idioms])
        return Proof(counted, check_groups(benchmark), ("templates",), lambda certificate: _CARD)

    def _idioms(self) -> list[Idiom]:
        return read_idioms(
            self.source_language, self.target_language, self.idioms, self.idiom_keywords
        )


class DrawnCase(NamedTuple):
    """A drawn sentence: its maker, its name within the test, and its random numbers."""

    maker: SentenceMaker
    sentence: TemplateSentence
    name: str
    rng: np.random.Generator


class _Build:
    """The state of one build: sources of sentences, and what later splits need."""

    def __init__(self, recipe: ConsistencyTests, draft: Draft) -> None:
        self.recipe = recipe
        self.draft = draft
        source, target = recipe.source_language, recipe.target_language
        self.trees = TemplateTrees(recipe.grammar, source, target)
        self.synthetic = SyntheticSentences(self.trees, recipe.template)
        self.makers: list[SentenceMaker] = []
        if "synthetic" in recipe.data:
            self.makers.append(self.synthetic)
        if "semi-natural" in recipe.data:
            parsed = recipe.parsed
            if parsed is None and recipe.text is not None and recipe.parser:
                parsed = parsed_text(recipe.text, recipe.parser)
            if parsed is not None:
                self.makers.append(_frames(recipe, parsed, self.trees))
        self.natural: NaturalText | None = None
        if recipe.text is not None and "natural" in recipe.data:
            self.natural = NaturalText(
                recipe.text, recipe.translations, set_apart=recipe.training is not None
            )
        self.synonyms = read_synonyms(source, target, recipe.synonyms, recipe.synonym_renderings)
        self.idioms = recipe._idioms()
        if self.makers:
            require_clauses(self.synonyms, "synonym pair")
            require_clauses(self.idioms, "idiom")
        # What the tests showed: second conjuncts and bases in order, and every source.
        self.clauses: list[str] = []
        self.bases: list[str] = []
        self.tested: set[str] = set()

    def write_all(self) -> None:
        """Write the splits; probes and training last, because they depend on the tests."""
        recipe = self.recipe
        sizes: dict[str, int] = {"sentences": 0}
        if recipe.sentences:
            sizes["sentences"] = self._write("sentences", self._sentences())
        sizes["systematicity"] = self._write(
            "systematicity", chain(self._noun_pairs(), self._conjunctions())
        )
        sizes["substitutivity"] = self._write("substitutivity", self._synonym_pairs())
        sizes["overgeneralisation"] = self._write("overgeneralisation", self._idiom_sentences())
        sizes["context"] = 0
        if recipe.context_samples:
            sizes["context"] = self._write("context", self._idioms_among_words())
        sizes["probe"] = self._write("probe", self._probes())
        certificate: dict[str, Any] = {
            "sizes": sizes,
            "templates": {name: self.trees.count(name) for name in recipe.template},
        }
        if recipe.training is not None:
            certificate["idioms_in_training"] = self._write_training(recipe.training)
        self.draft.certificate(certificate)
        self.draft.set_card(_CARD)

    def _write(self, split: str, examples: Iterable[Example]) -> int:
        """Write a split and remember its sources: training must not hold them."""
        natural = self.recipe.spacing == "natural"
        with progress(f"write {split}") as bar:

            def remembered() -> Iterator[Example]:
                for example in examples:
                    self.tested.add(example.source)
                    bar.advance()
                    yield naturally_spaced(example) if natural else example

            return self.draft.write(split, remembered())

    def _random(self, test: str, data: str, *places: int) -> np.random.Generator:
        return random_stream(self.draft.seed, test, data, *places)

    def _drawn(self, test: str, size: int) -> Iterator[DrawnCase]:
        """Yield the sentences of every kind of data and template, with their random numbers."""
        for maker in self.makers:
            for place, template in enumerate(maker.templates):
                rng = self._random(test, maker.data, place)
                for number, sentence in enumerate(maker.draw(template, size, rng)):
                    yield DrawnCase(maker, sentence, f"{maker.data}/{template}/{number}", rng)

    def _sentences(self) -> Iterator[Example]:
        for place, template in enumerate(self.synthetic.templates):
            rng = self._random("sentences", self.synthetic.data, place)
            for sentence in self.synthetic.draw(template, self.recipe.sentences, rng):
                yield Example.make(
                    source=sentence.source,
                    references=references_of(sentence),
                    tags={"template": template, "data": sentence.data},
                    salt="sentences",
                )

    def _noun_pairs(self) -> Iterator[Example]:
        """Yield S -> NP VP: a base, and a variant with another noun in each part."""
        for maker, base, name, rng in self._drawn("pairs", self.recipe.pairs):
            group = f"np-vp/{name}"
            roles = maker.roles(base.template)
            self.bases.append(base.source)
            focus = tuple(slot_focus(base, role, role) for role in roles)
            yield group_example(base, "base", group, base.source, focus)
            for role in roles:
                variant = maker.swap(base, role, rng)
                focus = (slot_focus(variant, role, role),)
                yield group_example(variant, role, group, variant.source, focus)

    def _conjunctions(self) -> Iterator[Example]:
        """Yield S -> S CONJ S: one second conjunct behind three first ones."""
        size = self.recipe.triples
        for _, second, name, rng in self._drawn("triples", size):
            yield from self._triple(second, f"conj/{name}", rng)
        if self.natural is not None and size:
            rng = self._random("triples", "natural", 0)
            templates = self.synthetic.templates
            found = self.natural.matched(self.clauses, size * len(templates), rng)
            for number, text in enumerate(found):
                template = templates[number % len(templates)]
                second = TemplateSentence(text, template, "natural", is_question=text.endswith("?"))
                yield from self._triple(second, f"conj/natural/{number}", rng)

    def _triple(
        self, second: TemplateSentence, group: str, rng: np.random.Generator
    ) -> Iterator[Example]:
        synthetic = self.synthetic
        others = [name for name in synthetic.templates if name != second.template]
        first, third = (others[int(i)] for i in rng.permutation(len(others))[:2])
        s1 = synthetic.draw(first, 1, rng)[0]
        s3 = synthetic.draw(third, 1, rng)[0]
        if second.is_question:
            s1, s3 = synthetic.question(s1), synthetic.question(s3)
        self.clauses.append(second.source)
        for role, opening in (("base", s1), ("s1p", synthetic.swap(s1, "vp", rng)), ("s3", s3)):
            source, start = join_sentences(opening, second.source, self.recipe.join)
            clause = Focus(text=second.source, role="clause", start=start, end=len(source))
            focus: tuple[Focus, ...] = (clause,)
            if role == "s1p":
                focus = (slot_focus(opening, "vp", "s1p"), clause)
            yield group_example(second, role, group, source, focus)

    def _synonym_pairs(self) -> Iterator[Example]:
        for maker in self.makers:
            for place, template in enumerate(maker.templates):
                for number, pair in enumerate(self.synonyms):
                    rng = self._random("synonyms", maker.data, place, number)
                    drawn = maker.draw(template, self.recipe.synonym_samples, rng)
                    for index, base in enumerate(drawn):
                        group = f"synonym/{maker.data}/{template}/{number}/{index}"
                        yield from synonym_examples(base, pair, group)
        if self.natural is not None:
            for number, pair in enumerate(self.synonyms):
                rng = self._random("natural", "synonyms", number)
                found = self.natural.with_synonyms(pair, self.recipe.natural_samples, rng)
                for index, sentences in enumerate(found):
                    yield from sentences.examples(pair, f"synonym/natural/{number}/{index}")

    def _idiom_sentences(self) -> Iterator[Example]:
        for maker in self.makers:
            for place, template in enumerate(maker.templates):
                for number, idiom in enumerate(self.idioms):
                    rng = self._random("idioms", maker.data, place, number)
                    for base in maker.draw(template, self.recipe.idiom_samples, rng):
                        source, _ = base.with_clause(idiom.clause)
                        tags = {"idiom": idiom.text, "data": base.data, "template": template}
                        yield idiom_example(source, idiom, tags)
        if self.natural is not None:
            for idiom in self.idioms:
                # By its text, not its place: another list of idioms finds the same sentences.
                place = int(identity_of(idiom.text)[:8], 16)
                rng = self._random("natural", "idioms", 1, place)
                found = self.natural.with_idiom(idiom, self.recipe.natural_samples, rng)
                for source, reference in found:
                    tags = {"idiom": idiom.text, "data": "natural"}
                    yield idiom_example(source, idiom, tags, reference)

    def _idioms_among_words(self) -> Iterator[Example]:
        """Yield idioms among random words: section 4.3.2 asks whether context matters."""
        recipe = self.recipe
        words = read_words(recipe.source_language, recipe.words)
        for number, idiom in enumerate(self.idioms):
            rng = self._random("context", "random", number)
            for _ in range(recipe.context_samples):
                places = rng.permutation(len(words))[: recipe.context_words]
                chosen = [words[int(place)] for place in places]
                chosen.insert(int(rng.integers(len(chosen) + 1)), idiom.text)
                tags = {"idiom": idiom.text, "data": "random-words"}
                yield idiom_example(" ".join(chosen), idiom, tags)

    def _probes(self) -> Iterator[Example]:
        recipe = self.recipe
        uses = recipe.template.values()
        classes = tuple(dict.fromkeys(name for use in uses for name in use.swap))
        yield from phrase_probes(self.trees.phrases(classes))
        yield from word_probes(self.synonyms, self.idioms)
        if recipe.clause_probes:
            yield from clause_probes(self.clauses)
        yield from repeat_probes(self.bases, recipe.repeats, self._random("repeats", "", 0))

    def _write_training(self, path: Path) -> dict[str, int]:
        """Write train and dev splits; return how often training shows each idiom."""
        recipe = self.recipe
        pairs = read_training(
            path, recipe.training_translations, recipe.source_language, recipe.target_language
        )
        train = write_training(
            self.draft,
            pairs,
            [],
            size=recipe.training_size,
            dev_size=recipe.dev_size,
            forbidden=self.tested | set(self.clauses),
            rng=self._random("training", "", 0),
        )
        return count_idioms(
            (example.source for example in train), [idiom.text for idiom in self.idioms]
        )


def _frames(recipe: ConsistencyTests, corpus: Path, trees: TemplateTrees) -> FrameSentences:
    low, high = (*recipe.fragment_tokens, *recipe.fragment_tokens)[:2]
    return FrameSentences.from_corpus(
        corpus,
        trees,
        language=recipe.source_language,
        frames=recipe.frames,
        fewest=recipe.fragment_count,
        tokens=(low, high),
    )


# One stream of random numbers per test, kind of data and place, so that the size of one does not
# disturb another. What is drawn depends on the order of these names: new ones go to the end.
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
_TESTS = (
    "sentences", "systematicity", "substitutivity", "overgeneralisation", "context", "probe",
)  # fmt: skip
_KINDS = ("synthetic", "semi-natural", "natural")


def random_stream(seed: int, test: str, data: str, *places: int) -> np.random.Generator:
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

## Ceiling

There is no control: a pair tests a system against itself, and nothing was kept out of training.
Each share can reach 100 for a system that answers one sentence one way; the repeated sentences of
`probe` show whether it does. Two trainings of one system do not agree on every sentence, and two
sentences that differ cannot be asked to agree more: train two seeds and compare their outputs. A
synonym that is rare is difficult, new or not: read the pairs of two frequent terms by themselves.
"""
