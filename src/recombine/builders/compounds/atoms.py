"""Choosing the atoms: frequent enough, translated consistently, spread over frequency."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from recombine.builders.compounds.filter import Pair
from recombine.builders.compounds.renderings import (
    RenderingRules,
    Renderings,
    links_of_words,
    rates_of_links,
)
from recombine.builders.compounds.usage import NOMINAL, STRICTLY_SINGULAR, Modifiers, Usage
from recombine.corpus.alignment import Alignment
from recombine.errors import DataError

# A word of a role that may stay unchecked is checked only where one group of forms has most of its
# links: articles and prepositions without one vanish in case endings and contractions.
ONE_GROUP = 0.6
# Of the atoms asked for, this share must be found; atoms.tsv shows how many were.
ENOUGH = 0.75


@dataclass(frozen=True, kw_only=True)
class Role:
    """How many atoms of a role to take, how they hang in the tree, how consistent they must be.

    `coverage`: share of the word's links that its three largest groups of forms must cover.
    `unchecked`: take words below that too, without a check of their translation (the published
    test does so with "the" and five prepositions). `words` names the atoms outright.
    """

    count: int
    relations: tuple[str, ...] = ()
    coverage: float = 0.7
    unchecked: bool = False
    words: tuple[str, ...] = ()


class ChosenAtom(NamedTuple):
    """A word or fixed phrase with its role, renderings and frequency."""

    text: str
    role: str
    accepted: tuple[str, ...]
    frequency: int
    coverage: float


class Candidate(NamedTuple):
    """A word or phrase for a role: how often it occurs, and what it was linked to."""

    text: str
    frequency: int
    links: Mapping[str, int]


class AtomPool:
    """The words and phrases of a corpus that may become atoms."""

    def __init__(
        self,
        pairs: Sequence[Pair],
        alignment: Alignment,
        roles: Mapping[str, Role],
        objects: Mapping[str, Sequence[str]],
        floor: int,
        clusters: int = 3,
        share: float = 0.0,
    ) -> None:
        self.floor = floor
        self.usage = Usage(pairs, objects)
        self.links = links_of_words(alignment)
        rates = rates_of_links(self.links) if share else {}
        self.rules = RenderingRules(clusters, sorted(alignment.target.vocabulary), share, rates)
        modifying = roles["MOD"].relations if "MOD" in roles else ()
        self.modifiers = Modifiers(pairs, modifying, alignment)
        self._strict = self.usage.singular_determiners(STRICTLY_SINGULAR)
        self._singular = self.usage.singular_determiners()
        self._by_relation: dict[str, set[str]] = {}
        for word, relation in self.usage.related:
            self._by_relation.setdefault(relation, set()).add(word)

    def candidates(
        self,
        role: str,
        wanted: Role,
        *,
        chosen: Mapping[str, Sequence[ChosenAtom]],
        heads: Iterable[str] | None = None,
        places: Sequence[str] = (),
        floor: int | None = None,
    ) -> Iterator[Candidate]:
        """Yield what may fill a role beside the atoms chosen so far.

        `heads`: the words that have templates, for the role of a head. `places`: the relations of
        the category's phrases.
        """
        floor = self.floor if floor is None else floor
        if role == "MOD":
            yield from self._modifiers(wanted, chosen, floor)
            return
        relations = NOMINAL if role == "N" else wanted.relations
        words = heads or {
            word for relation in relations for word in self._by_relation.get(relation, ())
        }
        followers = [atom.text for other in ("ADJ", "N") for atom in chosen.get(other, ())]
        for word in sorted(wanted.words or words):
            frequency = self.usage.total[word]
            if not wanted.words:
                if frequency < floor or not word.isalpha():
                    continue
                if not self.usage.is_typical(word, role, wanted.relations):
                    continue
                if not self._suits_singulars(word, role, places):
                    continue
            if role == "DET" and not self.usage.may_precede(word, followers):
                continue
            if frequency:
                yield Candidate(word, frequency, self.links.get(word, {}))

    def _suits_singulars(self, word: str, role: str, places: Sequence[str]) -> bool:
        if role == "N":
            return not self._strict or self.usage.is_countable(word, self._strict)
        if role == "ADJ":
            return self.usage.is_free_adjective(word, self._strict)
        if role == "DET":
            return word in self._singular and self.usage.may_stand(word, places)
        return True

    def _modifiers(
        self, wanted: Role, chosen: Mapping[str, Sequence[ChosenAtom]], floor: int
    ) -> Iterator[Candidate]:
        inside = {atom.text for atoms in chosen.values() for atom in atoms}
        for text, partners in sorted(self.modifiers.partners.items()):
            frequency = partners.total()
            if wanted.words:
                if text in wanted.words:
                    yield Candidate(text, frequency, self.modifiers.links[text])
                continue
            if frequency < floor or not inside.isdisjoint(text.split()):
                continue
            if self.usage.is_nominal(self.modifiers.objects[text]) and self.modifiers.is_free(text):
                yield Candidate(text, frequency, self.modifiers.links[text])


def choose(
    role: str,
    wanted: Role,
    candidates: Iterable[Candidate],
    rules: RenderingRules,
    *,
    taken: Container[str] = (),
) -> list[ChosenAtom]:
    """Return the atoms of a role, the most frequent first; `taken` ones only where others lack."""
    atoms: list[ChosenAtom] = []
    loose: list[ChosenAtom] = []
    for candidate in candidates:
        rendered = rules.of(candidate.links, candidate.text)
        consistent = is_consistent(rendered, wanted)
        atom = ChosenAtom(
            candidate.text, role, rendered.forms, candidate.frequency, rendered.coverage
        )
        if consistent:
            atoms.append(atom)
        elif wanted.unchecked or wanted.words:
            loose.append(atom._replace(accepted=()))
    chosen = spread([atom for atom in atoms if atom.text not in taken], wanted.count)
    chosen += spread([atom for atom in atoms if atom.text in taken], wanted.count - len(chosen))
    chosen += spread(loose, wanted.count - len(chosen))
    return sorted(chosen, key=lambda atom: (-atom.frequency, atom.text))


class ShortRole(NamedTuple):
    """A role for which too few atoms were found, and settings that would give enough."""

    category: str
    role: str
    found: int
    wanted: int
    words: int
    settings: Mapping[str, float]


def shortage(
    category: str,
    role: str,
    wanted: Role,
    found: int,
    candidates: Iterable[Candidate],
    rules: RenderingRules,
    *,
    floor: int,
) -> ShortRole:
    """Describe a role for which too few atoms were found.

    `candidates` are those of any frequency: they show which floor and coverage would do.
    """
    enough = math.ceil(ENOUGH * wanted.count)
    able = []
    words = 0
    for candidate in candidates:
        words += candidate.frequency >= floor
        rendered = rules.of(candidate.links, candidate.text)
        if rendered.forms and rendered.coverage > 0:
            able.append((candidate.frequency, rendered.coverage))
    frequent = [row for row in able if row[0] >= floor]
    settings: dict[str, float] = {}
    if len(able) >= enough:
        if len(frequent) < enough:
            frequent = sorted(able, reverse=True)[:enough]
            settings["floor"] = frequent[-1][0]
        covered = sorted((coverage for _, coverage in frequent), reverse=True)[enough - 1]
        if covered < wanted.coverage:
            settings[f"roles.{role}.coverage"] = math.floor(100 * covered) / 100
    elif found:
        settings[f"roles.{role}.count"] = math.floor(found / ENOUGH)
    return ShortRole(category, role, found, wanted.count, words, settings)


def require_atoms(short: Sequence[ShortRole]) -> None:
    """Raise where roles are short, all at once, with one line of settings for all of them."""
    if not short:
        return
    message = "too few words can be atoms: " + "; ".join(
        f"{role.category} role {role.role}: {role.found} of the {role.wanted} asked for, "
        f"among {role.words} frequent enough"
        for role in short
    )
    settings: dict[str, float] = {}
    for role in short:
        for name, value in role.settings.items():
            settings[name] = min(value, settings.get(name, value))
    options = " ".join(f"-o {name}={value:g}" for name, value in settings.items())
    lost = [role.role for role in short if not role.settings]
    raise DataError(
        message,
        hint="take a larger corpus"
        + (f", or build a smaller test: {options}" if options else "")
        + (f"; no setting gives any {', '.join(dict.fromkeys(lost))}" if lost else ""),
    )


def is_consistent(rendered: Renderings, wanted: Role) -> bool:
    """Return True where a rule can say whether the word was translated."""
    if not rendered.forms or rendered.coverage < wanted.coverage:
        return False
    return not wanted.unchecked or rendered.largest >= ONE_GROUP


def spread(atoms: Sequence[ChosenAtom], count: int) -> list[ChosenAtom]:
    """Take atoms at even distances on the logarithmic frequency scale."""
    if count <= 0:
        return []
    left = sorted(atoms, key=lambda atom: (-atom.frequency, atom.text))
    if len(left) <= count:
        return left
    top, bottom = math.log(left[0].frequency), math.log(left[-1].frequency)
    chosen: list[ChosenAtom] = []
    for step in range(count):
        aim = top - (top - bottom) * step / max(1, count - 1)
        best = min(left, key=lambda atom: (abs(math.log(atom.frequency) - aim), atom.text))
        chosen.append(best)
        left.remove(best)
    return chosen
