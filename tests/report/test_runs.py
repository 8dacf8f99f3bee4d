"""Finding runs and their benchmark."""

from __future__ import annotations

from recombine.files import write_jsonl
from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.page.sections import sure_section
from recombine.report.runs import open_source, read_rows
from report.synthetic import ACCURACY, make_run


def test_splits_and_metrics_in_order(run):
    """Generalisation first; the benchmark's own metrics first."""
    source = open_source([run])
    assert source.splits() == ("gen", "test")
    assert source.metrics("gen")[:2] == ("exact", "bleu")
    assert len(source.cells) == 9


def test_rows_are_read_at_once_or_line_by_line(tmp_path):
    """Line separators inside text do not break rows; an empty file has none."""
    path = tmp_path / "rows.jsonl"
    write_jsonl(path, [{"a": "x\u2028y"}, {"a": "z"}])
    assert [row["a"] for row in read_rows(path)] == ["x\u2028y", "z"]
    path.write_text("")
    assert list(read_rows(path)) == []


def test_only_what_was_trained_here_has_luck(tmp_path):
    """One seed of a system that no seed changes is all there is: the page warns of no luck."""
    run = make_run(tmp_path, per_pattern=4, seeds=(1,), systems={"lstm": ACCURACY["lstm"]})
    for trained in (False, True):
        if trained:
            (run / "lstm" / "seed-1" / "model").mkdir()
        source = open_source([run])
        assert source.trained == ({"lstm"} if trained else set())
        report = build_report(source, ReportOptions(metrics=("exact",)))
        assert ("luck of training" in sure_section(report)) is trained
