"""Table 6 of Li et al. 2021."""

from __future__ import annotations

import pytest

from recombine.methods.compounds.tables import compound_tables, error_rate, published_rates
from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import open_runs
from recombine.report.tables.published import COGNITION, PublishedSetting, find_all
from report.compound_run import make_run


def test_no_table_without_compound_scores(findings):
    """Other benchmarks have no compound table."""
    assert compound_tables(findings) == []


def test_table_6_has_train_test_compounds_and_references(tmp_path):
    """The plain test has BLEU alone; the references' own error closes the table."""
    run = make_run(tmp_path, seeds=(1,), plain=True)
    report = build_report(open_runs([run]), ReportOptions())
    table = next(one for one in compound_tables(report) if one.name == "table-6-cter")
    rows = {(row[0], row[2]): row for row in table.rows}
    assert report.splits == ("gen", "test")
    assert list(dict.fromkeys(row[0] for row in table.rows)) == [
        "train (context)",
        "test",
        "gen",
        "references",
    ]
    assert rows["train (context)", "all"][3:] == pytest.approx((0, 0, 100))
    assert rows["test", "all"][3:5] == (None, None)
    assert rows["test", "all"][5] == pytest.approx(100)
    assert rows["gen", "all"][3] == pytest.approx(100 * 13 / 36, abs=3)
    assert rows["references", "all"][3] == 0


def test_error_rate_turns_accuracy_round(findings):
    """CTER counts errors; a metric that counts successes is turned round."""
    assert error_rate(findings.main, 72.0) == 28.0


def test_the_paper_stands_beside_its_own_benchmark_only(tmp_path, monkeypatch):
    """A benchmark that is called cognition is not CoGnition; CoGnition has error rates and BLEU."""
    run = make_run(tmp_path, seeds=(1,), plain=True, name="cognition")
    report = build_report(open_runs([run]), ReportOptions())
    assert [table.columns[-1] for table in compound_tables(report)] == ["BLEU"]
    home = "recombine.methods.compounds.tables."
    setting = PublishedSetting(COGNITION, (), ("Transformer",))
    monkeypatch.setattr(home + "published_setting", lambda _: setting)
    monkeypatch.setattr(home + "published_benchmark", lambda _: (COGNITION, ()))
    table, field = compound_tables(report)
    rows = {(row[0], row[2]): row[-3:] for row in table.rows}
    assert published_rates("gen", "NP") == (21.94, 54.03, 51.29)
    assert rows["gen", "all"] == (27.31, 61.62, 48.66)
    assert rows["test", "all"] == (None, None, 69.58)
    assert rows["train (context)", "all"] == (None, None, 99.74)
    assert len(field.rows) == 10


def test_published_rates_are_complete():
    """Instance and aggregate rates come in pairs."""
    for kind in ("cter-instance", "cter-aggregate"):
        assert len(find_all(COGNITION, metric=kind)) == 12
