"""Learn from training pairs, draw new ones, and say how."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from recombine.augment.links import LinkedPair, LinkedText, link
from recombine.augment.options import AugmentOptions, Recombined, TrainingPair, check_pairs
from recombine.augment.tokens import Tokeniser
from recombine.errors import DataError
from recombine.progress import progress as show_progress

Bar = Callable[[str, int | None], AbstractContextManager[Any]]


@dataclass(frozen=True)
class Review:
    """What was learnt, as plain rows for people: each with its support."""

    classes: list[dict[str, Any]]
    phrases: list[dict[str, Any]]
    paradigms: list[dict[str, Any]]
    analogies: list[dict[str, Any]]


class Recombiner:
    """Substitution classes learnt from pairs, and new pairs drawn with them."""

    def __init__(
        self,
        pairs: Sequence[TrainingPair],
        options: AugmentOptions,
        source: Tokeniser,
        target: Tokeniser,
        links: LinkedText,
    ) -> None:
        self.pairs = pairs
        self.options = options
        self._source = source
        self._target = target
        self._links = links
        self._classes = _exchangeable(links, options.support)
        self._class_of = {
            word: number for number, words in enumerate(self._classes) for word in words
        }
        self._frames = [
            (pair, places)
            for pair in links.pairs
            if (places := [p for p in pair.links if _word(pair, p) in self._class_of])
        ]
        if not self._frames:
            raise DataError(
                f"no word of the {len(pairs):,} pairs stands where another one does",
                hint="more pairs, or shorter sentences, are needed to learn what can be exchanged",
            )

    @classmethod
    def learn(
        cls,
        pairs: Sequence[TrainingPair],
        options: AugmentOptions | None = None,
        progress: Bar = show_progress,
    ) -> Recombiner:
        """Learn from training pairs, and from nothing else."""
        options = options or AugmentOptions()
        check_pairs(pairs, options)
        with progress("align the pairs", None):
            source = Tokeniser(options.source_language, [pair.source for pair in pairs])
            target = Tokeniser(options.target_language, [pair.target for pair in pairs])
            links = link(
                [source.truecase(tokens) for tokens in source.raw],
                [target.truecase(tokens) for tokens in target.raw],
                options.lift,
                options.share,
            )
        return cls(pairs, options, source, target, links)

    def draw(self, n: int | None = None, seed: int | None = None) -> Iterator[Recombined]:
        """Yield new pairs, no source twice and none that is in training."""
        options = self.options
        n = options.n if n is None else n
        stream = random.Random(options.seed if seed is None else seed)
        known = {pair.source for pair in self.pairs}
        made = failed = 0
        while made < n and failed < 20 * n + 1000:
            pair, places = self._frames[stream.randrange(len(self._frames))]
            sources, targets = list(pair.source), list(pair.target)
            steps = []
            for i, j in places:
                own = self._class_of[_word(pair, (i, j))]
                sources[i], targets[j] = stream.choice(self._classes[own])
                steps.append(f"class {own}:{sources[i]}|{targets[j]}")
            source = self._source.text(sources)
            if source in known:
                failed += 1
                continue
            known.add(source)
            made += 1
            parent = self.pairs[pair.number]
            yield Recombined(source, self._target.text(targets), (parent.id,), tuple(steps), 0)

    def review(self) -> Review:
        """Return what was learnt."""
        return Review(
            [
                {
                    "name": f"class {number}",
                    "members": [f"{a.strip()}|{b.strip()}" for a, b in words],
                    "support": len(words),
                }
                for number, words in enumerate(self._classes)
            ],
            [],
            [],
            [],
        )

    def explain(self, source: str) -> list[str] | None:
        """Return how a sentence can be made of training pairs, or None."""
        tokens = self._source.cut(source)
        for pair, places in self._frames:
            if len(pair.source) != len(tokens):
                continue
            free = {i for i, _ in places}
            if all(
                a == b or i in free
                for i, (a, b) in enumerate(zip(tokens, pair.source, strict=True))
            ):
                return [f"from {self.pairs[pair.number].source}"]
        return None


def _word(pair: LinkedPair, place: tuple[int, int]) -> tuple[str, str]:
    return pair.source[place[0]], pair.target[place[1]]


def _exchangeable(links: LinkedText, support: int) -> list[list[tuple[str, str]]]:
    """Return sets of linked words that share environments (Andreas 2020)."""
    environments: dict[Any, set[tuple[str, str]]] = defaultdict(set)
    for pair in links.pairs:
        for i, j in pair.links:
            environment = (pair.source[:i], pair.source[i + 1 :], pair.target[:j])
            environments[environment].add(_word(pair, (i, j)))
    together: dict[tuple[str, str], dict[tuple[str, str], int]] = defaultdict(dict)
    for words in environments.values():
        for word in words:
            for other in words:
                if word < other:
                    together[word][other] = together[word].get(other, 0) + 1
    leader: dict[tuple[str, str], tuple[str, str]] = {}

    def find(word: tuple[str, str]) -> tuple[str, str]:
        while leader.get(word, word) != word:
            word = leader[word]
        return word

    for word in sorted(together):
        for other, count in sorted(together[word].items()):
            if count >= support:
                leader[find(other)] = find(word)
    sets: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for word in sorted({*together, *(o for others in together.values() for o in others)}):
        sets[find(word)].append(word)
    return [words for words in sets.values() if len(words) > 1]
