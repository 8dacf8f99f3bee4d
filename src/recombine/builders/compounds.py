"""Builder `compounds`: novel compounds of known atoms in known contexts, from any parsed corpus.

The method of Li et al. 2021 (CoGnition) for any language pair: filter the corpus, align its words,
choose atoms that are translated consistently, compose them into patterns that the recipe declares,
put every compound into several sentence templates taken from parses. Train, dev and test are the
filtered corpus; `gen` holds the compounds, `context` the original sentence of every template.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice, product
from pathlib import Path
from typing import Any, Literal

import numpy as np

from recombine.benchmark import Benchmark, Draft, Example, Focus
from recombine.builders.alignment import Alignment, align, align_with_eflomal
from recombine.builders.atom_choice import Role, Usage, choose, collect, singular_determiners
from recombine.builders.bilingual_lexicon import links_of_words, renderings
from recombine.builders.compose import ChosenAtom, Embedded, Embedder, Limits, compose
from recombine.builders.corpus_filter import Filtered, Pair, filter_corpus, statistics_table
from recombine.builders.ngram_model import NgramModel
from recombine.builders.parsed import read_parsed
from recombine.builders.review import read_references, review_lines
from recombine.builders.templates import Phrase, Slot, find_phrases
from recombine.errors import ConfigError, DataError, RecombineError
from recombine.files import read_json
from recombine.metrics.segment import segment
from recombine.run import progress

BARE = ("DET N", "DET ADJ N", "DET N MOD", "DET ADJ N MOD")


def paper_patterns() -> dict[str, tuple[str, ...]]:
    """Return the twelve patterns of the paper's Table 3."""
    return {
        "NP": BARE,
        "VP": tuple(f"V {pattern}" for pattern in BARE),
        "PP": tuple(f"P {pattern}" for pattern in BARE),
    }


def known_slots() -> dict[str, Slot]:
    """Return where the three categories stand, in UD and in ClearNLP labels."""
    return {
        "NP": Slot(relations=("nsubj", "nsubjpass", "nsubj:pass")),
        "VP": Slot(relations=("dobj", "obj"), head="V"),
        "PP": Slot(relations=("pobj", "obl", "nmod"), head="P"),
    }


def paper_roles() -> dict[str, Role]:
    """Return the paper's numbers of atoms, with our thresholds of consistency."""
    return {
        "DET": Role(count=5, relations=("det",), coverage=0.6, unchecked=True),
        "ADJ": Role(count=5, relations=("amod",)),
        "N": Role(count=8),
        "MOD": Role(count=2, relations=("prep", "nmod"), coverage=0.5),
        "V": Role(count=19, coverage=0.3),
        "P": Role(count=17, coverage=0.5, unchecked=True),
    }


@dataclass(kw_only=True)
class Compounds:
    """The recipe keys of `builder = "compounds"`; docs/how-to/compounds.md explains each.

    `floor`: least corpus frequency of an atom (the paper's rarest has 34). `reuse`: contexts are
    used at most so often. `worst_drop`: how much worse than its original a sentence may read, in
    mean log probability of a trigram. `references`: a TSV of source and reference; `drafts`: the
    same with machine translations, to be post-edited in the `review.tsv` that is written.
    """

    corpus: Path
    target_language: str = ""
    limit: int = 0
    shortest: int = 4
    longest: int = 25
    longest_target: int = 50
    vocabulary: int = 8000
    dev: int = 1000
    test: int = 1000
    aligner: Literal["ibm1", "eflomal"] = "ibm1"
    floor: int = 34
    clusters: int = 3
    patterns: dict[str, tuple[str, ...]] = field(default_factory=paper_patterns)
    slots: dict[str, Slot] = field(default_factory=known_slots)
    roles: dict[str, Role] = field(default_factory=paper_roles)
    longest_phrase: int = 8
    contexts: int = 5
    reuse: int = 3
    shortest_context: int = 4
    worst_drop: float = 4.0
    keep_seen: bool = False
    references: Path | None = None
    drafts: Path | None = None

    def __post_init__(self) -> None:
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
                head = self.slots[category].head
                if head and pattern.split()[0] != head:
                    raise ConfigError(f"pattern '{pattern}' must begin with its head '{head}'")

    def build(self, draft: Draft) -> None:
        """Run the steps in order and write every split."""
        if not self.target_language:
            raise ConfigError("[benchmark] must name the 'target' language of the corpus")
        filtered = self._filter()
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(draft.seed)))
        train, dev, test = self._hold_out(filtered.pairs, generator)
        with progress("align words", 1) as bar:
            alignment = self._align(train)
            bar.advance()
        work = _Work(self, train, alignment, generator)
        embedded = work.embed_all()
        if not embedded:
            raise DataError(
                "no compound found enough contexts",
                hint="raise reuse or worst_drop, or take a larger corpus",
            )
        references = read_references(self.references) if self.references else {}
        for split, pairs in (("train", train), ("dev", dev), ("test", test)):
            draft.write(
                split, (Example.make(source=p.source, references=[p.target]) for p in pairs)
            )
        examples = list(work.examples(embedded, references))
        draft.write("gen", examples)
        draft.write("context", work.originals(embedded))
        drafts = read_references(self.drafts) if self.drafts else {}
        if any(not example.references for example in examples):
            draft.file("review.tsv", "\n".join(review_lines(examples, drafts)) + "\n")
        draft.file("statistics.tsv", "\n".join(statistics_table(filtered.statistics)) + "\n")
        draft.file("atoms.tsv", "\n".join(work.atom_lines()) + "\n")
        certificate = {
            **census(examples, Counter(e.phrase.sentence for e in embedded)),
            "removed_by_filter": filtered.removed,
            "rejected_contexts": work.rejected(),
            "compounds_seen_in_train": work.seen_count(embedded),
            "compounds_without_contexts": work.dropped,
        }
        draft.certificate(certificate)
        draft.card(_card(certificate, [asdict(one) for one in filtered.statistics]))

    @staticmethod
    def check(benchmark: Benchmark) -> list[RecombineError]:
        """Recount compounds and contexts, and look for the compounds in the training data."""
        stored = read_json(benchmark.path / "certificate.json")
        examples = benchmark.read("gen")
        counted = census(examples, None)
        counted["compounds_seen_in_train"] = len(
            seen_in(
                (_words(example.source) for example in benchmark.iterate("train")),
                {str(example.tags["compound"]).lower() for example in examples},
            )
        )
        return [
            DataError(f"certificate says {key} = {stored.get(key)!r}, the files say {value!r}")
            for key, value in counted.items()
            if stored.get(key) != value
        ]

    def _filter(self) -> Filtered:
        sentences = read_parsed(self.corpus)
        with progress("read corpus", None) as bar:

            def counted() -> Iterator[Any]:
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
            raise DataError(
                f"{len(filtered.pairs)} pairs are left after filtering "
                f"({filtered.removed}), not enough for dev {self.dev} and test {self.test}"
            )
        return filtered

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

    def _align(self, pairs: Sequence[Pair]) -> Alignment:
        aligner = align if self.aligner == "ibm1" else align_with_eflomal
        return aligner([pair.tokens for pair in pairs], [pair.target_tokens for pair in pairs])


class _Work:
    """The state of one build after alignment."""

    def __init__(
        self,
        recipe: Compounds,
        pairs: Sequence[Pair],
        alignment: Alignment,
        generator: np.random.Generator,
    ) -> None:
        self.recipe = recipe
        self.pairs = pairs
        self.generator = generator
        self.links = links_of_words(alignment)
        self.frequencies = Counter(token for pair in pairs for token in pair.tokens)
        objects = [r for slot in recipe.slots.values() if slot.head == "V" for r in slot.relations]
        self.usage = Usage(pairs, objects)
        self.dropped = 0
        self.embedders: dict[str, Embedder] = {}
        self.phrases = {
            category: [
                phrase
                for number, pair in enumerate(pairs)
                for phrase in find_phrases(
                    pair, number, recipe.slots[category], recipe.longest_phrase
                )
            ]
            for category in recipe.patterns
        }
        self.atoms = {
            category: self._choose(category, phrases, alignment)
            for category, phrases in self.phrases.items()
        }

    def _choose(
        self, category: str, phrases: Sequence[Phrase], alignment: Alignment
    ) -> dict[str, list[ChosenAtom]]:
        recipe = self.recipe
        head = recipe.slots[category].head
        used = {role for pattern in recipe.patterns[category] for role in pattern.split()}
        roles = {role: one for role, one in recipe.roles.items() if role in used}
        candidates = collect(self.pairs, phrases, roles, head, alignment)
        chosen: dict[str, list[ChosenAtom]] = {}
        # Articles last: they must go with the words that were chosen.
        for role, wanted in sorted(roles.items(), key=lambda item: item[0] == "DET"):
            allowed = None
            if role == "DET":
                nexts = [atom.text for one in ("ADJ", "N") for atom in chosen.get(one, ())]
                allowed = frozenset(
                    word
                    for word in singular_determiners(self.pairs, wanted.relations)
                    if self.usage.may_precede(word, nexts)
                )
            if role == head:
                # A head needs templates enough for its share of the compounds.
                enough = max(recipe.contexts, 20)
                allowed = frozenset(w for w, n in candidates.counts[role].items() if n >= enough)
            chosen[role] = choose(
                role,
                wanted,
                candidates,
                self.links,
                self.frequencies,
                floor=recipe.floor,
                clusters=recipe.clusters,
                allowed=allowed,
                usage=self.usage,
            )
        return chosen

    def embed_all(self) -> list[Embedded]:
        """Compose all compounds and give each its contexts."""
        recipe = self.recipe
        model = NgramModel(pair.tokens for pair in self.pairs)
        limits = Limits(
            recipe.contexts, recipe.reuse, recipe.shortest_context, recipe.longest,
            recipe.worst_drop,
        )  # fmt: skip
        found: list[Embedded] = []
        used: Counter[int] = Counter()
        for category, patterns in recipe.patterns.items():
            head = recipe.slots[category].head
            atoms = self.atoms[category]
            possible = {
                " ".join(atom.text for atom in cell).lower()
                for pattern in patterns
                for cell in product(*(atoms[role] for role in pattern.split()))
            }
            seen = seen_in((pair.tokens for pair in self.pairs), possible)
            embedder = Embedder(
                self.pairs, self.phrases[category], model, limits, self.generator, used
            )
            self.embedders[category] = embedder
            for compound in compose(category, patterns, head, atoms, self.generator, seen):
                if compound.text.lower() in seen and not recipe.keep_seen:
                    self.dropped += 1
                    continue
                contexts = embedder.embed(compound, compound.atoms[0].text if head else "")
                self.dropped += not contexts
                found.extend(contexts)
        return found

    def examples(
        self, embedded: Iterable[Embedded], references: Mapping[str, str]
    ) -> Iterator[Example]:
        """Yield the generalisation split."""
        for one in embedded:
            compound = one.compound
            reference = references.get(one.source)
            context = len(self.pairs[one.phrase.sentence].tokens)
            context -= one.phrase.end - one.phrase.start + bool(one.phrase.head >= 0)
            yield Example.make(
                source=one.source,
                references=[reference] if reference else [],
                tags={
                    "pattern": compound.pattern,
                    "category": compound.category,
                    "length": len(compound.atoms),
                    "contexts": self.recipe.contexts,
                    "context_length": context,
                    "rarest_atom": min(atom.frequency for atom in compound.atoms),
                    "mdd": dependency_distance(self.pairs[one.phrase.sentence]),
                    "compound": compound.text,
                },
                group=f"{compound.category}: {compound.text}",
                role="context",
                focus=_focus(one),
                salt=str(one.phrase.sentence),
            )

    def originals(self, embedded: Iterable[Embedded]) -> Iterator[Example]:
        """Yield the original sentence of every template, once (the paper's row 'Train')."""
        done: set[Phrase] = set()
        for one in embedded:
            if one.phrase in done:
                continue
            done.add(one.phrase)
            pair = self.pairs[one.phrase.sentence]
            first = one.phrase.head if one.phrase.head >= 0 else one.phrase.start
            tokens = range(first, one.phrase.end)
            text = pair.source[pair.starts[first] : pair.ends[one.phrase.end - 1]]
            yield Example.make(
                source=pair.source,
                references=[pair.target],
                tags={
                    "category": one.compound.category,
                    "length": len(tokens),
                    "contexts": 1,
                    "compound": text,
                },
                group=f"{one.compound.category} original: {text} ({one.phrase.sentence})",
                role="original",
                focus=[self._original_focus(pair, one, token) for token in tokens],
                salt="context",
            )

    def _original_focus(self, pair: Pair, one: Embedded, token: int) -> Focus:
        head = self.recipe.slots[one.compound.category].head
        roles = {"det": "DET", "amod": "ADJ"}
        role = roles.get(pair.relations[token], "W")
        if token == one.phrase.head:
            role = head
        elif token == one.phrase.noun:
            role = "N"
        word = pair.tokens[token]
        known = renderings(self.links.get(word, {}), clusters=self.recipe.clusters, source=word)
        checked = known.links >= self.recipe.floor and role in self.recipe.roles
        enough = checked and known.coverage >= self.recipe.roles[role].coverage
        return Focus(
            text=pair.source[pair.starts[token] : pair.ends[token]],
            role=role,
            accepted=known.forms if enough else (),
            start=pair.starts[token],
            end=pair.ends[token],
        )

    def atom_lines(self) -> Iterator[str]:
        """Yield the lexicon of chosen atoms as TSV."""
        yield "category\trole\tatom\tfrequency\tcoverage\taccepted"
        for category, roles in self.atoms.items():
            for atoms in roles.values():
                for atom in atoms:
                    accepted = "/".join(atom.accepted) or "/"
                    cells = (category, atom.role, atom.text, str(atom.frequency))
                    yield "\t".join((*cells, f"{atom.coverage:.3f}", accepted))

    def rejected(self) -> dict[str, int]:
        """Return why candidate contexts were not taken."""
        total: Counter[str] = Counter()
        for embedder in self.embedders.values():
            total.update(embedder.rejected)
        return dict(sorted(total.items()))

    def seen_count(self, embedded: Sequence[Embedded]) -> int:
        """Return how many of the compounds occur in the training data."""
        texts = {one.compound.text.lower() for one in embedded}
        return len(seen_in((_words(pair.source) for pair in self.pairs), texts))


def dependency_distance(pair: Pair) -> float:
    """Return the mean distance of words and their heads in the original sentence (section 6.6).

    Liu 2008: the root and punctuation are left out.
    """
    distances = [
        abs(token - head)
        for token, (head, relation) in enumerate(zip(pair.heads, pair.relations, strict=True))
        if head >= 0 and relation != "punct"
    ]
    return round(sum(distances) / len(distances), 3) if distances else 0.0


def seen_in(sentences: Iterable[Sequence[str]], texts: set[str]) -> set[str]:
    """Return the texts that occur in the sentences as consecutive words."""
    lengths: dict[str, set[int]] = {}
    for text in texts:
        words = text.split()
        lengths.setdefault(words[0], set()).add(len(words))
    found: set[str] = set()
    for sentence in sentences:
        for place, word in enumerate(sentence):
            for length in lengths.get(word, ()):
                text = " ".join(sentence[place : place + length])
                if text in texts:
                    found.add(text)
    return found


def census(examples: Sequence[Example], uses: Counter[int] | None) -> dict[str, Any]:
    """Return the counts that a stranger can verify."""
    sizes = Counter(example.group for example in examples)
    patterns = Counter(str(example.tags["pattern"]) for example in examples)
    counted: dict[str, Any] = {
        "sentences": len(examples),
        "compounds": len(sizes),
        "contexts_per_compound": sorted(set(sizes.values())),
        "sentences_per_pattern": dict(sorted(patterns.items())),
    }
    if uses is not None:
        counted["most_uses_of_a_context"] = max(uses.values(), default=0)
    return counted


def _focus(one: Embedded) -> list[Focus]:
    found = []
    at = one.start
    for atom in one.compound.atoms:
        text = one.source[at : at + len(atom.text)]
        found.append(
            Focus(
                text=text.lower(),
                role=atom.role,
                accepted=atom.accepted,
                start=at,
                end=at + len(text),
            )
        )
        at += len(atom.text) + 1
    return found


def _words(text: str) -> tuple[str, ...]:
    return tuple(token.lower() for token in segment(text))


def _card(certificate: Mapping[str, Any], statistics: Sequence[Mapping[str, Any]]) -> str:
    before, after = statistics
    return (
        f"{certificate['compounds']:,} novel compounds in "
        f"{'/'.join(map(str, certificate['contexts_per_compound']))} contexts each "
        "(method: Li et al. 2021). Atoms and their renderings: atoms.tsv. Original sentences of "
        "the contexts: split `context`.\n\n"
        f"Corpus: {before['pairs']:,} pairs read, {after['pairs']:,} kept "
        f"({after['source_types']:,} source and {after['target_types']:,} target types); "
        "statistics.tsv has the paper's Tables 7 and 8 for this corpus.\n\n"
        "Without references the metric `compound` judges with the lexicon and with fillers learned "
        "from outputs; say so when you report it."
    )
