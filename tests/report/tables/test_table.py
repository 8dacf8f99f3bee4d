"""Markdown, LaTeX, CSV and HTML of one table."""

from __future__ import annotations

import csv
import io

from recombine.report.tables.table import (
    CellLook,
    Dress,
    Ranged,
    Table,
    comma_separated,
    html,
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


RANGED = Table(
    "r", "Ranges", ("metric", "system", "score"),
    (("exact", "a", Ranged(0.0, 0.0, 7.14)), ("exact", "b", Ranged(-2.0, -3.0, -1.0)),
     ("bleu", "a", None)),
)  # fmt: skip


def test_an_interval_is_printed_by_its_ends():
    """Never as a symmetric half-width, which would leave the scale: 0.0 is 0 to 7.1, not ± 3.6."""
    assert "0.0 (0.0 to 7.1)" in markdown(RANGED)
    assert "0.0 (0.0 to 7.1)" in latex(RANGED)
    assert "0.0<small>0.0–7.1</small>" in html(RANGED)
    assert "−2.0<small>−3.0 to −1.0</small>" in html(RANGED)
    rows = list(csv.reader(io.StringIO(comma_separated(RANGED.columns, RANGED.rows))))
    assert rows[0] == ["metric", "system", "score", "score low", "score high"]
    assert rows[1] == ["exact", "a", "0.0", "0.0", "7.14"]
    assert rows[3] == ["bleu", "a", "", "", ""]


def test_the_page_dresses_the_same_table():
    """Links, colours and merged cells are added; the text of a cell stays the table's."""
    dress = Dress(
        {(0, 2): CellLook("h3", "#x?a=1&b=2", "5 items"), (1, 1): CellLook(html="<i>b</i>")},
        heads={1: "<b>system</b>"}, headings={2: "second & last"}, merged=True,
        drawn=("bar", ["one", "two", "three"]),
    )  # fmt: skip
    text = html(RANGED, dress)
    assert '<th scope="rowgroup" rowspan="2">exact</th>' in text
    assert '<td class="num h3"><a href="#x?a=1&amp;b=2" title="5 items">0.0<small>' in text
    assert '<th scope="row"><i>b</i></th>' in text
    assert "<b>system</b>" in text
    assert 'colspan="4">second &amp; last</th>' in text
    assert text.count("<td>") == 3
