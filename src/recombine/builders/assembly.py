"""Assembling a compound benchmark after alignment: atoms, compounds, contexts, examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from recombine.benchmark import Example, Focus
from recombine.builders.alignment import Alignment
from recombine.builders.atom_choice import (
    STRICTLY_SINGULAR,
    Usage,
    choose,
    collect,
    singular_determiners,
)
from recombine.builders.bilingual_lexicon import links_of_words, renderings
from recombine.builders.compose import ChosenAtom, Embedded, Embedder, Limits, compose
from recombine.builders.corpus_filter import Pair
from recombine.builders.ngram_model import NgramModel
from recombine.builders.templates import Phrase, find_phrases
from recombine.metrics.segment import segment

if TYPE_CHECKING:
    from recombine.builders.compounds import Compounds


class Assembly:
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
        self.strict = singular_determiners(pairs, ("det",), STRICTLY_SINGULAR)
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
            if role == "N" and self.strict:
                allowed = frozenset(
                    w for w in candidates.counts["N"] if self.usage.is_singular(w, self.strict)
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
        return len(seen_in((words_of(pair.source) for pair in self.pairs), texts))


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


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case."""
    return tuple(token.lower() for token in segment(text))


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
