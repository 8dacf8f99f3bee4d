"""Which words can be exchanged in running text: those seen between the same neighbours, twice over.

In running text hardly a sentence comes twice, and no frames are found. What can be learnt is which
*units* (a source word with its target word, each mostly the other's translation) stand in the same
places. A place is both neighbours in the source and both in the target. Two units are alike when
they share many places: `similarity` is the cosine of their places, weighted by rarity, and
`support` the fewest places shared. One may then take the other's place where it was itself seen
between those neighbours, in the source and in the target (Andreas 2020 has one language). So
articles, cases and prepositions beside it are right: they were seen beside it.

Two kinds of words stay as they are. One is in so many sentences that it holds them together
(`FREQUENT`). The other is part of a fixed expression ("ladies and gentlemen"): two words before it,
or two behind it, mostly have just this word beside them (`FIXED`).

All of it is sorting and counting of integers over all words at once; nothing is done pair by pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from recombine.corpus.alignment import AlignedSide, Alignment

Ints = npt.NDArray[np.int64]

# A unit is a word and the word that it is mostly translated by, each way in this share (an option
# of one way: a word of an inflected language has many forms).
MUTUAL = 0.4
# A place that more units share says nothing of them and costs much.
MOST_UNITS = 400
# Words in more than this share of the sentences hold them together.
FREQUENT = 0.01
# Two neighbours on one side that have this word in so many cases make a fixed expression with it,
# when they were seen so often.
FIXED = 0.4
FEWEST_SEEN = 3
# The most frequent units of a large text.
MOST_VOCABULARY = 30_000
# Letters at the end of a word in which it may agree with its neighbour.
ENDING = 2
# For each unit the units most alike.
NEIGHBOURS = 30
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Environments:
    """Places of units in a text, and what may stand there instead.

    `place` and `unit` are of every occurrence: place of the source word in the whole text, and the
    number of the unit. `units` are pairs of word numbers. `alike` has for every unit those alike,
    best first, -1 where there are no more.
    """

    place: Ints
    partner: Ints
    unit: Ints
    units: Ints
    alike: Ints
    source: Surroundings
    target: Surroundings

    def fits(self, occurrence: Ints, unit: Ints) -> npt.NDArray[np.bool_]:
        """Say whether units were seen beside the neighbours that occurrences have."""
        return self.source.fits(occurrence, unit) & self.target.fits(occurrence, unit)


class Surroundings:
    """What stands around the occurrences of units in one language, and what was seen around each.

    Between neighbours that it was seen between, a word makes no new combination with either. With
    `novel` one neighbour may be new to it, when the other is not and the new one ends in letters
    that it was seen beside: the letters in which words of many languages agree.
    """

    def __init__(self, side: AlignedSide, place: Ints, unit: Ints, *, novel: bool) -> None:
        self.before, self.after = before, after = _neighbours(side, place)
        self.both = _mixed(before, after)
        # Each list of hashes by occurrence; a way to fit is to have been seen with all of some.
        hashes = [self.both]
        self._ways: tuple[tuple[int, ...], ...] = ((0,),)
        if novel:
            endings = _endings(side)
            hashes += [
                _mixed(np.full_like(words, 2 * kind + 1), words)
                for kind, words in enumerate((before, after, endings[before], endings[after]))
            ]
            self._ways = ((0,), (1, 4), (2, 3))
        self._hashes = hashes
        own = unit.astype(np.uint64)
        self._seen = [np.unique(_mixed(own, one)) for one in hashes]

    def fits(self, occurrence: Ints, unit: Ints) -> npt.NDArray[np.bool_]:
        """Say whether units fit where occurrences are."""
        own = unit.astype(np.uint64)
        found = np.zeros(len(unit), bool)
        for way in self._ways:
            there = np.ones(len(unit), bool)
            for one in way:
                there &= _among(_mixed(own, self._hashes[one][occurrence]), self._seen[one])
            found |= there
        return found


def find_environments(
    alignment: Alignment,
    support: int,
    similarity: float,
    *,
    form_share: float = MUTUAL,
    novel: bool = False,
) -> Environments:
    """Find units, their places, and which are alike."""
    source, target = alignment.source, alignment.target
    sentence = np.repeat(np.arange(len(source.offsets) - 1), source.lengths())
    linked = np.flatnonzero(alignment.partners >= 0)
    partner = target.offsets[sentence[linked]] + alignment.partners[linked]
    width = len(target.vocabulary)
    key = source.words[linked].astype(np.int64) * width + target.words[partner]
    kinds, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
    given = np.bincount(source.words, minlength=len(source.vocabulary))[kinds // width]
    made = np.bincount(target.words, minlength=width)[kinds % width]
    good = (counts >= max(support, 3)) & (counts >= form_share * given) & (counts >= MUTUAL * made)
    good &= _words(source)[kinds // width] & _words(target)[kinds % width]
    good &= counts <= FREQUENT * len(source.lengths())
    kept = np.flatnonzero(good)
    kept = kept[np.argsort(-counts[kept], kind="stable")][:MOST_VOCABULARY]
    number = np.full(len(kinds), -1, np.int64)
    number[kept] = np.arange(len(kept))
    unit = number[inverse]
    there = unit >= 0
    there[there] &= ~_fixed(source, linked[there]) & ~_fixed(target, partner[there])
    place, partner, unit = linked[there], partner[there], unit[there]
    around = [
        Surroundings(side, at, unit, novel=novel)
        for side, at in ((source, place), (target, partner))
    ]
    units = np.stack([kinds[kept] // width, kinds[kept] % width], 1)
    alike = _alike(*_places(unit, *around, novel=novel), len(kept), support, similarity)
    if novel:
        # Another form of the same translation is for another place.
        alike[(alike >= 0) & (units[alike, 0] == units[:, :1])] = -1
    return Environments(place, partner, unit, units, alike, *around)


def _places(
    unit: Ints, source: Surroundings, target: Surroundings, *, novel: bool
) -> tuple[Ints, npt.NDArray[np.uint64]]:
    """Return units and the places that they are in: all four neighbours, or either two."""
    if not novel:
        return unit, _mixed(source.both, target.both)
    halves = [_mixed(source.before, target.before), ~_mixed(source.after, target.after)]
    return np.concatenate([unit, unit]), np.concatenate(halves)


def _words(side: AlignedSide) -> npt.NDArray[np.bool_]:
    """Say which of the vocabulary are words, and no punctuation."""
    return np.array([word.strip()[:1].isalnum() for word in side.vocabulary], bool)


def _fixed(side: AlignedSide, place: Ints) -> npt.NDArray[np.bool_]:
    """Say whether words are part of a fixed expression with two neighbours on one side."""
    words = side.words.astype(np.uint64) + np.uint64(1)
    padded = np.concatenate([np.zeros(2, np.uint64), words, np.zeros(2, np.uint64)])
    fixed = np.zeros(len(place), bool)
    for one, other in ((0, 1), (3, 4)):
        every = np.arange(len(words))
        around = _mixed(padded[every + one], padded[every + other])
        _, context, seen = np.unique(around, return_inverse=True, return_counts=True)
        whole = _mixed(around, words)
        _, filled, times = np.unique(whole, return_inverse=True, return_counts=True)
        often = seen[context[place]]
        fixed |= (often >= FEWEST_SEEN) & (times[filled[place]] >= FIXED * often)
    return fixed


def _neighbours(
    side: AlignedSide, place: Ints
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return both neighbours of places; the edge of a sentence is a neighbour too."""
    edge = len(side.vocabulary)
    words = side.words.astype(np.int64)
    before = np.concatenate([[edge], words[:-1]])
    after = np.concatenate([words[1:], [edge]])
    before[side.offsets[:-1][side.offsets[:-1] < len(words)]] = edge
    ends = side.offsets[1:] - 1
    after[ends[ends >= 0]] = edge
    return before[place].astype(np.uint64), after[place].astype(np.uint64)


def _endings(side: AlignedSide) -> npt.NDArray[np.uint64]:
    """Number the endings of the vocabulary's words; the edge of a sentence has one of its own."""
    endings = [word.strip().lower()[-ENDING:] for word in side.vocabulary]
    return np.unique([*endings, ""], return_inverse=True)[1].astype(np.uint64)


def _mixed(one: npt.NDArray[np.uint64], other: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Hash two numbers to one of 64 bits (after splitmix64)."""
    with np.errstate(over="ignore"):
        mixed = (one + np.uint64(1)) * _ODD ^ (other + np.uint64(0x632BE59BD9B4E019))
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def _among(wanted: npt.NDArray[np.uint64], seen: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    at = np.minimum(np.searchsorted(seen, wanted), len(seen) - 1)
    return np.asarray(seen[at] == wanted)


def _alike(
    unit: Ints, place: npt.NDArray[np.uint64], count: int, support: int, similarity: float
) -> Ints:
    """Return for every unit the units that share most places with it."""
    best = np.full((count, NEIGHBOURS), -1, np.int64)
    if not count:
        return best
    _, column = np.unique(place, return_inverse=True)
    cell = np.unique(unit * (column.max() + 1) + column)
    row, column = cell // (column.max() + 1), cell % (column.max() + 1)
    shared = np.bincount(column)
    keep = (shared[column] > 1) & (shared[column] <= MOST_UNITS)
    row, column = row[keep], column[keep]
    _, column = np.unique(column, return_inverse=True)
    rarity = np.log(count / np.bincount(column))[column] if len(column) else np.zeros(0)
    weights = csr_matrix((rarity, (row, column)), shape=(count, column.max(initial=0) + 1))
    ones = csr_matrix((np.ones(len(row)), (row, column)), shape=weights.shape)
    length = np.sqrt(np.asarray(weights.multiply(weights).sum(1)).ravel()) + 1e-9
    for first in range(0, count, 2000):
        rows = slice(first, min(count, first + 2000))
        products: Any = (weights[rows] @ weights.T).tocsr()
        together: Any = (ones[rows] @ ones.T).tocsr()
        products.sort_indices()
        together.sort_indices()
        for n in range(products.shape[0]):
            a, b = products.indptr[n], products.indptr[n + 1]
            others = products.indices[a:b]
            cosine = products.data[a:b] / (length[first + n] * length[others])
            good = (cosine >= similarity) & (together.data[a:b] >= support) & (others != first + n)
            order = np.argsort(-cosine[good], kind="stable")[:NEIGHBOURS]
            best[first + n, : len(order)] = others[good][order]
    return best
