"""Everything learnt from the pairs, ready to be drawn from.

Sorts are the classes of heads, with small ones joined to the large one they are most alike. For
every slot it is known which sorts stood there, for every modifier which heads it had and what was
inside.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from recombine.augment.agreement.inflector import TargetInflector
from recombine.augment.analogy.paradigms import Inflection, script
from recombine.augment.classes import Unit
from recombine.augment.frames import (
    OPEN,
    Core,
    SentenceFrame,
    find_frames,
    is_clause,
    take_out_clauses,
)
from recombine.augment.phrases.grammar import PhraseGrammar
from recombine.augment.phrases.slots import FREE, HeadPhrase, PhraseSlot
from recombine.augment.tokens import CUT

# A sort of fewer words than this joins a larger one.
SMALL_SORT = 20
# A sort is at home in a slot when it was there in this share of the pairs.
HOME_SHARE = 0.04
# Pairs that are enough to know the sorts of a frame's member by itself.
KNOWN_MEMBER = 8
# Modified phrases that are enough to know which modifiers a slot takes.
KNOWN_SLOT = 30

Signature = tuple[int, ...]


class RepertoireIndex(NamedTuple):
    """Where training pairs went: what is left of each without clauses, its frame and words."""

    left: dict[Core, Core]
    frames: dict[Core, tuple[SentenceFrame, tuple[str, ...]]]
    modifiers: dict[Core, tuple[SentenceFrame, tuple[str, ...]]]


@dataclass
class Repertoire:
    """Phrases, modifiers and frames with what is known of their slots."""

    free: list[str]
    takes_free: dict[int, bool]
    units: dict[int, list[Unit]]
    frames: list[SentenceFrame]
    modifiers: list[SentenceFrame]
    end: tuple[str, str]
    unit_pairs: dict[Unit, int] = field(default_factory=dict)
    bare: dict[str, str] = field(default_factory=dict)
    # By frame: sorts in each slot; by member the same.
    slot_sorts: dict[str, dict[int, Counter[int]]] = field(default_factory=dict)
    member_sorts: dict[tuple[str, tuple[str, ...]], dict[int, Counter[int]]] = field(
        default_factory=dict
    )
    # Frames that were seen as clauses inside others.
    embedded: set[str] = field(default_factory=set)
    # By sort: the rows of modifiers that it was seen with; by modifier and slot: sorts and rows.
    signatures: dict[int, Counter[Signature]] = field(default_factory=dict)
    inner_sorts: dict[tuple[int, int], Counter[int]] = field(default_factory=dict)
    inner_signatures: dict[tuple[int, int], Counter[Signature]] = field(default_factory=dict)
    # By modifier, word and slot: the words that stood there.
    inner_units: dict[tuple[int, tuple[str, ...], int], Counter[Unit]] = field(default_factory=dict)
    # By frame and slot: the rows of modifiers seen there.
    slot_signatures: dict[tuple[str, int], Counter[Signature]] = field(default_factory=dict)
    # By modifier and word: the sorts of its heads.
    word_sorts: dict[tuple[int, tuple[str, ...]], Counter[int]] = field(default_factory=dict)
    # Before which others a word stands in a row of modifiers of one kind.
    order: Counter[tuple[int, tuple[str, ...], tuple[str, ...]]] = field(default_factory=Counter)
    inflection: Inflection | None = None
    # Before which words of the target words of no tense end in which letters.
    junctions: dict[str, Counter[str]] = field(default_factory=dict)
    # Of a frame made of another, by slot: where its phrases stood there.
    origin: dict[tuple[str, int], tuple[str, int]] = field(default_factory=dict)
    index: RepertoireIndex | None = None
    inflector: TargetInflector | None = None

    def sorts(self, frame: SentenceFrame, words: tuple[str, ...], slot: int) -> dict[int, float]:
        """Return the sorts that may stand in a slot of a frame, with weights."""
        name, place = self.origin.get((frame.name, slot), (frame.name, slot))
        own = self.member_sorts.get((name, words), {}).get(place)
        if own is None or sum(own.values()) < KNOWN_MEMBER:
            own = self.slot_sorts.get(frame.name, {}).get(slot)
        return root_weights(own) if own else dict.fromkeys(sorted(self.units), 1.0)

    def never_plain(self, frame: SentenceFrame, slot: int) -> bool:
        """Say whether a slot was only seen with modified phrases."""
        rows = self.slot_signatures.get((frame.name, slot), Counter())
        modified = rows.total() - rows[()]
        return modified >= KNOWN_MEMBER and rows[()] <= HOME_SHARE * modified

    def rows(self, frame: SentenceFrame, slot: int) -> tuple[Signature, ...] | None:
        """Return the rows of modifiers for a slot, where it shows which: else it takes any."""
        rows = self.slot_signatures.get((frame.name, slot), Counter())
        if rows.total() - rows[()] < KNOWN_SLOT:
            return None
        least = HOME_SHARE / 10 * rows.total()
        return tuple(row for row, count in rows.items() if count >= least)


def root_weights(counts: Counter[int]) -> dict[int, float]:
    """Return the sorts at home in a slot, weighted by the root of their counts."""
    return {sort: counts[sort] ** 0.5 for sort in at_home(counts)}


def at_home(counts: Counter[int]) -> list[int]:
    """Return the sorts that are more than errors."""
    total = sum(counts.values())
    return sorted(sort for sort, count in counts.items() if count >= HOME_SHARE * total)


def learn_repertoire(grammar: PhraseGrammar, support: int) -> Repertoire:
    """Find clauses, frames and kinds of modifiers, and count what stood in their slots."""
    rows = [row for row in grammar.reduced if row.source and row.target]
    cores = [Core(row.source, row.target) for row in rows]
    left, embedded_cores = take_out_clauses(cores)
    pairs: dict[Core, list[int]] = defaultdict(list)
    for row, core in zip(rows, cores, strict=True):
        pairs[left[core]].append(row.pair.number)
    frames, place = find_frames(pairs, support)
    users, heads = _seen_in(grammar)
    modifiers, modifier_place = find_frames(
        {
            core: _parents(users[core], modifier.support)
            for own in grammar.modifiers.values()
            for modifier in own
            for core in [Core(modifier.source, modifier.target)]
        },
        1,
    )
    # Rare kinds of modifiers are errors, or are made again by analogy.
    modifiers = [frame for frame in modifiers if frame.count >= support]
    if grammar.genders:
        # Articles that the target has too are those of phrases; others are not free.
        frames = [
            frame
            for frame in frames
            if FREE not in frame.source and sum(map(is_clause, frame.source)) < 2
        ]
        modifiers = [frame for frame in modifiers if FREE not in frame.source]
        known = {id(frame) for frame in frames}
        place = {core: found for core, found in place.items() if id(found[0]) in known}
    kept = {frame.key for frame in modifiers}
    modifier_place = {c: p for c, p in modifier_place.items() if p[0].key in kept}
    sides = {
        Core(modifier.source, modifier.target): modifier.before
        for own in grammar.modifiers.values()
        for modifier in own
    }
    for core, (frame, _) in modifier_place.items():
        frame.before = sides[core]
    number_of = {modifier.key: number for number, modifier in enumerate(modifiers)}
    ends = Counter((str(core.source[-1]), str(core.target[-1])) for core in cores)
    # Where there are genders, each has fewer words.
    sort_of = grammar.sorts(SMALL_SORT // max(1, grammar.genders))
    units: dict[int, list[Unit]] = defaultdict(list)
    for unit, label in sorted(grammar.label.items()):
        units[sort_of[label]].append(unit)
    made = Repertoire(
        free=sorted(grammar.free),
        takes_free={sort: grammar.heads[sort] for sort in units},
        units=dict(units),
        frames=frames,
        modifiers=modifiers,
        end=max(ends, key=lambda end: (ends[end], end)),
        index=RepertoireIndex(left, place, modifier_place),
    )
    inside: Counter[str] = Counter()
    for core, count in embedded_cores.items():
        if core in place:
            inside[place[core][0].name] += count
    made.embedded = {name for name, count in inside.items() if count >= support}
    # Clauses inside clauses were taken out one by one.
    made.embedded |= {
        str(frame) for frame in frames if any(map(is_clause, frame.source)) and "_" in frame.source
    }

    def count_phrase(phrase: HeadPhrase) -> Signature:
        sort = sort_of[phrase.label]
        signature: list[int] = []
        before: list[tuple[int, tuple[str, ...]]] = []
        for modifier, inside in phrase.modifiers:
            core = Core(modifier.source, modifier.target)
            if core not in modifier_place:
                continue
            frame, words = modifier_place[core]
            number = number_of[frame.key]
            made.word_sorts.setdefault((number, words), Counter())[sort] += 1
            for slot, inner in enumerate(inside):
                made.inner_sorts.setdefault((number, slot), Counter())[sort_of[inner.label]] += 1
                own = count_phrase(inner)
                stood = made.inner_units.setdefault((number, words, slot), Counter())
                stood[inner.unit] += 1
                made.inner_signatures.setdefault((number, slot), Counter())[own] += 1
            if not inside:
                # Modifiers are taken out from the head on; the outer one stands first or last.
                for other, other_words in before:
                    if other == number:
                        made.order[number, words, other_words] += 1
                before.append((number, words))
            if inside or not signature or signature[-1] != number:
                signature.append(number)
        made.signatures.setdefault(sort, Counter())[tuple(signature)] += 1
        made.unit_pairs.setdefault(phrase.unit, heads[phrase.unit])
        return tuple(signature)

    for row, core in zip(rows, cores, strict=True):
        row_of = {}
        for phrase in row.phrases:
            row_of[id(phrase)] = count_phrase(phrase)
        outer = left[core]
        if outer not in place:
            continue
        frame, words = place[outer]
        if outer != core and not is_clause(
            [i for i in outer.source if isinstance(i, PhraseSlot)][-1]
        ):
            continue
        count = sum(isinstance(i, PhraseSlot) and not is_clause(i) for i in outer.source)
        for slot, phrase in enumerate(row.phrases[:count]):
            sort = sort_of[phrase.label]
            made.slot_sorts.setdefault(frame.name, {}).setdefault(slot, Counter())[sort] += 1
            made.slot_signatures.setdefault((frame.name, slot), Counter())[row_of[id(phrase)]] += 1
            own = made.member_sorts.setdefault((frame.name, words), {})
            own.setdefault(slot, Counter())[sort] += 1
    for row in grammar.long:
        for phrase in row.phrases:
            count_phrase(phrase)
    _pool_subjects(made)
    _place_bare_words(made)
    return made


def _seen_in(grammar: PhraseGrammar) -> tuple[dict[Core, list[int]], dict[Unit, int]]:
    """Return the pairs that each modifier was taken out of, and the first with each head."""
    users: dict[Core, list[int]] = defaultdict(list)
    heads: dict[Unit, int] = {}

    def note(phrase: HeadPhrase, number: int) -> None:
        heads.setdefault(phrase.unit, number)
        for modifier, inside in phrase.modifiers:
            users[Core(modifier.source, modifier.target)].append(number)
            for inner in inside:
                note(inner, number)

    for row in [*grammar.reduced, *grammar.long]:
        for phrase in row.phrases:
            note(phrase, row.pair.number)
    return users, heads


def _parents(users: list[int], support: int) -> list[int]:
    """Return as many pairs as show a modifier; no pair (-1) where each was read without it."""
    return [users[n] if n < len(users) else (users or [-1])[0] for n in range(support)]


def _pool_subjects(made: Repertoire) -> None:
    """Count what stands before a word together for all frames that are alike up to it.

    "X1 was praised." and "X1 was praised by X2." say the same of X1; "X1 was given to X2." and
    "X1 was given X2." do not: other sorts are at home there.
    """
    pooled: dict[tuple[object, ...], Counter[int]] = defaultdict(Counter)
    members = []
    for frame in made.frames:
        at = frame.source.index(OPEN) if OPEN in frame.source else 0
        for words in frame.members:
            sorts = made.member_sorts.get((frame.name, words), {})
            before = [i.number for i in frame.source[:at] if isinstance(i, PhraseSlot)]
            for slot in sorts.keys() & set(before):
                home = tuple(at_home(made.slot_sorts[frame.name][slot]))
                key = frame.source[: at + 1], words[0], slot, home
                pooled[key] += sorts[slot]
                members.append((sorts, slot, key))
    for sorts, slot, key in members:
        sorts[slot] = pooled[key]


def _place_bare_words(made: Repertoire) -> None:
    """Take words that are seen by themselves only out of the frames, and give heads their sort."""
    alone = [frame for frame in made.frames if frame.source == ("_",) and frame.target == ("_",)]
    made.frames = [frame for frame in made.frames if frame not in alone]
    for frame in alone:
        for words, member in frame.members.items():
            made.bare[words[0]] = member.target
            made.unit_pairs[words[0], member.target.replace(CUT, "")] = member.pairs[0]


def looks(word: str) -> list[str]:
    """Return what a word looks like: its script at both ends, its last letters."""
    word = word.replace(CUT, "").strip()
    features = [f"first {script(word[:1])}", f"last {script(word[-1:])}"]
    return features + [f"end {word[-size:]}" for size in (1, 2, 3) if len(word) > size]


def likeness(unit: tuple[str, str], others: Sequence[tuple[str, str]]) -> float:
    """Return how much a word looks like others, in both languages (log odds, naive Bayes)."""
    score = 0.0
    for side in (0, 1):
        counts: Counter[str] = Counter()
        for other in others:
            counts.update(looks(other[side]))
        for feature in looks(unit[side]):
            score += math.log(max(counts[feature] / len(others), 0.005))
    return score


def slots_of(frame: SentenceFrame) -> Iterator[int]:
    """Yield the numbers of the slots that hold phrases."""
    for item in frame.source:
        if isinstance(item, PhraseSlot) and not is_clause(item):
            yield item.number
