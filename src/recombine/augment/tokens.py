"""Text as tokens that join to the same text again.

A token carries the space before it (" book"), so that any row of tokens is text when joined. The
first word of a sentence is written as it is inside sentences ("The" -> "the", "Liam" stays), which
needs no list of names: the way it is mostly written where no sentence begins decides (truecasing,
Lita et al. 2003).
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from recombine.augment.options import BY_CHARACTER, UNSPACED, AugmentOptions, TrainingPair
from recombine.corpus.segment import jieba, sudachi
from recombine.parallel import Engine, map_in_order

Tokens = tuple[str, ...]
# Texts that a process cuts, or counts, at a time.
BLOCK = 20_000
# A word of a dictionary is two if both are seen so often, and this often beside the whole.
FEWEST_PARTS, PARTS = 10, 0.1

# An elided word keeps its apostrophe and is a word of its own: l'|enfant.
_WORD = re.compile(r"\s*(?:\w+(?:-\w+)*['\u2019]?|[^\w\s])")
_CHARACTER = re.compile(r"\s*(?:[A-Za-z0-9]+|\S)")


class Tokeniser:
    """Cuts the sentences of one language, and knows how their first words are written elsewhere."""

    def __init__(
        self,
        language: str,
        sentences: Sequence[str],
        engine: Engine = "local",
        address: str | None = None,
        *,
        words: bool = False,
    ) -> None:
        self._segment = _segmenter(language, words)
        blocks = map_in_order(
            _Cutter(language, words), in_blocks(sentences), engine=engine, address=address
        )
        self.raw = [tokens for block in blocks for tokens in block]
        self._parts = _joined_words(self.raw) if words and language in UNSPACED else {}
        if self._parts:
            self.raw = [self._split(tokens) for tokens in self.raw]
        self._inside = Counter(token for tokens in self.raw for token in tokens[1:])
        # Sentences are written with a capital when most of their first words that could be are.
        begun = [
            tokens[0]
            for tokens in self.raw
            if len(tokens) > 1 and tokens[0] != tokens[0].swapcase()
        ]
        upper = sum(first != first.lower() for first in begun)
        self.capitals = bool(begun) and upper * 2 > len(begun)

    def cut(self, sentence: str) -> Tokens:
        """Return the tokens of a sentence, its first word as it is written elsewhere."""
        return self.truecase(self._split(self._segment(sentence.strip())))

    def _split(self, tokens: Tokens) -> Tokens:
        if self._parts.keys().isdisjoint(tokens):
            return tokens
        return tuple(part for token in tokens for part in self._parts.get(token, (token,)))

    def truecase(self, tokens: Tokens) -> Tokens:
        """Return the tokens with the first word as it is written inside sentences."""
        if tokens:
            first, lower = tokens[0], tokens[0].lower()
            if first != lower and self._inside[lower] > self._inside[first]:
                return (lower, *tokens[1:])
        return tokens

    def text(self, tokens: Sequence[str], *, capital: bool = True) -> str:
        """Return the text of a sentence."""
        joined = "".join(tokens).strip()
        if capital and self.capitals and joined:
            return joined[0].upper() + joined[1:]
        return joined


def tokenisers(
    pairs: Sequence[TrainingPair], options: AugmentOptions, *, words: bool = False
) -> tuple[Tokeniser, Tokeniser]:
    """Cut both sides of training pairs; with `words` Chinese, too, is cut into words."""
    place = options.engine, options.address
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    return (
        Tokeniser(options.source_language, sources, *place, words=words),
        Tokeniser(options.target_language, targets, *place, words=words),
    )


def in_blocks(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield texts, many at a time."""
    return (texts[start : start + BLOCK] for start in range(0, len(texts), BLOCK))


def _joined_words(sentences: Sequence[Tokens]) -> dict[str, Tokens]:
    """Return words that a dictionary joins with their neighbours, in their parts (毛巾|被).

    Both parts are words of the text by themselves, often enough beside the whole.
    """
    counts = Counter(token for tokens in sentences for token in tokens)
    parts: dict[str, Tokens] = {}
    for token in sorted(counts, key=len):
        cuts = [(token[:at], token[at:]) for at in range(1, len(token))]
        seen = [min(counts[first], counts[rest]) for first, rest in cuts]
        if seen and max(seen) >= max(FEWEST_PARTS, PARTS * counts[token]):
            first, rest = cuts[seen.index(max(seen))]
            parts[token] = *parts.get(first, (first,)), *parts.get(rest, (rest,))
    return parts


@dataclass(frozen=True)
class _Cutter:
    """Cuts a block of sentences, in whatever process."""

    language: str
    words: bool

    def __call__(self, sentences: Sequence[str]) -> list[Tokens]:
        cut = _segmenter(self.language, self.words)
        # A word is sent to the other process once.
        return [tuple(map(sys.intern, cut(sentence.strip()))) for sentence in sentences]


@cache
def _segmenter(language: str, words: bool) -> Callable[[str], Tokens]:
    if language == "ja" or (language == "zh" and words):
        segment = sudachi() if language == "ja" else jieba()
        return lambda text: tuple(segment(text))
    if language in BY_CHARACTER:
        return lambda text: tuple(_CHARACTER.findall(text)) if text else ()
    return lambda text: tuple(_WORD.findall(" " + text)) if text else ()
