"""Composing novel compounds and putting them into contexts.

Each category is a full factorial of its atoms (the design of the published test, found in its
data); heads are drawn per cell. Contexts are drawn without repetition, at most `reuse` times each,
and must read about as well with the compound as with the phrase they had.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.builders.compounds.atoms import ChosenAtom
from recombine.builders.compounds.filter import Pair
from recombine.builders.compounds.phrases import Phrase
from recombine.corpus.alignment import number

# Contexts looked at per context wanted, and those among them that pass: the best are taken.
TRIES = 40
PASSING = 3
# What each n-gram seen gives to those unseen.
DISCOUNT = 0.75
START = "<s>"
END = "</s>"


class Composed(NamedTuple):
    """A compound: category, pattern and atoms in source order."""

    category: str
    pattern: str
    atoms: tuple[ChosenAtom, ...]

    @property
    def text(self) -> str:
        """The compound as words."""
        return " ".join(atom.text for atom in self.atoms)


class Embedded(NamedTuple):
    """A compound in a context: the new sentence, and where the compound stands in it."""

    compound: Composed
    phrase: Phrase
    source: str
    start: int
    score: float


@dataclass(frozen=True, kw_only=True)
class ContextLimits:
    """What a context must respect: see the options of `Compounds`."""

    contexts: int = 5
    reuse: int = 3
    shortest_context: int = 4
    longest: int = 25
    worst_drop: float = 3.0


def compose(
    category: str,
    patterns: Sequence[str],
    head_role: str,
    atoms: Mapping[str, Sequence[ChosenAtom]],
    generator: np.random.Generator,
    is_preferred: Callable[[Composed], bool],
) -> Iterator[Composed]:
    """Yield every cell of the factorial; the head of a cell is drawn, preferred ones first."""
    for pattern in patterns:
        roles = pattern.split()
        free = [role for role in roles if role != head_role]
        for cell in product(*(atoms[role] for role in free)):
            chosen = dict(zip(free, cell, strict=True))
            heads: Sequence[ChosenAtom | None] = [None]
            if head_role in roles:
                order = generator.permutation(len(atoms[head_role]))
                heads = [atoms[head_role][int(place)] for place in order]
            candidates = [
                Composed(
                    category,
                    pattern,
                    tuple(head if role == head_role else chosen[role] for role in roles),  # type: ignore[misc]
                )
                for head in heads
            ]
            yield next(filter(is_preferred, candidates), candidates[0])


class Embedder:
    """Draws contexts for the compounds of a category; `used` counts reuse over all categories."""

    def __init__(
        self,
        pairs: Sequence[Pair],
        phrases: Sequence[Phrase],
        model: NgramModel,
        limits: ContextLimits,
        generator: np.random.Generator,
        used: Counter[int] | None = None,
    ) -> None:
        self.pairs = pairs
        self.model = model
        self.limits = limits
        self.generator = generator
        self.used = used if used is not None else Counter()
        self.rejected: Counter[str] = Counter()
        self._originals: dict[Phrase, float] = {}
        self.by_head: dict[str, list[Phrase]] = {}
        for phrase in phrases:
            head = pairs[phrase.sentence].tokens[phrase.head] if phrase.head >= 0 else ""
            self.by_head.setdefault(head, []).append(phrase)

    def embed(self, compound: Composed, head: str) -> list[Embedded]:
        """Return the compound in its contexts; fewer than wanted when there are not enough."""
        phrases = self.by_head.get(head.lower(), [])
        count = min(len(phrases), self.limits.contexts * TRIES)
        places = self.generator.permutation(len(phrases))[:count].tolist()
        # The head stays in the sentence; the rest of the compound replaces the phrase.
        inside = compound.atoms[1:] if head else compound.atoms
        words = " ".join(atom.text for atom in inside).split()
        fitting: list[Embedded] = []
        for place in places:
            candidate = self._try(compound, words, phrases[place], bool(head))
            if candidate is not None:
                fitting.append(candidate)
                if len(fitting) == PASSING * self.limits.contexts:
                    break
        if len(fitting) < self.limits.contexts:
            return []
        fitting = sorted(fitting, key=lambda embedding: -embedding.score)[: self.limits.contexts]
        self.used.update(embedding.phrase.sentence for embedding in fitting)
        return fitting

    def _try(
        self, compound: Composed, words: Sequence[str], phrase: Phrase, has_head: bool
    ) -> Embedded | None:
        pair = self.pairs[phrase.sentence]
        if self.used[phrase.sentence] >= self.limits.reuse:
            self.rejected["context used up"] += 1
            return None
        context = len(pair.tokens) - (phrase.end - phrase.start) - has_head
        if context < self.limits.shortest_context:
            self.rejected["context too short"] += 1
            return None
        if len(pair.tokens) - (phrase.end - phrase.start) + len(words) > self.limits.longest:
            self.rejected["sentence too long"] += 1
            return None
        before = self._originals.get(phrase)
        if before is None:
            before = self.model.window(pair.tokens, phrase.start, phrase.end)
            self._originals[phrase] = before
        lower = [word.lower() for word in words]
        new = [*pair.tokens[: phrase.start], *lower, *pair.tokens[phrase.end :]]
        after = self.model.window(new, phrase.start, phrase.start + len(words))
        if after < before - self.limits.worst_drop:
            self.rejected["reads worse than the original"] += 1
            return None
        first = pair.starts[phrase.start]
        text = " ".join(words)
        if pair.source[:first].strip() == "":
            text = text[:1].upper() + text[1:]
        source = pair.source[:first] + text + pair.source[pair.ends[phrase.end - 1] :]
        start = pair.starts[phrase.head] if has_head else first
        if source.lower().count(compound.text.lower()) != 1:
            self.rejected["compound not exactly once"] += 1
            return None
        return Embedded(compound, phrase, source, start, after - before)


class NgramModel:
    """Trigram probabilities of a corpus, smoothed by interpolated absolute discounting.

    An n-gram is one number with a digit per word, so that a corpus is counted by sorting numbers.
    """

    def __init__(self, sentences: Iterable[Sequence[str]]) -> None:
        side = number([START, START, *sentence, END] for sentence in sentences)
        self.vocabulary = side.vocabulary
        self._codes = {word: code for code, word in enumerate(side.vocabulary)}
        # One digit more, for all words that the corpus lacks.
        self._base = base = len(side.vocabulary) + 1
        words = side.words.astype(np.int64)
        # Every word but the two starts of a sentence ends an n-gram of each order.
        starts = side.offsets[:-1]
        ends = np.delete(np.arange(len(words)), np.concatenate([starts, starts + 1]))
        unigrams = words[ends]
        bigrams = words[ends - 1] * base + unigrams
        trigrams = words[ends - 2] * base**2 + bigrams
        self._unigrams, _ = _count(unigrams, base)
        self._bigrams, self._after_word = _count(bigrams, base)
        self._trigrams, self._after_bigram = _count(trigrams, base)
        self._total = len(ends)
        self._logs: dict[tuple[str, str, str], float] = {}

    def probability(self, first: str, second: str, third: str) -> float:
        """Return the probability of the third word after the first two."""
        unknown = self._base - 1
        word = self._codes.get(third, unknown)
        before = self._codes.get(second, unknown)
        pair = self._codes.get(first, unknown) * self._base + before
        types = max(1, len(self._unigrams))
        score = (self._unigrams.get(word, 0) + 0.5) / (self._total + 0.5 * (types + 1))
        for counts, going_on, beginning in (
            (self._bigrams, self._after_word, before),
            (self._trigrams, self._after_bigram, pair),
        ):
            if beginning in going_on:
                after, kinds = going_on[beginning]
                kept = max(counts.get(beginning * self._base + word, 0) - DISCOUNT, 0.0)
                score = (kept + DISCOUNT * kinds * score) / after
        return score

    def window(self, words: Sequence[str], start: int, end: int) -> float:
        """Return the mean log probability of the words from `start` to two behind `end`."""
        padded = [START, START, *words, END]
        last = min(end + 2, len(words) + 1)
        scores = []
        for at in range(start, last):
            trigram = (padded[at], padded[at + 1], padded[at + 2])
            score = self._logs.get(trigram)
            if score is None:
                score = self._logs[trigram] = math.log(self.probability(*trigram))
            scores.append(score)
        return sum(scores) / len(scores) if scores else 0.0


def _count(
    ngrams: npt.NDArray[np.int64], base: int
) -> tuple[dict[int, int], dict[int, tuple[int, int]]]:
    """Return the count of every n-gram; and of its beginning: how often and in how many ways."""
    kinds, counts = np.unique(ngrams, return_counts=True)
    beginnings, firsts, ways = np.unique(kinds // base, return_index=True, return_counts=True)
    after = np.add.reduceat(counts, firsts)
    return (
        dict(zip(kinds.tolist(), counts.tolist(), strict=True)),
        dict(
            zip(beginnings.tolist(), zip(after.tolist(), ways.tolist(), strict=True), strict=True)
        ),
    )
