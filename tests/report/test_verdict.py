"""The verdict in sentences, the short table, and report.md."""

from __future__ import annotations

import re

from recombine.report.tables.table import Table
from recombine.report.verdict import MOST_LINES, joint_markdown, summary_table, verdict
from recombine.report.write import write_report


def test_the_terminal_says_what_the_page_says(findings):
    """One headline for both, and its reasons."""
    told = findings.headline
    assert verdict(findings)[: 1 + len(told.sentences)] == [f"{told.headline}.", *told.sentences]


def test_the_short_table_is_short(findings):
    """A row a system, the first metric on every split, at most four columns of scores."""
    table = summary_table(findings)
    assert table.columns[:3] == (
        "system", "exact match, new combinations", "exact match, familiar sentences"
    )  # fmt: skip
    assert len(table.columns) <= 5
    assert len(table.rows) == len(findings.systems)


def test_report_md_fits_a_screen(run, tmp_path):
    """At most 60 lines, and every link leads to a file that was written."""
    paths = write_report([run], tmp_path)
    text = paths.markdown.read_text(encoding="utf-8")
    assert text.count("\n") <= 60
    assert paths.verdict[0] in text
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert "results.csv" in links
    assert [link for link in links if not (tmp_path / link).exists()] == []


def test_many_tables_and_notes_still_fit():
    """What is left out is counted, and said where it is."""
    tables = [
        Table(f"t{n}", f"Table {n}", ("a",), tuple((i,) for i in range(30))) for n in range(50)
    ]
    text = joint_markdown("Splits", tables, [], [f"note {n}" for n in range(40)])
    assert text.count("\n") <= 60
    assert f"- {50 - MOST_LINES['Tables'] + 1} more: [tables/](tables/)" in text


def test_a_name_is_no_html_and_no_link_in_markdown():
    """A stranger's benchmark may be called <script>."""
    text = joint_markdown("<script>x</script>", [], [], ["[a](http://b) <img src=x>"])
    assert "<" not in text
    assert "](http" not in text
