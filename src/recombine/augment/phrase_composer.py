"""Draw phrases: a head, and modifiers with phrases inside them, modified again.

A phrase, and a frame with its words, becomes a piece of text in both languages that knows what it
was made of. Sentences are drawn by the same means (composer.py).
"""

from __future__ import annotations

import random
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import NamedTuple, TypeVar

from recombine.augment.agreement.inflector import (
    HEAD,
    FormToken,
    HeadToken,
    WrapperToken,
    surroundings,
)
from recombine.augment.classes import Unit, unit_text
from recombine.augment.frames import CLAUSE, OPEN, FrameMember, SentenceFrame
from recombine.augment.options import SORT
from recombine.augment.phrases.rows import ModifierRows
from recombine.augment.phrases.slots import FREE, PhraseSlot
from recombine.augment.repertoire import Repertoire, Signature, root_weights
from recombine.augment.tokens import CUT

# Shares of the lengths of rows of modifiers of one kind.
ROW_LENGTHS = (0.34, 0.19, 0.14, 0.12, 0.14, 0.07)
# A word made by analogy is drawn so many times as often as one that training shows.
MADE_WEIGHT = 3
# Words that are enough to choose from when those seen in a place are known.
KNOWN_WORDS = 15
# A row of modifiers that a sort was seen with less often is an error.
FEWEST_ROWS = 3

T = TypeVar("T")


@dataclass
class Piece:
    """A stretch of text in both languages, and what it was made of."""

    source: list[str]
    target: list[str]
    parents: list[int] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    depth: int = 0
    # Whether it is a sentence whose open word has its second form.
    second: bool = False
    # The noun of a phrase, and those of the phrases inside by slot, where forms agree with them.
    head: HeadToken | None = None
    nouns: dict[int, HeadToken] = field(default_factory=dict)

    def take(self, other: Piece) -> None:
        """Note where a part came from."""
        self.parents += other.parents
        self.steps += other.steps
        self.depth = max(self.depth, other.depth)


@dataclass
class SlotChoice:
    """What may stand in a slot: sorts with weights, rows of modifiers, whether it must have one."""

    sorts: Mapping[int, float]
    rows: tuple[Signature, ...] | None = None
    modified: bool = False
    # By depth (2: or more): the sorts that can go so deep, their summed weights, their rows.
    deep: dict[int, tuple[list[int], list[float], dict[int, list[Signature]]]] = field(
        default_factory=dict
    )


class FrameWord(NamedTuple):
    """Words of a frame, whether they have the second form, and what goes into its slots."""

    words: tuple[str, ...]
    member: FrameMember
    second: bool
    slots: list[tuple[PhraseSlot, SlotChoice | None]]


@cache
def _chosen(sort: int, unit: Unit) -> str:
    """Name a class as the review does, and the word that was drawn from it."""
    return f"{SORT} {sort}: {unit_text(unit)}"


class PhraseComposer:
    """Draws phrases from a repertoire with one stream of random numbers."""

    def __init__(self, repertoire: Repertoire, depth: int) -> None:
        self.known = repertoire
        self.depth = depth
        self.stream = random.Random(0)
        self._unit_choices: dict[tuple[object, ...], list[Unit]] = {}
        self._fitting_words: dict[tuple[int, int], list[tuple[str, ...]]] = {}
        self._rows: dict[int, ModifierRows] = {}
        self._row_lengths = self._sums(ROW_LENGTHS)
        self._modifiers = set(repertoire.modifiers)
        self._weights: dict[SentenceFrame, list[int]] = {}
        self._frame_words: dict[SentenceFrame, dict[tuple[str, ...], FrameWord]] = {}
        self._inside: dict[int, list[tuple[PhraseSlot, SlotChoice, bool]]] = {}

    def _sums(self, shares: Sequence[float]) -> list[float]:
        return list(accumulate(shares[: self.depth + 1]))

    # As `choices` and `choice` of `random` draw, without what they prepare anew for each call.

    def _deep(self, sums: Sequence[float]) -> int:
        return bisect(sums, self.stream.random() * sums[-1], 0, len(sums) - 1)

    def _weighted(self, items: Sequence[T], sums: Sequence[float]) -> T:
        return items[bisect(sums, self.stream.random() * sums[-1], 0, len(sums) - 1)]

    def _any(self, items: Sequence[T]) -> T:
        count = len(items)
        size = count.bit_length()
        number = self.stream.getrandbits(size)
        while number >= count:
            number = self.stream.getrandbits(size)
        return items[number]

    def _word(self, frame: SentenceFrame) -> FrameWord:
        words = self._weighted(frame.words, self._word_sums(frame))
        known = self._frame_words.get(frame)
        if known is None:
            known = self._frame_words[frame] = {}
        found = known.get(words)
        if found is None:
            # What stands inside modifiers is known of each modifier, not of each of its words.
            slots = [] if frame in self._modifiers else frame.slots
            choices = [
                None if slot.number >= CLAUSE else self.choices(frame, words, slot.number)
                for slot in slots
            ]
            found = known[words] = FrameWord(
                words,
                frame.members[words],
                self._is_second(frame, words),
                list(zip(slots, choices, strict=True)),
            )
        return found

    def _word_sums(self, frame: SentenceFrame) -> list[int]:
        weights = self._weights.get(frame)
        if weights is None:
            made = [bool(frame.members[w].made_by) and len(w) == 1 for w in frame.words]
            weights = list(accumulate(MADE_WEIGHT if own else 1 for own in made))
            self._weights[frame] = weights
        return weights

    def _is_second(self, frame: SentenceFrame, words: tuple[str, ...]) -> bool:
        """Say whether the open word of a frame has its second form."""
        inflection = self.known.inflection
        if not words or not inflection:
            return False
        return not inflection.is_first((words[0], frame.members[words].target))

    def choices(self, frame: SentenceFrame, words: tuple[str, ...], slot: int) -> SlotChoice:
        """Return what may stand in a slot of a frame."""
        known = self.known
        return SlotChoice(
            known.sorts(frame, words, slot), known.rows(frame, slot), known.never_plain(frame, slot)
        )

    def _written(
        self,
        made: Piece,
        frame: SentenceFrame,
        words: tuple[str, ...],
        member: FrameMember,
        parts: dict[PhraseSlot, Piece],
    ) -> Piece:
        left = iter(words)
        source, target = made.source, made.target
        for item in frame.source:
            if isinstance(item, PhraseSlot):
                source += parts[item].source
            elif item == OPEN:
                source.append(next(left))
            elif item == FREE:
                source.append(self._any(self.known.free))
            else:
                source.append(item)
        words_of_frame: list[FormToken | int] = []
        for item in frame.target:
            if isinstance(item, PhraseSlot):
                target += parts[item].target
                words_of_frame.append(item.number)
            elif self.known.inflector is None:
                target.append(member.text if item == OPEN else item)
            else:
                for word in member.target.split(CUT) if item == OPEN else (item,):
                    if word:
                        words_of_frame.append(FormToken.of(word, made.nouns))
                        target.append(words_of_frame[-1])  # type: ignore[arg-type]
        if self.known.inflector is not None:
            around = surroundings(words_of_frame, frame in self._modifiers)
            for form, (before, near) in zip(words_of_frame, around, strict=True):
                if isinstance(form, FormToken):
                    form.before, form.near = before, near
        for slot, part in parts.items():
            if part.head is not None:
                name, number = self.known.origin.get(
                    (frame.name, slot.number), (frame.name, slot.number)
                )
                part.head.role = name, words, number
                made.nouns[slot.number] = part.head
        return made

    def _note(self, made: Piece, frame: SentenceFrame, member: FrameMember) -> None:
        made.parents += member.parents
        for step in (frame.made_by, member.made_by):
            if step:
                made.steps.append(step)

    def phrase(
        self,
        choice: SlotChoice,
        depth: int,
        among: tuple[int, tuple[str, ...], int] | None = None,
    ) -> Piece | None:
        """Draw a phrase with modifiers `depth` deep."""
        known = self.known
        usable, sums, rows = self._usable(choice, depth)
        if not usable:
            return self.phrase(choice, depth - 1, among) if depth > 0 else None
        sort = self._weighted(usable, sums)
        unit = self._any(self.heads(sort, among))
        made = Piece([unit[0]], [unit[1]], [known.unit_pairs.get(unit, -1)], [_chosen(sort, unit)])
        if known.inflector is not None:
            made.head = HeadToken.of(unit, sort)
            made.target = [made.head]
        opened = known.takes_free[sort]
        if depth:
            signature = self._any(rows[sort])
            made.depth = depth
            deepest = [n for n in signature if known.modifiers[n].slots]
            goes_on = self._any(deepest) if deepest else None
            for number in signature:
                inner = depth - 1 if number == goes_on else 0
                if not self._modify(made, sort, number, inner):
                    return None
        if opened:
            # What follows the head goes behind it, D before everything.
            made.source.insert(0, self._any(known.free))
        if made.head is not None:
            made.head.free = made.source[0] if opened else ""
            made.target.insert(0, WrapperToken.of(made.head))
        return made

    def _usable(
        self, choice: SlotChoice, depth: int
    ) -> tuple[list[int], list[float], dict[int, list[Signature]]]:
        """Return the sorts that can be so deep, and rows of modifiers for each."""
        found = choice.deep.get(min(depth, 2))
        if found is None:
            rows = {sort: self._rows_of(sort, depth, choice.rows) for sort in choice.sorts}
            usable = [sort for sort in choice.sorts if depth == 0 or rows[sort]]
            sums = list(accumulate(choice.sorts[sort] for sort in usable))
            found = choice.deep[min(depth, 2)] = usable, sums, rows
        return found

    def _rows_of(
        self, sort: int, depth: int, signatures: Iterable[Signature] | None
    ) -> list[Signature]:
        """Return the rows of modifiers for a head that can be so deep."""
        known = self.known
        counts: Mapping[Signature, int] = known.signatures.get(sort, {})
        return sorted(
            row
            for row in counts
            if row
            and counts[row] >= FEWEST_ROWS
            and (signatures is None or row in signatures)
            and (
                depth <= 1
                or any(
                    inner
                    for number in row
                    for slot in range(len(known.modifiers[number].slots))
                    for inner in known.inner_signatures.get((number, slot), ())
                )
            )
        )

    def heads(self, sort: int, place: tuple[int, tuple[str, ...], int] | None) -> list[Unit]:
        """Return the heads of a sort: inside some modifiers those that were seen there."""
        key = sort, place
        found = self._unit_choices.get(key)
        if found is None:
            found = self.known.units[sort]
            stood = self.known.inner_units.get(place) if place else None
            if stood is not None and len(stood) >= KNOWN_WORDS:
                # A word of which nothing is known may stand anywhere.
                known = self.known.unit_pairs
                found = [unit for unit in found if unit in stood or unit not in known] or found
            self._unit_choices[key] = found
        return found

    def _fitting(self, number: int, sort: int) -> list[tuple[str, ...]]:
        """Return the words of a modifier that were seen with a sort."""
        key = number, sort
        found = self._fitting_words.get(key)
        if found is None:
            known, words = self.known, self.known.modifiers[number].words
            fits = [w for w in words if known.word_sorts.get((number, w), Counter())[sort]]
            found = self._fitting_words[key] = fits or words
        return found

    def _modify(self, made: Piece, sort: int, number: int, depth: int) -> bool:
        known = self.known
        frame = known.modifiers[number]
        if not frame.slots:
            fitting = self._fitting(number, sort)
            rows = self._row(number, fitting) if frame.before[0] else [self._any(fitting)]
            pieces = []
            for words in rows:
                piece = Piece([], [])
                self._note(piece, frame, frame.members[words])
                pieces.append(self._written(piece, frame, words, frame.members[words], {}))
        else:
            words, member, *_ = self._word(frame)
            piece = Piece([], [])
            self._note(piece, frame, member)
            parts: dict[PhraseSlot, Piece] = {}
            inside = self._inside.get(number)
            if inside is None:
                inside = self._inside[number] = self._slots_inside(number)
            recursive = [slot for slot, _, goes_on in inside if goes_on] if depth else []
            deep = self._any(recursive) if recursive else None
            for slot, choice, _ in inside:
                place = number, words, slot.number
                part = self.phrase(
                    choice,
                    depth if slot == deep else 0,
                    place if len(frame.words) < KNOWN_WORDS else None,
                )
                if part is None:
                    return False
                parts[slot] = part
                piece.take(part)
            pieces = [self._written(piece, frame, words, member, parts)]
        for piece in reversed(pieces):
            if made.head is not None:
                piece.nouns[HEAD] = made.head
            if frame.before[0]:
                made.source[:0] = piece.source
            else:
                made.source += piece.source
            if frame.before[1]:
                made.target[:0] = piece.target
            else:
                made.target += piece.target
            depth = made.depth
            made.take(piece)
            made.depth = max(depth, len(pieces))
        return True

    def _slots_inside(self, number: int) -> list[tuple[PhraseSlot, SlotChoice, bool]]:
        """Return the slots of a modifier, and whether a phrase there can be modified itself."""
        known = self.known
        found = []
        for slot in known.modifiers[number].slots:
            stood = known.inner_sorts.get((number, slot.number))
            sorts = root_weights(stood) if stood else dict.fromkeys(known.units, 1.0)
            rows = tuple(known.inner_signatures.get((number, slot.number), ()))
            found.append((slot, SlotChoice(sorts, rows), any(rows)))
        return found

    def _row(self, number: int, words: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Draw words for a row of modifiers of one kind, in the order that training shows."""
        rows = self._rows.get(number)
        if rows is None:
            every = self.known.modifiers[number].words
            own = set(every)
            rows = self._rows[number] = ModifierRows(
                every,
                {
                    (first, second): count
                    for (kind, first, second), count in self.known.order.items()
                    if kind == number and first in own and second in own
                },
                {word: self.known.word_sorts.get((number, word), Counter()) for word in every},
            )
        return rows.draw(self.stream, words, 1 + self._deep(self._row_lengths))
