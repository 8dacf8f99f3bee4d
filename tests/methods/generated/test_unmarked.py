"""Patterns that ask for what a language does not mark."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from recombine.methods.generated.unmarked import MARK
from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import open_runs
from recombine.report.tables import paper_tables
from report.synthetic import make_sget_like_run

UNMARKED = ["present_infinitive", "present_complement"]


def test_patterns_that_a_language_does_not_mark_stand_apart(tmp_path: Path) -> None:
    """They are the last rows, marked, below a rule, and there are scores without them."""
    run = make_sget_like_run(tmp_path)
    report = build_report(open_runs([run]), ReportOptions())
    before = {table.name: table for table in paper_tables(report)}
    assert "marked-patterns" not in before
    path = report.source.benchmark.path / "certificate.json"
    path.write_text(json.dumps({"unmarked": {"zh": UNMARKED}}), "utf-8")
    after = {table.name: table for table in paper_tables(report)}
    was, now = before["table-10-patterns"], after["table-10-patterns"]
    assert [str(row[0]) for row in now.rows[-2:]] == [f"{name} {MARK}" for name in UNMARKED]
    assert len(now.rows) - 2 in now.rules
    assert {row[1:] for row in now.rows} == {row[1:] for row in was.rows}
    assert "zh does not mark" in now.notes[-1]
    assert after["table-2-overall"] == before["table-2-overall"]
    for row in after["marked-patterns"].rows:
        cells = dict(zip(after["marked-patterns"].columns, row, strict=True))
        results = report.results_of(str(cells["metric"]), str(cells["split"]))
        assert results is not None
        every, apart = cells["n"], cells["n not marked"]
        mean = (cells["marked"] * every + cells["not marked"] * apart) / (every + apart)  # type: ignore[operator]
        assert abs(mean - results.overall(str(cells["system"])).value) < 1e-9


def test_means_without_patterns_leave_out_what_was_not_judged(tmp_path: Path) -> None:
    """A pattern of which nothing could be judged has no score, and makes no mean unknown; what a
    metric could not judge is a range here, too.
    """
    report = build_report(open_runs([make_sget_like_run(tmp_path)]), ReportOptions())
    path = report.source.benchmark.path / "certificate.json"
    path.write_text(json.dumps({"unmarked": {"zh": UNMARKED}}), "utf-8")
    results, other = report.main, next(iter(report.main.by_tag("pattern")))
    assert other not in UNMARKED
    scores = tuple(
        replace(one, n=0, value=math.nan) if one.slice == other else replace(one, undecided=1.0)
        for one in results.scores
    )
    changed = replace(report, results=(replace(results, scores=scores),))
    table = next(one for one in paper_tables(changed) if one.name == "marked-patterns")
    for low, high in zip(table.rows[::2], table.rows[1::2], strict=True):
        assert high[1] == f"{low[1]}, up to"
        for place in (3, 4, 6):
            assert high[place] == pytest.approx(low[place] + 1.0)  # type: ignore[operator]
