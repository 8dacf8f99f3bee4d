"""The compiled loops agree with plain sums."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsed_corpora import asked
from recombine.builders.divergent import kernel
from recombine.builders.divergent.count import SparseRows
from recombine.builders.divergent.incremental_split import IncrementalSplit
from recombine.builders.divergent.measure import divergences

ROW = st.dictionaries(st.integers(0, 9), st.integers(1, 3), min_size=1, max_size=6)


def rows_of(data: list[dict[int, int]]) -> SparseRows:
    """Return sparse rows; columns below 4 are atoms."""
    ordered = [sorted(row.items()) for row in data]
    starts = np.cumsum([0, *(len(row) for row in ordered)])
    middles = starts[:-1] + [sum(column < 4 for column, _ in row) for row in ordered]
    flat = np.array([entry for row in ordered for entry in row], np.int32)
    return SparseRows(starts, middles, flat[:, 0], flat[:, 1])


@settings(max_examples=60, deadline=None)
@given(st.lists(ROW, min_size=3, max_size=12), st.lists(st.integers(0, 2), min_size=12))
def test_annealing_keeps_the_sums(data: list[dict[int, int]], sides: list[int]) -> None:
    """After any number of moves and swaps, counts and sums are those of the sides."""
    size = len(data)
    counts = SimpleNamespace(rows=rows_of(data), atoms=4, columns=10, size=size)
    state = IncrementalSplit(counts, asked(), np.arange(size), 1)
    state.sides[:] = sides[:size]
    state.enter()
    train, test = int(state.whole[4]), int(state.whole[5])
    bounds = np.array([max(0, train - 1), train, max(0, test - 1), test, 0, train + test])
    kernel.anneal(np.arange(size), 50, 1.0, 0.0, np.ones(1024), bounds, state.arrays)
    running = state.reals.copy()
    vectors = np.zeros((3, 10), np.int64)
    for row, side in zip(data, state.sides[state.rank], strict=True):
        for column, count in row.items():
            vectors[side, column] += count
    exact = divergences(vectors[0], vectors[1], 4)
    assert (state.counts == vectors[:2].T).all()
    assert running[2] == pytest.approx(exact.atom, abs=1e-7)
    assert running[3] == pytest.approx(exact.compound, abs=1e-7)
    assert bounds[0] <= state.whole[4] <= bounds[1]
    assert bounds[2] <= state.whole[5] <= bounds[3]
