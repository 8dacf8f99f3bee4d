"""Markdown, LaTeX, CSV and HTML of one table."""

from __future__ import annotations

import csv
import io
import math
import shutil
import subprocess
from dataclasses import replace

import pytest
from markupsafe import Markup

from recombine.report.tables.table import (
    CellStyle,
    Column,
    Estimate,
    HtmlStyle,
    Table,
    comma_separated,
    html,
    latex,
    markdown,
    plain,
    show,
    show_p,
    write_table,
)
from recombine.report.tables.typeset import with_best, with_heads

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
    assert r"\caption{A \& B.}" in text
    assert text.startswith("% 50% of it.\n")


PAPER = Table(
    "p", "Scores", ("pattern", "n", "a", "b"),
    (("x", 5, Estimate(1.0, 0.5, 2.0), Estimate(3.0, 2.0, 4.0)), ("y", 5, -1.0, 2.0)),
    heads=(("", 2), ("exact match", 2)), best=frozenset({(0, 3), (1, 3)}), tied=frozenset({(0, 2)}),
)  # fmt: skip


def test_latex_is_ready_for_a_paper():
    """Grouped heads, the best in bold, a mark where no test tells from it; the caption says so."""
    text = latex(PAPER)
    assert r" & & \multicolumn{2}{c}{exact match} \\" in text
    assert r"\cmidrule(lr){3-4}" in text
    assert (
        r"1.0$^{\dagger}$ {\scriptsize [0.5, 2.0]} & \textbf{3.0} {\scriptsize [2.0, 4.0]}" in text
    )
    assert r"y & 5 & $-$1.0 & \textbf{2.0} \\" in text
    assert r"Bold: best system. $\dagger$: not distinguishable from the best" in text


def test_the_best_system_is_bold_in_rows_and_columns():
    """Against other systems on the same measure; less may be better, and all alike is none."""
    wide = Table(
        "t", "T",
        ("pattern", "n", Column("a", "exact"), "sd", Column("b", "exact"), Column("a", "bleu"),
         Column("b", "bleu")),
        (("x", 9, 1.0, 7.0, 2.0, 5.0, 4.0), ("y", 9, 3.0, 7.0, 3.0, 1.0, math.nan)),
    )  # fmt: skip
    assert with_best(wide, ["a", "b"]).best == {(0, 4), (0, 5)}
    bleu = frozenset({"a bleu", "b bleu"})
    assert with_best(replace(wide, lower=bleu), ["a", "b"]).best == {(0, 4), (0, 6)}
    long = Table(
        "t", "T", ("split", "system", "error", "sd"),
        (("s", "a", Estimate(9.0, 1.0, 9.0), 0.0), ("s", "b", 8.0, 1.0), ("t", "a", 7.0, 0.0),
         ("s", "the paper's", 1.0, 0.0)),
    )  # fmt: skip
    assert with_best(long, ["a", "b"]).best == {(0, 2)}
    assert with_best(replace(long, lower=frozenset({"error"})), ["a", "b"]).best == {(1, 2)}


def test_measures_stand_above_their_systems():
    """An sd belongs to the score before it, a published number to its measure or to the paper."""
    columns = (
        "pattern",
        "n",
        Column("a", "exact"),
        "sd",
        Column("b", "exact"),
        "sd",
        Column("T", "exact", published=True),
        Column("a", "bleu"),
        Column("b", "bleu"),
    )
    rows = (("x", 9, 1.0, math.nan, -2.0, 0.5, 3.0, 5.0, 4.0),)
    text = latex(with_heads(Table("t", "T", columns, rows)))
    assert r"& & \multicolumn{5}{c}{exact} & \multicolumn{2}{c}{bleu} \\" in text
    assert r"\cmidrule(lr){3-7} \cmidrule(lr){8-9}" in text
    assert r"pattern & n & a & sd & b & sd & T (paper) & a & b \\" in text
    assert r"x & 9 & 1.0 & -- & $-$2.0 & 0.5 & 3.0 & 5.0 & 4.0 \\" in text
    assert columns[6] == "T exact (paper)"
    last = (*columns[:6], *columns[7:], columns[6], Column("T", "bleu", published=True))
    found = with_heads(Table("t", "T", last, ()))
    assert found.heads == (("", 2), ("exact", 4), ("bleu", 2), ("in the paper", 2))
    assert found.below["T bleu (paper)"] == "T bleu"
    pairs = [Column(system, metric) for system in "ab" for metric in ("exact", "bleu")]
    apart = Table("t", "T", ("pattern", *pairs), ())
    assert with_heads(apart) == apart


def test_a_column_knows_its_system_whatever_the_system_is_called():
    """Names were looked for at the beginning of heads, so that `a` took the column of `a b`."""
    columns = ("pattern", Column("a", "b exact"), Column("a b", "exact"), Column("c", "exact"))
    table = Table("t", "T", columns, (("x", 9.0, 1.0, 2.0),))
    assert columns[1] == columns[2] == "a b exact"
    assert with_best(table, ["a", "a b", "c"]).best == {(0, 3)}


def test_columns_may_have_decimals_of_their_own():
    """A ratio needs three, the scores beside it one."""
    table = Table("t", "T", ("s", "r"), ((98.882, 0.4351),), decimals=3, places={"s": 1})
    for form in (markdown, latex, html, plain):
        assert "98.9" in form(table)
        assert "98.88" not in form(table)
        assert "0.435" in form(table)


def test_people_read_labels_and_programs_names():
    """In Markdown and LaTeX a value has its label, in CSV its name."""
    table = Table(
        "t", "T", ("pattern", "n"), (("pp_on_subject", 3),), labels={"pp_on_subject": "A"}
    )
    assert "| A " in markdown(table)
    assert "A & 3" in latex(table)
    assert "pp_on_subject,3" in comma_separated(table.columns, table.rows)


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no pdflatex here: install texlive")
def test_latex_compiles(tmp_path):
    """As it is, in a document with booktabs alone."""
    table = replace(PAPER, title="All of &%$#_{}~^\\ → – ± × − Δ < >", notes=("100% & more",))
    text = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n" + latex(table)
    (tmp_path / "t.tex").write_text(text + "\\end{document}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout


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
    (("exact", "a", Estimate(0.0, 0.0, 7.14)), ("exact", "b", Estimate(-2.0, -3.0, -1.0)),
     ("bleu", "a", None)),
)  # fmt: skip


def test_an_interval_is_printed_by_its_ends():
    """Never as a symmetric half-width, which would leave the scale: 0.0 is 0 to 7.1, not ± 3.6."""
    assert "0.0 (0.0 to 7.1)" in markdown(RANGED)
    assert r"0.0 {\scriptsize [0.0, 7.1]}" in latex(RANGED)
    assert r"$-$2.0 {\scriptsize [-3.0, -1.0]}" in latex(RANGED)
    assert "0.0<small>0.0–7.1</small>" in html(RANGED)
    assert "−2.0<small>−3.0 to −1.0</small>" in html(RANGED)
    rows = list(csv.reader(io.StringIO(comma_separated(RANGED.columns, RANGED.rows))))
    assert rows[0] == ["metric", "system", "score", "score low", "score high"]
    assert rows[1] == ["exact", "a", "0.0", "0.0", "7.14"]
    assert rows[3] == ["bleu", "a", "", "", ""]


def test_the_page_styles_the_same_table():
    """Links, colours and merged cells are added; the text of a cell stays the table's."""
    style = HtmlStyle(
        {
            (0, 2): CellStyle("h3", "#x?a=1&b=2", "5 items"),
            (1, 1): CellStyle(html=Markup("<i>b</i>")),
        },
        heads={1: Markup("<b>system</b>"), 0: "<metric>"}, merged=True,
    )  # fmt: skip
    text = html(RANGED, style)
    assert '<th scope="rowgroup" rowspan="2">exact</th>' in text
    assert '<td class="num h3"><a href="#x?a=1&amp;b=2" title="5 items">0.0<small>' in text
    assert '<th scope="row"><i>b</i></th>' in text
    assert "<b>system</b>" in text
    assert "&lt;metric&gt;" in text, "what is not said to be HTML is text"


def test_no_p_value_is_zero():
    """A small p is smaller than what can be shown, in scores, differences and rank correlations."""
    assert [show_p(one) for one in (0.0, 0.00004, 0.0001, 0.05, 1.0)] == [
        "<0.0001", "<0.0001", "0.0001", "0.0500", "1.0000",
    ]  # fmt: skip


def test_a_frame_keeps_what_looks_like_a_gap():
    """By way of CSV a system called NA or null was a number that is missing."""
    rows = (("NA", Estimate(1.0, 0.5, 2.0)), ("null", None))
    frame = Table("t", "T", ("system", "score"), rows).to_pandas()
    assert list(frame["system"]) == ["NA", "null"]
    assert list(frame.columns) == ["system", "score", "score low", "score high"]
