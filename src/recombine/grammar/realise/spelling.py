"""Finishing touches of a sentence: what the next sound changes, capital letter, collapsed commas.

Each returns edits (start, end, replacement) on the text, so that character offsets of
constituents can follow. They are the only string functions of the format; everything else is
data, the touches of a language too: ``%touch "la" -> "l'" + before vowel``.

What is written is read back the same way: `SpelledText` undoes the touches of a text (*al*, which
was *a el*), for the parser as for whoever matches a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from recombine.grammar.model import Language, SoundSet, Touch


class SpellingEdit(NamedTuple):
    """Replace text[start:end]."""

    start: int
    end: int
    replacement: str


Finish = Callable[[str], list[SpellingEdit]]

_COMMA = re.compile(r"(?<=,)\s*,|\s?,(?=[\s,]*[.?!;])")
_SENTENCE_END = re.compile(r"[.?!…。？！][\s\"'»”’)]*\Z")
_INSIDE = r"[\w'-]"  # what belongs to a word
A_AN = Touch("a", "an", before=SoundSet(("a", "e", "i", "o", "u")))


def first_letter(text: str) -> int:
    """Where the first letter or digit of a text is, or -1: a sentence may begin with a mark."""
    return next((index for index, letter in enumerate(text) if letter.isalnum()), -1)


def capitalise(text: str) -> list[SpellingEdit]:
    """The first letter in upper case."""
    index = first_letter(text)
    upper = text[index].upper() if index >= 0 else ""
    return (
        [SpellingEdit(index, index + 1, upper)] if len(upper) == 1 and upper != text[index] else []
    )


def sentence_case(text: str) -> list[SpellingEdit]:
    """The first letter in upper case where the text is a sentence: words alone stay as they are."""
    return capitalise(text) if _SENTENCE_END.search(text) else []


def commas(text: str) -> list[SpellingEdit]:
    """A comma before another punctuation mark vanishes."""
    return [SpellingEdit(match.start(), match.end(), "") for match in _COMMA.finditer(text)]


def touch(rule: Touch, join: str = " ", sounds: Mapping[str, str] | None = None) -> Finish:
    """The finish of one touch; `sounds` has how words sound that are written otherwise."""
    pattern = re.compile(_pattern(rule, join, sounds or {}))

    def edit(text: str) -> list[SpellingEdit]:
        edits: list[SpellingEdit] = []
        if pattern.search(text) is None:
            return edits
        for match in pattern.finditer(text):
            old, new = match[0], rule.new
            if old[0] != rule.old[0]:
                new = new[0].upper() + new[1:]
            # What both begin with belongs to the piece before: the n of *an* to the article.
            same = 0
            while same < min(len(old), len(new)) and old[same] == new[same]:
                same += 1
            edits.append(SpellingEdit(match.start() + same, match.end(), new[same:]))
        return edits

    return edit


def _pattern(rule: Touch, join: str, sounds: Mapping[str, str]) -> str:
    """The regular expression of a touch; the text itself first, as that is quick to look for."""
    first, rest = rule.old[0], re.escape(rule.old[1:])
    either = {first, first.upper() if len(first.upper()) == 1 else first}
    old = f"[{re.escape(''.join(sorted(either)))}]{rest}"
    space = re.escape(join)
    after = ""
    if rule.after is not None:
        gap = "" if rule.attached else space
        after = f"(?:{_endings(rule.after, gap)})"
    elif rule.attached:
        after = r"(?<=\w)"
    following = space if rule.old[-1].isalnum() else f"(?:{space})?"
    if rule.glued:
        ahead = f"{following}(?={_beginnings(rule.before, sounds)})" if rule.before else space
    elif rule.before is not None:
        ahead = f"(?={following}{_beginnings(rule.before, sounds)})"
    else:
        ahead = f"(?!{_INSIDE})" if rule.old[-1].isalnum() else ""
    if rule.attached:
        return after + old + ahead
    if rule.glued:  # the join is taken too, so a look back from the end has no fixed width
        return f"{after}(?<!{_INSIDE}){old}{ahead}"
    return f"{after}{old}{ahead}(?<!{_INSIDE}{old})"


def _fits(sound: SoundSet, word: str) -> bool:
    """Whether a word begins with one of the sounds: the longest beginning decides."""
    known = [(len(text), False) for text in sound.but if word.lower().startswith(text.lower())]
    known += [(len(text), True) for text in sound.like if word.lower().startswith(text.lower())]
    return max(known, default=(0, False))[1]


def _beginnings(sound: SoundSet, sounds: Mapping[str, str]) -> str:
    # Single letters are one class, and in both cases: twice as fast as alternatives of any case.
    single = [t for t in sound.like if len(t) == 1 and not any(b.startswith(t) for b in sound.but)]
    letters = "".join(re.escape(case) for t in single for case in sorted({t.lower(), t.upper()}))
    ways = [
        "".join(f"(?!{re.escape(but)})" for but in sound.but if but.startswith(text))
        + re.escape(text)
        for text in sound.like
        if text not in single
    ]
    spelt = "|".join([*([f"[{letters}]"] if letters else []), *(f"(?i:{way})" for way in ways)])
    wrong = [word for word, said in sounds.items() if _fits(sound, word) > _fits(sound, said)]
    right = [word for word, said in sounds.items() if _fits(sound, word) < _fits(sound, said)]
    words = "".join(f"(?!{re.escape(word)}(?!{_INSIDE}))" for word in wrong)
    more = "".join(f"|{re.escape(word)}(?!{_INSIDE})" for word in right)
    return f"{words}(?:{spelt}{more})"


def _endings(sound: SoundSet, gap: str) -> str:
    return "|".join(
        "".join(f"(?<!{re.escape(but)}{gap})" for but in sound.but if but.endswith(text))
        + f"(?<={re.escape(text)}{gap})"
        for text in sound.like
    )


def finishes(
    language: Language, sounds: Mapping[str, str], articles: Mapping[str, str]
) -> list[Finish]:
    """The touches of a language in their order, then what its %post line names.

    `sounds` has how words sound that begin otherwise than they are written; `articles` has the `a`
    or `an` of such words, for the touch `a_an`.
    """
    vowel_or_not = {word: "a" if form == "an" else "h" for word, form in articles.items()}
    named: dict[str, Finish] = {
        "capitalise": capitalise,
        "sentence_case": sentence_case,
        "commas": commas,
        "a_an": touch(A_AN, language.join, vowel_or_not),
    }
    own = [touch(rule, language.join, sounds) for rule in language.touches]
    return [*own, *(named[name] for name in language.post)]


def apply_edits(text: str, edits: Sequence[SpellingEdit]) -> str:
    """The edited text."""
    for start, end, replacement in reversed(edits):
        text = text[:start] + replacement + text[end:]
    return text


def shift(offset: int, edits: Sequence[SpellingEdit], *, is_end: bool) -> int:
    """Where a character offset lies after the edits."""
    moved = 0
    for start, end, replacement in edits:
        if end < offset or (end == offset and (is_end or end > start)):
            moved += len(replacement) - (end - start)
        elif start < offset:
            return start + moved + len(replacement) * is_end
    return offset + moved


class SpelledText:
    """A text with every way in which touches may have written it: a graph over characters.

    Where a text has what a touch writes (*l'* of ``%touch "le" -> "l'" +``), another path spells
    what was there before (*le*, with the join that was taken). Touches are undone last to first, so
    that what one of them made of another's work is undone too. Their context is not looked at:
    *an cat* is read as *a cat*. A place is a position in `letters`, which has the text and then the
    other paths; `finish` is the end of the text.
    """

    def __init__(self, text: str, touches: Sequence[Undoing], capital: int = -1) -> None:
        self.letters = text + "\0"
        self.is_plain = True  # there is no other path
        self.finish = len(text)
        self._paths: dict[int, list[int]] = {}  # place -> where other paths begin
        self._back: dict[int, int] = {}  # the end of another path -> the place after it
        self._starts: dict[int, tuple[float, float, int]] = {}  # path -> from, to, its length
        found: list[tuple[int, int]] = [(0, len(text))]
        for touch in touches:
            if touch.new.lower() not in self.letters.lower():
                continue
            for first, last in tuple(found):
                for match in touch.pattern.finditer(self.letters, first, last):
                    for old in touch.originals(match[0], is_first=match.start() == capital):
                        found.append(self._add(match.start(), match.end(), old))

    def _add(self, start: int, end: int, path: str) -> tuple[int, int]:
        first = len(self.letters)
        self.is_plain = False
        self.letters += path + "\0"
        self._paths.setdefault(start, []).append(first)
        self._back[first + len(path)] = end
        self._starts[first] = (self.order(start), self.order(end), len(path))
        return first, first + len(path)

    def order(self, place: int) -> float:
        """A number that grows along every path; on the text itself it is the place."""
        if place <= self.finish:
            return place
        first = max(start for start in self._starts if start <= place)
        before, after, length = self._starts[first]
        return before + (after - before) * (place - first + 0.5) / (length + 1)

    def settled(self, place: int) -> int:
        """A place, or that after it where another path ends there."""
        while place in self._back:
            place = self._back[place]
        return place

    def branches(self, place: int) -> Sequence[int]:
        """A place and all others from which the text goes on as well."""
        place = self.settled(place)
        if place not in self._paths:
            return (place,)
        return [place, *(other for first in self._paths[place] for other in self.branches(first))]

    def places(self) -> list[int]:
        """Every place of every path, in order."""
        ends = {0: self.finish, **{first: first + one[2] for first, one in self._starts.items()}}
        found = {self.settled(p) for first, end in ends.items() for p in range(first, end + 1)}
        return sorted(found, key=self.order)

    def has(self, string: str) -> bool:
        """Whether a string is somewhere in the text."""
        if string in self.letters or self.is_plain:
            return string in self.letters
        return any(self.follow(string, place) for place in self.places())

    def follow(self, string: str, place: int, join: str = "") -> set[int]:
        """Where a string that begins at a place ends; a join before it is skipped."""
        letters = self.letters
        if self.is_plain:
            begin = place + len(join) if join and letters.startswith(join, place) else place
            return {begin + len(string)} if letters.startswith(string, begin) else set()
        places = set(self.branches(place))
        if join:
            skipped = [at + len(join) for at in places if letters.startswith(join, at)]
            places.update(other for at in skipped for other in self.branches(at))
        for letter in string:
            places = {
                other for at in places if letters[at] == letter for other in self.branches(at + 1)
            }
        return {self.settled(at) for at in places}


class Undoing(NamedTuple):
    """A touch read backwards: how what it writes looks, and what was there."""

    pattern: re.Pattern[str]
    old: str
    new: str

    def originals(self, text: str, *, is_first: bool) -> Iterator[str]:
        """What a piece of a text may have been; at its capital, the small letter too."""
        if text == self.new:
            yield self.old
            return
        yield self.old[0].upper() + self.old[1:]
        if is_first:
            yield self.old


def undoings(language: Language, clean: Callable[[str], str] = str) -> list[Undoing]:
    """The touches of a language backwards, the last one first; `clean` as texts are cleaned."""
    rules = [*language.touches, *([A_AN] if "a_an" in language.post else [])]
    return [_undoing(rule, language.join, clean) for rule in reversed(rules)]


def _undoing(rule: Touch, join: str, clean: Callable[[str], str]) -> Undoing:
    new = clean(rule.new)
    either = "".join(sorted({new[0], new[0].upper() if len(new[0].upper()) == 1 else new[0]}))
    before = r"(?<=\w)" if rule.attached else rf"(?<!{_INSIDE})"
    after = ""
    if rule.glued:
        after = r"(?=\w|\Z)"
    elif new[-1].isalnum():
        after = rf"(?!{_INSIDE})"
    pattern = re.compile(f"{before}[{re.escape(either)}]{re.escape(new[1:])}{after}")
    return Undoing(pattern, clean(rule.old) + join * rule.glued, new)
