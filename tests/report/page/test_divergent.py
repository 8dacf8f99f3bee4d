"""The page on runs over divergent splits."""

from __future__ import annotations

import csv

from recombine.report import ReportOptions, write_report
from report.divergent_runs import make_runs


def test_a_family_of_runs_has_a_page_of_its_own(tmp_path):
    """Several divergent runs give page, Markdown, CSV, LaTeX and figures; nothing is fetched."""
    runs = make_runs(tmp_path)
    paths = write_report(runs, tmp_path / "out", ReportOptions(samples=50, trials=50))
    page = paths.html.read_text(encoding="utf-8")
    for words in ("How much is lost", "Is it the compounds?", "Within one test set", "<svg"):
        assert words in page
    assert "://" not in page.replace("http://www.w3.org", "")
    assert "Generalisation score" in paths.markdown.read_text(encoding="utf-8")
    names = {path.name for path in (*paths.tables, *paths.figures)}
    assert {"generalisation-scores.tex", "dose-response.csv", "dose-response-de.pdf"} <= names
    rows = list(csv.DictReader(paths.csv.open(encoding="utf-8")))
    assert {row["kind"] for row in rows} == {"min", "random", "max"}
