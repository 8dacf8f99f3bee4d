"""A split while rows move between its sides, with divergences that are exact at every moment.

D = 1 - S / (|V|^a |W|^(1 - a)), where S sums v^a w^(1 - a) over columns, v and w are the counts of
a column in train and in test, and |V|, |W| their totals. Moving a row changes only the columns it
has, so S follows in a few table reads. Rows lie in memory in the order in which they are visited.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.builders.divergent.count import Counts, SparseRows
from recombine.builders.divergent.measure import column_totals, divergences
from recombine.builders.divergent.options import DivergentOptions
from recombine.builders.divergent.split import TEST, TRAIN, UNUSED, Sides, Split

Index = npt.NDArray[np.int64]
Powers = tuple[npt.NDArray[np.float64], ...]

# Row data above this many bytes lies in a mapped file, so that memory does not grow with sentences.
LARGE = 1 << 29


class SearchProgress(NamedTuple):
    """What a progress line shows."""

    phase: str
    done: float
    atom: float
    compound: float
    train: int
    test: int
    moves_per_second: float


class Arrays(NamedTuple):
    """What the compiled loops read and change."""

    sides: Sides
    # Entries of row r: atoms from starts[r], compounds from middles[r]; each a column and a count.
    starts: Index
    middles: Index
    entries: npt.NDArray[np.int32]
    # Per column: in train and in test.
    counts: npt.NDArray[np.int32]
    # Per row: atoms, compounds, sentences.
    sums: Index
    reals: npt.NDArray[np.float64]
    whole: Index
    # Powers of one column's counts, and of the totals of a side: atoms of train and test, compounds
    # of train and test.
    tables: Powers
    totals: Powers
    goal: npt.NDArray[np.float64]
    random: npt.NDArray[np.uint64]


class IncrementalSplit:
    """Sides, counts and sums of one search; the compiled loops work on its arrays.

    `member` numbers the unit (a row, or a group of rows) that each row belongs to.
    """

    def __init__(
        self,
        counts: Counts,
        options: DivergentOptions,
        member: npt.NDArray[np.int64],
        seed: int,
    ) -> None:
        from recombine.builders.divergent import kernel

        rows, atoms, columns = counts.rows, counts.atoms, counts.columns
        goal, alphas = options.goal, options.alphas
        self.kernel = kernel
        self.counted = counts
        self.options = options
        self.goal = np.array([goal.compound, goal.atom, goal.atom_weight])
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
        self.count = int(member.max()) + 1 if len(member) else 0
        # Visiting rows in memory order is three times as fast as jumping about; the order itself
        # is random.
        self.order = generator.permutation(self.count)
        self.rank = np.empty_like(self.order)
        self.rank[self.order] = np.arange(self.count)
        self.starts, self.middles, self.entries, self.sums = gather(
            rows, atoms, columns, self.order, member
        )
        totals = column_totals(counts, slice(None))
        most_a = int(totals[:atoms].max(initial=0))
        most_c = int(totals[atoms:].max(initial=0))
        all_a, all_c = int(self.sums[:, 0].sum()), int(self.sums[:, 1].sum())
        powers = (alphas.atom, 1 - alphas.atom, alphas.compound, 1 - alphas.compound)
        self.tables = tuple(
            power_table(most, power)
            for most, power in zip((most_a, most_a, most_c, most_c), powers, strict=True)
        )
        self.totals = tuple(
            power_table(most, power)
            for most, power in zip((all_a, all_a, all_c, all_c), powers, strict=True)
        )
        self.random = generator.integers(0, 2**63, 1).astype(np.uint64)
        self.sides = np.full(self.count, UNUSED, np.int8)
        self.counts = np.zeros((columns, 2), np.int32)
        self.reals = np.zeros(4)
        self.whole = np.zeros(10, np.int64)
        self.whole[kernel.SEEKER] = self.count // 2
        self.identity = hashlib.sha256(
            json.dumps([list(goal), seed, atoms, columns, self.count, powers]).encode()
            + totals.tobytes()
            + self.sums.tobytes()
        ).hexdigest()

    @property
    def arrays(self) -> Arrays:
        """Return all that the compiled loops need."""
        return Arrays(**{name: getattr(self, name) for name in Arrays._fields})

    def enter(self) -> None:
        """Count the rows of `sides` afresh."""
        self.counts[:] = 0
        self.whole[: self.kernel.ACCEPTED] = 0
        self.kernel.fill(self.arrays)
        self.refresh()

    def refresh(self) -> None:
        """Sum afresh, which removes the rounding that moves have piled up."""
        self.kernel.recompute(self.counted.atoms, self.arrays)

    @property
    def train_size(self) -> int:
        """Sentences in train."""
        return int(self.whole[self.kernel.TRAIN_SIZE])

    @property
    def test_size(self) -> int:
        """Sentences in test."""
        return int(self.whole[self.kernel.TEST_SIZE])

    def progress(self, phase: str, done: float, rate: float) -> SearchProgress:
        """Return what a progress line shows now."""
        return SearchProgress(
            phase,
            min(1.0, done),
            float(self.reals[self.kernel.D_A]),
            float(self.reals[self.kernel.D_C]),
            self.train_size,
            self.test_size,
            rate,
        )

    def finished(self, sides: Sides, began: float) -> Split:
        """Return the split of the rows into these sides, its divergences computed from scratch.

        `began` is the processor time at which the search began.
        """
        train, test = (sides == side for side in (TRAIN, TEST))
        exact = divergences(
            column_totals(self.counted, train),
            column_totals(self.counted, test),
            self.counted.atoms,
            self.options.alphas,
        )
        return Split(
            sides,
            exact.atom,
            exact.compound,
            int(train.sum()),
            int(test.sum()),
            self.options.goal.score(exact.atom, exact.compound),
            int(self.whole[self.kernel.ACCEPTED]),
            time.process_time() - began,
        )


def gather(
    rows: SparseRows, atoms: int, columns: int, order: Index, member: Index
) -> tuple[Any, Any, Any, Any]:
    """Return starts, middles, entries and sums of the units, in visiting order.

    `order` lists the units as they are visited, `member` is each row's unit; rows of one unit are
    added up.
    """
    if len(order) < len(member):
        return gather_groups(rows, atoms, columns, order, member)
    from recombine.builders.divergent import kernel

    lengths = np.diff(rows.starts)[order]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    middles = starts[:-1] + (rows.middles - rows.starts[:-1])[order]
    entries = room((int(starts[-1]), 2))
    sums = np.zeros((len(order), 3), np.int64)
    kernel.permute_rows(
        order, rows.starts, np.asarray(rows.columns), np.asarray(rows.counts), atoms, entries, sums
    )
    return starts, middles, entries, sums


def gather_groups(
    rows: SparseRows, atoms: int, columns: int, order: Index, member: Index
) -> tuple[Any, Any, Any, Any]:
    """Do the same where several rows make a unit."""
    count = len(order)
    rank = np.empty_like(order)
    rank[order] = np.arange(count)
    place = rank[member]
    entry_unit = np.repeat(place, np.diff(rows.starts))
    keys, inverse = np.unique(entry_unit * columns + np.asarray(rows.columns), return_inverse=True)
    unit, column = keys // columns, keys % columns
    number = np.bincount(inverse, weights=rows.counts).astype(np.int64)
    atom = column < atoms
    starts = np.concatenate([[0], np.cumsum(np.bincount(unit, minlength=count))])
    middles = starts[:-1] + np.bincount(unit[atom], minlength=count)
    entries = np.stack([column.astype(np.int32), number.astype(np.int32)], axis=1)
    sums = np.stack(
        [
            np.bincount(unit[atom], weights=number[atom], minlength=count),
            np.bincount(unit[~atom], weights=number[~atom], minlength=count),
            np.bincount(place, minlength=count),
        ],
        axis=1,
    ).astype(np.int64)
    return starts, middles, entries, sums


def room(shape: tuple[int, int]) -> npt.NDArray[np.int32]:
    """Return an array to be filled: in memory, or in a nameless file when it is large."""
    if 4 * shape[0] * shape[1] <= LARGE:
        return np.empty(shape, np.int32)
    with tempfile.TemporaryFile() as stream:  # the mapping outlives the name
        return np.asarray(np.memmap(stream, dtype=np.int32, mode="w+", shape=shape))


def power_table(most: int, power: float) -> npt.NDArray[np.float64]:
    """Return i^power for i = 0..most, rounded to 32 bits; 0^power = 0."""
    numbers = np.arange(most + 1, dtype=np.float64)
    return round_to_32_bits(np.where(numbers > 0, numbers**power, 0.0))


def round_to_32_bits(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the numbers with 32 bits of mantissa (Veltkamp's splitting): equal on any machine."""
    scaled = values * (2.0**21 + 1)
    rounded: npt.NDArray[np.float64] = scaled - (scaled - values)
    return rounded
