"""Comparisons: verdicts, ranks and ties."""

from __future__ import annotations

from recombine.report.compare import compare, verdict_of
from recombine.report.options import ReportOptions
from recombine.statistics.paired import PairedDifference


def test_clear_differences_are_found_and_ranked(findings):
    """Systems made with clearly different accuracies are ranked, patterns have verdicts."""
    assert findings.main.ranking == (("oracle-ish",), ("transformer",), ("lstm",))
    pair = next(
        one
        for one in findings.main.comparisons
        if {one.first, one.second} == {"lstm", "oracle-ish"}
    )
    assert pair.count("win") + pair.count("tie") + pair.count("loss") == len(pair.slices) == 8
    assert pair.p_adjusted < 0.001
    assert pair.overall.low <= pair.overall.difference <= pair.overall.high


def test_equal_scores_are_tied(findings):
    """On the test split all systems are equally good, so there is one set."""
    sheet = findings.sheet("exact", "test")
    assert [set(group) for group in sheet.ranking] == [{"lstm", "oracle-ish", "transformer"}]


def test_compare_is_a_function_of_runs(run):
    """The API gives the same comparisons without writing a report."""
    found = compare([run], "exact", "gen", ReportOptions(samples=200))
    assert len(found) == 3


def test_a_lower_error_rate_is_a_win():
    """Which way is better decides between win and loss; without evidence it is a tie."""
    less = PairedDifference(-5.0, -7.0, -3.0, 0.001, "any")
    assert verdict_of(less, 0.001, higher_is_better=False) == "win"
    assert verdict_of(less, 0.001, higher_is_better=True) == "loss"
    assert verdict_of(less, 0.2, higher_is_better=False) == "tie"
