"""Patterns that ask for what a language does not mark."""

from __future__ import annotations

import json
from pathlib import Path

from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.runs import open_runs
from recombine.report.tables import paper_tables
from recombine.report.tables.unmarked import MARK
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
        sheet = report.sheet(str(cells["metric"]), str(cells["split"]))
        assert sheet is not None
        every, apart = cells["n"], cells["n not marked"]
        mean = (cells["marked"] * every + cells["not marked"] * apart) / (every + apart)  # type: ignore[operator]
        assert abs(mean - sheet.overall(str(cells["system"])).value) < 1e-9
