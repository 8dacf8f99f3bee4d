"""New members of frames: forms that analogy gives to words seen in other frames.

1. Frames with two open words (wanted to see) are taken apart into cells, and each word gets the
   cells that it lacks. Words seen by themselves only join the cell, or the sort, whose words they
   look like.
2. Words get the second form of their inflection (passes for passed) where the frame has that form.
3. A word of one frame gets another frame when most frequent words of the first are in both, or when
   a word with the very same target is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from recombine.augment.frames import OPEN, FrameMember, SentenceFrame, shown
from recombine.augment.paradigms import (
    Endings,
    FormPair,
    Inflection,
    pair_forms,
    prefix_of,
    prefixes_off,
    stems,
)
from recombine.augment.phrases import Item
from recombine.augment.repertoire import Repertoire, at_home, likeness
from recombine.augment.tokens import CUT

# A word so frequent would have been seen in a frame that it can have.
FREQUENT = 30
# Of the frequent words of a frame so many must be in the other one.
ALTERNATION = 0.75
# With so many, it is one of single words: only a word with the very same target follows.
LEXICAL_ALTERNATION = 0.6
# Sorts whose likeness to a word differs by no more than this (nats) look alike to it.
LOOK_ALIKE = 6.0
# Of the targets of a frame so many end in the same word before it is the frame's own.
SHARED_END = 0.9


def one_word(frame: SentenceFrame) -> bool:
    """Say whether a frame has one open word."""
    return frame.source.count(OPEN) == 1


def forms(frame: SentenceFrame) -> dict[str, str]:
    """Return the members of a frame with one open word."""
    return {words[0]: member.target for words, member in frame.members.items()}


def fill_forms(known: Repertoire, support: int) -> list[dict[str, object]]:
    """Add members to the frames of a repertoire; return the paradigms used, for people."""
    notes: list[dict[str, object]] = []
    statements = [f for f in known.frames if f.source[-1] == known.end[0]]
    two = [frame for frame in statements if frame.source.count(OPEN) == 2]
    seen: dict[tuple[object, str, str], str] = {
        (str(frame), words[0], words[1]): member.target
        for frame in two
        for words, member in frame.members.items()
    }
    endings, cells = stems(seen)
    # Where the first word comes first in the target as well (quería ver), the same backwards.
    turned = stems({key: target[::-1] for key, target in seen.items()})
    if mirrored := _explained(turned) > 2 * _explained((endings, cells)):
        endings, cells = turned
    place_bare_words(known, two, cells, mirrored=mirrored)
    single = [frame for frame in statements if one_word(frame)]
    inflection = Inflection(
        [
            *(forms(frame) for frame in single),
            {one: end[::-1] if mirrored else end for one, (_, end) in endings.items()},
        ],
        Counter(
            {
                (words[0], member.target): len(member.pairs)
                for frame in single
                for words, member in frame.members.items()
            }
        ),
        support,
    )
    known.inflection = inflection
    if inflection.pairs:
        second = _SecondForms(
            inflection, base_forms(statements, inflection, support), cells, single
        )
        for one, (cell, end) in list(endings.items()):
            text = end[::-1] if mirrored else end
            if inflection.is_first((one, text)):
                new, made = second.source(one), inflection.target.apply(text)
                if new and made and new not in endings:
                    endings[new] = cell, made[::-1] if mirrored else made
        notes.append(
            {
                "name": "inflection",
                "examples": [
                    f"{a[0].strip()}|{a[1]} : {b[0].strip()}|{b[1]}" for a, b in inflection.pairs
                ],
                "support": len(inflection.pairs),
            }
        )
        for frame in single:
            _inflect(frame, inflection, second, support)
    _fill_cells(cells, min(support, 2))
    for frame in two:
        for one, (cell, end) in endings.items():
            for (name, word), stem in cells[cell].items():
                if name == str(frame) and (one, word) not in frame.members:
                    target = (stem + end)[::-1] if mirrored else stem + end
                    frame.members[one, word] = FrameMember(
                        (one, word), target, made_by=f"form: {one.strip()} {word.strip()}"
                    )
    for number, cell_stems in sorted(cells.items()):
        takes = [f"{one.strip()} -{end}" for one, (own, end) in endings.items() if own == number]
        notes.append(
            {
                "name": f"cell {number}",
                "examples": [f"{word.strip()}|{stem}" for (_, word), stem in cell_stems.items()],
                "before": takes,
                "support": len(cell_stems),
            }
        )
    notes += _alternate(known, inflection, support)
    return notes


def _explained(
    taken_apart: tuple[dict[str, tuple[int, str]], dict[int, dict[tuple[object, str], str]]],
) -> int:
    """Return how much of the targets belongs to the first words."""
    return sum(len(end) for _, end in taken_apart[0].values())


def place_bare_words(
    known: Repertoire,
    two: list[SentenceFrame],
    cells: dict[int, dict[tuple[object, str], str]],
    *,
    mirrored: bool = False,
) -> None:
    """Give each word seen by itself the sort or the cell whose words it looks like most."""
    plain = [frame for frame in two if len(frame.slots) == 1]
    seen: Counter[int] = Counter()
    for slots in known.slot_sorts.values():
        for counts in slots.values():
            seen.update(counts)
    used = {s for slots in known.slot_sorts.values() for c in slots.values() for s in at_home(c)}
    units = {sort: list(own) for sort, own in known.units.items() if sort in used}
    for word, target in sorted(known.bare.items()):
        scores = {sort: likeness((word, target), own) for sort, own in sorted(units.items())}
        top = max(scores, key=lambda sort: (scores[sort], -sort))
        best: tuple[float, int, str | None, str] = (scores[top], top, None, "")
        for number, cell in sorted(cells.items()):
            for frame in plain:
                own = {w: stem for (name, w), stem in cell.items() if name == str(frame)}
                if len(own) < 5:
                    continue
                # What they share is the frame's: a particle before them, or the sentence's end.
                prefix = prefix_of(list(own.values()))
                rows = [(w, stem[len(prefix) :]) for w, stem in own.items()]
                if mirrored:
                    rows = [(w, stem[::-1]) for w, stem in rows]
                score = likeness((word, target), rows)
                if score > best[0]:
                    best = score, number, str(frame), prefix
        _, number, name, prefix = best
        if name is None:
            # Sorts that look alike are not told apart by looks: the most versatile one has it.
            alike = [
                sort
                for sort, score in scores.items()
                if known.takes_free[sort] == known.takes_free[top]
                and score >= scores[top] - LOOK_ALIKE
            ]
            known.units[max(alike, key=lambda sort: (seen[sort], -sort))].append(
                (word, target.replace(CUT, ""))
            )
        else:
            text = target.removesuffix(CUT)
            cells[number].setdefault(
                (name, word), prefix + (CUT + text[::-1] if mirrored else text)
            )


def _fill_cells(cells: dict[int, dict[tuple[object, str], str]], support: int) -> None:
    """Give words the cells that they lack: 走る, 走り.

    Nothing is made where another cell says otherwise without exception, however few words show it:
    返し as 料理し would be 返しよう, 返す as 渡す is 返そう.
    """
    made: dict[tuple[int, tuple[object, str]], tuple[tuple[float, int], str]] = {}
    sure: dict[tuple[int, tuple[object, str]], set[str]] = defaultdict(set)
    # Whether a word was cut where its stem ends says nothing of the stem.
    bare = {
        number: {key: stem.removesuffix(CUT) for key, stem in cell.items()}
        for number, cell in cells.items()
    }
    for number, cell in bare.items():
        for other, given in bare.items():
            if other == number:
                continue
            pairs = [(given[key], cell[key]) for key in given if key in cell]
            rule, few = Endings(pairs, support, varied=False), Endings(pairs, 1, varied=False)
            for key, stem in given.items():
                if key in cell:
                    continue
                if new := rule.judge(stem):
                    made[number, key] = max(made.get((number, key), new), new)
                if (new := few.judge(stem)) and new[0][0] == 1.0:
                    sure[number, key].add(new[1])
    for (number, key), (_, stem) in made.items():
        if sure[number, key] <= {stem}:
            cells[number].setdefault(key, stem)


def inflects(frame: SentenceFrame, inflection: Inflection, support: int) -> bool:
    """Say whether words have both forms in a frame."""
    own = forms(frame)
    both = sum(own.get(a[0]) == a[1] and own.get(b[0]) == b[1] for a, b in inflection.pairs)
    return both >= support


def first_forms(
    frame: SentenceFrame, inflection: Inflection, support: int
) -> dict[str, FrameMember]:
    """Return the members that training shows, of a frame with two inflections the first."""
    both = inflects(frame, inflection, support)
    return {
        words[0]: member
        for words, member in frame.members.items()
        if not member.made_by and (not both or inflection.is_first((words[0], member.target)))
    }


class BaseForm(NamedTuple):
    """The first form of a word in a frame, and its base form behind another open word."""

    frame: str
    first: str
    behind: str
    base: str


def base_forms(
    statements: Sequence[SentenceFrame], inflection: Inflection, support: int
) -> list[BaseForm]:
    """Pair first forms with the form behind another open word: thought, (wanted to) think."""
    found: list[BaseForm] = []
    for frame in statements:
        if frame.source.count(OPEN) != 2:
            continue
        first = frame.source.index(OPEN)
        second = frame.source.index(OPEN, first + 1)
        plain = (*frame.source[:first], *frame.source[second:])
        own = next((f for f in statements if f.source == plain), None)
        if own is None:
            continue
        behind = {
            words[1]: member.target for words, member in frame.members.items() if not member.made_by
        }
        past = {w: m.target for w, m in first_forms(own, inflection, support).items()}
        # Without the particle, which most of them share.
        particle = prefix_of(list(past.values()))
        for a, b in pair_forms(
            {w: t.removeprefix(particle) for w, t in past.items()},
            {w: t.removeprefix(particle) for w, t in behind.items()},
        ):
            found.append(BaseForm(str(own), a[0], str(frame), b[0]))
    return found


class _SecondForms:
    """The second form of a word, from its first (passed) or from its base form (pass)."""

    def __init__(
        self,
        inflection: Inflection,
        base: Sequence[BaseForm],
        cells: dict[int, dict[tuple[object, str], str]],
        frames: Sequence[SentenceFrame],
    ) -> None:
        self._inflection = inflection
        self._base = {one.first: one.base for one in base}
        shown = {
            (str(frame), a[0]): b
            for frame in frames
            for a, b in inflection.pairs
            if forms(frame).get(a[0]) == a[1]
        }
        self._source = Endings(
            sorted({(self._base[a[0]], b[0]) for a, b in inflection.pairs if a[0] in self._base}), 2
        )
        # By cell: what the target is there, and how that becomes the second form.
        self._stems: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
        witnesses: dict[int, list[tuple[str, str]]] = defaultdict(list)
        for one in base:
            for number, cell in cells.items():
                stem = cell.get((one.behind, one.base))
                if stem is not None:
                    self._stems[one.frame, one.first].append((number, stem))
                    if second := shown.get((one.frame, one.first)):
                        witnesses[number].append((stem, second[1]))
        self._from_cell = {
            number: Endings(sorted(set(rows)), 2) for number, rows in witnesses.items()
        }

    def source(self, word: str) -> str | None:
        made = self._base.get(word)
        return (made and self._source.apply(made)) or self._inflection.source.apply(word)

    def target(self, frame: str, word: str, target: str) -> str | None:
        # The most regular way is the surest: 持ってくる is 持ってくる again, whatever きた becomes.
        ways = [(self._inflection.target, target)]
        ways += [
            (self._from_cell[number], stem)
            for number, stem in self._stems.get((frame, word), ())
            if number in self._from_cell
        ]
        made = [(way.regularity, new) for way, form in ways if (new := way.judge(form))]
        return max(made)[1][1] if made else None


def _inflect(
    frame: SentenceFrame, inflection: Inflection, second: _SecondForms, support: int
) -> None:
    if not inflects(frame, inflection, support):
        return
    for word, target in forms(frame).items():
        if inflection.is_first((word, target)):
            new, made = second.source(word), second.target(str(frame), word, target)
            if new and made and (new,) not in frame.members:
                frame.members[new,] = FrameMember((new,), made, made_by=f"form: {word} : {new}")


def _alternate(known: Repertoire, inflection: Inflection, support: int) -> list[dict[str, object]]:
    """Give words of one frame another frame."""
    frames = [f for f in known.frames if one_word(f) and len(f.members) >= 8]
    notes: list[dict[str, object]] = []
    # Made members are no evidence, and those of the second inflection stay where they are.
    seen = {str(f): first_forms(f, inflection, support) for f in frames}
    relations: list[tuple[SentenceFrame, SentenceFrame, list[FormPair], float]] = []
    pooled: dict[tuple[Item, ...], list[tuple[str, str]]] = defaultdict(list)
    given = {
        name: prefixes_off({word: member.target for word, member in own.items()})[1]
        for name, own in seen.items()
    }
    for one in frames:
        if one.source[-1] != known.end[0]:
            continue
        first = seen[str(one)]
        frequent = [w for w in given[str(one)] if len(first[w].pairs) >= FREQUENT]
        for other in frames:
            if other is one:
                continue
            pairs = pair_forms(given[str(one)], given[str(other)])
            # Frames that ask for another form of the word are for sentence analogies.
            if 2 * sum(a[0] == b[0] for a, b in pairs) < len(pairs):
                continue
            if len(pairs) < max(5, support):
                continue
            partnered = {pair.first[0] for pair in pairs}
            share = sum(word in partnered for word in frequent) / max(1, len(frequent))
            if share >= LEXICAL_ALTERNATION:
                relations.append((one, other, pairs, share))
                if share >= ALTERNATION:
                    pooled[_difference(one, other)] += [(a[1], b[1]) for a, b in pairs]
                    # Words with a particle of their own show endings too (ほこりを払われた).
                    pooled[_difference(one, other)] += [
                        (member.target[member.target.index(new[:3]) :], new)
                        for word, member in first.items()
                        if word not in given[str(one)]
                        and (new := given[str(other)].get(word))
                        and new[:3] in member.target
                    ]
    for one, other, pairs, share in relations:
        first, own_forms = seen[str(one)], given[str(one)]
        second = {word: member.target for word, member in seen[str(other)].items()}
        other_prefix, taken = prefixes_off(second)
        partnered = {pair.first[0] for pair in pairs}
        lonely = [
            rest
            for word, rest in own_forms.items()
            if word not in partnered and len(first[word].pairs) >= FREQUENT
        ]
        # What the form becomes is the same between all frames that differ in the same way.
        target = Endings(sorted(set(pooled[_difference(one, other)])), support, lonely)
        source = Endings(sorted((a[0], b[0]) for a, b in pairs), support)
        exact = {a[1]: b[1] for a, b in pairs}
        # Words whose particle is not the frame's: the same target, the same particle.
        own_particle = {
            own_forms[word]: second[word]
            for word in own_forms
            if word in second and word not in taken
        }
        # Of the same kind of sentence: both end alike.
        alike = one.source[-1] == other.source[-1]
        dropped = _DroppedArgument(known, own_forms, second, other_prefix if alike else "")
        added = 0
        ends = Counter(map(_last, second.values()))
        usual_last = max(ends, key=lambda end: (ends[end], end))
        # Where nearly all end in the same word, it is the frame's.
        shared = ends[usual_last] >= SHARED_END * len(second)
        for word, rest in own_forms.items():
            # Frequent words are irregular, too: one that has the frame was seen in it.
            if word in partnered or word in second or len(first[word].pairs) >= FREQUENT:
                continue
            made = own_particle.get(rest)
            if made is None:
                new = exact.get(rest) if share < ALTERNATION else target.apply(rest)
                made = other_prefix + new if new else dropped.apply(rest)
            lacks_end = made and shared and _last(made) != usual_last
            form = source.apply(word)
            if made and form and not lacks_end and (form,) not in other.members:
                name = f"alternation: {shown(one.source)} : {shown(other.source)}"
                other.members[form,] = FrameMember((form,), made, made_by=name)
                added += 1
        if added:
            notes.append(
                {
                    "name": f"{one} : {other}",
                    "examples": [
                        f"{a[0].strip()}|{a[1]} : {b[0].strip()}|{b[1]}" for a, b in pairs[:5]
                    ],
                    "support": len(pairs),
                    "share": round(share, 2),
                    "made": added,
                }
            )
    return notes


def _last(target: str) -> str:
    """Return the last word of a target: its sentence's end, or what joins it to the next phrase."""
    return target.removesuffix(CUT).rsplit(CUT, 1)[-1]


class _DroppedArgument:
    """What the target says and the source leaves out: read is 本を読んだ, read X is Xを読んだ.

    The stretch before the other frame's particle is the argument when it is a known word, or when
    the words with the same ending, seen in both frames, all lose it so.
    """

    def __init__(
        self, known: Repertoire, one: dict[str, str], other: dict[str, str], particle: str
    ) -> None:
        self._particle = particle.removesuffix(CUT)
        # Two letters before the end of the sentence, which all words share.
        self._least = len(known.end[1]) + 2
        self._words = {unit[1] for units in known.units.values() for unit in units}
        self._shown: dict[str, set[bool]] = defaultdict(set)
        for word, rest in one.items():
            kept = self._kept(rest)
            if word in other and kept:
                for size in range(1, len(kept) + 1):
                    self._shown[kept[-size:]].add(other[word] == kept)

    def _kept(self, rest: str) -> str:
        at = rest.find(self._particle) if self._particle else -1
        # The argument may have been taken for a part of the word, without a cut.
        kept = rest[at:].removeprefix(self._particle).removeprefix(CUT)
        return self._particle + CUT + kept if at > 0 else ""

    def apply(self, rest: str) -> str | None:
        kept = self._kept(rest)
        if not kept:
            return None
        if rest[: rest.index(self._particle)].replace(CUT, "") in self._words:
            return kept
        for size in range(len(kept), 0, -1):
            ending = kept[-size:]
            if len(ending.replace(CUT, "")) < self._least:
                break
            if shown := self._shown.get(ending):
                return kept if shown == {True} else None
        return None


def _difference(one: SentenceFrame, other: SentenceFrame) -> tuple[Item, ...]:
    """Return in which words two frames differ: before the open word, first and last."""
    at = one.source.index(OPEN)
    first = next(item for item in other.source if isinstance(item, str))
    return one.source[at - 1] if at else "", first, other.source[-1]
