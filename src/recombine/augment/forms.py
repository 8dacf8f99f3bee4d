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
        for one, (cell, end) in list(endings.items()):
            text = end[::-1] if mirrored else end
            if inflection.is_first((one, text)):
                new, made = inflection.source.apply(one), inflection.target.apply(text)
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
            _inflect(frame, inflection, support)
    _fill_cells(cells, support)
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
    """Give words the cells that they lack: 走る, 走り."""
    made: dict[tuple[int, tuple[object, str]], tuple[tuple[float, int], str]] = {}
    for number, cell in cells.items():
        for other, given in cells.items():
            if other == number:
                continue
            rule = Endings([(given[key], cell[key]) for key in given if key in cell], support)
            for key, stem in given.items():
                if key not in cell and (new := rule.judge(stem)):
                    made[number, key] = max(made.get((number, key), new), new)
    for (number, key), (_, stem) in made.items():
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


def _inflect(frame: SentenceFrame, inflection: Inflection, support: int) -> None:
    if not inflects(frame, inflection, support):
        return
    for word, target in forms(frame).items():
        if inflection.is_first((word, target)):
            new, made = inflection.source.apply(word), inflection.target.apply(target)
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
        exact = {a[1]: b[1] for a, b in pairs}
        # Words whose particle is not the frame's: the same target, the same particle.
        own_particle = {
            own_forms[word]: second[word]
            for word in own_forms
            if word in second and word not in taken
        }
        added = 0
        ends = Counter(map(_last, second.values()))
        usual_last = max(ends, key=lambda end: (ends[end], end))
        # Where nearly all end in the same word, it is the frame's.
        shared = ends[usual_last] >= SHARED_END * len(second)
        for word, rest in own_forms.items():
            if word in partnered or word in second or len(first[word].pairs) >= FREQUENT:
                continue
            made = own_particle.get(rest)
            if made is None:
                new = exact.get(rest) if share < ALTERNATION else target.apply(rest)
                made = other_prefix + new if new else None
            lacks_end = made and shared and _last(made) != usual_last
            if made and not lacks_end and (word,) not in other.members:
                name = f"alternation: {shown(one.source)} : {shown(other.source)}"
                other.members[word,] = FrameMember((word,), made, made_by=name)
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


def _difference(one: SentenceFrame, other: SentenceFrame) -> tuple[Item, ...]:
    """Return in which words two frames differ: before the open word, first and last."""
    at = one.source.index(OPEN)
    first = next(item for item in other.source if isinstance(item, str))
    return one.source[at - 1] if at else "", first, other.source[-1]
