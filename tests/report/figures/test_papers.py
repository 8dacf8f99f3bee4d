"""Figures drawn from the papers' tables."""

from __future__ import annotations

from recombine.report.figures.figure import to_svg
from recombine.report.figures.papers import (
    paper_figures,
    slice_figure,
    training_figure,
    training_figures,
)
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


def test_curves_are_drawn_panel_by_panel(findings):
    """One panel per series, one line per system; cells without a value are left out."""
    systems = findings.systems
    lines = Table(
        "training-overgeneralisation", "Literal (Figure 3)", ("data", "step", *systems),
        (("synthetic", 10, 1.0, 2.0, None), ("synthetic", 20, 3.0, 4.0, 5.0),
         ("natural", "best", 3.0, 4.0, 5.0)),
    )  # fmt: skip
    idioms = Table(
        "training-idioms", "Each idiom", ("idiom", "step", *systems),
        (("by heart", 10, 1.0, 2.0, 3.0), ("by heart", 20, 3.0, 4.0, 5.0)),
    )  # fmt: skip
    peaks = Table(
        "figure-3-curves", "Peaks",
        ("system", "idiom", "frequency", "peak", "at", "end", "drop", "r with log frequency"),
        ((systems[0], "mean", None, 50.0, "step-10", 20.0, 30.0, "0.55"),),
    )  # fmt: skip
    one_step = Table("training-x", "x", ("data", "step", *systems), (("a", 1, 1.0, 1.0, 1.0),))
    figures = training_figures(findings, [lines, idioms, peaks, one_step])
    assert [figure.name for figure in figures] == ["training-overgeneralisation", "training-idioms"]
    assert len(figures[0].spec["data"]["values"]) == 5
    assert f"{systems[0]}: peak 50.0 at step-10, end 20.0" in figures[0].caption
    assert all(figure.in_page for figure in figures)
    for figure in figures:
        assert to_svg(figure.spec).startswith("<svg")


def test_patterns_are_a_heat_map_whose_orange_is_bad(findings):
    """One panel per system, as with idioms, where the large number is the bad one."""
    systems = findings.systems
    table = Table(
        "training-exact-gen-by-pattern", "Patterns", ("pattern", "step", *systems),
        (("cp_depth_3", 10, 1.0, 2.0, 3.0), ("cp_depth_3", 20, 3.0, 4.0, 5.0)),
        ("my_small: most of single ones cp depth 3 +2.0.",),
    )  # fmt: skip
    figure = slice_figure(findings, table)
    assert figure is not None
    colour = figure.spec["spec"]["encoding"]["color"]
    assert colour["title"] == findings.main.metric
    assert colour["scale"]["range"][0] == "#e3995f"
    assert {row["panel"] for row in figure.spec["data"]["values"]} == {"cp depth 3"}
    many = tuple((f"p{row // 2}", row % 2, 1.0, 2.0, 3.0) for row in range(200))
    assert slice_figure(findings, Table(table.name, "Patterns", table.columns, many)) is None
    assert figure.caption == "Patterns. my_small: most of single ones cp depth 3 +2.0."
    assert to_svg(figure.spec).startswith("<svg")
