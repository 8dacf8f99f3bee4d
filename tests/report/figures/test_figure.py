"""Figures: valid specifications, drawn as SVG and PDF, colours that follow the page."""

from __future__ import annotations

import csv
import io
import re
from itertools import pairwise

from recombine.registry import data_path
from recombine.report.figures.figure import (
    as_table,
    base,
    downloads,
    inline_svg,
    line_chart,
    svg_to_pdf,
    to_svg,
)
from recombine.report.figures.own import report_figures
from recombine.report.figures.palette import VARIABLES


def test_figures_are_drawn(findings):
    """A curve becomes SVG whose colours are the page's variables, and PDF."""
    figures = report_figures(findings)
    names = [figure.name for figure in figures]
    assert "exact-gen-by-depth" in names
    assert "exact-gen-heat-map" in names
    svg = to_svg(figures[0].spec)
    inline = inline_svg(svg, 'a "caption"')
    assert "var(--s0)" in inline
    assert 'aria-label="a &quot;caption&quot;"' in inline
    assert svg_to_pdf(svg).startswith(b"%PDF")


def test_page_figures_are_curves(findings):
    """The heat map is a table in the page; curves are drawn."""
    assert all("heat-map" not in one.name for one in report_figures(findings) if one.section)


def test_what_could_not_be_judged_is_no_point():
    """A score that is not a number becomes a null, which JSON and Vega understand."""
    spec = base([{"x": 1, "score": float("nan")}, {"x": 2, "score": 0.5}], 10, 10)
    assert spec["data"]["values"] == [{"x": 1, "score": None}, {"x": 2, "score": 0.5}]


def test_figures_and_page_have_one_palette():
    """Every colour of a figure is the page's variable of that name, in light."""
    css = data_path("page", "page.css").read_text(encoding="utf-8")
    light = dict(re.findall(r"(--[\w-]+): light-dark\((#[0-9a-f]{6}),", css))
    assert {name: light.get(name) for name in VARIABLES.values()} == {
        name: colour for colour, name in VARIABLES.items()
    }


def test_captions_say_what_was_found(findings):
    """Ends or halves of lines, best and worst, wins and losses: numbers, not a repeated title."""
    captions = {figure.name: figure.caption for figure in report_figures(findings)}
    assert re.search(r" (falls|rises) from \d+ .* to \d+ ", captions["exact-gen-by-depth"])
    assert " best " in captions["exact-gen-heat-map"]
    differences = [text for name, text in captions.items() if name.startswith("difference-")]
    assert all(
        re.search(r"is better than .* on \d+ of \d+, worse on \d+", one) for one in differences
    )


def test_marks_say_their_values_and_lines_their_names(findings):
    """On hover and to readers of the screen; no legend where names stand at the ends."""
    figure = next(one for one in report_figures(findings) if one.name == "exact-gen-by-depth")
    svg = to_svg(figure.spec)
    row = figure.spec["data"]["values"][0]
    assert f"<title>{row['told']}</title>" in svg
    assert "role-legend" not in svg
    assert all(f">{system}</text>" in svg for system in findings.systems)


def test_names_at_the_ends_of_lines_stand_apart(findings):
    """Lines that end at one point have their names above each other, inside the axis."""
    rows = [
        {"system": system, "x": x, "score": 99.0, "low": 98.0, "high": 100.0}
        for system in findings.systems
        for x in (1, 2)
    ]
    axis = {"field": "score", "type": "quantitative", "scale": {"domain": [0, 100]}}
    labels = line_chart(findings, rows, "x", axis)["layer"][-1]["data"]["values"]
    places = sorted(label["place"] for label in labels)
    assert all(after - before >= 5.9 for before, after in pairwise(places))
    assert max(places) <= 100


def test_a_figure_can_be_taken_from_the_page(findings):
    """As SVG, CSV and Vega-Lite, by links that need no other file."""
    figure = report_figures(findings)[0]
    links = downloads(figure, to_svg(figure.spec))
    assert re.findall(r'download="([^"]+)" href="data:', links) == [
        f"{figure.name}.{suffix}" for suffix in ("svg", "csv", "vl.json")
    ]
    rows = list(csv.DictReader(io.StringIO(as_table(figure.spec))))
    assert len(rows) == len(figure.spec["data"]["values"])
    assert "told" not in rows[0]
