"""Chernoff divergences of two sets from their counts, and how novel a sentence is; plain float64.

Everything reported comes from here; the search has fast copies of the same formulas.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.builders.divergent.count import CountOptions, Counts
from recombine.errors import ConfigError

# Keysers et al. 2020, section 2.2: atoms should be alike (0.5 is symmetric); compounds of the test
# set need only occur in train, however often, hence 0.1.
ATOM_ALPHA = 0.5
COMPOUND_ALPHA = 0.1
# Rows summed at a time.
SLICE_ROWS = 200_000
# Test sentences by their share of compounds that training lacks.
CLASSES = ("no compound", "none novel", "under half novel", "half or more novel", "all novel")
Vector = npt.NDArray[np.int64]


class Alphas(NamedTuple):
    """The exponents of both divergences."""

    atom: float = ATOM_ALPHA
    compound: float = COMPOUND_ALPHA


DEFAULT_ALPHAS = Alphas()


@dataclass(frozen=True, kw_only=True)
class MeasureOptions(CountOptions):
    """What is counted, and how two sets are compared."""

    atom_alpha: float = ATOM_ALPHA
    compound_alpha: float = COMPOUND_ALPHA

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("atom_alpha", "compound_alpha"):
            if not 0 < getattr(self, name) < 1:
                raise ConfigError(f"{name} = {getattr(self, name)} is not between 0 and 1")

    @property
    def alphas(self) -> Alphas:
        """The exponents of both divergences."""
        return Alphas(self.atom_alpha, self.compound_alpha)


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


def column_totals(counts: Counts, chosen: Vector | npt.NDArray[np.bool_] | slice) -> Vector:
    """Return the summed counts of some rows: of these numbers, or where a mask is true."""
    rows, columns = counts.rows, counts.columns
    mask = np.zeros(counts.size, dtype=bool)
    mask[chosen] = True
    sums = np.zeros(columns, np.float64)
    for first in range(0, len(rows.middles), SLICE_ROWS):
        starts = rows.starts[first : first + SLICE_ROWS + 1]
        part = slice(int(starts[0]), int(starts[-1]))
        inside = np.repeat(mask[first : first + SLICE_ROWS], np.diff(starts))
        sums += np.bincount(
            rows.columns[part][inside], weights=rows.counts[part][inside], minlength=columns
        )
    return sums.astype(np.int64)


def divergences(
    train: Vector, test: Vector, atoms: int, alphas: Alphas = DEFAULT_ALPHAS
) -> Divergences:
    """Return D_A and D_C of two count vectors whose first `atoms` columns are atoms."""
    return Divergences(
        chernoff_divergence(train[:atoms], test[:atoms], alphas.atom),
        chernoff_divergence(train[atoms:], test[atoms:], alphas.compound),
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


def novel_shares(counts: Counts, train: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return per row the share of its compound occurrences unseen in train; nan without any."""
    rows = counts.rows
    seen = column_totals(counts, train) > 0
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
