"""Chernoff divergences of two sets from their counts, in plain float64.

Everything reported comes from here; the search has fast copies of the same formulas.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.builders.divergence.count import Rows

# Keysers et al. 2020, section 2.2: atoms should be alike (0.5 is symmetric); compounds of the test
# set need only occur in train, however often, hence 0.1.
ATOM_ALPHA = 0.5
COMPOUND_ALPHA = 0.1

# Rows summed at a time.
SLICE_ROWS = 200_000

Vector = npt.NDArray[np.int64]


class Divergences(NamedTuple):
    """Atom and compound divergence of a pair of sets."""

    atom: float
    compound: float


def chernoff_divergence(train: Vector, test: Vector, alpha: float) -> float:
    """Return 1 - sum_k p_k^alpha q_k^(1 - alpha) of two count vectors.

    Two sets of which one has no counts have nothing in common: 1.
    """
    total_train, total_test = int(train.sum()), int(test.sum())
    if total_train == 0 or total_test == 0:
        return 1.0
    both = np.flatnonzero((train > 0) & (test > 0))
    p = train[both] / total_train
    q = test[both] / total_test
    # Rounding may put the coefficient of equal distributions a hair above 1.
    return max(0.0, 1.0 - float(np.sum(p**alpha * q ** (1 - alpha))))


def column_totals(rows: Rows, chosen: npt.NDArray[np.bool_], columns: int) -> Vector:
    """Return the summed counts of the chosen rows."""
    sums = np.zeros(columns, np.float64)
    for first in range(0, len(rows.middles), SLICE_ROWS):
        starts = rows.starts[first : first + SLICE_ROWS + 1]
        part = slice(int(starts[0]), int(starts[-1]))
        inside = np.repeat(chosen[first : first + SLICE_ROWS], np.diff(starts))
        sums += np.bincount(
            rows.columns[part][inside], weights=rows.counts[part][inside], minlength=columns
        )
    return sums.astype(np.int64)


def divergences(
    train: Vector,
    test: Vector,
    atoms: int,
    *,
    atom_alpha: float = ATOM_ALPHA,
    compound_alpha: float = COMPOUND_ALPHA,
) -> Divergences:
    """Return D_A and D_C of two count vectors whose first `atoms` columns are atoms."""
    return Divergences(
        chernoff_divergence(train[:atoms], test[:atoms], atom_alpha),
        chernoff_divergence(train[atoms:], test[atoms:], compound_alpha),
    )


def contributions(train: Vector, test: Vector, alpha: float) -> npt.NDArray[np.float64]:
    """Return each column's part of the divergence; the parts sum to it.

    alpha p + (1 - alpha) q - p^alpha q^(1 - alpha) is never negative (weighted means), and its
    sum over columns is 1 - C.
    """
    p = train / max(1, int(train.sum()))
    q = test / max(1, int(test.sum()))
    part: npt.NDArray[np.float64] = alpha * p + (1 - alpha) * q - p**alpha * q ** (1 - alpha)
    return part
