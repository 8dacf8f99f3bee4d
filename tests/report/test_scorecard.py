"""The cross-suite view, and the refusal to compare different benchmarks."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import unquote

import pytest

from recombine.errors import DataError
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import open_runs
from recombine.report.scorecard import (
    NO_RANKS,
    build_tables,
    correlation_table,
    distinct_names,
    headline,
    read_suite,
    scorecard_notes,
    write_scorecard,
)
from recombine.report.tables.published import SGET, PublishedSetting
from recombine.report.write import write_report
from report.synthetic import ACCURACY, build_benchmark, make_run, make_sget_like_run


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
        open_runs(two_runs)


def test_scorecard_puts_suites_side_by_side(two_runs, tmp_path):
    """One row per system, one column per suite, and the rank correlation."""
    page, paper, *_ = write_scorecard(two_runs, tmp_path, ReportOptions(metrics=("exact",)))
    text = paper.read_text()
    shown = page.read_text()
    assert "Do the suites agree?" in shown
    assert shown.count('<table class="picture">') == 1
    assert re.search(r'<td class="m\d+[^"]*" title="[^"]*">9\d</td>', shown)
    assert all(name in text for name in ACCURACY)
    assert "<h1>oracle-ish is best on every test of generalisation</h1>" in shown
    # On the page the long names of tests are rows, not heads.
    heads = [re.findall(r"<th[^>]*>([^<]+)</th>", one) for one in shown.split("<thead>")[1:3]]
    assert all("exact match" not in head for one in heads for head in one[: len(ACCURACY) + 1])
    assert "compare along a row" in shown
    assert "compare down a column" in text
    assert "synthetic: new combinations, exact match" in text
    assert "other: new combinations, exact match" in text


def test_the_scorecard_is_an_index_of_its_runs(two_runs, tmp_path):
    """What each run found, and a link to its own page where it has one."""
    first = two_runs[0]
    write_report([first], first / "report", ReportOptions(metrics=("exact",), figures=()))
    out = tmp_path / "card"
    page = write_scorecard(two_runs, out, ReportOptions(metrics=("exact",)))[0]
    shown = page.read_text(encoding="utf-8")
    (link,) = re.findall(r'<h3><a href="([^"]+)">synthetic</a></h3>', shown)
    assert (out / unquote(link)).resolve() == (first / "report" / "report.html").resolve()
    assert "<h3>other</h3>" in shown
    assert shown.count("oracle-ish composes best") == 2


def test_builds_of_one_benchmark_have_the_name_of_their_run(tmp_path):
    """Two columns of one name would tell nothing."""
    options = {"seeds": (1,), "metrics": ("exact",)}
    runs = [
        make_run(tmp_path / "a", per_pattern=6, name="first", **options),
        make_run(tmp_path / "b", per_pattern=7, name="second", **options),
    ]
    text = write_scorecard(runs, tmp_path, ReportOptions(metrics=("exact",)))[1].read_text()
    assert "synthetic (first): new combinations, exact match" in text
    assert "synthetic (second): new combinations, exact match" in text


def test_runs_of_one_folder_name_have_headings_of_their_own(tmp_path):
    """runs/a/run and runs/b/run are not both called "run"."""
    options = {"seeds": (1,), "metrics": ("exact",), "name": "run"}
    runs = [
        make_run(tmp_path / name, per_pattern=size, **options)
        for name, size in (("a", 6), ("b", 7))
    ]
    text = write_scorecard(runs, tmp_path, ReportOptions(metrics=("exact",)))[1].read_text()
    assert "synthetic (a/run): new combinations, exact match" in text
    assert "synthetic (b/run): new combinations, exact match" in text


def test_only_the_metrics_that_were_asked_for_are_shown(tmp_path):
    """Through the command line too: `-o metrics=...` decides what the scorecard is about."""
    from recombine.cli import main

    runs = [
        make_run(tmp_path / part, per_pattern=6, name=part, seeds=(1,), metrics=("exact", "bleu"))
        for part in ("first", "second")
    ]
    out = tmp_path / "card"
    words = ["report", *map(str, runs), "--scorecard", "--out", str(out), "-o"]
    assert main([*words, 'metrics=["bleu"]']) == 0
    text = (out / "scorecard.md").read_text()
    assert "new combinations, BLEU" in text
    assert "exact" not in text


def test_builds_that_differ_as_in_the_paper_have_its_table(tmp_path, monkeypatch):
    """Table 6 of Kumon et al.: the recursion patterns with and without concatenation."""
    runs = [
        make_sget_like_run(tmp_path / str(key), {"concatenation": key}) for key in (True, False)
    ]
    options = ReportOptions(metrics=("exact",))
    suites = distinct_names([read_suite(run, options) for run in runs])
    builds, table = build_tables(suites)
    assert builds.name == "builds"
    assert "concatenation: True / False" in builds.notes[0]
    assert {row[3] for row in builds.rows} > {"all"}
    assert table.name == "table-6-concatenation"
    assert len(table.rows) == 8 * 2
    assert table.columns == ("pattern", "system", "with concatenation", "without concatenation")

    def setting(source):
        kept = source.benchmark.manifest.recipe["concatenation"]
        return PublishedSetting(SGET, () if kept else ("concatenation",), ("Transformer",))

    monkeypatch.setattr("recombine.methods.generated.variants.published_setting", setting)
    for order in (suites, suites[::-1]):
        table = build_tables(order)[1]
        assert table.columns[4:] == ("Transformer, with (paper)", "Transformer, without (paper)")
        row = next(one for one in table.rows if one[0] == "cp_depth_3")
        assert row[4:] == (79.8, 53.1)


def test_equal_ranks_correlate_fully(two_runs):
    """Systems with the same true accuracies rank alike in both suites."""
    options = ReportOptions(metrics=("exact",))
    table = correlation_table([read_suite(run, options) for run in two_runs], options)
    assert table is not None
    row = table.rows[0]
    assert row[2] == len(ACCURACY)
    assert row[3] == pytest.approx(1.0)
    low, high = row[4:6]
    assert low < 0.5 < high  # so few systems prove little


def test_suites_of_other_systems_have_no_best(two_runs, tmp_path):
    """Who took one suite alone cannot be the best or not the best everywhere."""
    other = build_benchmark(tmp_path / "third", 12, name="third")
    alone = make_run(
        tmp_path / "c", benchmark=other, systems={"stranger": ACCURACY["lstm"]}, seeds=(1,)
    )
    suites = [read_suite(run, ReportOptions(metrics=("exact",))) for run in (two_runs[0], alone)]
    assert headline(suites) == "No system took two of the suites"


def test_suites_with_too_few_common_systems_say_so(two_runs, tmp_path):
    """One run alone has nothing to be ranked against: page and text give the reason."""
    page, paper, *_ = write_scorecard(two_runs[:1], tmp_path, ReportOptions(metrics=("exact",)))
    assert NO_RANKS in page.read_text()
    assert NO_RANKS in paper.read_text()


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
    source = open_runs([two_runs[0], again])
    assert "again/lstm" in source.systems
    assert "run/lstm" in source.systems


def test_what_a_report_would_say_is_said_here_too(two_runs, tmp_path):
    """A suite scored on a sample, and one metric with two signatures, have a note."""
    options = ReportOptions(metrics=("exact",), sample=16)
    page, paper, *_ = write_scorecard(two_runs, tmp_path / "card", options)
    for text in (page.read_text(), paper.read_text()):
        assert "other: only a sample of 16 examples of each split is looked at" in text
    first, second = (read_suite(run, ReportOptions(metrics=("exact",))) for run in two_runs)
    assert scorecard_notes([first, second]) == []
    all_results = tuple(replace(one, signature="exact|lowercase") for one in second.report.results)
    second = second._replace(report=replace(second.report, results=all_results))
    (note,) = scorecard_notes([first, second])
    assert "exact is not the same everywhere" in note


def test_a_system_is_best_of_the_tests_that_it_took(two_runs, tmp_path):
    """Not of those on which it never was."""
    other = build_benchmark(tmp_path / "third", 12, name="third")
    systems = {name: ACCURACY[name] for name in ("lstm", "transformer")}
    without = make_run(tmp_path / "c", benchmark=other, systems=systems, seeds=(1, 2, 3))
    suites = [read_suite(run, ReportOptions(metrics=("exact",))) for run in (*two_runs, without)]
    assert headline(suites) == "oracle-ish is best on 2 of 2 tests of generalisation that it took"
