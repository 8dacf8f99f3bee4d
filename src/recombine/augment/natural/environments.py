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

# A unit is a word and the word that it is mostly translated by, each way in this share.
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
    # Hashes of neighbours by occurrence, and sorted hashes of (unit, neighbours) that were seen.
    source_context: npt.NDArray[np.uint64]
    target_context: npt.NDArray[np.uint64]
    source_seen: npt.NDArray[np.uint64]
    target_seen: npt.NDArray[np.uint64]

    def fits(self, occurrence: Ints, unit: Ints) -> npt.NDArray[np.bool_]:
        """Say whether units were seen between the neighbours that occurrences have."""
        own = unit.astype(np.uint64)
        return np.asarray(
            _among(_mixed(own, self.source_context[occurrence]), self.source_seen)
            & _among(_mixed(own, self.target_context[occurrence]), self.target_seen)
        )


def find_environments(alignment: Alignment, support: int, similarity: float) -> Environments:
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
    good = (counts >= max(support, 3)) & (counts >= MUTUAL * given) & (counts >= MUTUAL * made)
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
    source_context = _context(source, place)
    target_context = _context(target, partner)
    own = unit.astype(np.uint64)
    return Environments(
        place,
        partner,
        unit,
        np.stack([kinds[kept] // width, kinds[kept] % width], 1),
        _alike(unit, _mixed(source_context, target_context), len(kept), support, similarity),
        source_context,
        target_context,
        np.unique(_mixed(own, source_context)),
        np.unique(_mixed(own, target_context)),
    )


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


def _context(side: AlignedSide, place: Ints) -> npt.NDArray[np.uint64]:
    """Hash both neighbours of places; the edge of a sentence is a neighbour too."""
    edge = len(side.vocabulary)
    words = side.words.astype(np.int64)
    before = np.concatenate([[edge], words[:-1]])
    after = np.concatenate([words[1:], [edge]])
    before[side.offsets[:-1][side.offsets[:-1] < len(words)]] = edge
    ends = side.offsets[1:] - 1
    after[ends[ends >= 0]] = edge
    return _mixed(before[place].astype(np.uint64), after[place].astype(np.uint64))


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
