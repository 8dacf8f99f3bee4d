"""Takes the translation out of a chat model's answer, and records what was removed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from recombine.systems.base import one_line

_SHOWN = 300  # characters of an answer that is kept as it was before it was cleaned
_THOUGHT = re.compile(r"\A\s*<think>.*?(?:</think>|\Z)", re.DOTALL)
# "Sure! Here is the translation:", "The Japanese translation is:", "Translation:"
_PREAMBLE = re.compile(
    r"\A(?:(?:sure|certainly|of course|okay|ok)\b[,.!]*\s*)?"
    r"(?:here(?:'s|’s| is| are)\b[^\n:：]{0,80}|(?:the |my )?(?:\w+ )?translation\b[^\n:：]{0,60})"
    r"[:：]\s*",
    re.IGNORECASE,
)
_FENCE = re.compile(r"\A```[^\n`]*\n(.*?)(?:\n\s*```|\Z)", re.DOTALL)
_QUOTES = ('""', "“”", "„“", "«»", "「」", "『』", "''", "‘’", "``")


class AnswerCleaner:
    """Cleans answers and keeps count: of how many what was taken off, and the first as it was."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.first: dict[str, str] = {}

    def clean(self, text: str, source: str) -> str:
        """Return the translation in an answer."""
        cleaned, removed = clean_answer(text, source)
        self.counts.update(removed)
        for name in removed:
            self.first.setdefault(name, text[:_SHOWN])
        return cleaned

    def described(self) -> dict[str, Any]:
        """What was taken off, for the run's record."""
        return {
            name: {"answers": count, "first": self.first[name]}
            for name, count in sorted(self.counts.items())
        }

    def recall(self, described: Mapping[str, Any]) -> None:
        """Go on counting from what was described in the run before this one."""
        self.counts = Counter({name: row["answers"] for name, row in described.items()})
        self.first = {name: row["first"] for name, row in described.items()}


class CleanedAnswer(NamedTuple):
    """A translation, and the names of what stood around it."""

    text: str
    removed: tuple[str, ...]


def clean_answer(text: str, source: str) -> CleanedAnswer:
    """Return the one line of a chat model's answer that is the translation.

    Quotation marks stay where the source has them, too, or where they are part of the sentence.
    """
    removed = []

    def note(name: str, cleaned: str) -> str:
        if cleaned != text:
            removed.append(name)
        return cleaned

    text = text.strip()
    text = note("thought", _THOUGHT.sub("", text).strip())
    if not _PREAMBLE.match(source):
        text = note("preamble", _PREAMBLE.sub("", text))
    text = note("fence", _FENCE.sub(r"\1", text).strip())
    text = note("afterword", next(iter(text.splitlines()), "").strip())
    text = note("quotes", _without_quotes(text, source.strip()))
    return CleanedAnswer(one_line(text).strip(), tuple(removed))


def _without_quotes(text: str, source: str) -> str:
    for pair in _QUOTES:
        inside = text[1:-1]
        if len(text) > 2 and (text[0], text[-1]) == (pair[0], pair[1]):
            if any(mark in inside for mark in pair) or _is_quoted(source):
                return text
            return inside.strip()
    return text


def _is_quoted(text: str) -> bool:
    return any(len(text) > 1 and (text[0], text[-1]) == (pair[0], pair[1]) for pair in _QUOTES)
