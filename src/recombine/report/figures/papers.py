"""Figures of the papers, drawn from the tables that hold their data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recombine.report.figures.figure import FIGURES, Figure, base
from recombine.report.figures.own import MOST_TOLD
from recombine.report.figures.palette import system_colour, system_shape
from recombine.report.figures.training import training_figures
from recombine.report.findings import Findings
from recombine.report.tables.table import Table, show

# Tables that are a figure in the paper, or that it also draws.
DRAWN = ("figure-", "table-6-synonyms", "table-8-idioms")
# Columns of a factor table (Figures 2 to 10 of Li et al. 2021): one row per value and system.
LONG = ("value", "system", "error %", "low", "high")
MOST_ROWS = 100


def paper_figures(report: Findings, tables: Sequence[Table]) -> list[Figure]:
    """A dot plot of every paper table that holds a figure's data for this report's systems."""
    figures = []
    for table in tables:
        if set(LONG) <= set(table.columns) and 1 < len(table.rows) <= MOST_ROWS:
            spec = _ranges(report, table)
            caption = f"{table.title}: {extremes(spec['data']['values'])}."
            figures.append(Figure(table.name, caption, spec, FIGURES))
            continue
        if not table.name.startswith(DRAWN) or not 1 < len(table.rows) <= MOST_ROWS:
            continue
        rows = _points(report, table)
        if len({row["label"] for row in rows}) > 1:
            figures.append(Figure(table.name, table.title, _dots(report, table, rows)))
    return [*training_figures(report, tables), *figures]


def _points(report: Findings, table: Table) -> list[dict[str, Any]]:
    labels = [
        index
        for index, name in enumerate(table.columns)
        if name not in report.systems and all(isinstance(row[index], str) for row in table.rows)
    ]
    drawn = []
    for row in table.rows:
        label = " · ".join(str(row[index]) for index in labels)
        for index, column in enumerate(table.columns):
            value = row[index]
            # "transformer", or "transformer: term" where a table holds two measures.
            name, _, measure = column.partition(": ")
            if name in report.systems and isinstance(value, float):
                point = {"label": label, "system": name, "score": round(value, 3)}
                drawn.append({**point, "measure": measure} if measure else point)
    return drawn


def extremes(rows: Sequence[Mapping[str, Any]]) -> str:
    """Where each system errs least and most."""
    points = []
    for system in dict.fromkeys(row["system"] for row in rows):
        own = [row for row in rows if row["system"] == system and row["score"] is not None]
        if len({row["score"] for row in own}) > 1:
            low, high = (pick(own, key=lambda row: float(row["score"])) for pick in (min, max))
            points.append(
                f"{system} errs least on {low['label']} ({low['score']:.0f}%), most on "
                f"{high['label']} ({high['score']:.0f}%)"
            )
    return "; ".join(points[:MOST_TOLD])


def _ranges(report: Findings, table: Table) -> dict[str, Any]:
    """Error rates with intervals for each value of a factor."""
    places = {name: table.columns.index(name) for name in LONG}
    # Kinds of words have names (DET N is an article with a noun); other values stay as they are.
    label = {
        row[places["value"]]: report.words.label("pattern", str(row[places["value"]]))
        for row in table.rows
    }
    rows = [
        {
            "label": label[row[places["value"]]],
            "system": row[places["system"]],
            "score": row[places["error %"]],
            "low": row[places["low"]],
            "high": row[places["high"]],
            "told": f"{row[places['system']]}, {label[row[places['value']]]}: "
            f"{show(row[places['error %']])}% ({show(row[places['low']])} to "
            f"{show(row[places['high']])})",
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
        "scale": {"domain": [0, 100]},
    }
    shared = {"x": x, "xOffset": offset, "color": system_colour(report)}
    spec["layer"] = [
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
            "encoding": {
                **shared,
                "y": y,
                "shape": system_shape(report),
                "description": {"field": "told", "type": "nominal"},
            },
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
