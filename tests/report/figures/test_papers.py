"""Figures drawn from the papers' tables."""

from __future__ import annotations

from recombine.report.figures.papers import paper_figures, training_figure
from recombine.report.tables.table import Table


def test_tables_with_a_figures_data_are_drawn(findings):
    """Rows become labels, systems become colours; other tables are left alone."""
    table = Table(
        "figure-1-templates", "Per template", ("data", "template", *findings.systems),
        (("synthetic", "t1", 10.0, 20.0, 30.0), ("synthetic", "t2", 11.0, 21.0, 31.0)),
    )  # fmt: skip
    (figure,) = paper_figures(findings, [table, Table("other", "x", ("a",), (("b",),))])
    assert len(figure.spec["data"]["values"]) == 6
    assert figure.spec["data"]["values"][0]["label"] == "synthetic · t1"


def test_no_checkpoints_no_curve(findings):
    """A run without checkpoints has no training figure."""
    assert training_figure(findings, [], "exact", "gen") is None


def test_factor_tables_become_ranges(findings):
    """Long tables with intervals are drawn with a rule and a point for each value and system."""
    rows = tuple(
        (value, system, 10, 5, 20.0, 10.0, 30.0)
        for value in ("2", "3")
        for system in findings.systems
    )
    columns = ("value", "system", "sentences", "compounds", "error %", "low", "high")
    (figure,) = paper_figures(findings, [Table("compound-length", "Length", columns, rows)])
    assert [layer["mark"]["type"] for layer in figure.spec["layer"]] == ["rule", "point"]
    assert figure.in_page
