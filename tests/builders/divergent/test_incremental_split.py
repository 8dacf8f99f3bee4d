"""A running split follows its moves exactly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from parsed_corpora import asked, counted, made_up
from recombine.builders.divergent import incremental_split
from recombine.builders.divergent.incremental_split import IncrementalSplit, power_table, room
from recombine.builders.divergent.measure import column_totals, divergences
from recombine.builders.divergent.search import exponential_quantiles


def test_tables_are_powers_to_32_bits() -> None:
    """Rounded tables differ from powers by less than 2^-31."""
    table = power_table(1_000, 0.1)
    exact = np.arange(1_001) ** 0.1
    exact[0] = 0.0
    assert np.abs(table - exact).max() < 2**-31 * exact.max()
    assert table[0] == 0.0
    mantissas, _ = np.frexp(table)
    assert (mantissas * 2**32 == np.rint(mantissas * 2**32)).all()
    assert (mantissas * 2**31 != np.rint(mantissas * 2**31)).any()  # and to no fewer


def test_quantiles_are_exponential() -> None:
    """Those in the middle of 1,024 equal parts; their mean is that of Exp(1)."""
    found = exponential_quantiles()
    assert found.mean() == pytest.approx(1.0, abs=0.01)
    assert np.exp(-found) * 1024 == pytest.approx(np.arange(1024) + 0.5, abs=1e-5)


@pytest.mark.parametrize("grouped", [False, True])
def test_entered_sides_give_the_measured_divergences(tmp_path: Path, grouped: bool) -> None:
    """Whatever the sides are, the state's divergences are those of the measure."""
    _, counts = counted(made_up(200), tmp_path, edition="all")
    member = np.arange(counts.size) // 3 if grouped else np.arange(counts.size)
    state = IncrementalSplit(counts, asked(), member, 1)
    state.sides[:] = np.random.default_rng(1).integers(0, 3, state.count)
    wanted = state.sides.copy()
    state.enter()
    assert (state.sides == wanted).all()
    sides = state.sides[state.rank[member]]
    exact = divergences(
        column_totals(counts, sides == 0),
        column_totals(counts, sides == 1),
        counts.atoms,
    )
    assert state.reals[2] == pytest.approx(exact.atom, abs=1e-8)
    assert state.reals[3] == pytest.approx(exact.compound, abs=1e-8)
    assert (state.whole[4], state.whole[5]) == ((sides == 0).sum(), (sides == 1).sum())


def test_what_is_large_is_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four bytes a number: as many as are allowed stay in memory."""
    monkeypatch.setattr(incremental_split, "LARGE", 4 * 10 * 2)
    assert room((10, 2)).base is None
    assert room((11, 2)).base is not None
    assert room((11, 2)).shape == (11, 2)


def test_rows_are_groups_of_one(tmp_path: Path) -> None:
    """The short way for single rows ends in the arrays of the way for groups."""
    _, counts = counted(made_up(200), tmp_path, edition="all")
    order = np.random.default_rng(1).permutation(counts.size)
    given = (counts.rows, counts.atoms, counts.atoms + counts.compounds, order)
    member = np.arange(counts.size)
    single = incremental_split.gather(*given, member)
    grouped = incremental_split.gather_groups(*given, member)
    assert all(np.array_equal(*pair) for pair in zip(single, grouped, strict=True))
