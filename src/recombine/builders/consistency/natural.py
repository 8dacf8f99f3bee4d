"""Natural sentences of the user's own text: with a synonym, with an idiom, or matched in length."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from recombine.benchmark import Example, Focus, control_character, normalise
from recombine.builders.consistency.training import tokenise
from recombine.builders.consistency.wordlists import Idiom, SynonymPair
from recombine.errors import DataError, Where
from recombine.files import read_aligned

T = TypeVar("T")

_LENGTH_BIN = 5  # tokens
_FREQUENCY_BIN = 1.0  # natural logarithm of the mean corpus frequency of the words
_LONGEST = 120  # tokens; longer lines are usually no sentences
_ARTICLE = re.compile(r"\b([Aa])n?( )$")


class NaturalPair(NamedTuple):
    """A sentence with the first term, the same with the second, and its translation."""

    first: str
    second: str
    start: int
    terms: tuple[str, str]
    reference: str | None

    def examples(self, pair: SynonymPair, group: str) -> Iterator[Example]:
        """Yield base and variant."""
        tags = {"synonym": pair.name, "data": "natural"}
        for role, source, term in (
            ("base", self.first, self.terms[0]),
            ("synonym", self.second, self.terms[1]),
        ):
            start = source.find(term, max(0, self.start - 2))
            focus = Focus(
                text=pair.first if role == "base" else pair.second,
                role="synonym",
                accepted=pair.renderings,
                start=start,
                end=start + len(term),
            )
            yield Example.make(
                source=source,
                references=(self.reference,) if self.reference else (),
                tags=tags,
                group=group,
                role=role,
                focus=(focus,),
            )


class NaturalText:
    """A corpus of one sentence per line, with line-aligned translations or without."""

    def __init__(
        self, text: Path, translations: Path | None = None, *, set_apart: bool = False
    ) -> None:
        files = (text,) if translations is None else (text, translations)
        rows = [tuple(map(_clean, lines)) for _, lines in read_aligned(*files)]
        for place, path in enumerate(files):
            if not any(row[place] for row in rows):
                raise DataError("the text has no sentence", Where(str(path)))
        # Punctuation is set apart where a system learns from text that is: it must know the signs.
        self._lines = [tokenise(row[0]) if set_apart else row[0] for row in rows]
        self._translations = None if translations is None else [row[1] for row in rows]

    def with_synonyms(
        self, pair: SynonymPair, size: int, rng: np.random.Generator
    ) -> list[NaturalPair]:
        """Return sentences with either term, the term put in both ways, identical ones left out."""
        pairs = []
        pattern = _term_pattern((pair.first, pair.second))
        for place, line in self._usable():
            match = pattern.search(line)
            if match is None:
                continue
            versions = [_substitute(line, match, term) for term in (pair.first, pair.second)]
            if versions[0][0] != versions[1][0]:
                pairs.append(
                    NaturalPair(
                        versions[0][0],
                        versions[1][0],
                        match.start(),
                        (versions[0][1], versions[1][1]),
                        self._reference(place),
                    )
                )
        return _sample(pairs, size, rng)

    def with_idiom(
        self, idiom: Idiom, size: int, rng: np.random.Generator
    ) -> list[tuple[str, str | None]]:
        """Return sentences that contain the idiom, whatever its case."""
        pattern = re.compile(rf"(?<!\w){re.escape(idiom.text)}(?!\w)", re.IGNORECASE)
        sentences = [
            (line, self._reference(place)) for place, line in self._usable() if pattern.search(line)
        ]
        return _sample(sentences, size, rng)

    def matched(self, models: Sequence[str], size: int, rng: np.random.Generator) -> list[str]:
        """Return sentences whose length and word frequency are distributed as in the models.

        Without models any sentences will do.
        """
        counts = Counter(word for line in self._lines for word in line.lower().split())
        cells: dict[tuple[int, int], list[str]] = defaultdict(list)
        for _, line in self._usable():
            if len(line.split()) >= 3:
                cells[_cell(line, counts)].append(line)
        if not cells:
            return []
        wanted = [_cell(model, counts) for model in models]
        filled = sorted(cells)
        sentences: dict[str, None] = {}
        for _ in range(4 * size):
            if len(sentences) == size:
                break
            cell = (
                wanted[int(rng.integers(len(wanted)))]
                if wanted
                else filled[int(rng.integers(len(filled)))]
            )
            if cell not in cells:
                cell = min(filled, key=lambda other: (_distance(other, cell), other))
            lines = cells[cell]
            sentences[lines[int(rng.integers(len(lines)))]] = None
        return list(sentences)

    def _usable(self) -> Iterator[tuple[int, str]]:
        for place, line in enumerate(self._lines):
            if line and len(line.split()) <= _LONGEST:
                yield place, line

    def _reference(self, place: int) -> str | None:
        return (self._translations[place] or None) if self._translations is not None else None


def _clean(line: str) -> str:
    text = normalise(" ".join(line.split()))
    return "" if control_character(text) else text


def _term_pattern(terms: Sequence[str]) -> re.Pattern[str]:
    either = "|".join(re.escape(term) for term in sorted(terms, key=len, reverse=True))
    return re.compile(rf"(?<!\w)({either})(s|es)?(?!\w)", re.IGNORECASE)


def _substitute(line: str, match: re.Match[str], term: str) -> tuple[str, str]:
    """Return the line with one term in the place found, and the term as written there.

    Case and plural ending are carried over and the indefinite article is fitted to the term.
    """
    written = match[1]
    if written.isupper() and len(written) > 1:
        term = term.upper()
    elif written[:1].isupper():
        term = term[:1].upper() + term[1:]
    if match[2]:
        ending = "es" if term.lower().endswith(("s", "x", "ch", "sh")) else "s"
        term += ending.upper() if match[2].isupper() else ending
    before = line[: match.start()]
    article = _ARTICLE.search(before)
    if article is not None and written.lower() not in term.lower():
        fitted = article[1] + ("n" if term[:1].lower() in "aeiou" else "") + article[2]
        before = before[: article.start()] + fitted
    return before + term + line[match.end() :], term


def _cell(line: str, counts: Counter[str]) -> tuple[int, int]:
    words = line.lower().split()
    mean = sum(math.log(counts[word] + 1) for word in words) / len(words)
    return len(words) // _LENGTH_BIN, int(mean / _FREQUENCY_BIN)


def _distance(cell: tuple[int, int], other: tuple[int, int]) -> int:
    return abs(cell[0] - other[0]) + abs(cell[1] - other[1])


def _sample(found: list[T], size: int, rng: np.random.Generator) -> list[T]:
    if len(found) <= size:
        return found
    return [found[place] for place in sorted(rng.permutation(len(found))[:size].tolist())]
