"""Figures of training: what the logs say, and scores and patterns over checkpoints."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from recombine.report.figures.figure import FIGURES, Figure, base, line_chart, row_of
from recombine.report.figures.own import from_to, score_axis
from recombine.report.figures.palette import INK, Spec, score_colour, system_colour, system_shape
from recombine.report.findings import Findings
from recombine.report.tables.checkpoints import Point
from recombine.report.tables.table import Table

# Panels in a row, and rows of a heat map that one can still read.
_COLUMNS = 3
_MOST_ROWS = 60
# Where a trained system keeps its log, and how many losses of it are drawn.
LOG = "train_log.jsonl"
MOST_POINTS = 150
# A pattern that lost so many points since its best checkpoint was learnt and then lost.
LOST = 20.0


def log_figure(report: Findings) -> Figure | None:
    """The loss and what dev said of it over the steps, from the logs of the trained systems."""
    rows: list[dict[str, Any]] = []
    for cell in report.source.cells:
        path = cell.cell.model / LOG if cell.cell is not None else None
        if path is not None and path.is_file():
            with path.open(encoding="utf-8") as log:
                rows += _logged(cell.name, cell.seed, log)
    if len({row["step"] for row in rows}) < 2:
        return None
    spec = _facets(rows)
    x = {
        "field": "step", "type": "quantitative", "title": "training step",
        "axis": {"grid": False, "tickCount": 4, "format": "~s", "labelOverlap": True},
    }  # fmt: skip
    y = {"field": "score", "type": "quantitative", "title": None}
    lines = {
        "x": x,
        "y": y,
        "color": system_colour(report),
        "detail": {"field": "seed", "type": "nominal"},
    }
    spec["facet"] = {
        "field": "panel", "type": "nominal", "title": None,
        "sort": list(dict.fromkeys(row["panel"] for row in rows)),
    }  # fmt: skip
    spec["columns"] = 2
    spec["resolve"] = {"scale": {"y": "independent"}}
    spec["spec"] = {
        "width": 220,
        "height": 170,
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": lines},
            {
                "mark": {"type": "point", "filled": True, "size": 14, "opacity": 1},
                "encoding": {**lines, "description": {"field": "told", "type": "nominal"}},
            },
        ],
    }
    ends = []
    for system in dict.fromkeys(row["system"] for row in rows):
        dev = [row for row in rows if row["system"] == system and row["panel"] != "loss"]
        if dev:
            last = max(dev, key=lambda row: row["step"])
            ends.append(f"{system} has {last['score']:.1f} on dev at step {last['step']:,}")
    ending = f": {'; '.join(ends)}" if ends else ""
    return Figure("training-log", f"How training went{ending}.", spec, FIGURES)


def _logged(system: str, seed: int, lines: Iterable[str]) -> list[dict[str, Any]]:
    """The losses, thinned out, and every score on dev, in percent."""
    losses: list[dict[str, Any]] = []
    dev: list[dict[str, Any]] = []
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue  # the last line of a run that was killed
        step = row.get("step")
        for name, value in row.items():
            if not isinstance(step, int) or not isinstance(value, int | float):
                continue
            if name != "loss" and not name.startswith("dev_"):
                continue
            score = value if name == "loss" else _percent(name, value)
            panel = "loss" if name == "loss" else f"dev, {name.removeprefix('dev_')}"
            point = {
                "panel": panel, "system": system, "seed": seed, "step": step,
                "score": round(score, 4),
                "told": f"{system}, seed {seed}, step {step:,}: {panel} {score:.4g}",
            }  # fmt: skip
            (losses if name == "loss" else dev).append(point)
    thin = max(1, -(-len(losses) // MOST_POINTS))
    return [*losses[::thin], *dev]


def _percent(name: str, value: float) -> float:
    """Shares are logged as shares, and shown in percent like every score."""
    return 100 * value if name == "dev_exact" else value


def checkpoint_slices(
    report: Findings, table: Table
) -> Iterator[tuple[str, str, list[tuple[int, float]]]]:
    """System, pattern and its scores by step: what a slider over checkpoints shows."""
    points: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for row in _curve_points(report, table):
        points.setdefault((row["system"], row["panel"]), []).append((row["step"], row["score"]))
    for (system, panel), series in points.items():
        yield system, panel, sorted(series)


def lost_again(report: Findings, table: Table) -> str:
    """The pattern that each system had learnt and lost most of, in words."""
    worst: dict[str, tuple[float, str]] = {}
    for system, panel, points in checkpoint_slices(report, table):
        scored = [point for point in points if not math.isnan(point[1])]
        if len(scored) < 2 or not report.main.higher_is_better:
            continue
        at, best = max(scored, key=lambda point: point[1])
        step, end = scored[-1]
        if best - end >= LOST and best - end > worst.get(system, (0.0, ""))[0]:
            sentence = f"{system} learns {panel} ({best:.0f} at step {at:,}) and loses it "
            sentence += f"({end:.0f} at {step:,})"
            worst[system] = (best - end, sentence)
    return "; ".join(sentence for _, sentence in worst.values())


def training_figure(
    report: Findings, points: Sequence[Point], metric: str, split: str
) -> Figure | None:
    """Score over training steps, one line per system."""
    rows = [
        row_of(point.score, x=point.step, of=f"step {point.step:,.0f}")
        for point in points
        if point.step >= 0
    ]
    if len({row["x"] for row in rows}) < 2:
        return None
    results = report.results_of(metric, split) or report.main
    return Figure(
        f"training-{metric}-{split}",
        f"{report.measured(results)} during training: {from_to(rows)}.",
        line_chart(report, rows, "training step", score_axis(report, results)),
        FIGURES,
    )


def training_figures(report: Findings, tables: Sequence[Table]) -> list[Figure]:
    """A figure of every table of curves, and of the idioms one by one."""
    figures = []
    for table in tables:
        if not table.name.startswith("training-") or "step" not in table.columns:
            continue
        rows = _curve_points(report, table)
        if len({row["step"] for row in rows}) < 2:
            continue
        if table.name == "training-idioms":
            spec = _heat_map(report, rows, "% literal", less_is_better=True)
        else:
            spec = _panels(report, rows)
        caption = _peaks(tables) if "Figure 3" in table.title else _course(rows)
        figures.append(Figure(table.name, f"{table.title}: {caption}.", spec, FIGURES))
    return figures


def slice_figure(report: Findings, table: Table) -> Figure | None:
    """Every pattern over training, if these are few enough to be read."""
    rows = _curve_points(report, table)
    if len({row["step"] for row in rows}) < 2 or len({row["panel"] for row in rows}) > _MOST_ROWS:
        return None
    main = report.main
    title = report.words.metric(main.metric)
    spec = _heat_map(report, rows, title, less_is_better=not main.higher_is_better)
    lost = lost_again(report, table)
    caption = " ".join((f"{table.title}.", *table.notes, *([f"{lost}."] if lost else [])))
    return Figure(table.name, caption, spec, FIGURES)


def _curve_points(report: Findings, table: Table) -> list[dict[str, Any]]:
    at = table.columns.index("step")
    sentences = []
    for row in table.rows:
        named = zip(table.columns[:at], row[:at], strict=True)
        panel = ", ".join(report.words.label(column, str(cell)) for column, cell in named)
        for system, score in zip(table.columns[at + 1 :], row[at + 1 :], strict=True):
            # A checkpoint without a number, such as "best", has no place on the axis.
            if isinstance(score, float) and isinstance(row[at], int):
                point = {"panel": panel, "step": row[at], "system": system}
                sentence = f"{system}, {panel}, step {row[at]:,}: {score:.1f}"
                sentences.append({**point, "score": round(score, 3), "told": sentence})
    return sentences


def _facets(rows: Sequence[dict[str, Any]]) -> Spec:
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
        "axis": {"grid": False, "tickCount": 4, "format": "~s", "labelOverlap": True},
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
                "encoding": {
                    **shared,
                    "shape": system_shape(report),
                    "description": {"field": "told", "type": "nominal"},
                },
            },
        ],
    }
    return spec


def _heat_map(
    report: Findings, rows: Sequence[dict[str, Any]], title: str, *, less_is_better: bool
) -> dict[str, Any]:
    """Idioms or patterns by checkpoints, one panel per system."""
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
            "x": {"field": "step", "type": "ordinal", "title": "step",
                  "axis": {"labelExpr": "format(datum.value, '~s')"}},
            "y": {"field": "panel", "type": "nominal", "title": None,
                  "sort": list(dict.fromkeys(row["panel"] for row in rows))},
            "color": {**score_colour([0.0, 100.0], higher_is_better=not less_is_better),
                      "title": title, "legend": {}},
            "description": {"field": "told", "type": "nominal"},
        },
    }  # fmt: skip
    return spec


def _course(rows: Sequence[dict[str, Any]]) -> str:
    """How the mean of all panels goes, in words."""
    scores: dict[tuple[str, int], list[float]] = {}
    for row in rows:
        scores.setdefault((row["system"], row["step"]), []).append(row["score"])
    return from_to(
        [
            {"system": system, "x": step, "score": sum(points) / len(points)}
            for (system, step), points in scores.items()
        ]
    )


def _peaks(tables: Sequence[Table]) -> str:
    """The mean curve of every system in words: peak, where, end."""
    drops = []
    for table in tables:
        if table.name != "figure-3-curves":
            continue
        for system, idiom, _, peak, at, end, _, correlation in table.rows:
            if idiom == "mean" and isinstance(peak, float) and isinstance(end, float):
                r = "" if correlation is None else f", drop and log frequency r = {correlation}"
                drops.append(f"{system}: peak {peak:.1f} at {at}, end {end:.1f}{r}")
    return "; ".join(drops)
