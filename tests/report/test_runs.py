"""Finding runs and their benchmark."""

from __future__ import annotations

from recombine.files import write_jsonl
from recombine.report.runs import open_source, read_rows


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
