"""The report's own tables."""

from __future__ import annotations

from dataclasses import replace

from recombine.report.tables.own import (
    comparison_table,
    counts_of,
    overall_table,
    own_tables,
    table_name,
    tag_table,
)


def test_tables_have_one_name_each(findings):
    """File names are unique and safe."""
    names = [table.name for table in own_tables(findings)]
    assert len(names) == len(set(names))
    assert table_name("chrF++", "gen", "a b/c") == "chrf++-gen-a-b-c"


def test_overall_table_has_every_system(findings):
    """One row per metric and system, the best first, as everywhere else."""
    table = overall_table(findings, "gen")
    best = [row for row, (_, system, *_) in enumerate(table.rows) if system == "oracle-ish"]
    assert table.best == {(best[0], table.columns.index("score"))}
    assert [row[1] for row in table.rows] == ["oracle-ish", "transformer", "lstm"]
    by_pattern = tag_table(findings.main, "pattern")
    assert by_pattern.columns[2:] == ("oracle-ish", "transformer", "lstm")
    assert by_pattern.best == {(row, 2) for row in range(8)}
    assert "Tied sets" in comparison_table(findings, findings.main).notes[0]


def test_a_count_is_of_every_system(findings):
    """Where systems differ in what could be judged, one system's n is not that of all."""
    tag = findings.main.main_tag
    (value, by_system), *_ = findings.main.by_tag(tag).items()
    assert tag_table(findings.main, tag).rows[0][:2] == (value, 40)
    less = replace(by_system["lstm"], n=1_007)
    assert counts_of([less, by_system["transformer"]]) == "40 to 1,007"
