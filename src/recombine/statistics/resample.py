"""Random draws: bootstrap samples of keys or clusters, and swaps of what two systems said.

A seed fixes the draws, whatever statistics they are applied to.  So all systems of a report meet
the same samples, and one product of the drawn counts with the statistics of all of them, side by
side, serves every interval and every pair.  Two more facts make it fast: a bootstrap sample of a
list with few distinct rows is a multinomial draw over them, and sums of whole numbers are exact in
any order and, while small, in single precision.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
# A cluster number per observation.
Clusters = npt.NDArray[np.int64]
Swaps = npt.NDArray[np.int8]

# Distinct rows up to which drawing a multinomial is cheaper than drawing indices.
FEW_DISTINCT_ROWS = 256
WIDEST_SORTED = 6
# Counts of resampled rows, or swaps, held in memory at once (64 MB of float64).
BLOCK_CELLS = 8_000_000
# Whole numbers below these are exact in single and in double precision.
EXACT_SINGLE, EXACT_DOUBLE = 2.0**24, 2.0**53


class Draws:
    """Draws from one set of items for all tables of statistics about them, in the tables' order."""

    def __init__(
        self, tables: Sequence[Array], seed: int = 0, clusters: Clusters | None = None
    ) -> None:
        self.seed = seed
        self.clusters = clusters
        self._tables = list(tables)
        self._sums: dict[int, Array] = {}
        self._moved: dict[int, Array] = {}

    @cached_property
    def _members(self) -> Counts | None:
        """The unit that each observation belongs to; None where it is one itself."""
        if self.clusters is None:
            return None
        return np.unique(self.clusters, return_inverse=True)[1]

    @cached_property
    def _units(self) -> list[Array]:
        if self.clusters is None:
            return self._tables
        return [cluster_rows(table, self.clusters)[0] for table in self._tables]

    @cached_property
    def _sizes(self) -> Array:
        """Observations of each unit."""
        if self._members is None:
            return np.ones(len(self._tables[0]))
        return np.bincount(self._members).astype(np.float64)

    @property
    def count(self) -> int:
        """How many units are drawn from: clusters, or observations that stand alone."""
        return len(self._sizes)

    @cached_property
    def _precision(self) -> type[np.float32 | np.float64] | None:
        """In what sums over any sample are exact; None where they are rounded."""
        largest = 0.0
        for table in (*self._units, self._sizes):
            if not np.array_equal(table, np.rint(table)):  # NaN is not equal either
                return None
            largest = max(largest, float(np.abs(table).max(initial=0.0)))
        bound = largest * self.count
        if bound < EXACT_SINGLE:
            return np.float32
        return np.float64 if bound < EXACT_DOUBLE else None

    def _place(self, table: Array) -> int:
        return next(place for place, one in enumerate(self._tables) if one is table)

    def _columns(self, tables: Sequence[Array]) -> Counts:
        """Columns of these tables where all tables stand side by side."""
        starts = np.cumsum([0, *(one.shape[1] for one in self._tables)])
        places = [self._place(table) for table in tables]
        return np.concatenate([np.arange(starts[place], starts[place + 1]) for place in places])

    def units(self, table: Array) -> Array:
        """What is drawn: the rows of a table, or their sums in each cluster."""
        return self._units[self._place(table)]

    def rows(self, samples: int) -> Iterator[Counts]:
        """Row numbers of bootstrap samples, for scores that need the rows themselves."""
        generator = np.random.default_rng(self.seed)
        return draw_rows(len(self._tables[0]), self.clusters, generator, samples)

    def sums(self, tables: Sequence[Array], samples: int) -> Array:
        """Column sums of these tables side by side in bootstrap samples, observations last."""
        generator = np.random.default_rng(self.seed)
        count, width = self.count, sum(one.shape[1] for one in tables)
        if _is_drawn_by_kinds(count, width + 1) or self._precision is None:
            units = [self.units(table) for table in tables]
            joined = np.concatenate([*units, self._sizes[:, None]], axis=1)
            return np.concatenate(list(resample_sums(joined, samples, generator)))
        if samples not in self._sums:
            joined = np.concatenate([*self._units, self._sizes[:, None]], axis=1)
            self._sums[samples] = _product(
                resample_counts(count, samples, generator), joined.astype(self._precision)
            )
        found = self._sums[samples]
        # Copied row by row, as a product would lie in memory: logarithms of other layouts round
        # differently.
        return np.take(found, [*self._columns(tables), found.shape[1] - 1], axis=1)

    def swaps(self, trials: int) -> Iterator[Swaps]:
        """Which items to exchange between two systems [trials, items], in blocks of trials.

        Observations of one cluster are exchanged together.
        """
        for block in self._unit_swaps(trials):
            yield block if self._members is None else block[:, self._members]

    def _unit_swaps(self, trials: int) -> Iterator[Swaps]:
        generator = np.random.default_rng(self.seed)
        size = max(1, min(trials, BLOCK_CELLS // max(self.count, 1)))
        full, rest = divmod(trials, size)
        for part in [size] * full + ([rest] if rest else []):
            yield generator.integers(0, 2, (part, self.count), "i1")

    def moved(self, first: Array, second: Array, trials: int) -> Array:
        """What each trial of swaps adds to the column sums of the second table."""
        if self._precision is None:
            gain = self.units(first) - self.units(second)
            return _product(self._unit_swaps(trials), gain)
        if trials not in self._moved:
            joined = np.concatenate(self._units, axis=1).astype(self._precision)
            self._moved[trials] = _product(self._unit_swaps(trials), joined)
        found = self._moved[trials]
        one, other = (np.take(found, self._columns([table]), axis=1) for table in (first, second))
        return np.asarray(one - other, dtype=np.float64)


def _product(blocks: Iterator[npt.NDArray[Any]], rows: npt.NDArray[Any]) -> Array:
    parts = [block.astype(rows.dtype) @ rows for block in blocks]
    return np.concatenate(parts).astype(np.float64)


def _is_drawn_by_kinds(count: int, width: int) -> bool:
    """Whether rows are sorted into kinds; wide rows hardly have few, and cost much to sort."""
    return width <= WIDEST_SORTED or count <= FEW_DISTINCT_ROWS


def cluster_rows(rows: Array, clusters: Clusters) -> tuple[Array, Array]:
    """Column sums and observation counts per cluster label."""
    _, index = np.unique(clusters, return_inverse=True)
    count = int(index.max()) + 1 if len(index) else 0
    sums = np.zeros((count, rows.shape[1]))
    np.add.at(sums, index, rows)
    return sums, np.bincount(index, minlength=count).astype(np.float64)


def draw_rows(
    count: int, clusters: Clusters | None, generator: np.random.Generator, samples: int
) -> Iterator[Counts]:
    """Row numbers of bootstrap samples of observations, or of whole clusters of them."""
    if clusters is None:
        for _ in range(samples):
            yield generator.integers(0, count, count)
        return
    labels, index = np.unique(clusters, return_inverse=True)
    members = np.split(np.argsort(index, kind="stable"), np.cumsum(np.bincount(index))[:-1])
    for _ in range(samples):
        drawn = generator.integers(0, len(labels), len(labels))
        yield np.concatenate([members[one] for one in drawn])


def resample_sums(rows: Array, samples: int, generator: np.random.Generator) -> Iterator[Array]:
    """Column sums of bootstrap samples of ``rows``, in blocks of samples."""
    count = len(rows)
    if _is_drawn_by_kinds(count, rows.shape[1]):
        distinct, times = _distinct_rows(rows)
        if len(distinct) <= FEW_DISTINCT_ROWS:
            draws = generator.multinomial(count, times / count, size=samples)
            yield draws @ distinct
            return
    for counts in resample_counts(count, samples, generator):
        yield counts.astype(np.float64) @ rows


def _distinct_rows(rows: Array) -> tuple[Array, Counts]:
    """The different rows and how often each occurs; verdicts are counted without sorting."""
    width = rows.shape[1]
    if width <= WIDEST_SORTED and is_zero_one(rows):
        powers = 2 ** np.arange(width)
        times = np.bincount((rows @ powers).astype(np.int64), minlength=2**width)
        present = np.flatnonzero(times)
        return ((present[:, None] // powers) % 2).astype(np.float64), times[present]
    distinct, times = np.unique(rows, axis=0, return_counts=True)
    return distinct, times


def resample_counts(count: int, samples: int, generator: np.random.Generator) -> Iterator[Counts]:
    """How often each of ``count`` items occurs in each bootstrap sample, in blocks."""
    block = max(1, min(samples, BLOCK_CELLS // max(count, 1)))
    done = 0
    while done < samples:
        size = min(block, samples - done)
        drawn = generator.integers(0, count, size=(size, count), dtype=np.int32)
        drawn += (np.arange(size, dtype=np.int32) * np.int32(count))[:, None]
        counts = np.bincount(drawn.reshape(-1), minlength=size * count)
        yield counts.reshape(size, count)
        done += size


def is_zero_one(values: Array) -> bool:
    """Whether every number is a verdict."""
    return bool(np.all((values == 0) | (values == 1)))
