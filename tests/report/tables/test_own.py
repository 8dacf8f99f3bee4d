"""The report's own tables."""

from __future__ import annotations

from recombine.report.tables.own import comparison_table, overall_table, own_tables, table_name


def test_tables_have_one_name_each(findings):
    """File names are unique and safe."""
    names = [table.name for table in own_tables(findings)]
    assert len(names) == len(set(names))
    assert table_name("chrF++", "gen", "a b/c") == "chrf++-gen-a-b-c"


def test_overall_table_has_every_system(findings):
    """One row per metric and system."""
    table = overall_table(findings, "gen")
    assert [row[1] for row in table.rows] == list(findings.systems)
    assert "Tied sets" in comparison_table(findings.main).notes[0]
