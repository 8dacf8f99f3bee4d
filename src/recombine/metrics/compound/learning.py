"""What the references (or, without them, the outputs) teach about rendering a compound.

Four things, all counted and none judged by a person: which units may stand between the atoms,
which order the atoms keep, after which renderings something must follow, and which heads the
language can do without.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from recombine.metrics.compound.arrangement import arrange, between
from recombine.metrics.compound.units import Atom, is_mark

# Below this many translations nothing is concluded about order, bareness or heads.
ENOUGH = 20
# Never bare: at most this share of translations puts the next atom right behind the rendering.
BARE = 0.01
# At least two references, of two compounds and in two contexts: one translator's slip is no
# evidence. The lifts were set by reading what they admit; docs/how-to/compounds.md tells on what.
FEWEST = 2
LIFT = 60.0
LIFT_OF_A_PART = 10.0  # a piece of a known rendering needs less evidence than a new word

Key = tuple[str, str]


class ReferenceText(NamedTuple):
    """A translation to learn from; a reference is `trusted`, the output of a system is not."""

    atoms: tuple[Atom, ...]
    units: str
    group: str
    context: str
    trusted: bool = True


@dataclass
class Knowledge:
    """What was learned; `category` is the set of head roles a compound has."""

    fillers: dict[Key, frozenset[str]] = field(default_factory=dict)
    before: dict[frozenset[str], frozenset[tuple[str, str]]] = field(default_factory=dict)
    never_bare: frozenset[tuple[str, str, str]] = frozenset()
    optional: frozenset[Key] = frozenset()
    synonyms: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    _extended: dict[Atom, Atom] = field(default_factory=dict, repr=False)
    _allowed: dict[tuple[Atom, ...], frozenset[str]] = field(default_factory=dict, repr=False)

    def extend(self, atom: Atom) -> Atom:
        """Return the atom with the renderings that were learned for it."""
        extended = self._extended.get(atom)
        if extended is None:
            more = self.synonyms.get((atom.text, atom.role), ())
            extended = dataclasses.replace(atom, accepted=(*atom.accepted, *more)) if more else atom
            self._extended[atom] = extended
        return extended

    def allowed(self, atoms: tuple[Atom, ...]) -> frozenset[str]:
        """Return the units that may stand inside a phrase with these atoms."""
        fillers = self._allowed.get(atoms)
        if fillers is None:
            keys = [(atom.text, atom.role) for atom in atoms]
            fillers = frozenset().union(*(self.fillers.get(key, frozenset()) for key in keys))
            self._allowed[atoms] = fillers
        return fillers


def learn(
    texts: Sequence[ReferenceText],
    *,
    heads: Collection[str],
    filler_share: float,
    order_share: float,
    optional_share: float,
    synonym_roles: Collection[str],
) -> Knowledge:
    """Count what the texts do; shares are explained at the metric's options.

    Outputs of a system are not trusted: they show what stands between words, hardly new words.
    """
    trusted = [text for text in texts if text.trusted]
    others = [text for text in texts if not text.trusted]
    optional = _optional_heads(trusted, heads, optional_share)
    # Nobody asks for a rendering of a word that may be left out.
    knowledge = Knowledge(
        optional=optional,
        synonyms={
            **learn_synonyms(others, synonym_roles, trusted=False, without=optional),
            **learn_synonyms(trusted, synonym_roles, without=optional),
        },
    )
    order: dict[frozenset[str], Counter[tuple[str, str]]] = defaultdict(Counter)
    seen: Counter[Key] = Counter()
    inside: dict[Key, Counter[str]] = defaultdict(Counter)
    rendered: Counter[tuple[str, str, str]] = Counter()
    bare: Counter[tuple[str, str, str]] = Counter()
    for text in texts:
        core = tuple(knowledge.extend(a) for a in text.atoms if a.role not in heads and a.accepted)
        arrangement = arrange(text.units, core, before=_as_in_source(core))
        if arrangement is None:
            continue
        placed = arrangement.placed
        counts = order[category(text.atoms, heads)]
        for place, left in enumerate(placed):
            for right in placed[place + 1 :]:
                counts[left.atom.role, right.atom.role] += 1
        if arrangement.misplaced:
            continue
        units = set(between(text.units, placed))
        for atom in text.atoms:
            if atom.role not in heads:
                seen[atom.text, atom.role] += 1
                inside[atom.text, atom.role].update(units)
        for left, right in itertools.pairwise(placed):
            start, end = left.span
            rendering = (left.atom.text, left.atom.role, text.units[start:end])
            rendered[rendering] += 1
            bare[rendering] += end == right.span[0]
    knowledge.fillers = {
        key: frozenset(
            unit
            for unit, count in counts.items()
            if count >= max(2, filler_share * seen[key]) and not is_mark(unit)
        )
        for key, counts in inside.items()
    }
    knowledge.before = {
        kind: frozenset(_fixed_order(counts, order_share)) for kind, counts in order.items()
    }
    knowledge.never_bare = frozenset(
        rendering
        for rendering, count in rendered.items()
        if count >= ENOUGH and bare[rendering] <= BARE * count
    )
    return knowledge


def category(atoms: Sequence[Atom], heads: Collection[str]) -> frozenset[str]:
    """Return the head roles of a compound: what kind of phrase it is."""
    return frozenset(atom.role for atom in atoms if atom.role in heads)


def _as_in_source(atoms: Sequence[Atom]) -> frozenset[tuple[str, str]]:
    """Return no constraint but the noun last; before anything is learned, width decides."""
    nouns = [atom.role for atom in atoms if atom.role == "N"]
    return frozenset((atom.role, noun) for atom in atoms for noun in nouns if atom.role != noun)


def _fixed_order(counts: Counter[tuple[str, str]], share: float) -> Iterator[tuple[str, str]]:
    for (first, second), count in counts.items():
        total = count + counts[second, first]
        if first != second and total >= ENOUGH and count >= share * total:
            yield first, second


def _optional_heads(
    texts: Sequence[ReferenceText], heads: Collection[str], share: float
) -> frozenset[Key]:
    """Return the heads that correct translations often do without: the verb absorbs them."""
    total: Counter[Key] = Counter()
    absent: Counter[Key] = Counter()
    for text in texts:
        for atom in text.atoms:
            if atom.role in heads and atom.required:
                total[atom.text, atom.role] += 1
                absent[atom.text, atom.role] += not any(r in text.units for r in atom.accepted)
    return frozenset(
        key for key, count in total.items() if count >= ENOUGH and absent[key] >= share * count
    )


# --- renderings that the references use and the lexicon lacks


def learn_synonyms(
    texts: Sequence[ReferenceText],
    roles: Collection[str],
    *,
    trusted: bool = True,
    without: Container[tuple[str, str]] = frozenset(),
) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return (word, role) -> further renderings as units; `without` some words.

    Texts that are not `trusted` (a system's outputs) teach only pieces of known renderings.
    """
    members: dict[tuple[str, str], list[int]] = defaultdict(list)
    atoms: dict[tuple[str, str], Atom] = {}
    for number, text in enumerate(texts):
        for atom in text.atoms:
            if (atom.text, atom.role) in without:
                continue
            if atom.required and atom.role in roles and not atom.is_phrase:
                members[atom.text, atom.role].append(number)
                atoms[atom.text, atom.role] = atom
    missed = {
        key: [n for n in numbers if not _occurs(texts[n].units, atoms[key].accepted)]
        for key, numbers in members.items()
    }
    missed = {key: numbers for key, numbers in missed.items() if len(numbers) >= FEWEST}
    candidates = {gram for ns in missed.values() for n in ns for gram in _grams(texts[n].units)}
    present = [candidates.intersection(_grams(text.units)) for text in texts]
    everywhere = Counter(gram for grams in present for gram in grams)
    return {
        key: renderings
        for key, numbers in missed.items()
        if (
            renderings := _renderings(
                texts, present, everywhere, members[key], numbers, atoms[key], trusted
            )
        )
    }


def _renderings(
    texts: Sequence[ReferenceText],
    present: Sequence[Collection[str]],
    everywhere: Counter[str],
    members: Sequence[int],
    missed: Sequence[int],
    atom: Atom,
    trusted: bool,
) -> tuple[str, ...]:
    without = set(missed)
    inside = Counter(gram for n in members for gram in present[n])
    among_hits = Counter(gram for n in members if n not in without for gram in present[n])
    hits = max(1, len(members) - len(missed))
    others = max(1, len(texts) - len(members))
    parts = {part for rendering in atom.accepted for part in _parts(rendering)}
    chosen: list[str] = []
    left = set(missed)
    while len(left) >= FEWEST:
        best: tuple[float, int, str] | None = None
        counts = Counter(gram for n in sorted(left) for gram in sorted(present[n]))
        for gram, count in counts.items():
            if count < FEWEST:
                continue
            is_part = gram in parts
            if not (trusted or is_part):
                continue
            background = (everywhere[gram] - inside[gram]) / others
            if not is_part:
                background = max(background, among_hits[gram] / hits)
            lift = count / len(missed) / max(background, 1 / len(texts))
            if lift < (LIFT_OF_A_PART if is_part else LIFT):
                continue
            support = [texts[n] for n in left if gram in present[n]]
            if len({t.group for t in support}) < 2 or len({t.context for t in support}) < 2:
                continue
            weight = count * math.log(lift) * (2 if is_part else 1)
            if best is None or (weight, len(gram), gram) > best:
                best = (weight, len(gram), gram)
        if best is None:
            break
        chosen.append(best[2])
        left = {n for n in left if best[2] not in present[n]}
    return tuple(chosen)


def _occurs(units: str, renderings: Iterable[str]) -> bool:
    return any(rendering in units for rendering in renderings)


def _grams(units: str) -> set[str]:
    grams = {unit for unit in units if not is_mark(unit)}
    for left, right in itertools.pairwise(units):
        if left in grams and right in grams:
            grams.add(left + right)
    return grams


def _parts(rendering: str) -> Iterable[str]:
    size = len(rendering)
    for start in range(size):
        for end in range(start + 1, size + 1):
            if end - start < size:
                yield rendering[start:end]
