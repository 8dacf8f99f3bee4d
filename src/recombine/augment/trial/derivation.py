"""Read a sentence backwards: which rules of a repertoire make it, and with which translation.

The same rules that the composer draws with (composer.py) are laid over a sentence of either
language: frames over clauses, modifiers over phrases, each with the sorts and rows that its slots
take. A source is read token by token, a target character by character, because what analogies
write need not end where a segmenter would cut.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from recombine.augment.analogy.sentences import GAP
from recombine.augment.classes import Unit
from recombine.augment.composer import FEWEST_MEMBERS, Composer
from recombine.augment.frames import OPEN, SentenceFrame, is_clause
from recombine.augment.options import TrainingPair
from recombine.augment.phrase_composer import FEWEST_ROWS, KNOWN_WORDS
from recombine.augment.phrases.slots import FREE, Item, PhraseSlot
from recombine.augment.repertoire import Repertoire, Signature, root_weights
from recombine.augment.tokens import CUT, Tokens

# Readings of one stretch that are kept.
MOST_READINGS = 8

Row = tuple[str, ...]


class Use(NamedTuple):
    """A combination that a reading rests on: a word, a head or a row of modifiers in a place."""

    kind: Literal["word", "head", "modifiers"]
    place: str
    filler: tuple[str, ...]


class Reading(NamedTuple):
    """A translation, the rules that give it, line by line, and what they combine."""

    other: Row
    lines: tuple[str, ...]
    uses: tuple[Use, ...] = ()
    # How many clauses, and how many modifiers, stand inside each other.
    clauses: int = 0
    modifiers: int = 0


class _PhraseReading(NamedTuple):
    other: Row
    lines: tuple[str, ...]
    uses: tuple[Use, ...]
    modifiers: int
    sort: int
    unit: Unit
    signature: Signature


@dataclass(eq=False)
class _Layout:
    """A frame as it is laid over text: with or without the end of a sentence."""

    frame: SentenceFrame
    here: tuple[Item, ...]
    there: tuple[Item, ...]
    # The open stretch on this side -> the words of the members that have it; and how long it is.
    stretches: dict[str, list[tuple[str, ...]]] = field(default_factory=lambda: defaultdict(list))
    sizes: list[int] = field(default_factory=list)
    targets: dict[tuple[str, ...], str] = field(default_factory=dict)


class Derivations:
    """A repertoire read backwards, from its first language (`side` 0) or its second."""

    def __init__(
        self, known: Repertoire, pairs: Sequence[TrainingPair], side: Literal[0, 1], depth: int
    ) -> None:
        self._known = known
        self._pairs = pairs
        self._side = side
        self._rules = Composer(known, depth)
        self._layouts: dict[tuple[SentenceFrame, bool], _Layout] = {}
        self._units: dict[str, list[tuple[Unit, int]]] = defaultdict(list)
        for sort, own in known.units.items():
            for unit in own:
                self._units[unit[side]].append((unit, sort))
        self._sentences = [f for f in known.frames if len(f.members) >= FEWEST_MEMBERS]
        self._clauses = [
            f for f in self._sentences if f.source[-1] == known.end[0] and str(f) in known.embedded
        ]
        self._row: Tokens | str = ""
        self._phrases: dict[tuple[int, int], list[_PhraseReading]] = {}
        self._bodies: dict[tuple[int, int], list[_PhraseReading]] = {}
        self._modifiers: dict[tuple[int, int], list[tuple[int, Reading, bool]]] = {}
        self._inner: dict[tuple[int, int], list[Reading]] = {}
        self._usable: dict[int, bool] = {}

    def read(self, row: Tokens | str) -> list[Reading]:
        """Return the readings of a sentence: tokens of the first language, text of the second."""
        self._row = row
        self._phrases, self._bodies, self._modifiers, self._inner = {}, {}, {}, {}
        self._usable = {}
        return _distinct(
            reading
            for frame in self._sentences
            for reading in self._match(self._layout(frame, False), 0, len(row))
        )

    def _layout(self, frame: SentenceFrame, inside: bool) -> _Layout:
        """Return a frame ready to be laid; `inside` another sentence it has no end."""
        found = self._layouts.get((frame, inside))
        if found is not None:
            return found
        end = self._known.end[1]
        source, target = frame.source, frame.target
        targets = {words: m.target.replace(CUT, "") for words, m in frame.members.items()}
        if inside:
            source = source[:-1]
            if target[-1] == OPEN:
                targets = {words: text.removesuffix(end) for words, text in targets.items()}
            elif target[-1] == end:
                target = target[:-1]
        sides = source, target
        found = _Layout(frame, sides[self._side], sides[1 - self._side], targets=targets)
        if self._side:
            for words, text in targets.items():
                found.stretches[text].append(words)
            found.sizes = sorted({len(text) for text in targets.values()})
        self._layouts[frame, inside] = found
        return found

    def _can_match(self, layout: _Layout) -> bool:
        """Say whether all words of a frame are in the sentence."""
        key = id(layout)
        if key not in self._usable:
            words = [i for i in layout.here if isinstance(i, str) and i not in (OPEN, FREE)]
            self._usable[key] = all(word in self._row for word in words)
        return self._usable[key]

    def _match(self, layout: _Layout, first: int, last: int) -> Iterator[Reading]:
        if not self._can_match(layout):
            return
        frame = layout.frame
        for chosen, spans in self._cuts(layout, 0, first, last):
            if self._side:
                members: Iterable[tuple[str, ...]] = (
                    layout.stretches.get(chosen[0], ()) if chosen else [()]
                )
            else:
                members = [chosen]
            for words in members:
                member = frame.members.get(words)
                if member is None:
                    continue
                choices = [(slot, self._fillers(frame, words, slot, *span)) for slot, span in spans]
                if not all(own for _, own in choices):
                    continue
                named = self._named(frame, words)
                use = Use("word", frame.name, words)
                for parts in _product(choices):
                    inside = [reading for _, reading in parts]
                    yield Reading(
                        self._written(layout, words, dict(parts)),
                        (named, *(f"  {line}" for one in inside for line in one.lines)),
                        (use, *(use for one in inside for use in one.uses)),
                        max((one.clauses for one in inside), default=0),
                        max((one.modifiers for one in inside), default=0),
                    )

    def _fillers(
        self, frame: SentenceFrame, words: tuple[str, ...], slot: PhraseSlot, i: int, k: int
    ) -> list[Reading]:
        """Return the readings of what stands in a slot, as far as it may stand there."""
        if slot.number >= GAP:
            return _distinct(
                reading._replace(clauses=reading.clauses + 1)
                for gapped in frame.gapped
                for reading in self._match(self._layout(gapped, True), i, k)
            )
        if is_clause(slot):
            return self._clause(i, k)
        here = f"{frame.name} X{slot.number + 1}"
        known = self._known
        if frame in known.modifiers:
            number = known.modifiers.index(frame)
            stood = known.inner_sorts.get((number, slot.number))
            sorts = set(root_weights(stood) if stood else known.units)
            rows: Iterable[Signature] | None = known.inner_signatures.get((number, slot.number), ())
            place = (number, words, slot.number) if len(frame.words) < KNOWN_WORDS else None
            plain = True
        else:
            choice = self._rules.choices(frame, words, slot.number)
            rows, sorts, place, plain = choice.rows, set(choice.sorts), None, not choice.modified
        return [
            Reading(
                reading.other,
                reading.lines,
                (
                    Use("head", here, reading.unit),
                    Use(
                        "modifiers", here, tuple(known.modifiers[n].name for n in reading.signature)
                    ),
                    *reading.uses,
                ),
                0,
                reading.modifiers,
            )
            for reading in self._phrase(i, k)
            if reading.sort in sorts
            and (reading.unit in self._rules.heads(reading.sort, place))
            and ((rows is None or reading.signature in rows) if reading.signature else plain)
        ]

    def _clause(self, i: int, k: int) -> list[Reading]:
        if (i, k) not in self._inner:
            self._inner[i, k] = []
            self._inner[i, k] = _distinct(
                reading._replace(clauses=reading.clauses + 1)
                for frame in self._clauses
                for reading in self._match(self._layout(frame, True), i, k)
            )
        return self._inner[i, k]

    def _cuts(
        self, layout: _Layout, at: int, first: int, last: int
    ) -> Iterator[tuple[tuple[str, ...], list[tuple[PhraseSlot, tuple[int, int]]]]]:
        """Yield the ways to lay the items from number `at` on over a stretch of the row."""
        items = layout.here
        if at == len(items):
            if first == last:
                yield (), []
            return
        item, rest = items[at], len(items) - at - 1
        if isinstance(item, PhraseSlot):
            # A phrase has a word at the least, and the last item takes all that is left.
            for k in range(first + 1 if rest else max(first + 1, last), last - rest + 1):
                if is_clause(item) or self._phrase(first, k):
                    for words, spans in self._cuts(layout, at + 1, k, last):
                        yield words, [(item, (first, k)), *spans]
            return
        if item == OPEN and self._side:
            for size in layout.sizes:
                text = self._row[first : first + size]
                if first + size <= last and text in layout.stretches:
                    for _, spans in self._cuts(layout, at + 1, first + size, last):
                        yield (str(text),), spans
        elif self._side:
            if str(self._row).startswith(item, first) and first + len(item) <= last:
                yield from self._cuts(layout, at + 1, first + len(item), last)
        elif first < last:
            token = self._row[first]
            if item in (OPEN, token) or (item == FREE and token in self._known.free):
                for words, spans in self._cuts(layout, at + 1, first + 1, last):
                    yield ((token, *words) if item == OPEN else words), spans

    def _phrase(self, i: int, k: int) -> list[_PhraseReading]:
        """Return the readings of a whole phrase, with its D."""
        found = self._phrases.get((i, k))
        if found is None:
            known, first = self._known, not self._side
            free = first and self._row[i] in known.free
            opening = f"{str(self._row[i]).strip()} " if free else ""
            found = self._phrases[i, k] = [
                reading._replace(
                    other=(FREE, *reading.other)
                    if known.takes_free[reading.sort] and not first
                    else reading.other,
                    lines=(opening + reading.lines[0], *reading.lines[1:]),
                )
                for reading in self._body(i + free, k)
                if not first or known.takes_free[reading.sort] == free
                if not reading.signature
                or known.signatures.get(reading.sort, Counter())[reading.signature] >= FEWEST_ROWS
            ]
        return found

    def _body(self, i: int, k: int) -> list[_PhraseReading]:
        """Return the readings of a head with its modifiers, without D."""
        found = self._bodies.get((i, k))
        if found is not None:
            return found
        self._bodies[i, k] = []
        if i >= k:
            return []
        made: list[_PhraseReading] = []
        if self._side or k - i == 1:
            text = str(self._row[i:k]) if self._side else self._row[i]
            for unit, sort in self._units.get(text, ()):
                line = f"{unit[0].strip()} | {unit[1].strip()} (sort {sort})"
                made.append(_PhraseReading((unit[1 - self._side],), (line,), (), 0, sort, unit, ()))
        for cut in range(i + 1, k):
            # The outermost modifier stands before the rest or behind it.
            for before, inner, outer in ((True, (cut, k), (i, cut)), (False, (i, cut), (cut, k))):
                added = [m for m in self._modifier(*outer) if m[2] == before]
                if not added:
                    continue
                for rest in self._body(*inner):
                    for number, modifier, _ in added:
                        frame = self._known.modifiers[number]
                        row = rest.signature
                        if frame.slots or not row or row[-1] != number:
                            row = (*row, number)
                        other = (
                            (*modifier.other, *rest.other)
                            if frame.before[1 - self._side]
                            else (*rest.other, *modifier.other)
                        )
                        made.append(
                            _PhraseReading(
                                other,
                                (*rest.lines, *modifier.lines),
                                (*rest.uses, *modifier.uses),
                                max(rest.modifiers, modifier.modifiers + 1),
                                rest.sort,
                                rest.unit,
                                row,
                            )
                        )
        kept: dict[object, _PhraseReading] = {}
        for reading in made:
            kept.setdefault((reading.other, reading.sort, reading.signature), reading)
        self._bodies[i, k] = list(kept.values())[: 4 * MOST_READINGS]
        return self._bodies[i, k]

    def _modifier(self, i: int, k: int) -> list[tuple[int, Reading, bool]]:
        found = self._modifiers.get((i, k))
        if found is None:
            self._modifiers[i, k] = []
            found = self._modifiers[i, k] = [
                (number, reading, frame.before[self._side])
                for number, frame in enumerate(self._known.modifiers)
                for reading in _distinct(self._match(self._layout(frame, False), i, k))
            ]
        return found

    def _written(
        self, layout: _Layout, words: tuple[str, ...], parts: dict[PhraseSlot, Reading]
    ) -> Row:
        left = iter(words)
        row: list[str] = []
        for item in layout.there:
            if isinstance(item, PhraseSlot):
                row += parts[item].other
            elif item == OPEN:
                row.append(next(left) if self._side else layout.targets[words])
            else:
                row.append(item)
        return tuple(row)

    def _named(self, frame: SentenceFrame, words: tuple[str, ...]) -> str:
        member = frame.members[words]
        said = " ".join(word.strip() for word in member.source)
        made = member.made_by or frame.made_by
        line = f"{frame}: {said} | {member.target.strip()}" if said else str(frame)
        if made:
            line += f" (by {made})"
        elif member.pairs and member.pairs[0] >= 0:
            pair = self._pairs[member.pairs[0]]
            line += f" ({len(member.pairs)} pairs, as {pair.id or pair.source})"
        return line.replace(CUT, "")


def _distinct(readings: Iterable[Reading]) -> list[Reading]:
    kept: dict[Row, Reading] = {}
    for reading in readings:
        kept.setdefault(reading.other, reading)
        if len(kept) == MOST_READINGS:
            break
    return list(kept.values())


def _product(
    choices: list[tuple[PhraseSlot, list[Reading]]],
) -> Iterator[list[tuple[PhraseSlot, Reading]]]:
    if not choices:
        yield []
        return
    slot, readings = choices[0]
    for rest in _product(choices[1:]):
        for reading in readings:
            yield [(slot, reading), *rest]
