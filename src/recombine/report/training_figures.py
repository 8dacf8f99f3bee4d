"""Curves over training as figures: a panel per kind of data and condition, a line per system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recombine.report.figures import INK, Figure, base, system_colour, system_shape
from recombine.report.model import Report
from recombine.report.tables import Table

# Panels in a row, and the idioms' heat map from orange (literal) to blue (paraphrased).
_COLUMNS = 3
_HEAT = ["#7fb2d4", "#ffffff", "#e3995f"]


def training_figures(report: Report, tables: Sequence[Table]) -> list[Figure]:
    """A figure of every table of curves, and of the idioms one by one."""
    figures = []
    for table in tables:
        if not table.name.startswith("training-") or "step" not in table.columns:
            continue
        rows = _points(table)
        if len({row["step"] for row in rows}) < 2:
            continue
        draw = _heat_map if table.name == "training-idioms" else _panels
        caption = table.title + _peaks(tables if "Figure 3" in table.title else ())
        figures.append(Figure(table.name, caption, draw(report, rows), True))
    return figures


def _points(table: Table) -> list[dict[str, Any]]:
    at = table.columns.index("step")
    found = []
    for row in table.rows:
        panel = ", ".join(str(cell) for cell in row[:at])
        for system, score in zip(table.columns[at + 1 :], row[at + 1 :], strict=True):
            # A checkpoint without a number, such as "best", has no place on the axis.
            if isinstance(score, float) and isinstance(row[at], int):
                point = {"panel": panel, "step": row[at], "system": system}
                found.append({**point, "score": round(score, 3)})
    return found


def _facets(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What figures of several panels share: each panel has its own size."""
    spec = base(rows, 0, 0)
    del spec["width"], spec["height"]
    spec["config"]["header"] = {"labelColor": INK, "labelFontSize": 12}
    return spec


def _panels(report: Report, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Small multiples of lines."""
    names = list(dict.fromkeys(row["panel"] for row in rows))
    spec = _facets(rows)
    x = {
        "field": "step",
        "type": "quantitative",
        "title": "training step",
        "axis": {"grid": False, "tickCount": 4, "format": "~s"},
    }
    y = {
        "field": "score",
        "type": "quantitative",
        "title": "per cent",
        "scale": {"domain": [0, 100]},
    }
    shared = {"x": x, "y": y, "color": system_colour(report)}
    spec["columns"] = min(_COLUMNS, len(names))
    spec["facet"] = {"field": "panel", "type": "nominal", "sort": names, "title": None}
    spec["spec"] = {
        "width": 180,
        "height": 150,
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2}, "encoding": shared},
            {
                "mark": {"type": "point", "filled": True, "size": 30, "opacity": 1},
                "encoding": {**shared, "shape": system_shape(report)},
            },
        ],
    }
    return spec


def _heat_map(report: Report, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Idioms by checkpoints, one panel per system."""
    spec = _facets(rows)
    spec["config"]["legend"] |= {"orient": "right", "titleColor": INK}
    spec["facet"] = {
        "column": {
            "field": "system", "type": "nominal", "sort": list(report.systems), "title": None,
        }
    }  # fmt: skip
    spec["spec"] = {
        "width": {"step": 18},
        "height": {"step": 16},
        "mark": "rect",
        "encoding": {
            "x": {"field": "step", "type": "ordinal", "title": "training step"},
            "y": {"field": "panel", "type": "nominal", "title": None,
                  "sort": list(dict.fromkeys(row["panel"] for row in rows))},
            "color": {"field": "score", "type": "quantitative", "title": "% literal",
                      "scale": {"domain": [0, 50, 100], "range": _HEAT, "interpolate": "rgb"}},
        },
    }  # fmt: skip
    return spec


def _peaks(tables: Sequence[Table]) -> str:
    """The mean curve of every system in words: peak, where, end."""
    found = []
    for table in tables:
        if table.name != "figure-3-curves":
            continue
        for system, idiom, _, peak, at, end, _, correlation in table.rows:
            if idiom == "mean" and isinstance(peak, float) and isinstance(end, float):
                r = "" if correlation is None else f", drop and log frequency r = {correlation}"
                found.append(f"{system}: peak {peak:.1f} at {at}, end {end:.1f}{r}")
    return f". {'; '.join(found)}." if found else ""
