"""Markdown, LaTeX and CSV of one table."""

from __future__ import annotations

import csv
import io

from recombine.report.tables.table import (
    Table,
    comma_separated,
    latex,
    markdown,
    show,
    write_table,
)

TABLE = Table(
    "name", "A & B", ("pattern", "score"), (("PP→Subj|x", 12.345), ("100%_猫", None)),
    ("50% of it.",), frozenset({1}),
)  # fmt: skip


def test_markdown_escapes_and_pads():
    """Pipes do not open cells; wide characters count double; numbers are flush right."""
    lines = markdown(TABLE).splitlines()
    assert "PP→Subj\\|x" in lines[4]
    assert lines[3].endswith("---: |")
    assert "–" in lines[5]


def test_latex_is_booktabs_and_escaped():
    """Special characters are commands; rules stand where asked."""
    text = latex(TABLE)
    assert r"\toprule" in text
    assert text.count(r"\midrule") == 2
    assert r"PP$\rightarrow$Subj|x" in text
    assert r"100\%\_猫" in text
    assert r"A \& B. 50\% of it." in text


def test_csv_keeps_full_precision():
    """Numbers are not rounded, missing cells are empty."""
    rows = list(csv.reader(io.StringIO(comma_separated(TABLE.columns, TABLE.rows))))
    assert rows == [["pattern", "score"], ["PP→Subj|x", "12.345"], ["100%_猫", ""]]


def test_three_files(tmp_path):
    """Each table is written in three formats."""
    assert {path.suffix for path in write_table(TABLE, tmp_path)} == {".md", ".tex", ".csv"}
    assert (show(None), show(float("nan")), show(1234), show(2.0, 2)) == ("–", "–", "1,234", "2.00")
