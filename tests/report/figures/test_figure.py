"""Figures: valid specifications, drawn as SVG and PDF, colours that follow the page."""

from __future__ import annotations

import base64
import csv
import io
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree as ET

from recombine.registry import data_path
from recombine.report.figures.figure import (
    as_table,
    base,
    downloads,
    inline_svg,
    line_chart,
    svg_to_pdf,
    to_svg,
    with_caption,
)
from recombine.report.figures.own import from_to, report_figures
from recombine.report.figures.palette import TIE, VARIABLES


def test_figures_are_drawn(findings):
    """A curve becomes SVG whose colours are the page's variables, and PDF."""
    figures = report_figures(findings)
    names = [figure.name for figure in figures]
    assert "exact-gen-by-depth" in names
    assert "exact-gen-heat-map" in names
    svg = to_svg(figures[0].spec)
    inline = inline_svg(svg, 'a "caption"')
    assert "var(--s0)" in inline
    assert 'aria-label="a &#34;caption&#34;"' in inline
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
    svg = with_caption(to_svg(figure.spec), "A <long> finding " * 20, "a benchmark")
    links = downloads(figure, svg)
    assert all(link.address.startswith("data:") for link in links)
    assert [link.file for link in links] == [
        f"{figure.name}.{suffix}" for suffix in ("svg", "csv", "vl.json")
    ]
    drawn = ET.fromstring(base64.b64decode(links[0].address.partition(",")[2]))
    said = [node.text for node in drawn.findall("{http://www.w3.org/2000/svg}text")]
    assert said[0].startswith("A <long> finding")
    assert len(said) > 3, "what is too long for a line goes on in the next"
    assert said[-1] == "Source: a benchmark."
    rows = list(csv.DictReader(io.StringIO(as_table(figure.spec))))
    assert len(rows) == len(figure.spec["data"]["values"])
    assert "told" not in rows[0]


def test_a_value_that_every_object_has_is_drawn(findings):
    """Vega looked `constructor` up in an object, and the whole report was lost."""
    names = ("constructor", "toString", "valueOf", "hasOwnProperty")
    rows = [
        {"x": x, "system": system, "score": 10.0 * x, "low": 1.0, "high": 50.0}
        for system in names
        for x in (1, 2)
    ]
    axis = {"field": "score", "type": "quantitative", "title": "score"}
    svg = to_svg(line_chart(findings, rows, "x", axis))
    assert all(name in svg for name in names)


def test_a_pdf_has_the_same_bytes_at_every_call(findings):
    """Names in a dictionary came in another order each time."""
    forest = next(one for one in report_figures(findings) if one.name.startswith("difference"))
    svg = to_svg(forest.spec)
    assert len({svg_to_pdf(svg) for _ in range(6)}) == 1


def test_captions_of_halves_and_of_what_does_not_vary_can_be_read():
    """Nobody reads "falls from 62 up to 10 to 26 from 11 on"."""
    rows = [{"system": "a", "x": x, "score": 60.0 - 5 * x, "n": 9} for x in range(1, 9)]
    assert from_to(rows) == "a falls from 48 (up to 4) to 28 (5 and more)"
    hill = [{"system": "a", "x": x, "score": 60.0 - 5 * abs(x - 4.5)} for x in range(10)]
    assert from_to(hill) == "a goes up and down around 48"
    flat = [{"system": "a", "x": x, "score": 60.0} for x in range(9)]
    assert from_to(flat) == "a stays at 60"


def test_a_line_that_turns_is_not_said_to_fall():
    """From 18 over 78 to 8 read "falls from 18 to 8"."""
    up = [{"system": "a", "x": x, "score": s} for x, s in ((1, 18.0), (3, 78.0), (6, 8.0))]
    assert from_to(up) == "a rises from 18 at 1 to 78 at 3 and ends with 8 at 6"
    down = [{**row, "score": 100 - row["score"]} for row in up]
    assert from_to(down) == "a falls from 82 at 1 to 22 at 3 and ends with 92 at 6"


def test_what_was_not_judged_is_neither_right_nor_wrong(findings):
    """Words like "hardly anything" stood beside a bar that is 100% "no sentence at all"."""
    counts = {"lstm": {"PP 3": Counter({"degenerate": 9, "paraphrase": 1})}}
    results = replace(
        findings.main, labels=counts, right_labels=frozenset({"paraphrase"}),
        unjudged_labels=frozenset({"degenerate"}),
    )  # fmt: skip
    figures = report_figures(replace(findings, results=(results,)))
    (anatomy,) = (one for one in figures if one.name.endswith("anatomy"))
    assert "hardly anything (90% not judged)" in anatomy.caption
    domain = anatomy.spec["encoding"]["color"]["scale"]
    colours = dict(zip(domain["domain"], domain["range"], strict=True))
    assert colours["no translation: empty, repeated or copied"] == TIE
