"""Renderings that the lexicon lacks but the references use.

A lexicon of a few translations per word misses correct ones ("beside" for *near*), and every miss
is a false alarm. Among the references of a word whose lexicon entry fails, a string of one or two
units that is common there and rare elsewhere is taken as another rendering. No human judgement is
used. Fixed phrases are left alone: they must be kept whole.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Sequence
from typing import NamedTuple

from recombine.metrics.compound_units import Atom, is_mark

# At least two references, of two compounds and in two contexts: one translator's slip is no
# evidence. The lifts were set by reading what they admit; docs/how-to/compounds.md tells on what.
FEWEST = 2
LIFT = 60.0
LIFT_OF_A_PART = 10.0  # a piece of a known rendering needs less evidence than a new word


class Text(NamedTuple):
    """A translation to learn from; a reference is `trusted`, the output of a system is not."""

    atoms: tuple[Atom, ...]
    units: str
    group: str
    context: str
    trusted: bool = True


def learn_synonyms(
    texts: Sequence[Text],
    roles: Collection[str],
    *,
    trusted: bool = True,
    without: Container[tuple[str, str]] = frozenset(),
) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return (word, role) -> further renderings as units; `without` some words.

    Texts that are not `trusted` (a system's outputs) teach only pieces of known renderings.
    """
    members: dict[tuple[str, str], list[int]] = defaultdict(list)
    known: dict[tuple[str, str], Atom] = {}
    for number, text in enumerate(texts):
        for atom in text.atoms:
            if (atom.text, atom.role) in without:
                continue
            if atom.required and atom.role in roles and not atom.is_phrase:
                members[atom.text, atom.role].append(number)
                known[atom.text, atom.role] = atom
    missed = {
        key: [n for n in numbers if not _occurs(texts[n].units, known[key].accepted)]
        for key, numbers in members.items()
    }
    missed = {key: numbers for key, numbers in missed.items() if len(numbers) >= FEWEST}
    candidates = {gram for ns in missed.values() for n in ns for gram in _grams(texts[n].units)}
    present = [candidates.intersection(_grams(text.units)) for text in texts]
    everywhere = Counter(gram for grams in present for gram in grams)
    return {
        key: found
        for key, numbers in missed.items()
        if (
            found := _renderings(
                texts, present, everywhere, members[key], numbers, known[key], trusted
            )
        )
    }


def _renderings(
    texts: Sequence[Text],
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
    found: list[str] = []
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
        found.append(best[2])
        left = {n for n in left if best[2] not in present[n]}
    return tuple(found)


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
