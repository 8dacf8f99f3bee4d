"""Table 2 and the generalisation scores of Moisio et al. 2023."""

from __future__ import annotations

import pytest

from recombine.report.layouts.divergent import divergent_tables, find_number, generalisation_table


def test_generalisation_score_is_max_over_min():
    """The published German ratio from the published scores."""
    table = generalisation_table({("t", "de", "min"): 54.23, ("t", "de", "max"): 50.12})
    assert table is not None
    row = table.rows[0]
    assert row[5] == pytest.approx(0.924, abs=0.001)
    assert row[6] == 0.92


def test_one_split_alone_gives_no_ratio():
    """Without the other split there is nothing to divide."""
    assert generalisation_table({("t", "de", "max"): 50.0}) is None


def test_numbers_are_found_in_nested_certificates():
    """The divergence may stand anywhere in the certificate."""
    assert find_number({"a": {"atom_divergence": 0.01}}, ("atom_divergence",)) == 0.01
    assert find_number({"a": True}, ("a",)) is None


def test_no_certificate_no_table(findings):
    """A benchmark that is not a split of a corpus has no Table 2."""
    assert divergent_tables(findings) == []
