"""Figures drawn from the papers' tables."""

from __future__ import annotations

from recombine.report.figures.figure import to_svg
from recombine.report.figures.palette import MORE
from recombine.report.figures.papers import extremes, paper_figures
from recombine.report.figures.training import (
    LOG,
    log_figure,
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
    assert figure.section


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
    assert all(figure.section for figure in figures)
    for figure in figures:
        assert to_svg(figure.spec).startswith("<svg")


def test_patterns_are_a_heat_map_with_the_colours_of_the_page(findings):
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
    assert colour["title"] == findings.words.metric(findings.main.metric)
    assert colour["scale"]["range"] == list(MORE)
    assert {row["panel"] for row in figure.spec["data"]["values"]} == {"“that …” 3 deep"}
    many = tuple((f"p{row // 2}", row % 2, 1.0, 2.0, 3.0) for row in range(200))
    assert slice_figure(findings, Table(table.name, "Patterns", table.columns, many)) is None
    assert figure.caption == "Patterns. my_small: most of single ones cp depth 3 +2.0."
    assert to_svg(figure.spec).startswith("<svg")


def test_what_was_learnt_and_lost_is_said(findings):
    """The pattern that fell most since its best checkpoint; small ups and downs are not news."""
    first, *others = findings.systems
    rows = [
        ("cp_depth_3", step, score, *(50.0 for _ in others))
        for step, score in ((10, 20.0), (20, 90.0), (30, 40.0))
    ]
    columns = ("pattern", "step", *findings.systems)
    figure = slice_figure(
        findings, Table("training-x-by-pattern", "Patterns", columns, tuple(rows))
    )
    assert figure is not None
    told = f"{first} learns “that …” 3 deep (90 at step 20) and loses it (40 at 30)."
    assert figure.caption == f"Patterns. {told}"


def test_logs_of_training_are_drawn(findings):
    """Losses and scores on dev, in percent, of every system that has a log; others have none."""
    assert log_figure(findings) is None
    cell = findings.source.cells[0]
    log = cell.cell.model / LOG
    log.parent.mkdir(exist_ok=True)
    log.write_text(
        '{"step":0,"event":"start","seed":1}\n{"step":50,"loss":5.0,"seconds":1}\n'
        '{"step":100,"loss":2.5}\n{"step":100,"dev_exact":0.25,"seconds":0.5}\n{"step":150,"lo',
        encoding="utf-8",
    )
    try:
        figure = log_figure(findings)
    finally:
        log.unlink()
        log.parent.rmdir()
    assert figure is not None
    assert figure.caption == f"How training went: {cell.name} has 25.0 on dev at step 100."
    found = {(row["panel"], row["step"]): row["score"] for row in figure.spec["data"]["values"]}
    assert found == {("loss", 50): 5.0, ("loss", 100): 2.5, ("dev, exact", 100): 25.0}
    assert to_svg(figure.spec).startswith("<svg")


def test_one_rate_has_no_least_and_no_most():
    """It said "errs least on zero shot (0) (100%), most on zero shot (0) (100%)"."""
    rows = [{"label": "zero shot", "system": "a", "score": 100.0}]
    assert extremes(rows) == ""
    assert "least on b" in extremes([*rows, {"label": "b", "system": "a", "score": 5.0}])
