"""Figures of the papers, drawn from the tables that hold their data, and training curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recombine.report.figures.figure import (
    INK,
    Figure,
    base,
    line_chart,
    row_of,
    system_colour,
    system_shape,
)
from recombine.report.findings import Findings
from recombine.report.tables.checkpoints import Point
from recombine.report.tables.divergent import Family
from recombine.report.tables.table import Table

# Tables that are a figure in the paper, or that it also draws.
DRAWN = ("figure-", "table-6-synonyms", "table-8-idioms")
# Columns of a factor table (Figures 2 to 10 of Li et al. 2021): one row per value and system.
LONG = ("value", "system", "error %", "low", "high")
MOST_ROWS = 100
# Panels in a row, rows of a heat map that one can still read, and its colours: orange is broken.
_COLUMNS = 3
_MOST_ROWS = 60
_GOOD, _MIDDLE, _BAD = "#7fb2d4", "#ffffff", "#e3995f"


def paper_figures(report: Findings, tables: Sequence[Table]) -> list[Figure]:
    """A dot plot of every paper table that holds a figure's data for this report's systems."""
    figures = []
    for table in tables:
        if set(LONG) <= set(table.columns) and 1 < len(table.rows) <= MOST_ROWS:
            figures.append(Figure(table.name, table.title, _ranges(report, table), True))
            continue
        if not table.name.startswith(DRAWN) or not 1 < len(table.rows) <= MOST_ROWS:
            continue
        rows = _points(report, table)
        if len({row["label"] for row in rows}) > 1:
            figures.append(Figure(table.name, table.title, _dots(report, table, rows), False))
    return [*training_figures(report, tables), *figures]


def _points(report: Findings, table: Table) -> list[dict[str, Any]]:
    labels = [
        index
        for index, name in enumerate(table.columns)
        if name not in report.systems and all(isinstance(row[index], str) for row in table.rows)
    ]
    found = []
    for row in table.rows:
        label = " · ".join(str(row[index]) for index in labels)
        for index, column in enumerate(table.columns):
            value = row[index]
            # "transformer", or "transformer: term" where a table holds two measures.
            name, _, measure = column.partition(": ")
            if name in report.systems and isinstance(value, float):
                point = {"label": label, "system": name, "score": round(value, 3)}
                found.append({**point, "measure": measure} if measure else point)
    return found


def _ranges(report: Findings, table: Table) -> dict[str, Any]:
    """Error rates with intervals for each value of a factor."""
    places = {name: table.columns.index(name) for name in LONG}
    rows = [
        {
            "label": str(row[places["value"]]),
            "system": row[places["system"]],
            "score": row[places["error %"]],
            "low": row[places["low"]],
            "high": row[places["high"]],
        }
        for row in table.rows
    ]
    order = list(dict.fromkeys(row["label"] for row in rows))
    # As wide as the other figures; bands grow with what they hold.
    spec = base(rows, max(460, 16 * len(order) * len(report.systems)), 240)
    x = {
        "field": "label",
        "type": "nominal",
        "sort": order,
        "title": None,
        "axis": {"labelAngle": 0 if len(order) <= 5 else -35},
    }
    offset = {"field": "system", "type": "nominal", "sort": list(report.systems)}
    y = {
        "field": "score",
        "type": "quantitative",
        "title": "error rate, %",
        "scale": {"zero": True},
    }
    shared = {"x": x, "xOffset": offset, "color": system_colour(report)}
    spec["layer"] = [
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
            "encoding": {**shared, "y": y, "shape": system_shape(report)},
        },
    ]
    return spec


def _dots(report: Findings, table: Table, rows: list[dict[str, Any]]) -> dict[str, Any]:
    order = list(dict.fromkeys(row["label"] for row in rows))
    spec = base(rows, 420, {"step": 16})
    spec["mark"] = {"type": "point", "filled": True, "size": 60, "opacity": 1}
    spec["encoding"] = {
        "y": {"field": "label", "type": "nominal", "sort": order, "title": None},
        "x": {"field": "score", "type": "quantitative", "title": table.title},
        "color": system_colour(report),
        "shape": system_shape(report),
    }
    if any("measure" in row for row in rows):
        spec["encoding"]["column"] = {"field": "measure", "type": "nominal", "title": None}
        spec["width"] = 260
    return spec


def training_figure(
    report: Findings, points: Sequence[Point], metric: str, split: str
) -> Figure | None:
    """Score over training steps, one line per system."""
    rows = [row_of(point.score, x=point.step) for point in points if point.step >= 0]
    if len({row["x"] for row in rows}) < 2:
        return None
    axis = {
        "field": "score", "type": "quantitative", "scale": {"domain": [0, 100]}, "title": metric,
    }  # fmt: skip
    return Figure(
        f"training-{metric}-{split}",
        f"{metric} on {split} during training, with intervals.",
        line_chart(report, rows, "training step", axis),
        True,
    )


def training_figures(report: Findings, tables: Sequence[Table]) -> list[Figure]:
    """A figure of every table of curves, and of the idioms one by one."""
    figures = []
    for table in tables:
        if not table.name.startswith("training-") or "step" not in table.columns:
            continue
        rows = _curve_points(table)
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
    rows = _curve_points(table)
    if len({row["step"] for row in rows}) < 2 or len({row["panel"] for row in rows}) > _MOST_ROWS:
        return None
    main = report.main
    spec = _heat_map(report, rows, main.metric, less_is_better=not main.higher_is_better)
    return Figure(table.name, " ".join((f"{table.title}.", *table.notes)), spec, True)


def _curve_points(table: Table) -> list[dict[str, Any]]:
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


def response_figures(family: Family) -> list[Figure]:
    """Score against the compound divergence that was reached, a figure per target language."""
    figures = []
    for target in family.targets:
        rows = []
        for divisions in family.kinds(target).values():
            reached = [float(one.certificate["compound_divergence"]) for one in divisions]
            for system in family.systems:
                found = family.measured(divisions, system)
                if found is not None:
                    rows.append(
                        {
                            "system": system,
                            "x": round(sum(reached) / len(reached), 4),
                            "score": round(found.score, 3),
                            "low": round(found.low, 3),
                            "high": round(found.high, 3),
                        }
                    )
        axis = {
            "field": "score", "type": "quantitative", "scale": {"zero": False},
            "title": family.metric,
        }  # fmt: skip
        spec = line_chart(family.report, rows, "compound divergence D_C", axis)
        spec["layer"][0]["encoding"]["x"]["axis"]["format"] = ".2f"
        figures.append(
            Figure(
                f"dose-response-{target}" if target else "dose-response",
                f"{family.metric}{f' into {target}' if target else ''} by the compound divergence "
                "of train and test, with intervals.",
                spec,
                True,
            )
        )
    return figures
