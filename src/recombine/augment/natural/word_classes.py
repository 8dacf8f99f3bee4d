"""Classes of words by their neighbours: log-odds, a few dimensions, k-means.

A word is described by the two words before it and the two behind it, each place of its own. How
much more often a neighbour stands there than chance has it is a logarithm of odds; positive ones
count (PPMI; Bullinaria & Levy 2007). A singular value decomposition leaves 60 dimensions, and
k-means cuts them into classes (Schuetze 1995 had parts of speech so). The classes are loose on
purpose: they say what kind of word may stand in a place, not which one was seen there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

from recombine.corpus.alignment import AlignedSide

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

OFFSETS = (-2, -1, 1, 2)
DIMENSIONS = 60
# Frequent words tell words apart; more of them cost and say little, and the log-odds of a rare one
# are high by chance.
MOST_NEIGHBOURS = 5_000
FEWEST_SEEN = 5
# A class of fewer words on average is no class.
FEWEST_PER_CLASS = 4
ROUNDS = 50


def word_classes(side: AlignedSide, words: Ints, classes: int, seed: int) -> Ints:
    """Return the class of each of `words`, which are numbers of the vocabulary."""
    classes = max(1, min(classes, len(words) // FEWEST_PER_CLASS))
    return k_means(embedded(neighbour_odds(side, words)), classes, seed)


def neighbour_odds(side: AlignedSide, words: Ints) -> csr_matrix:
    """Return the positive log-odds of every word (row) with every neighbour at every offset."""
    size = len(side.vocabulary)
    row_of = np.full(size, -1, np.int64)
    row_of[words] = np.arange(len(words))
    counts = np.bincount(side.words, minlength=size)
    column_of = np.full(size + 1, -1, np.int64)
    frequent = np.argsort(-counts, kind="stable")[:MOST_NEIGHBOURS]
    frequent = frequent[counts[frequent] >= FEWEST_SEEN]
    column_of[frequent] = np.arange(len(frequent))
    column_of[size] = len(frequent)  # the edge of a sentence
    width = len(frequent) + 1
    sentence = np.repeat(np.arange(len(side.offsets) - 1), side.lengths())
    place = np.flatnonzero(row_of[side.words] >= 0)
    cells = []
    for number, offset in enumerate(OFFSETS):
        beside = place + offset
        inside = (beside >= side.offsets[sentence[place]]) & (
            beside < side.offsets[sentence[place] + 1]
        )
        neighbour = np.where(inside, side.words[np.where(inside, beside, 0)], size)
        column = column_of[neighbour]
        kept = column >= 0
        row = row_of[side.words[place[kept]]]
        cells.append(row * (width * len(OFFSETS)) + number * width + column[kept])
    cell, together = np.unique(np.concatenate(cells), return_counts=True)
    row, column = cell // (width * len(OFFSETS)), cell % (width * len(OFFSETS))
    shape = len(words), width * len(OFFSETS)
    of_row = np.bincount(row, together, shape[0])[row]
    of_column = np.bincount(column, together, shape[1])[column]
    odds = np.log(together * together.sum() / (of_row * of_column))
    good = odds > 0
    return csr_matrix((odds[good], (row[good], column[good])), shape=shape)


def embedded(odds: csr_matrix) -> Floats:
    """Return every row as a vector of length one in few dimensions."""
    most = min(odds.shape) - 1
    if most < 1:
        return np.ones((odds.shape[0], 1))
    # The first vector is given, or it would be drawn from a global random state.
    left, values, _ = svds(odds, k=min(DIMENSIONS, most), v0=np.ones(min(odds.shape)))
    vectors = left * values
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-12))


def k_means(vectors: Floats, classes: int, seed: int) -> Ints:
    """Return the class of every vector: k-means++ (Arthur & Vassilvitskii 2007), then Lloyd."""
    stream: Any = np.random.Generator(np.random.PCG64(seed))
    centres = vectors[[int(stream.integers(len(vectors)))]]
    nearest = _squares(vectors, centres)[:, 0]
    for _ in range(classes - 1):
        running = np.cumsum(nearest)
        if running[-1] <= 0:
            break  # every vector is a centre already
        drawn = int(np.searchsorted(running, stream.random() * running[-1], side="right"))
        centre = vectors[[min(drawn, len(vectors) - 1)]]
        centres = np.concatenate((centres, centre))
        nearest = np.minimum(nearest, _squares(vectors, centre)[:, 0])
    classes = len(centres)
    own = np.full(len(vectors), -1)
    for _ in range(ROUNDS):
        before, own = own, _squares(vectors, centres).argmin(1)
        if (own == before).all():
            break
        size = np.bincount(own, minlength=classes)
        sums = np.zeros_like(centres)
        np.add.at(sums, own, vectors)
        # A centre that lost its last word stays where it is.
        centres = np.where(size[:, None] > 0, sums / np.maximum(size, 1)[:, None], centres)
    return own.astype(np.int64)


def _squares(vectors: Floats, centres: Floats) -> Floats:
    """Return squared distances [vectors, centres]; rounding must not make one negative."""
    ours, theirs = (np.square(one).sum(1) for one in (vectors, centres))
    squares = ours[:, None] + theirs[None, :] - 2 * vectors @ centres.T
    return np.asarray(np.maximum(squares, 0.0))
