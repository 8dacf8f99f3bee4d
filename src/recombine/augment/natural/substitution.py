"""New pairs of running text: some words of a pair are exchanged for others that fit there."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from recombine.augment.classes import unit_text
from recombine.augment.natural.environments import Environments, Ints, find_environments
from recombine.augment.options import AugmentOptions, Recombined, TrainingPair, check_pairs
from recombine.augment.recombiner import Review
from recombine.augment.tokens import Tokeniser, tokenisers
from recombine.corpus.alignment import AlignedSide, align
from recombine.errors import DataError
from recombine.progress import progress

# Occurrences looked at together.
CHUNK = 200_000
# Of a text with fewer words that can be exchanged, no sample would be one.
FEWEST_PLACES = 20


class Substitution:
    """Words of training pairs that fit in each other's places, and new pairs drawn with them."""

    def __init__(
        self, pairs: Sequence[TrainingPair], options: AugmentOptions, sides: Sequence[Tokeniser]
    ) -> None:
        self.pairs = pairs
        self.options = options
        self._sides = sides
        with progress("align the pairs", None):
            alignment = align(*([side.truecase(row) for row in side.raw] for side in sides))
        for side in sides:
            # The words are numbers from here on.
            side.raw = []
        self._source, self._target = alignment.source, alignment.target
        with progress("find words that can be exchanged", None):
            self._known = find_environments(
                alignment,
                options.places,
                options.place_similarity,
                form_share=options.form_share,
                novel=options.novel,
            )
            same = np.array([pair.source == pair.target for pair in pairs])
            self._first, self._fitting, self._units = _options(self._known, self._source, same)
        if len(self._fitting) < FEWEST_PLACES:
            raise DataError(
                f"of {len(self._known.unit):,} words with a translation of their own in "
                f"{len(pairs):,} pairs, {len(self._fitting):,} can be exchanged for another that "
                "was seen between the same neighbours",
                hint="more pairs, or lower place_similarity and places, are needed",
            )
        sentence = np.searchsorted(
            self._source.offsets, self._known.place[self._fitting], side="right"
        )
        self._sentences, self._starts = np.unique(sentence - 1, return_index=True)
        self._ends = np.append(self._starts[1:], len(self._fitting))

    @classmethod
    def learn(cls, pairs: Sequence[TrainingPair], options: AugmentOptions) -> Substitution:
        """Align training pairs and find words that fit in each other's places."""
        check_pairs(pairs, options)
        with progress("cut the pairs into words", None):
            sides = tokenisers(pairs, options)
        return cls(pairs, options, sides)

    def draw(self, n: int | None = None, seed: int | None = None) -> Iterator[Recombined]:
        """Yield new pairs, no source twice and none that is in training."""
        n = self.options.n if n is None else n
        stream = random.Random(self.options.seed if seed is None else seed)
        known = {pair.source.strip() for pair in self.pairs}
        made = failed = 0
        while made < n and failed < 10 * n + 1000:
            row = stream.randrange(len(self._sentences))
            number = int(self._sentences[row])
            found = self._exchanged(number, self._choose(row, stream))
            if found[0] in known:
                failed += 1
                continue
            known.add(found[0])
            made += 1
            parent = self.pairs[number].id or str(number)
            yield Recombined(found[0], found[1], (parent,), found[2], 0)

    def _choose(self, row: int, stream: random.Random) -> list[tuple[int, int]]:
        """Draw occurrences of a sentence that are no neighbours, and the units for them."""
        there = list(range(int(self._starts[row]), int(self._ends[row])))
        wanted = stream.randint(1, self.options.exchanges)
        chosen: list[tuple[int, int]] = []
        taken: list[tuple[int, int]] = []
        for at in stream.sample(there, len(there)):
            occurrence = int(self._fitting[at])
            i, j = int(self._known.place[occurrence]), int(self._known.partner[occurrence])
            # What stands beside an exchanged word was not seen beside it.
            if any(abs(i - a) < 3 or abs(j - b) < 3 for a, b in taken):
                continue
            taken.append((i, j))
            first, last = int(self._first[at]), int(self._first[at + 1])
            chosen.append((occurrence, int(self._units[stream.randrange(first, last)])))
            if len(chosen) == wanted:
                break
        return chosen

    def _exchanged(
        self, number: int, chosen: Sequence[tuple[int, int]]
    ) -> tuple[str, str, tuple[str, ...]]:
        texts = []
        steps = [
            f"word: {self._named(int(self._known.unit[occurrence]))} -> {self._named(unit)}"
            for occurrence, unit in chosen
        ]
        for which, (side, places) in enumerate(
            ((self._source, self._known.place), (self._target, self._known.partner))
        ):
            first, last = int(side.offsets[number]), int(side.offsets[number + 1])
            words = [side.vocabulary[word] for word in side.words[first:last].tolist()]
            for occurrence, unit in chosen:
                at = int(places[occurrence]) - first
                new = side.vocabulary[int(self._known.units[unit, which])]
                # A word takes the place of another, and so the space before it.
                old = words[at]
                words[at] = old[: len(old) - len(old.lstrip())] + new.lstrip()
            texts.append(self._sides[which].text(words))
        return texts[0], texts[1], tuple(steps)

    def _named(self, unit: int) -> str:
        one, other = self._known.units[unit]
        return unit_text((self._source.vocabulary[one], self._target.vocabulary[other]))

    def review(self) -> Review:
        """Return the words that most others are like, with those."""
        alike = self._known.alike
        rows = [
            {
                "name": self._named(unit),
                "members": [self._named(int(other)) for other in alike[unit] if other >= 0],
                "support": int((alike[unit] >= 0).sum()),
            }
            for unit in np.flatnonzero((alike >= 0).any(1))[:500].tolist()
        ]
        return Review(rows, [], [], [])

    def explain(self, source: str) -> list[str] | None:
        """Return the training pair that a sentence differs from in exchanged words alone."""
        said = [word.strip().lower() for word in self._sides[0].cut(source)]
        for row, number in enumerate(self._sentences.tolist()):
            first, last = int(self._source.offsets[number]), int(self._source.offsets[number + 1])
            if last - first != len(said):
                continue
            words = self._source.words[first:last]
            old = [self._source.vocabulary[word].strip().lower() for word in words.tolist()]
            differing = {n for n, word in enumerate(old) if word != said[n]}
            lines = []
            for at in range(int(self._starts[row]), int(self._ends[row])):
                occurrence = int(self._fitting[at])
                place = int(self._known.place[occurrence]) - first
                if place not in differing:
                    continue
                for unit in self._units[int(self._first[at]) : int(self._first[at + 1])].tolist():
                    new = self._source.vocabulary[int(self._known.units[unit, 0])]
                    if new.strip().lower() == said[place]:
                        before = self._named(int(self._known.unit[occurrence]))
                        lines.append(f"word: {before} -> {self._named(unit)}")
                        differing.discard(place)
                        break
            if not differing:
                return [f"from: {self.pairs[number].source}", *lines]
        return None


def _options(
    known: Environments, source: AlignedSide, skipped: npt.NDArray[np.bool_]
) -> tuple[Ints, Ints, Ints]:
    """Return where options of each occurrence begin, occurrences with options, and the options."""
    sentence = np.searchsorted(source.offsets, known.place, side="right") - 1
    there = np.flatnonzero((known.alike[known.unit] >= 0).any(1) & ~skipped[sentence])
    occurrences, units = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for first in range(0, len(there), CHUNK):
        chunk = there[first : first + CHUNK]
        alike = known.alike[known.unit[chunk]]
        row, column = np.nonzero(alike >= 0)
        fits = known.fits(chunk[row], alike[row, column])
        occurrences.append(chunk[row[fits]])
        units.append(alike[row, column][fits])
    every = np.concatenate(occurrences)
    fitting, starts = np.unique(every, return_index=True)
    return np.append(starts, len(every)), fitting, np.concatenate(units)
