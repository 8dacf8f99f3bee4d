"""The verdict in sentences, the short table, and report.md."""

from __future__ import annotations

import re
from dataclasses import replace

from recombine.report.tables.table import Table
from recombine.report.verdict import MOST_LINES, family_markdown, summary_table, verdict
from recombine.report.write import write_report


def test_familiar_and_new_stand_in_one_sentence(findings):
    """The best system first; how many patterns were never right; who is ahead."""
    first, *others = verdict(findings)
    best = findings.main.ranking[0][0]
    known = findings.sheet("exact", "test").overall(best).value
    new = findings.main.overall(best).value
    told = f"{best}: {known:.1f}% of familiar sentences exactly right, {new:.1f}% of new ones"
    assert first.startswith(told)
    assert any(line.startswith("On gen ") for line in others)


def test_patterns_never_right_are_counted(findings):
    """Two of the patterns set to nothing."""
    sheet = findings.main
    lost = list(sheet.by_tag("pattern"))[:2]
    best = sheet.ranking[0][0]
    scores = tuple(
        replace(one, value=0.0) if one.slice in lost else replace(one, value=max(one.value, 1.0))
        for one in sheet.scores
    )
    sheets = (replace(sheet, scores=scores), *findings.sheets[1:])
    told = verdict(replace(findings, sheets=sheets))[0]
    count = len(sheet.by_tag("pattern"))
    assert told.startswith(best)
    assert told.endswith(f"; 2 of {count} patterns never.")


def test_the_short_table_is_short(findings):
    """A row a system, the first metric on every split, at most four columns of scores."""
    table = summary_table(findings)
    assert table.columns[:3] == ("system", "exact, gen", "exact, test")
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
    text = family_markdown("Splits", tables, [], [f"note {n}" for n in range(40)])
    assert text.count("\n") <= 60
    assert f"- {50 - MOST_LINES['Tables'] + 1} more: [tables/](tables/)" in text
