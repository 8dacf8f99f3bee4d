"""Figures as Vega-Lite: inline SVG for the page, SVG, PDF and the editable spec for papers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recombine.errors import MissingExtra
from recombine.files import write_bytes, write_text
from recombine.metrics.score import Score
from recombine.progress import progress
from recombine.registry import require
from recombine.report.compare import Comparison
from recombine.report.findings import Findings, Sheet
from recombine.report.tables.own import table_name

Spec = dict[str, Any]

# Colours of systems, distinct also without colour vision; page.css has the same as --s0 ... --s7.
PALETTE = ("#0b6bab", "#c0500a", "#12805c", "#a23c86", "#7a6a00", "#5a55c2", "#8c4a2f", "#56606b")
INK, SOFT, LINE = "#1d2127", "#5b6470", "#ddd9d0"
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "stroke", "arrow")
# A point of a curve needs this many items, or its interval is the whole axis.
FEWEST_ITEMS = 20
MOST_FORESTS = 3
FONT = "Helvetica, Arial, 'Noto Sans CJK JP', sans-serif"


class Figure(NamedTuple):
    """A figure's file name, its caption and its Vega-Lite specification."""

    name: str
    caption: str
    spec: Spec
    in_page: bool


def report_figures(report: Findings) -> list[Figure]:
    """The figures of the first split's first metric; those in the page come first.

    Other metrics and splits have their tables; drawing all of them would take longer than the rest
    of the report together.
    """
    sheet = report.main
    figures = _curves(report, sheet)
    if sheet.main_tag and len(sheet.by_tag(sheet.main_tag)) > 1:
        figures.append(_heat_map(sheet))
    if sheet.family_tag:
        figures.append(_groups(report, sheet, sheet.family_tag))
    for comparison in sheet.comparisons[:MOST_FORESTS]:
        if comparison.slices:
            figures.append(_forest(sheet, comparison))
    return figures


def base(rows: Sequence[Mapping[str, Any]], width: int | Spec, height: int | Spec) -> Spec:
    """What all figures share: data, size, quiet axes, the systems' colours."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        # JSON knows no NaN; a null is no point.
        "data": {"values": [{k: None if v != v else v for k, v in row.items()} for row in rows]},
        "width": width,
        "height": height,
        "background": "transparent",
        "config": {
            "font": FONT,
            "view": {"stroke": None},
            "axis": {
                "labelColor": SOFT, "titleColor": SOFT, "gridColor": LINE, "domainColor": LINE,
                "tickColor": LINE, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": 400,
                "labelLimit": 260,
            },
            "legend": {
                "labelColor": INK, "labelFontSize": 12, "title": None, "orient": "top",
                "symbolStrokeWidth": 2,
            },
            "title": {"color": INK},
        },
    }  # fmt: skip


def system_colour(report: Findings) -> Spec:
    """The colour channel: the same colour for a system in every figure and in the page."""
    systems = list(report.systems)
    colours = [PALETTE[index % len(PALETTE)] for index in range(len(systems))]
    return {"field": "system", "type": "nominal", "scale": {"domain": systems, "range": colours}}


def system_shape(report: Findings) -> Spec:
    """The shape channel, for readers and printers without colour."""
    systems = list(report.systems)
    shapes = [SHAPES[index % len(SHAPES)] for index in range(len(systems))]
    return {"field": "system", "type": "nominal", "scale": {"domain": systems, "range": shapes}}


def row_of(score: Score, **more: Any) -> dict[str, Any]:
    """A score as one row of a figure's data."""
    return {
        "system": score.system,
        "score": round(score.value, 3),
        "low": round(score.low, 3),
        "high": round(score.high, 3),
        "n": score.n,
        **more,
    }


def _score_axis(sheet: Sheet) -> Spec:
    return {
        "field": "score",
        "type": "quantitative",
        "scale": {"domain": [0, 100]},
        "title": sheet.metric + ("" if sheet.higher_is_better else " (lower is better)"),
    }


def _curves(report: Findings, sheet: Sheet) -> list[Figure]:
    figures = []
    for tag in sheet.number_tags:
        table = sheet.by_tag(tag)
        rows = [
            row_of(score, x=float(value))
            for value, by_system in table.items()
            for score in by_system.values()
            if score.n >= min(FEWEST_ITEMS, max(2, sheet.n // 50))
        ]
        if len({row["x"] for row in rows}) < 2:
            continue
        title = tag.replace("_", " ")
        figures.append(
            Figure(
                table_name(sheet.metric, sheet.split, "by", tag),
                f"{sheet.metric} on {sheet.split} by {title}, with intervals.",
                line_chart(report, rows, title, _score_axis(sheet)),
                True,
            )
        )
    return figures


def line_chart(
    report: Findings, rows: Sequence[Mapping[str, Any]], x_title: str, y_axis: Spec
) -> Spec:
    """Lines with intervals over a numeric x: depth, length, training steps."""
    spec = base(rows, 460, 260)
    whole = all(float(row["x"]).is_integer() for row in rows)
    distinct = sorted({float(row["x"]) for row in rows})
    x: Spec = {
        "field": "x",
        "type": "quantitative",
        "title": x_title,
        "scale": {"zero": False, "nice": False, "padding": 12},
        "axis": {"grid": False, **({"tickMinStep": 1, "format": "~s"} if whole else {})},
    }
    if len(distinct) <= 12:
        x["axis"]["values"] = distinct
    colour, shape = system_colour(report), system_shape(report)
    spec["layer"] = [
        {
            "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.5},
            "encoding": {
                "x": x,
                "y": {**y_axis, "field": "low"},
                "y2": {"field": "high"},
                "color": colour,
            },
        },
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"x": x, "y": y_axis, "color": colour},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
            "encoding": {"x": x, "y": y_axis, "color": colour, "shape": shape},
        },
    ]
    return spec


def _heat_map(sheet: Sheet) -> Figure:
    assert sheet.main_tag is not None
    table = sheet.by_tag(sheet.main_tag)
    rows = [
        row_of(score, value=value, label=f"{score.value:.1f}")
        for value, by_system in table.items()
        for score in by_system.values()
    ]
    spec = base(rows, {"step": 78}, {"step": 20})
    y = {"field": "value", "type": "nominal", "sort": list(table), "title": None}
    x = {
        "field": "system", "type": "nominal", "sort": list(sheet.systems), "title": None,
        "axis": {"orient": "top", "labelAngle": 0, "labelLimit": 76},
    }  # fmt: skip
    # Orange for broken, blue for solid: readable for colour-blind readers and in grey.
    colour = {
        "field": "score", "type": "quantitative", "legend": None,
        "scale": {"domain": [0, 50, 100], "range": ["#e3995f", "#ffffff", "#7fb2d4"]},
    }  # fmt: skip
    spec["layer"] = [
        {"mark": "rect", "encoding": {"x": x, "y": y, "color": colour}},
        {
            "mark": {"type": "text", "fontSize": 11, "color": "#1d2127"},
            "encoding": {"x": x, "y": y, "text": {"field": "label", "type": "nominal"}},
        },
    ]
    return Figure(
        table_name(sheet.metric, sheet.split, "heat-map"),
        f"{sheet.metric} on {sheet.split} by {sheet.main_tag}.",
        spec,
        False,
    )


def _groups(report: Findings, sheet: Sheet, tag: str) -> Figure:
    rows = [
        row_of(score, value=value)
        for value, by_system in sheet.by_tag(tag).items()
        for score in by_system.values()
    ]
    spec = base(rows, 420, {"step": 14})
    y = {
        "field": "value", "type": "nominal", "sort": list(sheet.by_tag(tag)), "title": None,
    }  # fmt: skip
    offset = {"field": "system", "type": "nominal", "sort": list(sheet.systems)}
    x = _score_axis(sheet)
    colour = system_colour(report)
    spec["layer"] = [
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {
                "y": y, "yOffset": offset, "color": colour,
                "x": {**x, "field": "low"}, "x2": {"field": "high"},
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
            "encoding": {
                "y": y, "yOffset": offset, "x": x, "color": colour, "shape": system_shape(report),
            },
        },
    ]  # fmt: skip
    return Figure(
        table_name(sheet.metric, sheet.split, "by", tag, "groups"),
        f"{sheet.metric} on {sheet.split} by {tag.replace('_', ' ')}.",
        spec,
        False,
    )


def _forest(sheet: Sheet, comparison: Comparison) -> Figure:
    rows = [
        {
            "value": part.value,
            "score": round(part.difference.difference, 3),
            "low": round(part.difference.low, 3),
            "high": round(part.difference.high, 3),
            "verdict": part.verdict,
        }
        for part in comparison.slices
    ]
    spec = base(rows, 420, {"step": 16})
    y = {
        "field": "value", "type": "nominal", "title": None,
        "sort": {"field": "score", "op": "mean", "order": "descending"},
    }  # fmt: skip
    x = {
        "field": "score",
        "type": "quantitative",
        "title": f"{comparison.second} − {comparison.first}",
    }
    colour = {
        "field": "verdict", "type": "nominal",
        "scale": {"domain": ["win", "tie", "loss"], "range": ["#14684b", "#8a8f96", "#a63a0a"]},
    }  # fmt: skip
    spec["layer"] = [
        {"mark": {"type": "rule", "color": SOFT}, "encoding": {"x": {"datum": 0}}},
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {
                "y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": colour,
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
            "encoding": {"y": y, "x": x, "color": colour},
        },
    ]  # fmt: skip
    return Figure(
        table_name("difference", sheet.metric, sheet.split, comparison.second, comparison.first),
        f"{comparison.second} minus {comparison.first}, {sheet.metric} on {sheet.split}.",
        spec,
        False,
    )


def to_svg(spec: Spec) -> str:
    """The figure as SVG text."""
    converter = require("vl_convert", extra="report", feature="drawing figures")
    return str(converter.vegalite_to_svg(json.dumps(spec)))


def svg_to_pdf(svg: str) -> bytes:
    """An SVG figure as PDF."""
    converter = require("vl_convert", extra="report", feature="drawing figures")
    return bytes(converter.svg_to_pdf(svg))


def draw(figures: Sequence[Figure]) -> dict[str, str]:
    """SVG by figure name."""
    drawn = {}
    with progress("draw figures", len(figures)) as bar:
        for figure in figures:
            drawn[figure.name] = to_svg(figure.spec)
            bar.advance()
    return drawn


def inline_svg(text: str, caption: str) -> str:
    """SVG for the page: its colours become the page's, so that it follows light and dark."""
    variables = {INK: "var(--ink)", SOFT: "var(--soft)", LINE: "var(--line)"}
    variables.update({colour: f"var(--s{index})" for index, colour in enumerate(PALETTE)})
    for colour, variable in variables.items():
        text = re.sub(re.escape(f'"{colour}"'), f'"{variable}"', text, flags=re.IGNORECASE)
    text = re.sub(r"^<\?xml[^>]*>\s*", "", text)
    label = caption.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def draw_figures(
    figures: Sequence[Figure], folder: Path, formats: Sequence[str], notes: list[str]
) -> tuple[dict[str, str], list[Path]]:
    """Inline SVG by caption, and the files written; without the extra the page says so."""
    try:
        drawn = draw(figures)
    except MissingExtra as error:
        notes.append(f"No figures were drawn: {error.message}. {error.hint}")
        return {}, []
    charts = {
        one.caption: inline_svg(drawn[one.name], one.caption) for one in figures if one.in_page
    }
    return charts, write_figures(figures, drawn, folder, formats)


def write_figures(
    figures: Sequence[Figure], drawn: Mapping[str, str], folder: Path, formats: Sequence[str]
) -> list[Path]:
    """Write each figure as NAME.vl.json and in the formats asked for."""
    paths = []
    for figure in figures:
        spec_path = folder / f"{figure.name}.vl.json"
        write_text(spec_path, json.dumps(figure.spec, ensure_ascii=False, indent=1) + "\n")
        paths.append(spec_path)
        if "svg" in formats:
            paths.append(folder / f"{figure.name}.svg")
            write_text(paths[-1], drawn[figure.name])
        if "pdf" in formats:
            paths.append(folder / f"{figure.name}.pdf")
            write_bytes(paths[-1], svg_to_pdf(drawn[figure.name]))
    return paths
