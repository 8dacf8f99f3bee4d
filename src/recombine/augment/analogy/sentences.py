"""Sentence analogies: from frame to frame.

Liam found the book. : Who found the book? One frame is turned into another by taking a phrase out,
putting a word in its place and exchanging beginning and end. Three such edits are looked for:

- *in place*: the first phrase becomes a question word (X1 _ X2. : Who _ X1?);
- *fronted*: another phrase goes, a question word stands at the beginning, with another form of
  the open word (X1 _ X2. : What did X1 _?); in the target the word stands where the phrase was;
- *relative*: a phrase goes, with its particle, and the rest modifies it (X1 _ X2. : that X1 _).

Each must be shown by `support` words that are in both frames; then the frames that training lacks
are made of all others, also with the gap inside a clause (What did X1 think that X2 _?).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from recombine.augment.analogy.alternations import first_forms, inflects, one_word
from recombine.augment.analogy.forms import base_forms
from recombine.augment.analogy.paradigms import Inflection, pair_forms, prefix_of
from recombine.augment.frames import OPEN, FrameMember, SentenceFrame, is_clause, numbered, shown
from recombine.augment.phrases.slots import Item, PhraseSlot
from recombine.augment.repertoire import Repertoire, at_home
from recombine.augment.tokens import CUT

# A slot for a clause that lacks a phrase has this number.
GAP = 200
_MARK = "\ufdd0{}\ufdd1"


class Question(NamedTuple):
    """A question word with what stands before the clause, its target, and the ends."""

    before: tuple[str, ...]
    word: str
    end: tuple[str, str]


def written(target: Sequence[Item], open_stretch: str) -> str:
    """Return a target as one string, with marks for its slots."""
    return "".join(
        _MARK.format(item.number)
        if isinstance(item, PhraseSlot)
        else open_stretch
        if item == OPEN
        else item
        for item in target
    ).replace(CUT, "")


def _moved(frame: SentenceFrame) -> bool:
    """Say whether a mark sets the first phrase apart ("The book, Anna read."): it was moved."""
    mark = frame.source[1]
    return isinstance(mark, str) and mark != OPEN and not any(map(str.isalnum, mark))


class SentenceAnalogies:
    """Finds the edits in a repertoire and makes the frames that they give."""

    def __init__(self, known: Repertoire, inflection: Inflection, support: int) -> None:
        self.known = known
        self.inflection = inflection
        self.support = support
        self.statements = [f for f in known.frames if f.source[-1] == known.end[0]]
        self.notes: list[dict[str, object]] = []
        self.base: dict[str, str] = {}

    def run(self) -> list[dict[str, object]]:
        """Add frames and modifiers to the repertoire; return the analogies, for people."""
        self._relatives()
        in_place = self._find_in_place()
        if in_place:
            fronted = self._find_fronted(in_place)
            self._make_questions(in_place, fronted)
        return self.notes

    def _first(self, frame: SentenceFrame) -> dict[tuple[str, ...], FrameMember]:
        """Return the members of the first inflection: also made ones, and two open words."""
        if one_word(frame):
            both = inflects(frame, self.inflection, self.support)
            return {
                words: member
                for words, member in frame.members.items()
                if not both or self.inflection.is_first((words[0], member.target))
            }
        return {
            words: member
            for words, member in frame.members.items()
            if not words or self.inflection.is_first((words[0], member.target))
        }

    def _without_end(self, text: str) -> str:
        return text.removesuffix(CUT).removesuffix(self.known.end[1])

    # --- questions

    def _find_in_place(self) -> Question | None:
        found: Counter[Question] = Counter()
        asked: dict[Question, Counter[int]] = defaultdict(Counter)
        for frame in self.statements:
            if not isinstance(frame.source[0], PhraseSlot) or not one_word(frame):
                continue
            for other in self.known.frames:
                word = other.source[0]
                if (
                    isinstance(word, PhraseSlot)
                    or word == OPEN
                    or len(other.source) != len(frame.source)
                ):
                    continue
                rest = numbered((word, *frame.source[1:-1], other.source[-1]), ()).source
                if rest != other.source or not isinstance(other.source[-1], str):
                    continue
                for words, member in first_forms(frame, self.inflection, self.support).items():
                    made = other.members.get((words,))
                    if made is None:
                        continue
                    own = self._without_end(written(frame.target, member.target))
                    own = own.replace(_MARK.format(0), "", 1)
                    own = re.sub("\ufdd0(\\d+)\ufdd1", lambda m: _MARK.format(int(m[1]) - 1), own)
                    whole = written(other.target, made.target)
                    at = whole.find(own)
                    if at >= 0:
                        end = str(other.source[-1]), whole[at + len(own) :]
                        question = Question((word,), whole[:at], end)
                        found[question] += 1
                        asked[question].update(at_home(self.known.slot_sorts[str(frame)][0]))
        if not found:
            return None
        question, count = max(found.items(), key=lambda row: (row[1], row[0]))
        if count < self.support:
            return None
        # The sorts that the question word asks for: at home in most of what shows it.
        self._who = {sort for sort, places in asked[question].items() if 2 * places >= count}
        self.notes.append(
            {
                "name": f"question in place: {question.before[0].strip()} | {question.word}",
                "examples": [],
                "support": count,
            }
        )
        return question

    def _find_fronted(self, in_place: Question) -> list[Question]:
        end = in_place.end
        found: Counter[Question] = Counter()
        base: list[tuple[str, str]] = []
        for frame in self.statements:
            if not one_word(frame):
                continue
            members = first_forms(frame, self.inflection, self.support)
            for place, slot in enumerate(frame.source):
                if not place or not isinstance(slot, PhraseSlot) or is_clause(slot):
                    continue
                rest = (*frame.source[:place], *frame.source[place + 1 : -1])
                for other in self.known.frames:
                    size = len(other.source) - len(rest) - 1
                    if size < 1 or other.source[-1] != end[0]:
                        continue
                    before = other.source[:size]
                    if not all(isinstance(i, str) and i != OPEN for i in before):
                        continue
                    if numbered((*before, *rest, end[0]), ()).source != other.source:
                        continue
                    for pair in pair_forms(
                        {w: m.target for w, m in members.items()},
                        {w[0]: m.target.lstrip() for w, m in other.members.items()},
                        loose=True,
                    ):
                        (word, made), (form, _) = pair
                        left, right = written(frame.target, made).split(_MARK.format(slot.number))
                        whole = written(other.target, other.members[form,].target)
                        right = self._without_end(right) + end[1]
                        if whole.startswith(left) and whole.endswith(right):
                            name = whole[len(left) : len(whole) - len(right)]
                            found[Question(tuple(map(str, before)), name, end)] += 1
                            base.append((word, form))
        questions = [q for q, count in sorted(found.items()) if count >= max(5, self.support)]
        # The form that a fronted question asks for is that of a second open word, too.
        behind = base_forms(self.statements, self.inflection, self.support)
        self.base = dict(sorted({*base, *((one.first, one.base) for one in behind)}))
        self.notes += [
            {
                "name": f"question fronted: {''.join(q.before).strip()} | {q.word}",
                "examples": [f"{a.strip()} : {b.strip()}" for a, b in base[:6]],
                "support": found[q],
            }
            for q in questions
        ]
        return questions

    def _based(
        self, members: dict[tuple[str, ...], FrameMember]
    ) -> dict[tuple[str, ...], FrameMember]:
        made: dict[tuple[str, ...], FrameMember] = {}
        for words, member in members.items():
            form = self.base.get(words[0])
            key = (form, *words[1:]) if form else None
            if key and (key not in made or len(made[key].pairs) < len(member.pairs)):
                made[key] = member
        return made

    def _marked(self, frame: SentenceFrame, slot: PhraseSlot, sort: int | None = None) -> bool:
        """Say whether the phrase of a slot has a particle that a question word would lack."""
        inflector = self.known.inflector
        return inflector is not None and inflector.marked(str(frame), slot.number, sort)

    def _words_for(
        self, frame: SentenceFrame, slot: int, questions: Sequence[Question]
    ) -> list[Question]:
        """Return the questions about a slot: by the sorts that stand there."""
        sorts = set(at_home(self.known.slot_sorts.get(str(frame), {}).get(slot, Counter())))
        return [q for q in questions if self._fits(q, sorts)]

    def _fits(self, q: Question, sorts: set[int]) -> bool:
        if not self._others:
            # Nothing tells which word asks for what: each asks for everything.
            return True
        return bool(sorts & self._who if q.word == self._in_place.word else sorts - self._who)

    def _make_questions(self, in_place: Question, fronted: list[Question]) -> None:
        self._in_place = in_place
        self._others = {
            sort
            for frame in self.statements
            for counts in self.known.slot_sorts.get(str(frame), {}).values()
            for sort in at_home(counts)
        } - self._who
        here = {in_place.word: in_place}
        for q in fronted:
            here.setdefault(q.word, Question(q.before[:1], q.word, q.end))
        made: list[SentenceFrame] = []
        gapped: dict[str, list[SentenceFrame]] = {}
        for frame in self.statements:
            members = self._first(frame)
            if str(frame) not in self.known.embedded or not isinstance(frame.source[0], PhraseSlot):
                continue
            if _moved(frame):
                continue
            if self._marked(frame, frame.source[0]):
                # The particle of the phrase would be missing before the question word.
                continue
            for q in self._words_for(frame, 0, list(here.values())):
                fitting = {
                    words: member
                    for words, member in members.items()
                    if self._fits(q, set(self.known.sorts(frame, words, 0)))
                }
                made.append(self._turned(frame, frame.source[0], q, fitting, "in place"))
            # A fronted question is shown for one open word that takes another form.
            if OPEN not in frame.source[:2] or not one_word(frame):
                continue
            based = self._based(members)
            for slot in frame.slots[1:]:
                if is_clause(slot):
                    for q in fronted:
                        new = self._turned(frame, None, q, based, "inside a clause")
                        new.source = tuple(
                            PhraseSlot(GAP) if is_clause(i) else i for i in new.source
                        )
                        new.target = tuple(
                            PhraseSlot(GAP) if is_clause(i) else i for i in new.target
                        )
                        new.gapped = gapped.setdefault(q.word, [])
                        self._take_sorts(new, frame, None)
                        made.append(new)
                    continue
                if isinstance(frame.source[frame.source.index(slot) + 1], PhraseSlot):
                    # "Who did X1 give X2?" could be about either phrase.
                    continue
                for q in self._words_for(frame, slot.number, fronted):
                    made.append(self._turned(frame, slot, q, based, "fronted"))
                    if str(frame) in self.known.embedded and one_word(frame):
                        plain = Question((), q.word, self.known.end)
                        gapped.setdefault(q.word, []).append(
                            self._turned(frame, slot, plain, members, "gap")
                        )
        known = {frame.source for frame in self.known.frames}
        targets: dict[tuple[Item, ...], set[tuple[Item, ...]]] = {}
        for frame in made:
            targets.setdefault(frame.source, set()).add(frame.target)
        for frame in made:
            # A question that could be about two phrases is made about none.
            if len(frame.members) >= self.support and len(targets[frame.source]) == 1:
                if frame.source in known:
                    old = next(f for f in self.known.frames if f.source == frame.source)
                    self._add_members(old, frame)
                else:
                    self.known.frames.append(frame)

    def _turned(
        self,
        frame: SentenceFrame,
        slot: PhraseSlot | None,
        q: Question,
        members: dict[tuple[str, ...], FrameMember],
        how: str,
    ) -> SentenceFrame:
        """Make the frame of a question about a slot."""
        body = [item for item in frame.source[:-1] if item != slot]
        end = self.known.end
        target = [
            q.word if item == slot else item
            for item in (frame.target[:-1] if frame.target[-1] == end[1] else frame.target)
        ]
        closing = "" if frame.target[-1] == OPEN else q.end[1]
        core = numbered((*q.before, *body, q.end[0]), (*target, *((closing,) if closing else ())))
        name = f"{how}: {shown(frame.source)} : {shown(core.source)}"
        made = SentenceFrame(
            core.source, core.target, made_by=name, family=f"{how} {''.join(q.before)}"
        )
        for words, member in members.items():
            text = member.target
            if frame.target[-1] == OPEN:
                text = self._without_end(text) + q.end[1]
            made.members[words] = FrameMember(
                words, text, member.pairs, member.made_by, member.made_of
            )
        self._take_sorts(made, frame, slot)
        return made

    def _take_sorts(
        self, made: SentenceFrame, frame: SentenceFrame, slot: PhraseSlot | None
    ) -> None:
        """Give the slots of a made frame the sorts of the frame it was made of."""
        sorts = self.known.slot_sorts.get(str(frame), {})
        left = [s for s in frame.slots if s != slot and not is_clause(s)]
        self.known.slot_sorts[str(made)] = {
            n: sorts[s.number] for n, s in enumerate(left) if s.number in sorts
        }
        self.known.origin |= {(str(made), n): (str(frame), s.number) for n, s in enumerate(left)}

    def _add_members(self, old: SentenceFrame, new: SentenceFrame) -> None:
        """Give a known frame the members that it lacks, in its own cut."""
        cut = re.escape(written(old.target, "\ufdd2")).replace("\ufdd2", "(.+)")
        for words, member in new.members.items():
            known = old.members.get(words)
            # What a frame of many pairs gives is surer than what one or two modifiers show.
            if (known is None or len(known.pairs) < len(member.pairs) / 10) and len(
                words
            ) == old.source.count(OPEN):
                match = re.fullmatch(cut, written(new.target, member.target))
                if match and match.groups():
                    old.members[words] = FrameMember(
                        words,
                        match[1],
                        member.pairs,
                        member.made_by or new.made_by,
                        member.made_of,
                    )

    # --- relative clauses

    def _relatives(self) -> None:
        known = self.known
        seen: dict[tuple[tuple[Item, ...], str], int] = {}
        for number, modifier in enumerate(known.modifiers):
            for words, member in modifier.members.items():
                left = iter(words)
                source = tuple(next(left) if i == OPEN else i for i in modifier.source)
                seen[source, written(modifier.target, member.target)] = number
        connectors = Counter(
            item.source[0] for item in known.modifiers if item.slots and len(item.source) > 2
        )
        made: list[tuple[SentenceFrame, SentenceFrame, PhraseSlot, int, set[int]]] = []
        for connector, _ in sorted(connectors.items(), key=str):
            if not isinstance(connector, str) or connector == OPEN:
                continue
            for frame in self.statements:
                if any(map(is_clause, frame.source)) or str(frame) not in known.embedded:
                    continue
                if _moved(frame):
                    continue
                for slot in frame.slots:
                    new = self._relative(frame, slot, connector)
                    shows = 0
                    numbers: set[int] = set()
                    for words, member in new.members.items():
                        left = iter(words)
                        source = tuple(next(left) if i == OPEN else i for i in new.source)
                        found = seen.get((source, written(new.target, member.target)))
                        if found is not None:
                            shows += 1
                            numbers.add(found)
                    made.append((new, frame, slot, shows, numbers))
        shown_by: dict[str, set[str]] = {}
        for _, frame, slot, shows, _ in made:
            if shows >= self.support:
                shown_by.setdefault(str(frame), set()).add(self._particle(frame, slot))
        # What training shows in each slot: a made clause weighs as much as all of it.
        totals = {place: rows.total() for place, rows in known.slot_signatures.items()}
        for new, frame, slot, shows, numbers in made:
            # Of two frames with the same words, one shows relative clauses; the other is for the
            # phrases that the first does not show.
            same_words = [
                shown_by[str(other)]
                for other in self.statements
                if str(other) in shown_by and self._alternants(frame, other)
            ]
            licensed = shows >= self.support or any(
                self._particle(frame, slot) not in particles for particles in same_words
            )
            if not licensed or len(new.members) < self.support:
                continue
            self.notes.append({"name": new.made_by, "examples": [], "support": shows})
            same = [n for n in numbers if known.modifiers[n].source == new.source]
            if same:
                self._add_members(known.modifiers[same[0]], new)
                continue
            if any(other.source == new.source for other in known.modifiers):
                # It has another meaning already.
                continue
            number = len(known.modifiers)
            known.modifiers.append(new)
            sorts = known.slot_sorts.get(str(frame), {})
            for sort in at_home(sorts.get(slot.number, Counter())):
                # Only sorts that have relative clauses in training.
                if not self._marked(frame, slot, sort) and any(
                    known.modifiers[n].source[0] == new.source[0]
                    for row in known.signatures.get(sort, {})
                    for n in row
                    if n < number
                ):
                    known.signatures[sort][number,] = 1000 if shows else 999
            for place, rows in known.slot_signatures.items():
                if any(
                    known.modifiers[n].source[0] == new.source[0]
                    for row in rows
                    for n in row
                    if n < number
                ):
                    rows[number,] = totals[place]
            left_slots = [s for s in frame.slots if s != slot]
            for n, s in enumerate(left_slots):
                known.inner_sorts[number, n] = sorts.get(s.number, Counter())
                known.inner_signatures[number, n] = Counter({(): 1})
                known.origin[str(new), n] = str(frame), s.number

    def _alternants(self, one: SentenceFrame, other: SentenceFrame) -> bool:
        """Say whether two frames have the same words with the same targets but for the particle."""
        if one is other or not (one_word(one) and one_word(other)):
            return False
        a = {w[0]: m.target for w, m in one.members.items()}
        b = {w[0]: m.target for w, m in other.members.items()}
        first, second = prefix_of(list(a.values())), prefix_of(list(b.values()))
        both = a.keys() & b.keys()
        same = sum(a[w].removeprefix(first) == b[w].removeprefix(second) for w in both)
        return len(both) >= 0.6 * min(len(a), len(b)) and same >= 0.8 * len(both)

    def _particle(self, frame: SentenceFrame, slot: PhraseSlot) -> str:
        """Return what follows a slot in the target: the words up to what is open."""
        at = frame.target.index(slot) + 1
        after = at
        while after < len(frame.target) and not (
            isinstance(frame.target[after], PhraseSlot) or frame.target[after] == OPEN
        ):
            after += 1
        if after == at and after < len(frame.target) and frame.target[after] == OPEN:
            own = prefix_of([member.target for member in frame.members.values()])
            return own.replace(CUT, "")
        return "".join(str(item) for item in frame.target[at:after])

    def _relative(self, frame: SentenceFrame, slot: PhraseSlot, connector: str) -> SentenceFrame:
        target = list(frame.target[:-1] if frame.target[-1] == self.known.end[1] else frame.target)
        at = target.index(slot)
        after = at + 1
        while after < len(target) and isinstance(target[after], str) and target[after] != OPEN:
            after += 1
        particle = ""
        if after == at + 1 and after < len(target) and target[after] == OPEN:
            particle = prefix_of([m.target for m in frame.members.values()])
        core = numbered(
            (connector, *(i for i in frame.source[:-1] if i != slot)),
            (*target[:at], *target[after:]),
        )
        made = SentenceFrame(
            core.source,
            core.target,
            made_by=f"relative: {shown(frame.source)} : {shown(core.source)}",
            before=(False, True),
        )
        for words, member in self._first(frame).items():
            text = self._without_end(member.target)
            if text.startswith(particle) and len(text) > len(particle):
                made.members[words] = FrameMember(
                    words,
                    text[len(particle) :],
                    member.pairs,
                    member.made_by,
                    member.made_of,
                )
        return made
