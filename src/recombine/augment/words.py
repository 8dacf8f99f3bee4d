"""The baseline: random aligned words are exchanged for other aligned words, of whatever kind.

It knows which words are each other's translation and nothing of where a word may stand. What a
model gains from it is what it gains from more, and other, text alone.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recombine.augment.options import (
    AugmentOptions,
    Recombined,
    Review,
    TrainingPair,
    check_pairs,
    unit_text,
)
from recombine.augment.tokens import Tokeniser, Tokens, tokenisers
from recombine.corpus.alignment import align
from recombine.errors import DataError
from recombine.progress import progress

# Each aligned word of a sentence is exchanged with this probability, and one at the least.
EXCHANGED = 0.3
TRIES = 20


class LinkedPair(NamedTuple):
    """A pair as tokens; `links` are (place in source, place in target), in source order."""

    number: int
    source: Tokens
    target: Tokens
    links: tuple[tuple[int, int], ...]


class WordExchange:
    """Aligned words of training pairs, and new pairs drawn by exchanging them."""

    def __init__(
        self,
        pairs: Sequence[TrainingPair],
        options: AugmentOptions,
        source: Tokeniser,
        target: Tokeniser,
    ) -> None:
        self.pairs = pairs
        self.options = options
        self._source = source
        self._target = target
        sources = [source.truecase(tokens) for tokens in source.raw]
        targets = [target.truecase(tokens) for tokens in target.raw]
        alignment = align(sources, targets)
        linked = (
            LinkedPair(
                number,
                sources[number],
                targets[number],
                tuple(
                    (i, j)
                    for i, j in enumerate(alignment.of(number).tolist())
                    if j >= 0 and sources[number][i].strip().isalnum()
                ),
            )
            for number in range(len(pairs))
        )
        self._linked = [pair for pair in linked if pair.links]
        self._count = Counter(
            (pair.source[i], pair.target[j]) for pair in self._linked for i, j in pair.links
        )
        self._words = sorted(w for w, count in self._count.items() if count >= options.support)
        if len(self._words) < 2:
            raise DataError(
                f"only {len(self._words)} words of the {len(pairs):,} pairs have a translation of "
                f"their own that is seen {options.support} times",
                hint="more pairs are needed, or a lower support",
            )

    @classmethod
    def learn(cls, pairs: Sequence[TrainingPair], options: AugmentOptions) -> WordExchange:
        """Align the words of training pairs."""
        check_pairs(pairs, options)
        with progress("align the pairs", None):
            return cls(pairs, options, *tokenisers(pairs, options))

    def draw(self, n: int | None = None, seed: int | None = None) -> Iterator[Recombined]:
        """Yield new pairs, no source twice and none that is in training."""
        n = self.options.n if n is None else n
        stream = random.Random(self.options.seed if seed is None else seed)
        known = {pair.source for pair in self.pairs}
        made = failed = 0
        while made < n and failed < TRIES * n:
            pair = self._linked[stream.randrange(len(self._linked))]
            chosen = [place for place in pair.links if stream.random() < EXCHANGED]
            sources, targets = list(pair.source), list(pair.target)
            steps = []
            for i, j in chosen or [pair.links[stream.randrange(len(pair.links))]]:
                old = unit_text((sources[i], targets[j]))
                one, other = self._words[stream.randrange(len(self._words))]
                # A word takes the place of another, and so the space before it.
                sources[i], targets[j] = _spaced(sources[i], one), _spaced(targets[j], other)
                steps.append(f"word: {old} -> {unit_text((one, other))}")
            source = self._source.text(sources)
            if source in known:
                failed += 1
                continue
            known.add(source)
            made += 1
            parent = self.pairs[pair.number].id
            yield Recombined(source, self._target.text(targets), (parent,), tuple(steps), 0)

    def review(self) -> Review:
        """Return the one class that all words are in."""
        ranked = sorted(self._words, key=lambda word: (-self._count[word], word))
        members = list(map(unit_text, ranked))
        every = {"name": "aligned words", "members": members, "support": len(members)}
        return Review([every], [])

    def explain(self, source: str) -> list[str] | None:
        """Return the training pair that a sentence differs from in aligned words alone."""
        # A word that is first in its sentence may be written otherwise there.
        said = [token.strip().lower() for token in self._source.cut(source)]
        known = {one.strip().lower() for one, _ in self._words}
        for pair in self._linked:
            if len(pair.source) != len(said):
                continue
            old = [token.strip() for token in pair.source]
            places = [i for i, word in enumerate(old) if word.lower() != said[i]]
            free = {i for i, _ in pair.links}
            if all(i in free and said[i] in known for i in places):
                changed = [f"word: {old[i]} -> {said[i]}" for i in places]
                return [f"from: {self.pairs[pair.number].source}", *changed]
        return None


def _spaced(place: str, word: str) -> str:
    return place[: len(place) - len(place.lstrip())] + word.lstrip()
