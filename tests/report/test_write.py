"""A whole report on disk."""

from __future__ import annotations

import csv

import pytest

from recombine.errors import ConfigError
from recombine.report import ReportOptions, power_plan, write_report
from recombine.report.runs import open_source
from recombine.report.scorecard import write_scorecard


def test_everything_is_written(run, tmp_path):
    """Page, Markdown, tidy CSV, tables and figures of a run with two metrics."""
    paths = write_report([run], tmp_path, ReportOptions(figures=("svg",)))
    assert paths.html.is_file()
    assert "# synthetic" in paths.markdown.read_text()
    with paths.csv.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    overall = [row for row in rows if row["split"] == "gen" and not row["tag"]]
    assert {row["metric"] for row in overall} == {"exact", "bleu", "bleu-char"}
    for row in overall:
        assert float(row["ci_low"]) <= float(row["score"]) <= float(row["ci_high"])
        assert row["signature"]
    assert any(path.name == "table-10-patterns.tex" for path in paths.tables)
    assert any(path.suffix == ".svg" for path in paths.figures)


def test_power_plan_of_a_run(run):
    """`--power` gives seeds for the gain asked for."""
    plan = power_plan([run], gain=2.0)
    assert plan["seeds_per_system"][0]["gain"] == 2.0
    assert plan["seeds_per_system"][0]["seeds"] >= 2


def test_nothing_is_written_into_a_benchmark_or_a_run(run):
    """A report has a folder of its own; a scorecard too."""
    benchmark = open_source([run]).benchmark.path
    for write in (write_report, write_scorecard):
        for out in (run, benchmark, benchmark / "report"):
            with pytest.raises(ConfigError, match="nothing"):
                write([run], out)
