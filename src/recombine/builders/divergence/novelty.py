"""How much of a sentence is new: the share of its compounds that train never shows.

This needs no second model: within one test set, a system that composes does as well on sentences
full of novel compounds as on the others.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from recombine.builders.divergence.count import Counts

CLASSES = ("no compound", "none novel", "under half novel", "half or more novel", "all novel")


def novel_shares(counts: Counts, train: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return per row the share of its compound occurrences unseen in train; nan without any."""
    rows = counts.rows
    entry_row = np.repeat(np.arange(counts.size), np.diff(rows.starts))
    compound = np.asarray(rows.columns) >= counts.atoms
    owner = entry_row[compound]
    column = np.asarray(rows.columns)[compound]
    number = np.asarray(rows.counts)[compound].astype(np.float64)
    in_train = np.zeros(counts.size, dtype=bool)
    in_train[train] = True
    seen = np.zeros(counts.atoms + counts.compounds, dtype=bool)
    seen[column[in_train[owner]]] = True
    total = np.bincount(owner, weights=number, minlength=counts.size)
    novel = np.bincount(owner, weights=number * ~seen[column], minlength=counts.size)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: npt.NDArray[np.float64] = novel / total
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
