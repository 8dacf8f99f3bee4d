"""The sentences of each consistency test, as Dankers, Bruni & Hupkes (2022), section 4, make them.

Every function yields the examples of one test. Sentences come from makers (synthetic and
semi-natural data) and from natural text, where the recipe has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from recombine.benchmark import Example, Focus
from recombine.builders.consistency.examples import (
    group_example,
    idiom_example,
    references_of,
    slot_focus,
    synonym_examples,
)
from recombine.builders.consistency.natural import NaturalText
from recombine.builders.consistency.options import ConsistencyOptions
from recombine.builders.consistency.seminatural import FrameSentences
from recombine.builders.consistency.synthetic import (
    SentenceMaker,
    SyntheticSentences,
    TemplateSentence,
    TemplateTrees,
    join_sentences,
)
from recombine.builders.consistency.wordlists import (
    Idiom,
    SynonymPair,
    read_idioms,
    read_synonyms,
    require_clauses,
)
from recombine.corpus.parsers import parsed_text
from recombine.stage import identity_of

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
_KINDS = ("synthetic", "semi-natural", "natural")


class Streams(Protocol):
    """The random numbers of a test, a kind of data and a place in it."""

    def __call__(self, test: str, data: str, *places: int) -> np.random.Generator: ...


def random_streams(seed: int) -> Streams:
    """Return the random numbers of a build."""
    return partial(_stream, seed)


def _stream(seed: int, test: str, data: str, *places: int) -> np.random.Generator:
    kind = _KINDS.index(data) if data in _KINDS else len(_KINDS)
    key = (_STREAMS.index(test), kind, *places)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


class Material(NamedTuple):
    """What sentences are made from: a template grammar, corpora, synonyms and idioms."""

    trees: TemplateTrees
    synthetic: SyntheticSentences
    makers: list[SentenceMaker]
    natural: NaturalText | None
    synonyms: list[SynonymPair]
    idioms: list[Idiom]


def read_material(options: ConsistencyOptions) -> Material:
    """Read everything that a recipe names but its training text."""
    source, target = options.source_language, options.target_language
    trees = TemplateTrees(options.grammar, source, target)
    synthetic = SyntheticSentences(trees, options.template)
    makers: list[SentenceMaker] = [synthetic] if "synthetic" in options.data else []
    natural = None
    if "semi-natural" in options.data:
        makers.append(_read_frames(options, trees))
    if options.text is not None and "natural" in options.data:
        natural = NaturalText(
            options.text, options.translations, set_apart=options.training is not None
        )
    synonyms = read_synonyms(source, target, options.synonyms, options.synonym_renderings)
    idioms = read_idioms(source, target, options.idioms, options.idiom_keywords)
    if makers:
        require_clauses(synonyms, "synonym pair")
        require_clauses(idioms, "idiom")
    return Material(trees, synthetic, makers, natural, synonyms, idioms)


def _read_frames(options: ConsistencyOptions, trees: TemplateTrees) -> FrameSentences:
    parsed = options.parsed
    if parsed is None and options.text is not None and options.parser:
        parsed = parsed_text(options.text, options.parser)
    low, high = (*options.fragment_tokens, *options.fragment_tokens)[:2]
    return FrameSentences.from_corpus(
        parsed,
        trees,
        language=options.source_language,
        frames=options.frames,
        fewest=options.fragment_count,
        tokens=(low, high),
    )


def plain_sentences(material: Material, size: int, random: Streams) -> Iterator[Example]:
    """Yield sentences of every template, by themselves."""
    synthetic = material.synthetic
    for place, template in enumerate(synthetic.templates):
        rng = random("sentences", synthetic.data, place)
        for sentence in synthetic.draw(template, size, rng):
            yield Example.make(
                source=sentence.source,
                references=references_of(sentence),
                tags={"template": template, "data": sentence.data},
                salt="sentences",
            )


class DrawnCase(NamedTuple):
    """A drawn sentence: its maker, its name within the test, and its random numbers."""

    maker: SentenceMaker
    sentence: TemplateSentence
    name: str
    rng: np.random.Generator


def _drawn(material: Material, test: str, size: int, random: Streams) -> Iterator[DrawnCase]:
    """Yield the sentences of every kind of data and template, with their random numbers."""
    for maker in material.makers:
        for place, template in enumerate(maker.templates):
            rng = random(test, maker.data, place)
            for number, sentence in enumerate(maker.draw(template, size, rng)):
                yield DrawnCase(maker, sentence, f"{maker.data}/{template}/{number}", rng)


def noun_pairs(material: Material, size: int, random: Streams) -> Iterator[Example]:
    """Yield S -> NP VP: a base, and a variant with another noun in each part."""
    for maker, base, name, rng in _drawn(material, "pairs", size, random):
        group = f"np-vp/{name}"
        roles = maker.roles(base.template)
        focus = tuple(slot_focus(base, role, role) for role in roles)
        yield group_example(base, "base", group, base.source, focus)
        for role in roles:
            variant = maker.swap(base, role, rng)
            focus = (slot_focus(variant, role, role),)
            yield group_example(variant, role, group, variant.source, focus)


def conjunctions(material: Material, size: int, join: str, random: Streams) -> Iterator[Example]:
    """Yield S -> S CONJ S: one second conjunct behind three first ones."""
    clauses = []
    for _, second, name, rng in _drawn(material, "triples", size, random):
        clauses.append(second.source)
        yield from _triple(material.synthetic, second, f"conj/{name}", join, rng)
    if material.natural is not None and size:
        rng = random("triples", "natural", 0)
        templates = material.synthetic.templates
        for number, text in enumerate(
            material.natural.matched(clauses, size * len(templates), rng)
        ):
            template = templates[number % len(templates)]
            second = TemplateSentence(text, template, "natural", is_question=text.endswith("?"))
            yield from _triple(material.synthetic, second, f"conj/natural/{number}", join, rng)


def _triple(
    synthetic: SyntheticSentences,
    second: TemplateSentence,
    group: str,
    join: str,
    rng: np.random.Generator,
) -> Iterator[Example]:
    others = [name for name in synthetic.templates if name != second.template]
    first, third = (others[int(i)] for i in rng.permutation(len(others))[:2])
    s1 = synthetic.draw(first, 1, rng)[0]
    s3 = synthetic.draw(third, 1, rng)[0]
    if second.is_question:
        s1, s3 = synthetic.question(s1), synthetic.question(s3)
    for role, opening in (("base", s1), ("s1p", synthetic.swap(s1, "vp", rng)), ("s3", s3)):
        source, start = join_sentences(opening, second.source, join)
        clause = Focus(text=second.source, role="clause", start=start, end=len(source))
        focus: tuple[Focus, ...] = (clause,)
        if role == "s1p":
            focus = (slot_focus(opening, "vp", "s1p"), clause)
        yield group_example(second, role, group, source, focus)


def synonym_pairs(
    material: Material, size: int, natural_size: int, random: Streams
) -> Iterator[Example]:
    """Yield sentences with a term, and the same with its synonym."""
    for maker in material.makers:
        for place, template in enumerate(maker.templates):
            for number, pair in enumerate(material.synonyms):
                rng = random("synonyms", maker.data, place, number)
                for index, base in enumerate(maker.draw(template, size, rng)):
                    group = f"synonym/{maker.data}/{template}/{number}/{index}"
                    yield from synonym_examples(base, pair, group)
    if material.natural is not None:
        for number, pair in enumerate(material.synonyms):
            rng = random("natural", "synonyms", number)
            sentences = material.natural.with_synonyms(pair, natural_size, rng)
            for index, sentence in enumerate(sentences):
                yield from sentence.examples(pair, f"synonym/natural/{number}/{index}")


def idiom_sentences(
    material: Material, size: int, natural_size: int, random: Streams
) -> Iterator[Example]:
    """Yield sentences with an idiom."""
    for maker in material.makers:
        for place, template in enumerate(maker.templates):
            for number, idiom in enumerate(material.idioms):
                rng = random("idioms", maker.data, place, number)
                for base in maker.draw(template, size, rng):
                    source, _ = base.with_clause(idiom.clause)
                    tags = {"idiom": idiom.text, "data": base.data, "template": template}
                    yield idiom_example(source, idiom, tags)
    if material.natural is not None:
        for idiom in material.idioms:
            # By its text, not its place: another list of idioms finds the same sentences.
            place = int(identity_of(idiom.text)[:8], 16)
            rng = random("natural", "idioms", 1, place)
            tags = {"idiom": idiom.text, "data": "natural"}
            for source, reference in material.natural.with_idiom(idiom, natural_size, rng):
                yield idiom_example(source, idiom, tags, reference)


def idioms_among_words(
    idioms: Sequence[Idiom], words: Sequence[str], size: int, length: int, random: Streams
) -> Iterator[Example]:
    """Yield idioms among random words: section 4.3.2 asks whether context matters."""
    for number, idiom in enumerate(idioms):
        rng = random("context", "random", number)
        for _ in range(size):
            places = rng.permutation(len(words))[:length]
            chosen = [words[int(place)] for place in places]
            chosen.insert(int(rng.integers(len(chosen) + 1)), idiom.text)
            tags = {"idiom": idiom.text, "data": "random-words"}
            yield idiom_example(" ".join(chosen), idiom, tags)
