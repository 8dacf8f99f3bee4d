"""The cross-suite view, and the refusal to compare different benchmarks."""

from __future__ import annotations

import pytest

from recombine.errors import DataError
from recombine.report.observations import open_source
from recombine.report.options import ReportOptions
from recombine.report.scorecard import correlation_table, read_suite, write_scorecard
from report.synthetic import ACCURACY, build_benchmark, make_run


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory):
    """Runs of the same systems on two benchmarks."""
    root = tmp_path_factory.mktemp("two")
    other = build_benchmark(root / "other", 12, name="other")
    options = {"seeds": (1, 2), "metrics": ("exact",)}
    return [
        make_run(root / "a", per_pattern=12, **options),
        make_run(root / "b", benchmark=other, **options),
    ]


def test_different_benchmarks_are_refused_with_the_reason(two_runs):
    """`report A B` says in what the benchmarks differ."""
    with pytest.raises(DataError, match=r"cannot be compared.*name \('synthetic' and 'other'\)"):
        open_source(two_runs)


def test_scorecard_puts_suites_side_by_side(two_runs, tmp_path):
    """One row per system, one column per suite, and the rank correlation."""
    paths = write_scorecard(two_runs, tmp_path, ReportOptions(metrics=("exact",)))
    text = paths[0].read_text()
    assert all(name in text for name in ACCURACY)
    assert "synthetic: exact on gen" in text
    assert "other: exact on gen" in text


def test_builds_of_one_benchmark_have_the_name_of_their_run(tmp_path):
    """Two columns of one name would tell nothing."""
    options = {"seeds": (1,), "metrics": ("exact",)}
    runs = [
        make_run(tmp_path / "a", per_pattern=6, name="first", **options),
        make_run(tmp_path / "b", per_pattern=7, name="second", **options),
    ]
    text = write_scorecard(runs, tmp_path, ReportOptions(metrics=("exact",)))[0].read_text()
    assert "synthetic (first): exact on gen" in text
    assert "synthetic (second): exact on gen" in text


def test_equal_ranks_correlate_fully(two_runs):
    """Systems with the same true accuracies rank alike in both suites."""
    suites = [read_suite(run, ReportOptions(metrics=("exact",))) for run in two_runs]
    table = correlation_table(suites)
    assert table is not None
    assert table.rows[0][3] == pytest.approx(1.0)


def test_two_runs_of_one_benchmark_are_compared(two_runs, tmp_path):
    """Systems of the same name in two runs are told apart by the run's name."""
    from recombine.benchmark import Benchmark

    again = make_run(
        tmp_path,
        benchmark=Benchmark.open(two_runs[0].parent / "benchmark"),
        name="again",
        seeds=(5,),
        systems={"lstm": ACCURACY["lstm"]},
        metrics=("exact",),
    )
    source = open_source([two_runs[0], again])
    assert "again/lstm" in source.systems
    assert "run/lstm" in source.systems
