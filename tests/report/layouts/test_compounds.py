"""Table 6 of Li et al. 2021."""

from __future__ import annotations

from recombine.report.layouts.compounds import compound_tables, error_rate
from recombine.report.published import read_published


def test_no_table_without_compound_scores(findings):
    """Other benchmarks have no compound table."""
    assert compound_tables(findings) == []


def test_error_rate_turns_accuracy_round(findings):
    """CTER counts errors; a metric that counts successes is turned round."""
    assert error_rate(findings.main, 72.0) == 28.0


def test_published_rates_are_complete():
    """Instance and aggregate rates come in pairs."""
    rows = read_published("compounds")
    for kind in ("cter-instance", "cter-aggregate"):
        assert sum(row.metric == kind for row in rows) == 12
