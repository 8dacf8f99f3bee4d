"""Finishing touches of a sentence: capital letter, a/an, collapsed commas.

Each returns edits (start, end, replacement) on the text, so that character offsets of
constituents can follow. They are the only string functions of the format; everything else is
data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple


class SpellingEdit(NamedTuple):
    """Replace text[start:end]."""

    start: int
    end: int
    replacement: str


Finish = Callable[[str], list[SpellingEdit]]

_ARTICLE = re.compile(r"(?<![\w'-])[Aa](?= (\w[\w'-]*))")
_COMMA = re.compile(r"(?<=,)\s*,|\s?,(?=[\s,]*[.?!;])")


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


def commas(text: str) -> list[SpellingEdit]:
    """A comma before another punctuation mark vanishes."""
    return [SpellingEdit(match.start(), match.end(), "") for match in _COMMA.finditer(text)]


def article(exceptions: Mapping[str, str]) -> Finish:
    """English ``a`` before a vowel letter becomes ``an``; exceptions go by the next word."""
    starts = ["[aeiouAEIOU]", *(re.escape(w) for w, form in exceptions.items() if form == "an")]
    candidate = re.compile(rf"[Aa](?= (?:{'|'.join(starts)}))(?<![\w'-][Aa])")

    def a_an(text: str) -> list[SpellingEdit]:
        edits: list[SpellingEdit] = []
        if candidate.search(text) is None:
            return edits
        for match in _ARTICLE.finditer(text):
            word = match[1]
            chosen = exceptions.get(word) or ("an" if word[0] in "aeiouAEIOU" else "a")
            if chosen == "an":
                edits.append(SpellingEdit(match.end(), match.end(), "n"))
        return edits

    return a_an


def finishes(names: Sequence[str], exceptions: Mapping[str, str]) -> list[Finish]:
    """The functions behind the names of a %post line."""
    table: dict[str, Finish] = {
        "capitalise": capitalise,
        "commas": commas,
        "a_an": article(exceptions),
    }
    return [table[name] for name in names]


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
