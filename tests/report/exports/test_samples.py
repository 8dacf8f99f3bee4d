"""Samples that all exports share."""

from __future__ import annotations

import os
from dataclasses import replace

from recombine.report.exports.samples import file_names, samples_of, stamp
from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import open_runs
from report.synthetic import make_run


def test_samples_hold_text_and_verdict_of_every_seed(findings):
    """One sample per example and seed; right means equal to the reference."""
    rows = list(samples_of(findings, "lstm", "gen"))
    assert len(rows) == 3 * 320
    for row in rows:
        assert row["value"] == float(row["hypothesis"] in row["references"])


def test_the_stamp_is_that_of_the_newest_score(tmp_path):
    """The same runs give the same export; a run that was scored again gives another."""
    source = open_runs([make_run(tmp_path, per_pattern=2, seeds=(1,), metrics=("exact",))])
    report = build_report(source, ReportOptions())
    for number, one in enumerate(source.scores):
        os.utime(one.path, (1_000 + number, 1_000 + number))
    newest = 1_000 + len(source.scores) - 1
    assert stamp(report) == newest
    os.utime(source.scores[0].path, (5_000, 5_000))
    assert stamp(report) == 5_000


def test_two_systems_never_share_a_file(tmp_path):
    """x/a of one run and x_a of another are two systems in every export."""
    report = build_report(
        open_runs([make_run(tmp_path, per_pattern=2, seeds=(1,), metrics=("exact",))]),
        ReportOptions(),
    )
    all_results = tuple(
        replace(results, seeds=dict.fromkeys(("x/a", "x_a", "x-a"), (1,)))
        for results in report.results
    )
    names = file_names(replace(report, results=all_results))
    assert names == {"x/a": "x_a", "x_a": "x_a-2", "x-a": "x-a"}
