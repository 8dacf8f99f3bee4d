"""New members of frames: forms that analogy gives to words seen in other frames.

1. Frames with two open words (wanted to see) are taken apart into cells, and each word gets the
   cells that it lacks. Words seen by themselves only join the cell, or the sort, whose words they
   look like.
2. Words get the second form of their inflection (passes for passed) where the frame has that form.
3. Words get other frames (`alternations.py`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recombine.augment.analogy.alternations import alternate, first_forms, forms, inflects, one_word
from recombine.augment.analogy.paradigms import (
    Endings,
    Form,
    Inflection,
    Judged,
    beginning,
    common,
    pair_forms,
    prefix_of,
    stems,
)
from recombine.augment.frames import OPEN, FrameMember, SentenceFrame
from recombine.augment.repertoire import Repertoire, at_home, likeness
from recombine.augment.tokens import CUT

# Sorts whose likeness to a word differs by no more than this (nats) look alike to it.
LOOK_ALIKE = 6.0
# Pairs that are enough to know in which letters words end before another.
KNOWN_JUNCTION = 20


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
    else:
        known.junctions = _junctions(seen, endings, cells)
    place_bare_words(known, two, cells, mirrored=mirrored)
    single = [frame for frame in statements if one_word(frame)]
    before = {one: end[::-1] if mirrored else end for one, (_, end) in endings.items()}
    inflection = Inflection(
        [*(forms(frame) for frame in single), before],
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
            inflection,
            base_forms(statements, inflection, support),
            # What is cut off at its beginning tells nothing of the end.
            {} if mirrored else cells,
            single,
        )
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
        surroundings = inflection.surroundings(before)
        for one, (cell, end) in list(endings.items()):
            text = end[::-1] if mirrored else end
            if inflection.is_first((one, text)):
                new = second.source(one)
                made = second.of_word(one, text) or inflection.second(text, surroundings)
                if new and made and new not in endings:
                    endings[new] = cell, made[1][::-1] if mirrored else made[1]
    _fill_cells(cells, min(support, 2))
    alone = {word: [number] for (word, _), number in known.unit_pairs.items()}
    for frame in two:
        shows = {w: m.pairs[:1] for words, m in frame.members.items() for w in words if m.pairs}
        shows = alone | shows
        for one, (cell, end) in endings.items():
            for (name, word), stem in cells[cell].items():
                if name == str(frame) and (one, word) not in frame.members:
                    target = (stem + end)[::-1] if mirrored else stem + end
                    name = f"form: {one.strip()} {word.strip()}"
                    made_of = [*shows.get(one, []), *shows.get(word, [])]
                    frame.members[one, word] = FrameMember((one, word), target, [], name, made_of)
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
    notes += alternate(known, inflection, support)
    return notes


def _junctions(
    seen: Mapping[tuple[object, str, str], str],
    endings: Mapping[str, tuple[int, str]],
    cells: Mapping[int, Mapping[tuple[object, str], str]],
) -> dict[str, Counter[str]]:
    """Count the letters in which second words end before the first word's own: 見る before こと."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for frame, one, two in seen:
        cell, end = endings.get(one, (-1, ""))
        stem = cells.get(cell, {}).get((frame, two), "").removesuffix(CUT)
        if stem and end:
            found[end.split(CUT)[0]][stem[-1]] += 1
    return {word: letters for word, letters in found.items() if letters.total() >= KNOWN_JUNCTION}


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
        behind = _behind(frame)
        past = {w: m.target for w, m in first_forms(own, inflection, support).items()}
        # Without the particle, which most of them share.
        particle = prefix_of(list(past.values()))
        for a, b in pair_forms(
            {w: t.removeprefix(particle) for w, t in past.items()},
            {w: t.removeprefix(particle) for w, t in behind.items()},
        ):
            found.append(BaseForm(str(own), a[0], str(frame), b[0]))
    return found


def _behind(frame: SentenceFrame) -> dict[str, str]:
    """Return the second words with their targets, without what all have behind one first word.

    Snapped is quebró, (wanted to) sketch is quería bosquejar: the beginning is that of wanted.
    """
    rows: dict[str, dict[str, str]] = defaultdict(dict)
    for words, member in frame.members.items():
        if not member.made_by:
            rows[words[0]][words[1]] = member.target
    found: dict[str, str] = {}
    for own in sorted(rows.values(), key=len):
        shared = beginning(list(own.values())) if len(own) > 1 else ""
        # The space before a word is the word's.
        found |= {word: target[len(shared.rstrip()) :] for word, target in own.items()}
    return found


def _whole(target: str, start: int) -> bool:
    """Say whether a target from here on is whole words."""
    return start == 0 or target[start - 1] == CUT


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
        # Both targets of a word that has both forms in some frame.
        self._known = {a: (b[0], b[1]) for a, b in inflection.pairs}
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

    def note(self, first: Form, second: Form) -> None:
        """Keep a form that was made, for the same word elsewhere."""
        self._known.setdefault(first, second)

    def of_word(self, word: str, target: str) -> Judged | None:
        """Return what the target becomes where the same word has both forms in another frame."""
        for (first, old), (_, new) in self._known.items():
            kept = common(old, new)
            # All of the word, whatever particle stands before it.
            start = next((n for n in range(kept) if target.endswith(old[n:])), None)
            if first == word and start is not None and _whole(old, start):
                return (1.0, len(old)), target.removesuffix(old[start:]) + new[start:]
        return None

    def source(self, word: str) -> str | None:
        made = self._base.get(word)
        return (made and self._source.apply(made)) or self._inflection.source.apply(word)

    def target(
        self, frame: str, word: str, target: str, surroundings: tuple[str, str]
    ) -> str | None:
        # The most regular way is the surest: 持ってくる is 持ってくる again, whatever きた becomes.
        inflection = self._inflection
        if known := self.of_word(word, target):
            return known[1]
        ways = [(inflection.target.regularity, inflection.second(target, surroundings))]
        ways += [
            (self._from_cell[number].regularity, self._from_cell[number].judge(stem))
            for number, stem in self._stems.get((frame, word), ())
            if number in self._from_cell
        ]
        made = [(regularity, new) for regularity, new in ways if new]
        return max(made)[1][1] if made else None


def _inflect(
    frame: SentenceFrame, inflection: Inflection, second: _SecondForms, support: int
) -> None:
    if not inflects(frame, inflection, support):
        return
    surroundings = inflection.surroundings(forms(frame))
    for word, target in forms(frame).items():
        if inflection.is_first((word, target)):
            new, made = second.source(word), second.target(str(frame), word, target, surroundings)
            if new and made and (new,) not in frame.members:
                parents = frame.members[word,].parents
                frame.members[new,] = FrameMember(
                    (new,), made, [], f"form: {word} : {new}", parents
                )
                second.note((word, target), (new, made))
