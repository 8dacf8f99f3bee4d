"""Finishing touches of a sentence: what the next sound changes, capital letter, collapsed commas.

Each returns edits (start, end, replacement) on the text, so that character offsets of
constituents can follow. They are the only string functions of the format; everything else is
data, the touches of a language too: ``%touch "la" -> "l'" + before vowel``.

The parser undoes touches without asking for their context: `respellings` lists in which other ways
the strings of a language can be written after them, alone or two in a row (*a el*, written *al*).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    own = [touch(one, language.join, sounds) for one in language.touches]
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


class Respelling(NamedTuple):
    """Another way to write one string of the language, or several in a row."""

    text: str
    parts: tuple[str, ...]
    glued: bool = False  # nothing is between it and what follows


def respellings(strings: Iterable[str], language: Language) -> list[Respelling]:
    """Every way in which strings are written only because of touches.

    Touches are applied in their order to what the ones before them made. Their context is not
    looked at where it lies outside: *an cat* is read as *a cat*.
    """
    rules = [*language.touches, *([A_AN] if "a_an" in language.post else [])]
    if not rules:
        return []
    words = {word for rule in rules for word in rule.old.split(language.join)}
    words |= {word.capitalize() for word in words}
    inside = re.compile(
        "|".join(rf"(?<!{_INSIDE}){re.escape(word)}" for word in sorted(words, reverse=True))
    )
    attached = tuple(rule.old for rule in rules if rule.attached)
    items = [
        Respelling(text, (text,))
        for text in strings
        if inside.search(text) or text.startswith(attached or "\0")
    ]
    found: dict[Respelling, None] = {}
    for rule in rules:
        made = [
            one
            for one in dict.fromkeys(_respelt(rule, items, language.join))
            if one not in found and one.text
        ]
        found.update(dict.fromkeys(made))
        items.extend(made)
    return list(found)


def _respelt(rule: Touch, items: Sequence[Respelling], join: str) -> Iterator[Respelling]:
    for old, new in _cases(rule):
        first, _, second = old.partition(join)
        for item in items:
            whole = _at_end(item.text, old)
            if whole is not None and (rule.glued or not item.glued):
                yield Respelling(whole + new, item.parts, rule.glued or item.glued)
            for text in _within(item.text, old, new, join if rule.glued else ""):
                yield item._replace(text=text)
        if not second:
            continue
        begin = [item for item in items if _at_start(item.text, second) is not None]
        for item in items:
            before = None if item.glued else _at_end(item.text, first)
            for other in begin if before is not None else ():
                rest = _at_start(other.text, second) or ""
                glued = other.glued or (rule.glued and not rest)
                yield Respelling(f"{before}{new}{rest}", item.parts + other.parts, glued)


def _cases(rule: Touch) -> Iterator[tuple[str, str]]:
    yield rule.old, rule.new
    if rule.old[0].upper() != rule.old[0]:
        yield rule.old[0].upper() + rule.old[1:], rule.new[0].upper() + rule.new[1:]


def _at_end(text: str, old: str) -> str | None:
    """What stands before the words at the end of a text; None if they are not there."""
    before = text[: len(text) - len(old)]
    is_word = not before or re.match(_INSIDE, before[-1]) is None
    return before if text.endswith(old) and is_word else None


def _at_start(text: str, old: str) -> str | None:
    rest = text[len(old) :]
    is_word = not rest or not old[-1].isalnum() or re.match(_INSIDE, rest) is None
    return rest if text.startswith(old) and is_word else None


def _within(text: str, old: str, new: str, join: str) -> Iterator[str]:
    """The text with the words replaced at one place that is not its end."""
    end = rf"(?!{_INSIDE})" if old[-1].isalnum() else ""
    for match in re.finditer(rf"(?<!{_INSIDE}){re.escape(old)}{end}{re.escape(join)}", text):
        if match.end() < len(text):
            yield text[: match.start()] + new + text[match.end() :]
