"""Zipf weights against scipy."""

from __future__ import annotations

import pytest
from scipy.stats import zipf

from recombine.grammar.sampling.product import zipf_weights


@pytest.mark.parametrize(
    ("count", "exponent"), [(1, 1.4), (20, 1.4), (100, 1.4), (7, 2.5), (50, 1.01)]
)
def test_against_scipy(count: int, exponent: float) -> None:
    """p(k) = zipf.pmf(k, a) + leftover / n."""
    mass = [float(zipf.pmf(k, exponent)) for k in range(1, count + 1)]
    rest = (1 - sum(mass)) / count
    assert zipf_weights(count, exponent) == pytest.approx([p + rest for p in mass], rel=1e-9)
    assert sum(zipf_weights(count, exponent)) == pytest.approx(1)


def test_published_shares() -> None:
    """The shares that SGET's words show (n = 100): .323 .123 .070 .048 .035."""
    assert [round(p, 3) for p in zipf_weights(100, 1.4)[:5]] == [0.323, 0.123, 0.07, 0.048, 0.035]
