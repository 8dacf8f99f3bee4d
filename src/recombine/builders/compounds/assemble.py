"""Assembling a compound benchmark after alignment: atoms, compounds, contexts, examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product

import numpy as np

from recombine.benchmark import Example, Focus
from recombine.builders.compounds.atoms import (
    ENOUGH,
    AtomPool,
    ChosenAtom,
    Role,
    ShortRole,
    choose,
    is_consistent,
    require_atoms,
    shortage,
)
from recombine.builders.compounds.contexts import (
    Composed,
    ContextLimits,
    Embedded,
    Embedder,
    NgramModel,
    compose,
)
from recombine.builders.compounds.control import CompoundFinder, HeldCompounds
from recombine.builders.compounds.filter import Pair
from recombine.builders.compounds.phrases import Phrase, Slot, find_phrases
from recombine.builders.compounds.renderings import Renderings
from recombine.builders.compounds.usage import SUBJECTS
from recombine.corpus.alignment import Alignment
from recombine.corpus.conllu import mean_distance

# Each category has atoms of its own for these roles, as the published test has.
OWN_ROLES = ("ADJ", "N", "MOD")


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


@dataclass(frozen=True, kw_only=True)
class CompoundDesign(ContextLimits):
    """What the compounds shall be: patterns per category, where they stand, which atoms they use.

    `keep_seen` keeps compounds that the training data have; `control` takes the sentences out of
    training that show them; the others are as in `Compounds`.
    """

    floor: int = 34
    clusters: int = 3
    rendering_share: float = 0.0
    patterns: dict[str, tuple[str, ...]] = field(default_factory=paper_patterns)
    slots: dict[str, Slot] = field(default_factory=known_slots)
    roles: dict[str, Role] = field(default_factory=paper_roles)
    longest_phrase: int = 8
    keep_seen: bool = False
    control: bool = False


class Assembly:
    """Atoms, compounds and contexts of one aligned corpus: the state of a build."""

    def __init__(
        self,
        design: CompoundDesign,
        pairs: Sequence[Pair],
        alignment: Alignment,
        generator: np.random.Generator,
    ) -> None:
        self.design = design
        self.pairs = pairs
        self.generator = generator
        objects = {slot.head: slot.relations for slot in design.slots.values() if slot.head}
        self.pool = AtomPool(
            pairs,
            alignment,
            design.roles,
            objects,
            design.floor,
            design.clusters,
            design.rendering_share,
        )
        self.dropped = 0
        self.held = HeldCompounds((frozenset(), frozenset()), {})
        self._renderings: dict[str, Renderings] = {}
        self.embedders: dict[str, Embedder] = {}
        self.phrases = {
            category: [
                phrase
                for number, pair in enumerate(pairs)
                for phrase in find_phrases(
                    pair, number, design.slots[category], design.longest_phrase
                )
                if self._is_template(pair, phrase)
            ]
            for category in design.patterns
        }
        self.atoms: dict[str, dict[str, list[ChosenAtom]]] = {}
        short: list[ShortRole] = []
        for category in design.patterns:
            self.atoms[category] = self._choose(category, short)
        require_atoms(short)

    def _is_template(self, pair: Pair, phrase: Phrase) -> bool:
        usage = self.pool.usage
        if not usage.has_usually(pair.tokens[phrase.noun], "N"):
            return False
        subject = pair.relations[phrase.noun] in SUBJECTS
        return not subject or usage.agrees_with_singular(pair, phrase.noun)

    def _choose(self, category: str, short: list[ShortRole]) -> dict[str, list[ChosenAtom]]:
        """The atoms of a category by role; roles that have too few are noted."""
        design = self.design
        head = design.slots[category].head
        used = {role for pattern in design.patterns[category] for role in pattern.split()}
        roles = {role: demand for role, demand in design.roles.items() if role in used}
        templates = Counter(
            self.pairs[phrase.sentence].tokens[phrase.head] for phrase in self.phrases[category]
        )
        # A head needs templates enough for its share of the compounds.
        heads = [word for word, count in templates.items() if count >= 4 * design.contexts]
        taken = {
            atom.text.lower()
            for roles_of in self.atoms.values()
            for role in OWN_ROLES
            for atom in roles_of.get(role, ())
        }
        chosen: dict[str, list[ChosenAtom]] = {}
        # Articles last: they must go with the words that were chosen.
        for role, wanted in sorted(roles.items(), key=lambda item: item[0] == "DET"):
            candidates = partial(
                self.pool.candidates,
                role,
                wanted,
                chosen=chosen,
                heads=heads if role == head else None,
                places=design.slots[category].relations,
            )
            atoms = choose(
                role,
                wanted,
                candidates(),
                self.pool.rules,
                taken=taken if role in OWN_ROLES else (),
            )
            if len(atoms) < ENOUGH * wanted.count:
                short.append(
                    shortage(
                        category,
                        role,
                        wanted,
                        len(atoms),
                        candidates(floor=1),
                        self.pool.rules,
                        floor=design.floor,
                    )
                )
            surface = self.pool.usage.surface
            chosen[role] = [atom._replace(text=surface(atom.text)) for atom in atoms]
        return chosen

    def embed_all(self) -> list[Embedded]:
        """Compose all compounds and give each its contexts."""
        design = self.design
        model = NgramModel(pair.tokens for pair in self.pairs)
        possible = {
            " ".join(atom.text for atom in cell).lower()
            for category, patterns in design.patterns.items()
            for pattern in patterns
            for cell in product(*(self.atoms[category][role] for role in pattern.split()))
        }
        finder = CompoundFinder(possible)
        seen = {text for pair in self.pairs for text in finder.in_words(pair.tokens)}
        compounds = {
            category: compose(
                category, patterns, design.slots[category].head, self.atoms[category],
                self.generator, partial(self._is_preferred, seen),
            )
            for category, patterns in design.patterns.items()
        }  # fmt: skip
        if design.control:
            composed = {category: list(cells) for category, cells in compounds.items()}
            texts = {compound.text.lower() for cells in composed.values() for compound in cells}
            self.held = HeldCompounds.draw(self.pairs, texts, self.generator)
            compounds = {category: iter(cells) for category, cells in composed.items()}
        embedded: list[Embedded] = []
        used: Counter[int] = Counter()
        for category, cells in compounds.items():
            head = design.slots[category].head
            phrases = [
                phrase
                for phrase in self.phrases[category]
                if phrase.sentence not in self.held.hidden
            ]
            embedder = Embedder(self.pairs, phrases, model, design, self.generator, used)
            self.embedders[category] = embedder
            for compound in cells:
                if compound.text.lower() in seen and not (design.keep_seen or design.control):
                    self.dropped += 1
                    continue
                contexts = embedder.embed(compound, compound.atoms[0].text if head else "")
                self.dropped += not contexts
                embedded.extend(contexts)
        return embedded

    def _is_preferred(self, seen: set[str], compound: Composed) -> bool:
        """Whether a head is taken for this: a new compound, or one that a control can show.

        Where seen compounds are wanted beside new ones, no head is preferred.
        """
        return self.design.keep_seen or (compound.text.lower() in seen) == self.design.control

    @property
    def visible(self) -> list[Pair]:
        """The pairs of training: those that show no compound, where these are hidden."""
        return [pair for number, pair in enumerate(self.pairs) if number not in self.held.hidden]

    def examples(
        self,
        embedded: Iterable[Embedded],
        references: Mapping[str, str],
        held_in: Mapping[str, str],
    ) -> Iterator[Example]:
        """Yield the generalisation split; `held_in` says what a control knows of a compound."""
        for embedding in embedded:
            compound = embedding.compound
            reference = references.get(embedding.source)
            context = len(self.pairs[embedding.phrase.sentence].tokens)
            context -= (
                embedding.phrase.end - embedding.phrase.start + bool(embedding.phrase.head >= 0)
            )
            half = held_in.get(compound.text.lower())
            yield Example.make(
                source=embedding.source,
                references=[reference] if reference else [],
                tags={
                    "pattern": compound.pattern,
                    "category": compound.category,
                    "length": len(compound.atoms),
                    "contexts": self.design.contexts,
                    "context_length": context,
                    "rarest_atom": min(atom.frequency for atom in compound.atoms),
                    "mdd": mean_distance(
                        self.pairs[embedding.phrase.sentence].heads,
                        self.pairs[embedding.phrase.sentence].relations,
                    ),
                    "compound": compound.text,
                    **({} if half is None else {"held_in": half}),
                },
                group=f"{compound.category}: {compound.text}",
                role="context",
                focus=_focus(embedding),
                salt=str(embedding.phrase.sentence),
            )

    def originals(self, embedded: Iterable[Embedded]) -> Iterator[Example]:
        """Yield the original sentence of every template, once (the paper's row 'Train')."""
        done: set[Phrase] = set()
        for embedding in embedded:
            if embedding.phrase in done:
                continue
            done.add(embedding.phrase)
            pair = self.pairs[embedding.phrase.sentence]
            first = embedding.phrase.head if embedding.phrase.head >= 0 else embedding.phrase.start
            tokens = range(first, embedding.phrase.end)
            text = pair.source[pair.starts[first] : pair.ends[embedding.phrase.end - 1]]
            category = embedding.compound.category
            yield Example.make(
                source=pair.source,
                references=[pair.target],
                tags={
                    "category": category,
                    "length": len(tokens),
                    "contexts": 1,
                    "compound": text,
                },
                group=f"{category} original: {text} ({embedding.phrase.sentence})",
                role="original",
                focus=[self._original_focus(pair, embedding, token) for token in tokens],
                salt="context",
            )

    def _original_focus(self, pair: Pair, embedding: Embedded, token: int) -> Focus:
        head = self.design.slots[embedding.compound.category].head
        roles = {"det": "DET", "amod": "ADJ"}
        role = roles.get(pair.relations[token], "W")
        if token == embedding.phrase.head:
            role = head
        elif token == embedding.phrase.noun:
            role = "N"
        word = pair.tokens[token]
        rendering = self._renderings.get(word)
        if rendering is None:
            rendering = self._renderings[word] = self.pool.rules.of(
                self.pool.links.get(word, {}), word
            )
        wanted = self.design.roles.get(role)
        enough = (
            rendering.links >= self.design.floor and wanted and is_consistent(rendering, wanted)
        )
        if wanted and wanted.unchecked and wanted.words:
            # Of words without content the recipe says which are asked for: "a" is often no word.
            enough = enough and word in wanted.words
        return Focus(
            text=pair.source[pair.starts[token] : pair.ends[token]],
            role=role,
            accepted=rendering.forms if enough else (),
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
        finder = CompoundFinder(embedding.compound.text.lower() for embedding in embedded)
        return len({text for pair in self.visible for text in finder.in_text(pair.source)})


def _focus(embedding: Embedded) -> list[Focus]:
    parts = []
    at = embedding.start
    for atom in embedding.compound.atoms:
        text = embedding.source[at : at + len(atom.text)]
        parts.append(
            Focus(
                text=text.lower(),
                role=atom.role,
                accepted=atom.accepted,
                start=at,
                end=at + len(text),
            )
        )
        at += len(atom.text) + 1
    return parts
