"""Draws that serve many tables are those that each table would get alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.statistics.resample import (
    EXACT_SINGLE,
    FEW_DISTINCT_ROWS,
    WIDEST_SORTED,
    Draws,
    _is_drawn_by_kinds,
    cluster_rows,
    resample_counts,
    resample_sums,
)


def tables_of(items, width, count=3, largest=40, seed=0):
    """Whole numbers, as BLEU counts them."""
    generator = np.random.default_rng(seed)
    shape = (items, width)
    return [generator.integers(0, largest, shape).astype(float) for _ in range(count)]


def clusters_of(items):
    """Clusters of one to three observations."""
    return np.sort(np.random.default_rng(1).integers(0, items // 2, items))


@settings(max_examples=25, deadline=None)
@given(
    st.integers(2, 400), st.sampled_from([1, 2, 10]), st.booleans(), st.booleans(),
    st.sampled_from([2, 40, int(EXACT_SINGLE)]),
)  # fmt: skip
def test_shared_draws_change_no_bit(items, width, clustered, halves, largest):
    """Sums and swaps of two of three tables are the very numbers of a pair drawn for itself."""
    tables = tables_of(items, width, largest=largest)
    if halves:
        tables = [table / 3 for table in tables]
    clusters = clusters_of(items) if clustered else None
    shared = Draws(tables, 7, clusters)
    first, _, third = tables
    alone = Draws([first, third], 7, clusters)
    for samples in (5, 40):
        pair = [first, third]
        assert shared.sums(pair, samples).tobytes() == alone.sums(pair, samples).tobytes()
        mine, theirs = (one.moved(first, third, samples) for one in (shared, alone))
        assert mine.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("items", [FEW_DISTINCT_ROWS, 3 * FEW_DISTINCT_ROWS])
def test_sums_are_those_of_the_resampled_rows(items):
    """Column sums by one product are the sums of one table resampled by itself."""
    tables = tables_of(items, 10)
    joined = np.concatenate([tables[1], np.ones((items, 1))], axis=1)
    expected = np.concatenate(list(resample_sums(joined, 50, np.random.default_rng(3))))
    found = Draws(tables, 3).sums([tables[1]], 50)
    assert np.array_equal(found, expected)
    assert found[:, -1].tolist() == [items] * 50


@pytest.mark.parametrize("clustered", [False, True])
def test_swaps_move_whole_clusters(clustered):
    """What moves is the sum of what is swapped, observations of a cluster together."""
    tables = tables_of(600, 7, count=2)
    clusters = clusters_of(600) if clustered else None
    draws = Draws(tables, 5, clusters)
    swaps = np.concatenate(list(draws.swaps(30)))
    assert swaps.shape == (30, 600)
    if clusters is not None:
        assert all(len(set(swaps[0, clusters == one])) == 1 for one in np.unique(clusters))
    expected = swaps.astype(float) @ (tables[0] - tables[1])
    assert np.array_equal(draws.moved(*tables, 30), expected)


@pytest.mark.parametrize("scale", [1.0, 1e9])
def test_rows_with_nothing_whole_are_summed_in_double_precision(scale):
    """Statistics that are no counts are not rounded to single precision."""
    table = np.random.default_rng(0).random((500, 8)) * scale
    sums = Draws([table], 0).sums([table], 3)
    rows = list(np.random.default_rng(0).integers(0, 500, size=(3, 500), dtype=np.int32))
    assert sums[:, :-1] == pytest.approx(np.array([table[one].sum(axis=0) for one in rows]), 1e-12)


def test_every_unit_is_drawn_equally_often():
    """The first and the last as often as any other: rows, clusters and counts."""
    labels = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    table = np.arange(8.0)[:, None]
    for clusters in (None, labels):
        drawn = np.concatenate(list(Draws([table], 1, clusters).rows(2_000)))
        times = np.bincount(drawn, minlength=8) / 2_000
        assert times == pytest.approx(np.ones(8), abs=0.1)
    blocks = list(resample_counts(8, 2_000, np.random.default_rng(1)))
    times = np.concatenate(blocks).mean(axis=0)
    assert times == pytest.approx(np.ones(8), abs=0.1)


@pytest.mark.parametrize(
    ("largest", "precision"), [(1.0, np.float32), (2.0**40, np.float64), (2.0**52, None)]
)
def test_sums_are_exact_in_the_smallest_type_that_holds_them(largest, precision):
    """Whole numbers up to 2^24 and 2^53; beyond that nothing is exact."""
    assert Draws([np.array([[largest], [0.0], [1.0]])], 0)._precision is precision


def test_narrow_or_few_rows_are_drawn_by_kinds():
    """Both ways draw the same distribution, but not the same numbers: the border is fixed."""
    many, wide = FEW_DISTINCT_ROWS + 1, WIDEST_SORTED + 1
    assert _is_drawn_by_kinds(many, WIDEST_SORTED)
    assert _is_drawn_by_kinds(FEW_DISTINCT_ROWS, wide)
    assert not _is_drawn_by_kinds(many, wide)


def test_nothing_has_no_clusters():
    """Nor a row of zeros in their place."""
    sums, sizes = cluster_rows(np.empty((0, 2)), np.array([], np.int64))
    assert (sums.shape, sizes.shape) == ((0, 2), (0,))
