"""Figures: valid specifications, drawn as SVG and PDF, colours that follow the page."""

from __future__ import annotations

from recombine.report.figures.figure import base, inline_svg, report_figures, svg_to_pdf, to_svg


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
    assert all("heat-map" not in one.name for one in report_figures(findings) if one.in_page)


def test_what_could_not_be_judged_is_no_point():
    """A score that is not a number becomes a null, which JSON and Vega understand."""
    spec = base([{"x": 1, "score": float("nan")}, {"x": 2, "score": 0.5}], 10, 10)
    assert spec["data"]["values"] == [{"x": 1, "score": None}, {"x": 2, "score": 0.5}]
