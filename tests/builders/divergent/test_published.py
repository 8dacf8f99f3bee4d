"""The published algorithm behaves as published."""

from __future__ import annotations

from pathlib import Path

from parsed_corpora import asked, counted, made_up
from recombine.builders.divergent.measure import column_totals, divergences
from recombine.builders.divergent.published import published_split
from recombine.builders.divergent.split import TEST, TRAIN


def test_placements_seed_and_exact_values(tmp_path: Path) -> None:
    """So many rows are placed, the last K never, the seed fixes the result, values are exact."""
    _, counts = counted(made_up(400, words=100), tmp_path, edition="all")

    def split(seed: int, most: int) -> object:
        return published_split(counts, asked(candidates=50), seed=seed, most_used=most)

    first, again, other = split(1, 200), split(1, 200), split(2, 200)
    assert first.train + first.test == 200
    assert (first.sides == again.sides).all()
    assert (first.sides != other.sides).any()
    whole = split(1, 10**6)
    assert whole.train + whole.test == counts.size - 50
    exact = divergences(
        column_totals(counts, first.sides == TRAIN),
        column_totals(counts, first.sides == TEST),
        counts.atoms,
    )
    assert (exact.atom, exact.compound) == (first.atom, first.compound)
