"""Curves over training as figures: a panel per kind of data and condition, a line per system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recombine.report.figures.figure import INK, Figure, base, system_colour, system_shape
from recombine.report.findings import Findings
from recombine.report.tables.table import Table

# Panels in a row, rows of a heat map that one can still read, and its colours: orange is broken.
_COLUMNS = 3
_MOST_ROWS = 60
_GOOD, _MIDDLE, _BAD = "#7fb2d4", "#ffffff", "#e3995f"


def training_figures(report: Findings, tables: Sequence[Table]) -> list[Figure]:
    """A figure of every table of curves, and of the idioms one by one."""
    figures = []
    for table in tables:
        if not table.name.startswith("training-") or "step" not in table.columns:
            continue
        rows = _points(table)
        if len({row["step"] for row in rows}) < 2:
            continue
        if table.name == "training-idioms":
            spec = _heat_map(report, rows, "% literal", less_is_better=True)
        else:
            spec = _panels(report, rows)
        caption = table.title + _peaks(tables if "Figure 3" in table.title else ())
        figures.append(Figure(table.name, caption, spec, True))
    return figures


def slice_figure(report: Findings, table: Table) -> Figure | None:
    """Every pattern over training, if these are few enough to be read."""
    rows = _points(table)
    if len({row["step"] for row in rows}) < 2 or len({row["panel"] for row in rows}) > _MOST_ROWS:
        return None
    main = report.main
    spec = _heat_map(report, rows, main.metric, less_is_better=not main.higher_is_better)
    return Figure(table.name, " ".join((f"{table.title}.", *table.notes)), spec, True)


def _points(table: Table) -> list[dict[str, Any]]:
    at = table.columns.index("step")
    found = []
    for row in table.rows:
        panel = ", ".join(str(cell).replace("_", " ") for cell in row[:at])
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


def _panels(report: Findings, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
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


def _heat_map(
    report: Findings, rows: Sequence[dict[str, Any]], title: str, *, less_is_better: bool
) -> dict[str, Any]:
    """Idioms or patterns by checkpoints, one panel per system."""
    colours = [_GOOD, _MIDDLE, _BAD] if less_is_better else [_BAD, _MIDDLE, _GOOD]
    spec = _facets(rows)
    spec["config"]["legend"] |= {"orient": "right", "titleColor": INK}
    # A reader's font may be wider than the one the labels are measured with.
    spec["padding"] = {"left": 40, "top": 5, "right": 5, "bottom": 5}
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
            "x": {"field": "step", "type": "ordinal", "title": "training step",
                  "axis": {"labelExpr": "format(datum.value, '~s')"}},
            "y": {"field": "panel", "type": "nominal", "title": None,
                  "sort": list(dict.fromkeys(row["panel"] for row in rows))},
            "color": {"field": "score", "type": "quantitative", "title": title,
                      "scale": {"domain": [0, 50, 100], "range": colours, "interpolate": "rgb"}},
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
