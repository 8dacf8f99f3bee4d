"""Draw sentences: a frame, words for it, phrases and clauses for its slots, again inside them.

Nearly uniform: rare frames, words and modifiers are as likely as common ones, because what a model
must learn from this text is what combines, not what is frequent (Yao & Koller 2024). How deep
phrases and clauses go is drawn first, beyond what training shows.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from recombine.augment.agreement.inflector import (
    HEAD,
    FormToken,
    HeadToken,
    WrapperToken,
    surroundings,
)
from recombine.augment.analogy.sentences import GAP
from recombine.augment.classes import Unit
from recombine.augment.frames import CLAUSE, OPEN, FrameMember, SentenceFrame
from recombine.augment.phrases.rows import ModifierRows
from recombine.augment.phrases.slots import FREE, PhraseSlot
from recombine.augment.repertoire import Repertoire, Signature, root_weights
from recombine.augment.tokens import CUT

# Shares of depths: of modifiers inside modifiers, of clauses inside clauses, of words in a row.
PHRASE_DEPTHS = (0.5, 0.33, 0.05, 0.03, 0.03, 0.035, 0.025)
CLAUSE_DEPTHS = (0.55, 0.24, 0.04, 0.04, 0.04, 0.05, 0.04)
ROW_LENGTHS = (0.34, 0.19, 0.14, 0.12, 0.14, 0.07)
# How often a phrase beside the one that goes deep is modified too.
BESIDE = 0.08
# A word made by analogy is drawn so many times as often as one that training shows.
MADE_WEIGHT = 3
# Words that are enough to choose from when those seen in a place are known.
KNOWN_WORDS = 15
MOST_WORDS = 400
# A row of modifiers that a sort was seen with less often is an error.
FEWEST_ROWS = 3
# A frame of fewer words is one sentence, not a frame.
FEWEST_MEMBERS = 3


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


class Composer:
    """Draws from a repertoire with one stream of random numbers."""

    def __init__(self, repertoire: Repertoire, depth: int) -> None:
        self.known = repertoire
        self.depth = depth
        self.stream = random.Random(0)
        self.statements = [f for f in repertoire.frames if f.source[-1] == repertoire.end[0]]
        self._families = _families(repertoire.frames)
        inside = [
            f
            for f in self.statements
            if str(f) in repertoire.embedded
            and not any(isinstance(i, PhraseSlot) and i.number >= CLAUSE for i in f.source)
        ]
        self._clauses = _families(inside)
        self._clause_frames = set(inside)
        self._usable_rows: dict[tuple[object, ...], list[Signature]] = {}
        self._unit_choices: dict[tuple[object, ...], list[Unit]] = {}
        self._fitting_words: dict[tuple[int, int], list[tuple[str, ...]]] = {}
        self._slot_choices: dict[
            tuple[SentenceFrame, tuple[str, ...], int],
            tuple[dict[int, float], tuple[Signature, ...] | None, bool],
        ] = {}
        self._chains = [
            f
            for f in self.statements
            if any(isinstance(i, PhraseSlot) and CLAUSE <= i.number < GAP for i in f.source)
        ]
        self._chain_weights = [max(1, frame.count) ** 0.5 for frame in self._chains]
        self._rows: dict[int, ModifierRows] = {}
        self._second: dict[tuple[SentenceFrame, tuple[str, ...]], bool] = {}
        self._modifiers = set(repertoire.modifiers)
        self._weights: dict[SentenceFrame, list[int]] = {}

    def _deep(self, shares: Sequence[float]) -> int:
        usable = shares[: self.depth + 1]
        return self.stream.choices(range(len(usable)), usable)[0]

    def sentence(self) -> Piece | None:
        """Draw a sentence."""
        frame = self._of_family(self._families)
        depth = 0
        if frame in self.statements and self._chains:
            depth = self._deep(CLAUSE_DEPTHS)
        return self._chain(depth, frame, shallow=depth > 1)

    def _of_family(self, families: FrameFamilies) -> SentenceFrame:
        own = self.stream.choices(families.rows, cum_weights=families.weights)[0]
        return self.stream.choice(own)

    def _word(self, frame: SentenceFrame) -> tuple[str, ...]:
        weights = self._weights.get(frame)
        if weights is None:
            made = [bool(frame.members[w].made_by) and len(w) == 1 for w in frame.words]
            weights = list(accumulate(MADE_WEIGHT if own else 1 for own in made))
            self._weights[frame] = weights
        return self.stream.choices(frame.words, cum_weights=weights)[0]

    def _chain(
        self, depth: int, inner: SentenceFrame | None = None, *, shallow: bool = False
    ) -> Piece | None:
        """Draw a statement with `depth` clauses around it."""
        if depth == 0:
            return self.fill(inner or self._of_family(self._clauses), shallow=shallow)
        if inner is not None and inner not in self._clause_frames:
            inner = None
        clause = self._chain(depth - 1, inner, shallow=shallow)
        outer = self.stream.choices(self._chains, self._chain_weights)[0]
        return clause and self.fill(outer, clause)

    def fill(
        self, frame: SentenceFrame, clause: Piece | None = None, *, shallow: bool = False
    ) -> Piece | None:
        """Draw words and phrases for a frame; clauses or modifiers go deep, not both."""
        words = self._word(frame)
        member = frame.members[words]
        made = Piece([], [])
        made.second = self._is_second(frame, words)
        self._note(made, frame, member)
        parts: dict[PhraseSlot, Piece] = {}
        deep = self._deep(PHRASE_DEPTHS[:2] if shallow else PHRASE_DEPTHS)
        if clause is not None and clause.depth > 1:
            deep = int(self.stream.random() < BESIDE)
        numbers = [i for i in frame.source if isinstance(i, PhraseSlot) and i.number < CLAUSE]
        chosen = self.stream.choice(numbers) if numbers else None
        for item in frame.source:
            if not isinstance(item, PhraseSlot):
                continue
            if item.number >= GAP:
                part = self.gapped(frame)
            elif item.number >= CLAUSE:
                part, clause = clause or self._chain(self._deep(CLAUSE_DEPTHS[:3])), None
                if part is not None and not self._joins(frame, member, item, part):
                    return None
                if part is not None:
                    part = Piece(
                        part.source[:-1],
                        _without(part.target, self.known.end[1]),
                        part.parents,
                        part.steps,
                        part.depth + 1,
                    )
            else:
                sorts, rows, modified = self.choices(frame, words, item.number)
                own = deep if item == chosen else int(self.stream.random() < BESIDE)
                part = self.phrase(sorts, max(own, modified), rows)
            if part is None:
                return None
            parts[item] = part
            made.take(part)
        return self._written(made, frame, words, member, parts)

    def _is_second(self, frame: SentenceFrame, words: tuple[str, ...]) -> bool:
        """Say whether the open word of a frame has its second form."""
        found = self._second.get((frame, words))
        if found is None:
            inflection = self.known.inflection
            found = False
            if words and inflection:
                found = not inflection.is_first((words[0], frame.members[words].target))
            self._second[frame, words] = found
        return found

    def _joins(
        self, frame: SentenceFrame, member: FrameMember, slot: PhraseSlot, clause: Piece
    ) -> bool:
        """Say whether the end of a clause may stand before what follows it.

        食べる stands before こと in "expected to eat", and nothing that ends in だ does: a clause
        in the present may not either. Where nothing is shown, everything may.
        """
        at = frame.target.index(slot) + 1
        if not clause.second or at == len(frame.target):
            return True
        follows = str(member.target if frame.target[at] == OPEN else frame.target[at])
        letters = next((c for w, c in self.known.junctions.items() if follows.startswith(w)), None)
        text = "".join(_without(clause.target, self.known.end[1]))
        return letters is None or text[-1:] in letters

    def choices(
        self, frame: SentenceFrame, words: tuple[str, ...], slot: int
    ) -> tuple[dict[int, float], tuple[Signature, ...] | None, bool]:
        """Return what may stand in a slot: sorts, rows of modifiers, whether it must have one."""
        key = frame, words, slot
        found = self._slot_choices.get(key)
        if found is None:
            found = (
                self.known.sorts(frame, words, slot),
                self.known.rows(frame, slot),
                self.known.never_plain(frame, slot),
            )
            self._slot_choices[key] = found
        return found

    def _written(
        self,
        made: Piece,
        frame: SentenceFrame,
        words: tuple[str, ...],
        member: FrameMember,
        parts: dict[PhraseSlot, Piece],
    ) -> Piece:
        left = iter(words)
        for item in frame.source:
            if isinstance(item, PhraseSlot):
                made.source += parts[item].source
            elif item == OPEN:
                made.source.append(next(left))
            elif item == FREE:
                made.source.append(self.stream.choice(self.known.free))
            else:
                made.source.append(item)
        words_of_frame: list[FormToken | int] = []
        for item in frame.target:
            if isinstance(item, PhraseSlot):
                made.target += parts[item].target
                words_of_frame.append(item.number)
            elif self.known.inflector is None:
                made.target.append(member.target.replace(CUT, "") if item == OPEN else item)
            else:
                for word in member.target.split(CUT) if item == OPEN else (item,):
                    if word:
                        words_of_frame.append(FormToken.of(word, made.nouns))
                        made.target.append(words_of_frame[-1])  # type: ignore[arg-type]
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
        made.parents += member.pairs[:1]
        for step in (frame.made_by, member.made_by):
            if step:
                made.steps.append(step)

    def gapped(self, outer: SentenceFrame) -> Piece | None:
        """Draw a clause that lacks the phrase which the question word of `outer` stands for."""
        options = outer.gapped
        if not options:
            return None
        sizes = [len(frame.members) for frame in options]
        piece = self.fill(self.stream.choices(options, sizes)[0])
        if piece is None:
            return None
        piece.source = piece.source[:-1]
        piece.target = _without(piece.target, self.known.end[1])
        piece.depth += 1
        return piece

    # --- phrases

    def phrase(
        self,
        sorts: Mapping[int, float],
        depth: int,
        signatures: tuple[Signature, ...] | None = None,
        among: tuple[int, tuple[str, ...], int] | None = None,
    ) -> Piece | None:
        """Draw a phrase with modifiers `depth` deep."""
        known = self.known
        usable = [sort for sort in sorts if depth == 0 or self._usable(sort, depth, signatures)]
        if not usable:
            return self.phrase(sorts, depth - 1, signatures, among) if depth > 0 else None
        sort = self.stream.choices(usable, [sorts[sort] for sort in usable])[0]
        units = self.heads(sort, among)
        unit = self.stream.choice(units)
        made = Piece([unit[0]], [unit[1]], [known.unit_pairs.get(unit, -1)], [])
        if known.inflector is not None:
            made.head = HeadToken.of(unit, sort)
            made.target = [made.head]
        signature: Signature = ()
        if depth:
            signature = self.stream.choice(self._usable(sort, depth, signatures))
            made.depth = depth
        deepest = [n for n in signature if known.modifiers[n].slots]
        goes_on = self.stream.choice(deepest) if deepest else None
        opened = known.takes_free[sort]
        for number in signature:
            inner = depth - 1 if number == goes_on else 0
            if not self._modify(made, sort, number, inner):
                return None
        if opened:
            # What follows the head goes behind it, D before everything.
            made.source.insert(0, self.stream.choice(known.free))
        if made.head is not None:
            made.head.free = made.source[0] if opened else ""
            made.target.insert(0, WrapperToken.of(made.head))
        return made

    def _usable(
        self, sort: int, depth: int, signatures: tuple[Signature, ...] | None
    ) -> list[Signature]:
        """Return the rows of modifiers for a head that can be so deep."""
        key = sort, depth > 1, signatures
        found = self._usable_rows.get(key)
        if found is None:
            known = self.known
            counts: Mapping[Signature, int] = known.signatures.get(sort, {})
            found = self._usable_rows[key] = sorted(
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
        return found

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
            rows = self._row(number, fitting) if frame.before[0] else [self.stream.choice(fitting)]
            pieces = []
            for words in rows:
                piece = Piece([], [])
                self._note(piece, frame, frame.members[words])
                pieces.append(self._written(piece, frame, words, frame.members[words], {}))
        else:
            words = self._word(frame)
            piece = Piece([], [])
            self._note(piece, frame, frame.members[words])
            parts: dict[PhraseSlot, Piece] = {}
            recursive = [
                n
                for n in range(len(frame.slots))
                if any(known.inner_signatures.get((number, n), ()))
            ]
            deep = self.stream.choice(recursive) if recursive and depth else None
            for slot in frame.slots:
                stood = known.inner_sorts.get((number, slot.number))
                sorts = root_weights(stood) if stood else dict.fromkeys(known.units, 1.0)
                rows_inside = tuple(known.inner_signatures.get((number, slot.number), ()))
                part = self.phrase(
                    sorts,
                    depth if slot.number == deep else 0,
                    rows_inside,
                    (number, words, slot.number) if len(frame.words) < KNOWN_WORDS else None,
                )
                if part is None:
                    return False
                parts[slot] = part
                piece.take(part)
            pieces = [self._written(piece, frame, words, frame.members[words], parts)]
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
        return rows.draw(self.stream, words, 1 + self._deep(ROW_LENGTHS))


class FrameFamilies(NamedTuple):
    """Frames that are drawn together, and how likely each set is: by the root of its words."""

    rows: list[list[SentenceFrame]]
    weights: list[float]


def _families(frames: list[SentenceFrame]) -> FrameFamilies:
    families: dict[str, list[SentenceFrame]] = {}
    for frame in frames:
        if len(frame.members) >= FEWEST_MEMBERS:
            families.setdefault(frame.family or str(frame), []).append(frame)
    rows = list(families.values())
    sizes = [sum(len(frame.members) for frame in row) / len(row) for row in rows]
    return FrameFamilies(rows, list(accumulate(min(size, MOST_WORDS) ** 0.5 for size in sizes)))


def _without(target: list[str], end: str) -> list[str]:
    """Return a target without the end of its sentence."""
    if not end or not target or not target[-1].endswith(end):
        return target
    last = target[-1][: len(target[-1]) - len(end)]
    return [*target[:-1], last] if last else target[:-1]
