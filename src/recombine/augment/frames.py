"""Frames: sentences with their phrases and clauses taken out, and one word that changes.

Reduced sentences (phrases.py) are few. A stretch of one that is itself a whole sentence, with the
same target, is a clause: "X said that X ran" becomes "X said that S". In what is left, the word
that most others can replace is the frame's open word: "X1 _ X2 X3. | X1がX2にX3_" with the members
(gave | をあげた。), (passed | を渡した。). Two words that combine freely are both open (wanted to
see). In the target a stretch between two slots is open.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from recombine.augment.phrases.slots import Item, PhraseSlot
from recombine.augment.tokens import CUT
from recombine.errors import DataError

# A clause as a slot has this number added, so that phrases and clauses are told apart.
CLAUSE = 100
OPEN = "_"
# Behind words like "X said that" this share of the clauses must be as they are by themselves.
SAME_CLAUSE = 0.5
# Fewer than this share of all, of so many: such pairs are not understood.
FEWEST_SAME = 0.3
FEWEST_CLAUSES = 20
OTHERWISE = (
    "such pairs cannot be recombined yet; -o method=exchange exchanges words for others that have "
    "like neighbours"
)
Key = tuple[tuple[Item, ...], tuple[Item, ...]]


class Core(NamedTuple):
    """A reduced pair with clauses taken out too; `clauses` by slot."""

    source: tuple[Item, ...]
    target: tuple[Item, ...]


def is_clause(item: Item) -> bool:
    """Say whether a slot holds a clause."""
    return isinstance(item, PhraseSlot) and item.number >= CLAUSE


@dataclass
class FrameMember:
    """What the open words are, the target stretch that goes with them, and where it was seen."""

    source: tuple[str, ...]
    target: str
    pairs: list[int] = field(default_factory=list)
    # By which analogy it was made, where no training pair has it, and of whose pairs.
    made_by: str = ""
    made_of: list[int] = field(default_factory=list)

    @property
    def parents(self) -> list[int]:
        """A pair that it was seen in, or pairs that it was made of."""
        return self.pairs[:1] or self.made_of

    @cached_property
    def text(self) -> str:
        """The target stretch as it is written, once it is as it will stay."""
        return self.target.replace(CUT, "")


@dataclass(eq=False)
class SentenceFrame:
    """A sentence (or a modifier) with slots, open words and an open stretch of the target."""

    source: tuple[Item, ...]
    target: tuple[Item, ...]
    members: dict[tuple[str, ...], FrameMember] = field(default_factory=dict)
    # By which analogy it was made, where training has no such frame, and with which it is drawn.
    made_by: str = ""
    family: str = ""
    # Of a modifier: whether it stands before its head, in source and target.
    before: tuple[bool, bool] = (False, True)
    # Of a question about something inside a clause: the clauses that lack it.
    gapped: list[SentenceFrame] = field(default_factory=list)

    @cached_property
    def words(self) -> list[tuple[str, ...]]:
        """The open words of the members when all are known, in a fixed order."""
        return sorted(self.members)

    @cached_property
    def name(self) -> str:
        """The frame as text, once it is as it will stay."""
        return str(self)

    @cached_property
    def slots(self) -> list[PhraseSlot]:
        """The slots in source order, once they are as they will stay."""
        return [item for item in self.source if isinstance(item, PhraseSlot)]

    def add(self, words: tuple[str, ...], target: str, pairs: Sequence[int]) -> None:
        """Count a member; of two targets the more frequent one stays."""
        known = self.members.get(words)
        if known is not None and known.target == target:
            known.pairs += pairs
        elif known is None or len(pairs) > len(known.pairs):
            self.members[words] = FrameMember(words, target, list(pairs))

    @property
    def count(self) -> int:
        """In how many pairs it was seen."""
        return sum(len(member.pairs) for member in self.members.values())

    @property
    def key(self) -> Key:
        """Source and target."""
        return self.source, self.target

    def __str__(self) -> str:
        return f"{shown(self.source)} | {shown(self.target)}"


def shown(items: Sequence[Item]) -> str:
    """Return a row of items for people."""
    return "".join(
        (f" S{item.number - CLAUSE + 1}" if is_clause(item) else f" X{item.number + 1}")
        if isinstance(item, PhraseSlot)
        else item
        for item in items
    ).strip()


def numbered(source: Sequence[Item], target: Sequence[Item]) -> Core:
    """Number phrases and clauses in source order."""
    names: dict[Item, PhraseSlot] = {}
    counts = [0, 0]
    for item in source:
        if isinstance(item, PhraseSlot):
            clause = is_clause(item)
            names[item] = PhraseSlot(counts[clause] + (CLAUSE if clause else 0))
            counts[clause] += 1
    return Core(
        tuple(names.get(item, item) for item in source),
        tuple(names.get(item, item) for item in target),
    )


def take_out_clauses(
    cores: Sequence[Core], rounds: int = 4
) -> tuple[dict[Core, Core], Counter[Core]]:
    """Return for every core what is left without stretches that are sentences, and those."""
    left = {core: core for core in cores}
    counts = Counter(cores)
    ends = Counter((core.source[-1], core.target[-1]) for core in cores)
    end = max(ends, key=lambda e: (ends[e], str(e)))
    told: dict[tuple[Item, ...], ClauseOrder] | None = None
    for _ in range(rounds):
        usual: dict[tuple[Item, ...], Counter[tuple[Item, ...]]] = defaultdict(Counter)
        for core, now in left.items():
            usual[now.source][now.target] += counts[core]
        whole = {
            source[:-1]: max(targets, key=lambda t: (targets[t], str(t)))[:-1]
            for source, targets in usual.items()
            if source[-1] == end[0]
            and max(targets, key=lambda t: (targets[t], str(t)))[-1] == end[1]
        }
        if told is None:
            told = _clauses_kept(left, whole)
            check_clauses(told.values())
        changed = False
        done: dict[Core, Core] = {}
        edges = set(map(_ends, whole))
        for core, now in left.items():
            if now not in done:
                done[now] = _without_clause(now, whole, edges, told)
            if done[now] != now:
                left[core] = done[now]
                changed = True
        if not changed:
            break
    inside = Counter(
        Core((*part, end[0]), (*whole[part], end[1]))
        for core in left
        for part in _parts(core.source, edges)
        if part in whole
    )
    return left, inside


class ClauseOrder(NamedTuple):
    """How many clauses behind some words have the target of the same sentence, and how many not."""

    same: int
    other: int

    @property
    def holds(self) -> bool:
        """Say whether sentences stand there as they are."""
        return self.same >= SAME_CLAUSE * (self.same + self.other)


HOLDS = ClauseOrder(0, 0)


def check_clauses(told: Iterable[ClauseOrder]) -> None:
    """Refuse pairs in which sentences inside sentences are mostly said otherwise."""
    same = other = 0
    for order in told:
        same += order.same
        other += order.other
    if other >= FEWEST_CLAUSES and same < FEWEST_SAME * (same + other):
        raise DataError(
            f"of {same + other:,} sentences inside others, {other:,} have another target there "
            "than by themselves (their words are in another order, or other forms)",
            hint=OTHERWISE,
        )


def _clauses_kept(
    cores: Iterable[Core], whole: dict[tuple[Item, ...], tuple[Item, ...]]
) -> dict[tuple[Item, ...], ClauseOrder]:
    """Count by the words before a clause whether its target is that of the sentence."""
    told: dict[tuple[Item, ...], ClauseOrder] = {}
    for source, target in set(cores):
        for i in range(2, len(source) - 2):
            part = source[i:-1]
            known = whole.get(numbered(part, ()).source)
            if known is None or not isinstance(source[i - 1], str):
                continue
            wanted = _in_place(known, part)
            size = len(wanted)
            same = any(target[a : a + size] == wanted for a in range(len(target) - size + 1))
            # The same words in another order, or none of them.
            if same or len(target) > size:
                old = told.get(source[:i], ClauseOrder(0, 0))
                told[source[:i]] = ClauseOrder(old.same + same, old.other + (not same))
            break
    return told


def _in_place(known: tuple[Item, ...], part: tuple[Item, ...]) -> tuple[Item, ...]:
    """Return the target of a sentence with the slots that its source has in a longer one."""
    own = [item for item in numbered(part, ()).source if isinstance(item, PhraseSlot)]
    there = [item for item in part if isinstance(item, PhraseSlot)]
    back = dict(zip(own, there, strict=True))
    return tuple(back.get(item, item) if isinstance(item, PhraseSlot) else item for item in known)


def _ends(part: tuple[Item, ...]) -> tuple[int, str, str]:
    """Return how long a part is and between what: nearly no part is a sentence, and these tell."""
    first, last = (OPEN if isinstance(item, PhraseSlot) else item for item in (part[0], part[-1]))
    return len(part), first, last


def _parts(source: tuple[Item, ...], ends: set[tuple[int, str, str]]) -> Iterator[tuple[Item, ...]]:
    for i in range(1, len(source)):
        for k in range(i + 2, len(source)):
            if _ends(source[i:k]) in ends:
                yield numbered(source[i:k], ()).source


def _without_clause(
    core: Core,
    whole: dict[tuple[Item, ...], tuple[Item, ...]],
    ends: set[tuple[int, str, str]],
    told: Mapping[tuple[Item, ...], ClauseOrder],
) -> Core:
    source, target = core
    size = len(source)
    for length in range(size - 2, 1, -1):
        for i in range(1, size - length):
            part = source[i : i + length]
            if _ends(part) not in ends or all(isinstance(item, PhraseSlot) for item in part):
                continue
            known = whole.get(numbered(part, ()).source)
            if known is None or not told.get(source[:i], HOLDS).holds:
                continue
            wanted = _in_place(known, part)
            for a in range(len(target) - len(wanted) + 1):
                if target[a : a + len(wanted)] == wanted:
                    slot = PhraseSlot(CLAUSE + 50)
                    return numbered(
                        (*source[:i], slot, *source[i + length :]),
                        (*target[:a], slot, *target[a + len(wanted) :]),
                    )
    return core


def segments(target: Sequence[Item]) -> tuple[list[tuple[str, ...]], list[PhraseSlot]]:
    """Return the stretches between slots, and the slots."""
    parts: list[list[str]] = [[]]
    slots: list[PhraseSlot] = []
    for item in target:
        if isinstance(item, PhraseSlot):
            slots.append(item)
            parts.append([])
        else:
            parts[-1].append(item)
    return [tuple(part) for part in parts], slots


def _opened(target: Sequence[Item], q: int) -> tuple[tuple[Item, ...], str]:
    """Return the target with its stretch number `q` open, and the stretch."""
    parts, slots = segments(target)
    made: list[Item] = []
    for n, own in enumerate(parts):
        made += [OPEN] if n == q else own
        if n < len(slots):
            made.append(slots[n])
    return tuple(made), "".join(word + CUT for word in parts[q])


def _views(core: Core, words: int) -> list[tuple[Key, tuple[str, ...], str]]:
    """Return the core with words of the source and a stretch of the target open."""
    parts, _ = segments(core.target)
    targets = [_opened(core.target, q) for q, part in enumerate(parts) if part]
    places = [n for n, item in enumerate(core.source) if isinstance(item, str)]
    views = []
    for chosen in itertools.combinations(places, words):
        source = tuple(OPEN if n in chosen else item for n, item in enumerate(core.source))
        own = tuple(str(core.source[n]) for n in chosen)
        views += [((source, target), own, part) for target, part in targets]
    return views


def find_frames(
    cores: Mapping[Core, Sequence[int]], support: int
) -> tuple[list[SentenceFrame], dict[Core, tuple[SentenceFrame, tuple[str, ...]]]]:
    """Group cores into frames: by two words that many others can replace, or else by one.

    Where a source frame has several targets, those that are much rarer than the usual one are
    errors of alignment.
    """
    frames: dict[Key, SentenceFrame] = {}
    place: dict[Core, tuple[Key, tuple[str, ...]]] = {}
    rest = list(cores)
    for words, fewest in ((2, 5), (1, 3)):
        rows: dict[Key, set[tuple[str, ...]]] = defaultdict(set)
        seen = {core: _views(core, words) for core in rest}
        for found in seen.values():
            for key, own, _ in found:
                rows[key].add(own)
        fillers = {
            key: [set(column) for column in zip(*own, strict=True)] for key, own in rows.items()
        }
        if words > 1:
            # Two words that combine freely, not one that has the other beside it.
            fillers = {
                key: sets if len(rows[key]) >= 2 * max(map(len, sets)) else [set()] * words
                for key, sets in fillers.items()
            }
        others = {key: min(map(len, sets)) for key, sets in fillers.items()}
        left = []
        for core in rest:
            most_others = max((others[view[0]] for view in seen[core]), default=0)
            if most_others < fewest:
                left.append(core)
                continue
            key, own, part = max(
                (view for view in seen[core] if others[view[0]] == most_others), key=str
            )
            frames.setdefault(key, SentenceFrame(*key)).add(own, part, cores[core])
            place[core] = key, own
        rest = left
    for core in rest:
        frames.setdefault((core.source, core.target), SentenceFrame(*core)).add((), "", cores[core])
        place[core] = (core.source, core.target), ()
    most: Counter[tuple[Item, ...]] = Counter()
    for frame in frames.values():
        most[frame.source] = max(most[frame.source], frame.count)
    kept = [
        frame
        for frame in frames.values()
        if frame.count >= support
        and frame.count >= 0.1 * most[frame.source]
        and (OPEN in frame.source or not any(map(is_clause, frame.source)))
    ]
    kept.sort(key=lambda frame: (-frame.count, str(frame)))
    known = {frame.key for frame in kept}
    return kept, {
        core: (frames[key], words) for core, (key, words) in place.items() if key in known
    }
