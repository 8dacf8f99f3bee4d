"""How much of a sentence is new: the share of its compounds that train never shows.

This needs no second model: within one test set, a system that composes does as well on sentences
full of novel compounds as on the others.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from recombine.builders.divergence.count import Counts
from recombine.builders.divergence.measure import SLICE_ROWS, column_totals

CLASSES = ("no compound", "none novel", "under half novel", "half or more novel", "all novel")


def novel_shares(counts: Counts, train: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return per row the share of its compound occurrences unseen in train; nan without any."""
    rows = counts.rows
    in_train = np.zeros(counts.size, dtype=bool)
    in_train[train] = True
    seen = column_totals(rows, in_train, counts.atoms + counts.compounds) > 0
    seen[: counts.atoms] = True
    shares = np.empty(counts.size)
    for first in range(0, counts.size, SLICE_ROWS):
        starts = rows.starts[first : first + SLICE_ROWS + 1]
        middles = rows.middles[first : first + SLICE_ROWS]
        part = slice(int(starts[0]), int(starts[-1]))
        number = np.append(0, np.cumsum(rows.counts[part]))
        novel = np.append(0, np.cumsum(rows.counts[part] * ~seen[rows.columns[part]]))
        low, high = middles - starts[0], starts[1:] - starts[0]
        with np.errstate(invalid="ignore", divide="ignore"):
            shares[first : first + SLICE_ROWS] = (novel[high] - novel[low]) / (
                number[high] - number[low]
            )
    return shares


def novelty_class(share: float) -> str:
    """Return the tag of a sentence by its share of novel compounds."""
    if np.isnan(share):
        return CLASSES[0]
    if share == 0:
        return CLASSES[1]
    if share < 0.5:
        return CLASSES[2]
    return CLASSES[3] if share < 1 else CLASSES[4]


def length_class(words: int) -> str:
    """Return the tag of a sentence by its length, the first confounder to look at."""
    tens = (words - 1) // 10
    return f"{10 * tens + 1}-{10 * tens + 10} words"
