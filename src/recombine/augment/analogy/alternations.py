"""Alternations: words of one frame that get another frame.

A word gets it when most frequent words of its own frame are in both, or when a word with the very
same target is.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from recombine.augment.analogy.paradigms import (
    Endings,
    FormPair,
    Inflection,
    pair_forms,
    prefixes_off,
)
from recombine.augment.frames import OPEN, FrameMember, SentenceFrame, shown
from recombine.augment.phrases.slots import Item
from recombine.augment.repertoire import Repertoire
from recombine.augment.tokens import CUT

# A word so frequent would have been seen in a frame that it can have.
FREQUENT = 30
# Of the frequent words of a frame so many must be in the other one.
ALTERNATION = 0.75
# With so many, it is one of single words: only a word with the very same target follows.
LEXICAL_ALTERNATION = 0.6
# Of the targets of a frame so many end in the same word before it is the frame's own.
SHARED_END = 0.9


def one_word(frame: SentenceFrame) -> bool:
    """Say whether a frame has one open word."""
    return frame.source.count(OPEN) == 1


def forms(frame: SentenceFrame) -> dict[str, str]:
    """Return the members of a frame with one open word."""
    return {words[0]: member.target for words, member in frame.members.items()}


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


def alternate(known: Repertoire, inflection: Inflection, support: int) -> list[dict[str, object]]:
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
                parents = first[word].parents
                other.members[form,] = FrameMember((form,), made, [], name, parents)
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
