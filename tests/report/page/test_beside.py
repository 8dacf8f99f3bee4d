"""Beside the paper: only where both are the published ones."""

from __future__ import annotations

import pytest

from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.page import beside
from recombine.report.reading.runs import open_runs
from recombine.report.tables.published import SGET, PublishedSetting
from report.synthetic import make_sget_like_run


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Two systems on sentences of SGET's patterns."""
    run = make_sget_like_run(tmp_path_factory.mktemp("beside"))
    return build_report(open_runs([run]), ReportOptions(trials=50))


def test_another_benchmark_has_no_published_number_beside_it(report):
    """A benchmark with SGET's patterns and other sizes is not SGET."""
    assert beside.published_pairs(report) == {}
    assert beside.beside_section(report) == ""


def test_ours_the_papers_and_the_difference_stand_in_one_line(report, monkeypatch):
    """All 42 patterns and both splits, with source, difference and our own name for the row."""
    setting = PublishedSetting(SGET, (), ("Transformer",))
    monkeypatch.setattr(beside, "published_setting", lambda source: setting)
    monkeypatch.setattr(beside, "kind_of", lambda cell: "Transformer")
    pairs = beside.published_pairs(report)
    assert set(pairs) == {("first", "Transformer"), ("second", "Transformer")}
    assert len(pairs["first", "Transformer"]) == 44
    text = beside.beside_section(report)
    assert "Kumon et al. 2024, tables 2, 4 and 10." in text
    assert "place phrase on subject" in text
    assert '<td class="num">50.0</td><td class="num">11.9<small> ± 6.2</small></td>' in text
    assert '<td class="num">+38.1</td>' in text
    assert set(beside.published_columns(report)) == {"paper: Transformer"}


def test_a_variant_has_no_published_number_of_the_main_setting(report, monkeypatch):
    """Without concatenation the paper has other numbers, in its own table."""
    setting = PublishedSetting(SGET, ("concatenation",), ("Transformer",))
    monkeypatch.setattr(beside, "published_setting", lambda source: setting)
    assert beside.published_pairs(report) == {}
