"""Free exchange of words in running text: another word of the class, with its own translation.

What helps a model to compose is that many different words stand in each place, more than that each
drawn sentence is good. So nothing is asked of the neighbours. A *unit* is a source word with a
target word that is frequently its translation: the aligner links them both ways, and each is the
other's partner in a share of its occurrences. Source words fall into classes by their neighbours
(word_classes.py), and a unit may take the place of any other whose source word is in its class.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator, Sequence

import numpy as np

from recombine.augment.natural.word_classes import Ints, word_classes
from recombine.augment.options import (
    AugmentOptions,
    Recombined,
    Review,
    TrainingPair,
    check_pairs,
    unit_text,
)
from recombine.augment.tokens import Tokeniser, Tokens, tokenisers
from recombine.corpus.alignment import AlignedSide, Alignment, align
from recombine.errors import DataError
from recombine.progress import progress

# Of a text with fewer words that can be exchanged, no sample would be one.
FEWEST_PLACES = 20
# Members of a class that the review shows.
SHOWN = 50


class Exchange:
    """Units of training pairs, their classes, and new pairs drawn with them."""

    def __init__(
        self, pairs: Sequence[TrainingPair], options: AugmentOptions, sides: Sequence[Tokeniser]
    ) -> None:
        self.pairs = pairs
        self.options = options
        self._sides = sides
        self._tokens: list[list[Tokens]] = [list(map(side.truecase, side.raw)) for side in sides]
        with progress("align the pairs", None):
            bare = ([[word.strip() for word in row] for row in rows] for rows in self._tokens)
            alignment = align(*bare)
        self._source, self._target = alignment.source, alignment.target
        with progress("find words that can be exchanged", None):
            self._find_units(alignment)
        if len(self._place) < FEWEST_PLACES:
            raise DataError(
                f"of {len(self._units):,} words with a translation of their own in "
                f"{len(pairs):,} pairs, {len(self._place):,} can be exchanged for another of "
                "their class",
                hint="more pairs, or lower unit_support and unit_share, are needed",
            )

    @classmethod
    def learn(cls, pairs: Sequence[TrainingPair], options: AugmentOptions) -> Exchange:
        """Cut and align training pairs, and find words of one kind."""
        check_pairs(pairs, options)
        with progress("cut the pairs into words", None):
            sides = tokenisers(pairs, options, words=True)
        return cls(pairs, options, sides)

    def _find_units(self, alignment: Alignment) -> None:
        source, target, options = self._source, self._target, self.options
        sentence = np.repeat(np.arange(len(self.pairs)), source.lengths())
        place = np.flatnonzero(alignment.partners >= 0)
        partner = target.offsets[sentence[place]] + alignment.partners[place]
        width = len(target.vocabulary)
        kinds, kind, counts = np.unique(
            source.words[place].astype(np.int64) * width + target.words[partner],
            return_inverse=True,
            return_counts=True,
        )
        words, others = kinds // width, kinds % width
        good = (counts >= options.unit_support) & _letters(source)[words] & _letters(target)[others]
        for side, word in ((source, words), (target, others)):
            of_word = np.bincount(side.words, minlength=len(side.vocabulary))[word]
            good &= counts >= options.unit_share * of_word
        unit_of = np.where(good, np.cumsum(good) - 1, -1)
        self._units = np.stack([words[good], others[good]], 1)
        self._class = np.full(len(source.vocabulary), -1)
        # The units of a source word lie together: `kinds` is in the order of source words.
        exchanged, self._first_unit = np.unique(self._units[:, 0], return_index=True)
        self._weights = np.cumsum(counts[good]).tolist()
        self._members: list[list[int]] = []
        if len(exchanged):
            own = word_classes(source, exchanged, options.classes, options.seed)
            self._class[exchanged] = own
            self._members = [np.flatnonzero(own == one).tolist() for one in range(own.max() + 1)]
        self._words = exchanged
        alone = np.array([len(members) < 2 for members in self._members], bool)
        copied = np.array([pair.source == pair.target for pair in self.pairs], bool)
        unit = unit_of[kind]
        free = (unit >= 0) & ~copied[sentence[place]]
        free[free] &= ~alone[self._class[source.words[place[free]]]]
        self._place, self._partner, self._unit = place[free], partner[free], unit[free]
        self._numbers, starts = np.unique(sentence[self._place], return_index=True)
        self._bounds = [*starts.tolist(), len(self._place)]

    def draw(self, n: int | None = None, seed: int | None = None) -> Iterator[Recombined]:
        """Yield new pairs, no source twice and none that is in training."""
        n = self.options.n if n is None else n
        stream = random.Random(self.options.seed if seed is None else seed)
        known = {pair.source.strip() for pair in self.pairs}
        drawn = failed = 0
        while drawn < n and failed < 10 * n + 1000:
            row = stream.randrange(len(self._numbers))
            places = range(self._bounds[row], self._bounds[row + 1])
            count = min(len(places), stream.randint(1, self.options.exchanges))
            chosen = [(at, self._another(at, stream)) for at in stream.sample(places, count)]
            pair = self._exchanged(int(self._numbers[row]), chosen)
            if pair.source in known:
                failed += 1
                continue
            known.add(pair.source)
            drawn += 1
            yield pair

    def _another(self, at: int, stream: random.Random) -> int:
        """Draw a unit whose source word is another of the class, by how often it is so linked."""
        word = int(self._units[self._unit[at], 0])
        members = self._members[self._class[word]]
        other = members[stream.randrange(len(members) - 1)]
        if self._words[other] == word:
            other = members[-1]
        first = int(self._first_unit[other])
        last = int(self._first_unit[other + 1]) if other + 1 < len(self._words) else None
        below = self._weights[first - 1] if first else 0
        whole = self._weights[-1 if last is None else last - 1] - below
        return bisect_right(self._weights, below + stream.randrange(whole), first, last)

    def _exchanged(self, number: int, chosen: Sequence[tuple[int, int]]) -> Recombined:
        steps = tuple(
            f"word: {self._named(int(self._unit[at]))} -> {self._named(unit)}"
            for at, unit in chosen
        )
        texts = []
        for which, (side, places) in enumerate(
            ((self._source, self._place), (self._target, self._partner))
        ):
            words = list(self._tokens[which][number])
            for at, unit in chosen:
                place = int(places[at] - side.offsets[number])
                old = words[place]
                # A word takes the place of another, and so the space before it.
                space = old[: len(old) - len(old.lstrip())]
                words[place] = space + side.vocabulary[int(self._units[unit, which])]
            texts.append(self._sides[which].text(words))
        parent = self.pairs[number].id or str(number)
        return Recombined(texts[0], texts[1], (parent,), steps, 0)

    def _named(self, unit: int) -> str:
        word, other = self._units[unit]
        return unit_text((self._source.vocabulary[word], self._target.vocabulary[other]))

    def review(self) -> Review:
        """Return the classes, in each the most frequent words first."""
        counts = np.bincount(self._source.words, minlength=len(self._source.vocabulary))
        rows = []
        for members in self._members:
            words = sorted(self._words[members].tolist(), key=lambda word: (-counts[word], word))
            names = [self._source.vocabulary[word] for word in words[:SHOWN]]
            rows.append({"name": names[0], "members": names, "support": len(words)})
        rows.sort(key=lambda row: -int(str(row["support"])))
        return Review(rows, [])

    def explain(self, source: str) -> list[str] | None:
        """Return the training pair that a sentence differs from in exchanged words alone."""
        tokens = [word.strip() for word in self._sides[0].cut(source)]
        numbers = {word: number for number, word in enumerate(self._source.vocabulary)}
        asked = np.array([numbers.get(word, -1) for word in tokens])
        lengths = self._source.lengths()
        for row, number in enumerate(self._numbers.tolist()):
            if lengths[number] != len(asked):
                continue
            first = int(self._source.offsets[number])
            old = self._source.words[first : first + len(asked)]
            differing = np.flatnonzero(old != asked)
            free = self._place[self._bounds[row] : self._bounds[row + 1]] - first
            alike = self._class[old[differing]] == self._class[asked[differing]]
            if np.isin(differing, free).all() and (asked >= 0).all() and alike.all():
                changed = [
                    f"word: {self._source.vocabulary[old[at]]} -> {tokens[at]}"
                    for at in differing.tolist()
                ]
                return [f"from: {self.pairs[number].source}", *changed]
        return None


def _letters(side: AlignedSide) -> Ints:
    """Say which of the vocabulary are words, and no punctuation."""
    return np.array([word[:1].isalnum() for word in side.vocabulary], bool)
