"""The corpus filter of Li et al. 2021: short sentences of frequent words, with its statistics.

Simple sentences keep other reasons for errors away from the test (section 3.1 and appendix). What
each step removed, and what the corpus looks like before and after (their Tables 7 and 8), is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from sys import intern
from typing import NamedTuple

from recombine.benchmark import normalise
from recombine.corpus.conllu import ParsedSentence
from recombine.corpus.segment import segment

# Tokens of spaced text as dependency parsers cut them: abbreviations, numbers, English clitics,
# words, single marks. Where a corpus brings its forms, this is not used.
_TOKEN = re.compile(
    r"(?:[^\W_]\.){2,}"
    r"|\d+(?:[.,]\d+)*(?:st|nd|rd|th)?(?![^\W\d_])"
    r"|can(?=not\b)"
    r"|(?:(?!n['\u2019]t\b)[^\W_])+(?=n['\u2019]t\b)|n['\u2019]t\b"
    r"|['\u2019](?:s|re|ve|ll|d|m)\b"
    r"|[^\W_]+|\.\.\.|\S",
    re.IGNORECASE,
)


class Pair(NamedTuple):
    """A parsed source sentence with the place of every token, and its translation."""

    source: str
    tokens: tuple[str, ...]  # in lower case
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    lemmas: tuple[str, ...]
    relations: tuple[str, ...]
    heads: tuple[int, ...]  # 0-based; the root has -1
    target: str
    target_tokens: tuple[str, ...]  # in lower case

    def forms(self) -> list[str]:
        """Return the tokens as they are written."""
        source = self.source
        return [source[start:end] for start, end in zip(self.starts, self.ends, strict=True)]

    def is_singular(self, token: int) -> bool:
        """Return True for a noun that has the form of its lemma."""
        return self.tokens[token] == self.lemmas[token].lower()


class Lowered(dict[str, str]):
    """Words in lower case, each kept once: a corpus repeats them a hundred times."""

    def __missing__(self, word: str) -> str:
        self[word] = lower = intern(word.lower())
        return lower


class Census:
    """Counts one stage while sentences stream by: a column of the paper's Tables 7 and 8."""

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self.pairs = 0
        self.totals = [0, 0]
        self.types: tuple[set[str], set[str]] = (set(), set())
        self.longest = [0, 0]

    def add(self, source: Sequence[str], target: Sequence[str]) -> None:
        """Count one pair."""
        self.pairs += 1
        for side, words in enumerate((source, target)):
            self.totals[side] += len(words)
            self.types[side].update(words)
            self.longest[side] = max(self.longest[side], len(words))

    def cells(self) -> dict[str, str]:
        """Return the counts as a row of `statistics.tsv`."""
        row: dict[str, str | int] = {"stage": self.stage, "pairs": self.pairs}
        sides = ("source", "target")
        row |= {f"{side}_tokens": total for side, total in zip(sides, self.totals, strict=True)}
        row |= {f"{side}_types": len(types) for side, types in zip(sides, self.types, strict=True)}
        for side, total in zip(sides, self.totals, strict=True):
            row[f"mean_{side}"] = f"{total / self.pairs if self.pairs else 0.0:.2f}"
        row |= {f"longest_{side}": most for side, most in zip(sides, self.longest, strict=True)}
        return {name: str(value) for name, value in row.items()}


@dataclass(frozen=True)
class Filtered:
    """The pairs that stayed, the statistics of both stages, and why the others left."""

    pairs: list[Pair]
    statistics: tuple[dict[str, str], dict[str, str]]
    removed: dict[str, int]


def filter_corpus(
    sentences: Iterable[ParsedSentence],
    target_language: str,
    *,
    shortest: int,
    longest: int,
    longest_target: int,
    vocabulary: int,
) -> Filtered:
    """Keep pairs whose words are all among the most frequent of sentences of a fitting length."""
    before = Census("read")
    removed: Counter[str] = Counter()
    fitting: list[Pair] = []
    seen: set[str] = set()
    lower = Lowered()
    for sentence in sentences:
        if not sentence.text.isascii():
            sentence = composed(sentence)
        target = sentence.translations.get(target_language, "")
        target_tokens = tuple(map(lower.__getitem__, segment(target)))
        if not target_tokens:
            removed["no translation"] += 1
            continue
        before.add(sentence.lemmas, target_tokens)
        if sentence.text.strip() == target.strip():
            removed["not translated"] += 1
            continue
        if not shortest <= len(sentence.lemmas) <= longest or len(target_tokens) > longest_target:
            removed["length"] += 1
            continue
        places = token_places(sentence)
        if places is None:
            removed["tokens of text and parse differ"] += 1
            continue
        key = sentence.text.lower()
        if key in seen:
            removed["duplicate source"] += 1
            continue
        seen.add(key)
        fitting.append(_pair(sentence, places, target, target_tokens, lower))
    counts = Counter(chain.from_iterable(pair.tokens for pair in fitting))
    # Ties at the border of the vocabulary are broken by the alphabet: the same on any machine.
    ranked = sorted(counts, key=lambda token: (-counts[token], token))
    frequent = frozenset(ranked[:vocabulary])
    kept = [pair for pair in fitting if frequent.issuperset(pair.tokens)]
    removed["vocabulary"] = len(fitting) - len(kept)
    after = Census("kept")
    for pair in kept:
        after.add(pair.tokens, pair.target_tokens)
    return Filtered(kept, (before.cells(), after.cells()), dict(sorted(removed.items())))


def composed(sentence: ParsedSentence) -> ParsedSentence:
    """Return a sentence in NFC, as it will be written: places count its characters."""
    return sentence._replace(
        text=normalise(sentence.text),
        lemmas=[*map(normalise, sentence.lemmas)],
        forms=None if sentence.forms is None else [*map(normalise, sentence.forms)],
    )


def token_places(sentence: ParsedSentence) -> list[tuple[int, int]] | None:
    """Return where each token of the parse stands in the text; None where they do not agree."""
    if sentence.forms is None:
        places = [match.span() for match in _TOKEN.finditer(sentence.text)]
        return places if len(places) == len(sentence.lemmas) else None
    places = []
    at = 0
    for form in sentence.forms:
        start = sentence.text.find(form, at)
        # Between two tokens there is only space, or the forms are not those of the text.
        if start < 0 or sentence.text[at:start].strip():
            return None
        at = start + len(form)
        places.append((start, at))
    return places


def statistics_table(statistics: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield the statistics as lines of a TSV file."""
    yield "\t".join(statistics[0])
    for row in statistics:
        yield "\t".join(row.values())


def _pair(
    sentence: ParsedSentence,
    places: Sequence[tuple[int, int]],
    target: str,
    target_tokens: tuple[str, ...],
    lower: Lowered,
) -> Pair:
    starts, ends = zip(*places, strict=True)
    return Pair(
        sentence.text,
        tuple([lower[sentence.text[start:end]] for start, end in places]),
        starts,
        ends,
        tuple(map(intern, sentence.lemmas)),
        tuple(map(intern, sentence.relations)),
        tuple([head - 1 for head in sentence.heads]),
        target,
        target_tokens,
    )
