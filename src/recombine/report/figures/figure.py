"""Figures as Vega-Lite: inline SVG for the page; SVG, PDF, CSV and the editable spec for papers.

The caption of a figure is what it shows. Values can be read on the spot: marks carry them as titles
in SVG, lines are named at their ends, and every figure lies as a table beside its drawing.
"""

from __future__ import annotations

import base64
import json
import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup
from markupsafe import escape as markup_escape

from recombine.errors import MissingExtra
from recombine.files import write_bytes, write_text
from recombine.metrics.score import Score
from recombine.progress import progress
from recombine.registry import require
from recombine.report.figures.palette import (
    INK,
    LINE,
    SOFT,
    VARIABLES,
    Spec,
    system_colour,
    system_shape,
)
from recombine.report.findings import Findings
from recombine.report.tables.table import UP_TO, comma_separated

FONT = "Helvetica, Arial, 'Noto Sans CJK JP', sans-serif"
# More lines than this are told apart by a legend; names at their ends would cover each other.
MOST_LABELS = 6
# Names at the ends of lines are so far apart, of the height of a figure.
APART = 0.06
# Names that every object of JavaScript has.
OBJECT_NAMES = frozenset(
    ("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
     "toString", "valueOf", "__proto__", "__defineGetter__", "__defineSetter__",
     "__lookupGetter__", "__lookupSetter__")
)  # fmt: skip
# Control characters that XML cannot hold.
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
# A larger drawing is not in the page twice, to be downloaded from it: it lies beside the page.
MOST_BYTES = 60_000


# Sections of the page in which figures are shown.
FIGURES, ERRORS = "curves", "anatomy"


class Figure(NamedTuple):
    """A figure's file name, its caption, its Vega-Lite specification, and its place in the page."""

    name: str
    caption: str
    spec: Spec
    section: str = ""


class FileLink(NamedTuple):
    """A file that the page offers: what it is called, its name on disk, its address."""

    name: str
    file: str
    address: str


class DrawnFigure(NamedTuple):
    """A figure as the page shows it."""

    caption: str
    svg: Markup
    source: str
    links: tuple[FileLink, ...]


def base(rows: Sequence[Mapping[str, Any]], width: int | Spec, height: int | Spec) -> Spec:
    """What all figures share: data, size, quiet axes, the systems' colours."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        # JSON knows no NaN; a null is no point.
        "data": {"values": [{k: None if v != v else v for k, v in row.items()} for row in rows]},
        "width": width,
        "height": height,
        "background": "transparent",
        # A reader's font may be wider than the one the labels are measured with.
        "padding": {"left": 20, "top": 5, "right": 20, "bottom": 5},
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
                "symbolStrokeWidth": 2, "columnPadding": 20,
            },
            "title": {"color": INK},
        },
    }  # fmt: skip


def told(score: Score, of: str = "") -> str:
    """What a mark says when one points at it."""
    place = f"{score.system}, {of}" if of else score.system
    span = "" if score.low != score.low else f" ({score.low:.1f} to {score.high:.1f})"
    return f"{place}: {score.in_digits()}{span}, n={score.n:,}"


def row_of(score: Score, **more: Any) -> dict[str, Any]:
    """A score as one row of a figure's data."""
    return {
        "system": score.system,
        "score": round(score.value, 3),
        "low": round(score.low, 3),
        "high": round(score.high, 3),
        **({UP_TO: round(score.upper_if_unjudged, 3)} if score.undecided else {}),
        "n": score.n,
        "told": told(score, more.pop("of", "")),
        **more,
    }


def line_chart(
    report: Findings, rows: Sequence[Mapping[str, Any]], x_title: str, y_axis: Spec
) -> Spec:
    """Lines with intervals over a numeric x (depth, length, steps), named at their ends."""
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
    named = 1 < len({row["system"] for row in rows}) <= MOST_LABELS
    if named:
        colour, shape = {**colour, "legend": None}, {**shape, "legend": None}
    shown = {"description": {"field": "told", "type": "nominal"}} if "told" in rows[0] else {}
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
            "encoding": {"x": x, "y": y_axis, "color": colour, "shape": shape, **shown},
        },
    ]
    if named:
        spec["layer"].append(
            {
                "data": {"values": _end_labels(rows, y_axis)},
                "mark": {"type": "text", "align": "left", "dx": 8, "fontSize": 12},
                "encoding": {
                    "x": x,
                    "y": {**y_axis, "field": "place"},
                    "text": {"field": "system", "type": "nominal"},
                    "color": colour,
                },
            }
        )
    return spec


def _end_labels(rows: Sequence[Mapping[str, Any]], y_axis: Spec) -> list[dict[str, Any]]:
    """The name of each line where it ends, moved apart where ends meet."""
    last: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        if row["score"] == row["score"] and row["x"] >= last.get(row["system"], row)["x"]:
            last[row["system"]] = row
    scores = [row["score"] for row in rows if row["score"] == row["score"]]
    low, high = y_axis.get("scale", {}).get(
        "domain", (min(scores, default=0), max(scores, default=1))
    )
    gap = APART * ((high - low) or 1)
    labels: list[dict[str, Any]] = []
    for system, row in sorted(last.items(), key=lambda item: item[1]["score"]):
        place = max(row["score"], labels[-1]["place"] + gap if labels else low)
        labels.append({"system": system, "x": row["x"], "place": place})
    over = labels[-1]["place"] - high if labels else 0
    if over > 0:  # all that would stand above the axis move down together
        for label in labels:
            label["place"] -= over
    return labels


def to_svg(spec: Spec) -> str:
    """The figure as SVG text."""
    converter = require("vl_convert", extra="report", feature="drawing figures")
    return _titled(str(converter.vegalite_to_svg(as_json(spec))))


def as_json(spec: Spec, indent: int | None = None) -> str:
    """A specification for Vega, which takes names that every JavaScript object has for its own.

    A value `constructor` would end the drawing of all figures; with an invisible mark behind it
    it is a name like others.
    """
    return json.dumps(_with_own_names(spec), ensure_ascii=False, indent=indent)


def _with_own_names(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _with_own_names(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_own_names(inner) for inner in value]
    return f"{value}\u2060" if isinstance(value, str) and value in OBJECT_NAMES else value


def _titled(svg: str) -> str:
    """What marks say of themselves is shown when one points at them."""
    return re.sub(
        r'<(path|rect)\b([^>]*?) aria-label="([^"]+)"([^>]*?)/>',
        r'<\1\2 aria-label="\3"\4><title>\3</title></\1>',
        svg,
    )


def svg_to_pdf(svg: str) -> bytes:
    """An SVG figure as PDF."""
    converter = require("vl_convert", extra="report", feature="drawing figures")
    drawn = bytes(converter.svg_to_pdf(svg))
    # The names of a dictionary come in another order at every call; sorted they take as much room.
    return re.sub(
        rb"(?:^ +/[A-Za-z]+\d+ \d+ 0 R\n)+",
        lambda lines: b"".join(sorted(lines[0].splitlines(keepends=True))),
        drawn,
        flags=re.MULTILINE,
    )


def draw(figures: Sequence[Figure]) -> dict[str, str]:
    """SVG by figure name."""
    drawn = {}
    with progress("draw figures", len(figures)) as bar:
        for figure in figures:
            drawn[figure.name] = to_svg(figure.spec)
            bar.advance()
    return drawn


def inline_svg(text: str, caption: str) -> Markup:
    """SVG for the page: its colours become the page's, so that it follows light and dark."""
    for colour, variable in VARIABLES.items():
        text = re.sub(re.escape(f'"{colour}"'), f'"var({variable})"', text, flags=re.IGNORECASE)
    text = re.sub(r"^<\?xml[^>]*>\s*", "", text)
    return Markup(text.replace("<svg ", f'<svg role="img" aria-label="{_as_xml(caption)}" ', 1))


def _as_xml(text: str) -> Markup:
    """Text inside XML; characters that no XML may hold are left out."""
    return markup_escape(_NOT_XML.sub("", text))


def draw_figures(
    figures: Sequence[Figure], folder: Path, formats: Sequence[str], notes: list[str], source: str
) -> tuple[dict[str, list[DrawnFigure]], list[Path]]:
    """Figures for the page by section, and the files written; the page says if none could be.

    `source` is what stands below each: what was measured, and with what.
    """
    try:
        drawn = draw(figures)
    except MissingExtra as error:
        notes.append(f"No figures were drawn: {error.message}. {error.hint}")
        return {}, []
    charts: dict[str, list[DrawnFigure]] = {}
    for figure in figures:
        svg = drawn[figure.name]
        shown = inline_svg(svg, figure.caption)
        links = downloads(figure, with_caption(svg, figure.caption, source))
        charts.setdefault(figure.section, []).append(
            DrawnFigure(figure.caption, shown, source, links)
        )
    return charts, write_figures(figures, drawn, folder, formats)


# Of the drawing that is downloaded: room on each side of its words, and how high a line is.
_MARGIN, _LINE = 10, 17
# The width of a letter of 13 pixels.
_LETTER = 6.6


def with_caption(svg: str, caption: str, source: str) -> str:
    """A drawing that stands for itself: its caption above, its source below, on white."""
    size = re.search(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"', svg)
    if size is None:
        return svg
    width, height = (math.ceil(float(side)) for side in size.groups())
    whole = max(width, 420) + 2 * _MARGIN
    lines = textwrap.wrap(caption, int((whole - 2 * _MARGIN) / _LETTER))
    below = textwrap.wrap(f"Source: {source}.", int((whole - 2 * _MARGIN) / (_LETTER * 0.85)))
    top = _MARGIN + _LINE * len(lines) + 6
    bottom = top + height + _LINE
    text = [
        *((line, top - 6 - _LINE * (len(lines) - 1 - n), 13, INK) for n, line in enumerate(lines)),
        *((line, bottom + _LINE * n, 11, SOFT) for n, line in enumerate(below)),
    ]
    words = "".join(
        f'<text x="{_MARGIN}" y="{y}" font-size="{size}" font-family="{_as_xml(FONT)}" '
        f'fill="{fill}">{_as_xml(line)}</text>'
        for line, y, size, fill in text
    )
    inner = re.sub(r"^<\?xml[^>]*>\s*", "", svg).replace(
        "<svg ", f'<svg x="{_MARGIN}" y="{top}" ', 1
    )
    full = bottom + _LINE * len(below)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{full}" '
        f'viewBox="0 0 {whole} {full}"><rect width="100%" height="100%" fill="#ffffff"/>'
        f"{words}{inner}</svg>"
    )


def downloads(figure: Figure, svg: str) -> tuple[FileLink, ...]:
    """Links to drawing, table and specification of a figure, inside the page where small."""
    files = {
        "svg": ("SVG", "image/svg+xml", svg),
        "csv": ("CSV", "text/csv", as_table(figure.spec)),
        "vl.json": ("Vega-Lite", "application/json", as_json(figure.spec)),
    }
    links = []
    for suffix, (name, kind, text) in files.items():
        packed = base64.b64encode(text.encode("utf-8")).decode("ascii")
        file = f"{figure.name}.{suffix}"
        small = len(packed) <= MOST_BYTES
        address = f"data:{kind};base64,{packed}" if small else f"figures/{file}"
        links.append(FileLink(name, file, address))
    return tuple(links)


def as_table(spec: Spec) -> str:
    """The data of a figure as CSV."""
    rows = spec["data"]["values"]
    columns = [name for name in dict.fromkeys(key for row in rows for key in row) if name != "told"]
    return comma_separated(columns, [[row.get(name) for name in columns] for row in rows])


def write_figures(
    figures: Sequence[Figure], drawn: Mapping[str, str], folder: Path, formats: Sequence[str]
) -> list[Path]:
    """Write each figure as NAME.vl.json and NAME.csv and in the formats asked for."""
    paths = []
    for figure in figures:
        spec_path = folder / f"{figure.name}.vl.json"
        write_text(spec_path, as_json(figure.spec, indent=1) + "\n")
        write_text(folder / f"{figure.name}.csv", as_table(figure.spec))
        paths += [spec_path, folder / f"{figure.name}.csv"]
        if "svg" in formats:
            paths.append(folder / f"{figure.name}.svg")
            write_text(paths[-1], drawn[figure.name])
        if "pdf" in formats:
            paths.append(folder / f"{figure.name}.pdf")
            write_bytes(paths[-1], svg_to_pdf(drawn[figure.name]))
    return paths
