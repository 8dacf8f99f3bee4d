"""Figures that every benchmark has: curves, the map, groups, differences, what goes wrong."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from recombine.report.compare import Comparison
from recombine.report.figures.figure import ERRORS, FIGURES, Figure, base, line_chart, row_of
from recombine.report.figures.palette import (
    BAD,
    GOOD,
    HIGH,
    INK,
    MORE,
    ON_HIGH,
    PALETTE,
    SOFT,
    TIE,
    Spec,
    limits,
    score_colour,
    system_colour,
    system_shape,
)
from recombine.report.findings import Findings
from recombine.report.results import MetricResults
from recombine.report.tables.own import by_family, table_name

# A point of a curve needs this many items, or its interval is the whole axis.
FEWEST_ITEMS = 20
MOST_FORESTS = 3
# Systems or kinds of sentence in one picture of errors.
MOST_BARS = 12
# Systems whose finding is told in a caption, and points of a line that is told by its ends.
MOST_TOLD = 3
MOST_ENDS = 6
# A line without a trend whose points are further apart goes up and down.
STEADY = 10.0


def report_figures(report: Findings) -> list[Figure]:
    """The figures of the first split's first metric, and of what goes wrong in the outputs.

    Other metrics and splits have their tables; drawing all of them would take longer than the rest
    of the report together.
    """
    results = report.main
    figures = _curves(report, results) if report.method.draws_curves else []
    if results.main_tag and len(results.by_tag(results.main_tag)) > 1:
        figures.append(_heat_map(report, results))
    if results.family_tag:
        figures.append(_groups(report, results, results.family_tag))
    for comparison in results.comparisons[:MOST_FORESTS]:
        if comparison.slices:
            figures.append(_forest(report, results, comparison))
    return [*figures, *_anatomies(report)]


def score_axis(report: Findings, results: MetricResults) -> Spec:
    """The axis of scores: the metric's own range, the same in every figure."""
    title = report.words.metric(results.metric) + (", at least" if results.is_open else "")
    return {
        "field": "score",
        "type": "quantitative",
        "scale": {"domain": limits(results)},
        "title": title + ("" if results.higher_is_better else " (lower is better)"),
    }


def _curves(report: Findings, results: MetricResults) -> list[Figure]:
    figures = []
    for tag in results.number_tags:
        title = report.words.tag(tag)
        rows = [
            row_of(by_system[system], x=float(value), of=f"{title} {value}")
            for system in results.best_first
            for value, by_system in results.by_tag(tag).items()
            if system in by_system
            and by_system[system].n >= min(FEWEST_ITEMS, max(2, results.n // 50))
        ]
        if len({row["x"] for row in rows}) < 2:
            continue
        figures.append(
            Figure(
                table_name(results.metric, results.split, "by", tag),
                f"{report.measured(results)} by {title}: {from_to(rows)}.",
                line_chart(report, rows, title, score_axis(report, results)),
                FIGURES,
            )
        )
    return figures


def from_to(rows: Sequence[Mapping[str, Any]]) -> str:
    """How each line goes: by its ends, or by its two halves where single points are noise."""
    courses = []
    for system in dict.fromkeys(row["system"] for row in rows):
        own = [row for row in rows if row["system"] == system and not math.isnan(row["score"])]
        own.sort(key=lambda row: float(row["x"]))
        if len(own) < 2:
            continue
        half = len(own) // 2 if len(own) > MOST_ENDS else 1
        parts = own[:half], own[-half:] if len(own) <= MOST_ENDS else own[half:]
        begin, end = (_mean(part) for part in parts)
        first, last = f" at {round(own[0]['x'], 2):g}", f" at {round(own[-1]['x'], 2):g}"
        if half > 1:
            first, last = f" (up to {own[half - 1]['x']:g})", f" ({own[half]['x']:g} and more)"
        turn = _turning_point(own) if half == 1 else None
        if turn is not None:
            end_told = f" and ends with {end:.0f}{last}"
            end, last = turn["score"], f" at {round(turn['x'], 2):g}"
        else:
            end_told = ""
        moves = "falls" if end < begin else "rises"
        spread = max(point["score"] for point in own) - min(point["score"] for point in own)
        if abs(end - begin) > 1:
            course = f"{moves} from {begin:.0f}{first} to {end:.0f}{last}{end_told}"
        elif spread > STEADY:
            course = f"goes up and down around {_mean(own):.0f}"
        else:
            course = f"stays at {end:.0f}"
        courses.append(f"{system} {course}")
    more = f" ({len(courses) - MOST_TOLD} more)" if len(courses) > MOST_TOLD else ""
    return "; ".join(courses[:MOST_TOLD]) + more


def _turning_point(line: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The point that lies farthest outside the ends of a line, where the line turns there."""
    ends = sorted((line[0]["score"], line[-1]["score"]))

    def outside(point: Mapping[str, Any]) -> float:
        return float(max(point["score"] - ends[1], ends[0] - point["score"]))

    farthest = max(line, key=outside)
    return farthest if outside(farthest) > max(1.0, (ends[1] - ends[0]) / 2) else None


def _mean(rows: Sequence[Mapping[str, Any]]) -> float:
    """The mean of scores by what they are of."""
    sizes = [row.get("n", 1) for row in rows]
    total = sum(row["score"] * size for row, size in zip(rows, sizes, strict=True))
    return float(total / sum(sizes))


def _heat_map(report: Findings, results: MetricResults) -> Figure:
    assert results.main_tag is not None
    tag, table = results.main_tag, results.by_tag(results.main_tag)
    order = by_family(results, table)
    rows = [
        row_of(
            score,
            value=report.words.label(tag, value),
            label=score.in_digits(0 if score.undecided else 1),
            of=report.words.label(tag, value),
        )
        for value in order
        for score in table[value].values()
    ]
    spec = base(rows, {"step": 78}, {"step": 20})
    names = [report.words.label(tag, value) for value in order]
    y = {"field": "value", "type": "nominal", "sort": names, "title": None}
    x = {
        "field": "system", "type": "nominal", "sort": results.best_first, "title": None,
        "axis": {"orient": "top", "labelAngle": 0, "labelLimit": 76},
    }  # fmt: skip
    low, high = limits(results)
    dark = f"datum.score >= {low + HIGH * (high - low)}"
    spec["layer"] = [
        {
            "mark": "rect",
            "encoding": {
                "x": x,
                "y": y,
                "color": score_colour([low, high], higher_is_better=results.higher_is_better),
                "description": {"field": "told", "type": "nominal"},
            },
        },
        {
            "mark": {"type": "text", "fontSize": 11},
            "encoding": {
                "x": x,
                "y": y,
                "text": {"field": "label", "type": "nominal"},
                "color": {"condition": {"test": dark, "value": ON_HIGH}, "value": INK},
            },
        },
    ]
    return Figure(
        table_name(results.metric, results.split, "heat-map"),
        f"{report.measured(results)} by {report.words.tag(tag)}: "
        f"{_best_and_worst(report, results, tag)}.",
        spec,
    )


def _best_and_worst(report: Findings, results: MetricResults, tag: str) -> str:
    """What each system does best and worst."""
    rows = []
    for system in results.best_first[:MOST_TOLD]:
        scores = {
            report.words.label(tag, value): by_system[system].value
            for value, by_system in results.by_tag(tag).items()
            if system in by_system and not math.isnan(by_system[system].value)
        }
        if len(scores) > 1:
            order = sorted(scores, key=lambda name: scores[name], reverse=results.higher_is_better)
            best, worst = order[0], order[-1]
            rows.append(
                f"{system} best {best} ({scores[best]:.0f}), worst {worst} ({scores[worst]:.0f})"
            )
    return "; ".join(rows)


def _groups(report: Findings, results: MetricResults, tag: str) -> Figure:
    labels = {value: report.words.label(tag, value) for value in results.by_tag(tag)}
    rows = [
        row_of(score, value=labels[value], of=labels[value])
        for value, by_system in results.by_tag(tag).items()
        for score in by_system.values()
    ]
    spec = base(rows, 420, {"step": 14})
    y = {"field": "value", "type": "nominal", "sort": list(labels.values()), "title": None}
    offset = {"field": "system", "type": "nominal", "sort": results.best_first}
    x = score_axis(report, results)
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
                "description": {"field": "told", "type": "nominal"},
            },
        },
    ]  # fmt: skip
    return Figure(
        table_name(results.metric, results.split, "by", tag, "groups"),
        f"{report.measured(results)} by {report.words.tag(tag)}: "
        f"{_best_and_worst(report, results, tag)}.",
        spec,
    )


def _forest(report: Findings, results: MetricResults, comparison: Comparison) -> Figure:
    tag = results.main_tag or ""
    rows = [
        {
            "value": report.words.label(tag, part.value),
            "score": round(part.difference.value, 3),
            "low": round(part.difference.low, 3),
            "high": round(part.difference.high, 3),
            "verdict": part.verdict,
            "told": f"{report.words.label(tag, part.value)}: {part.difference.value:+.1f} "
            f"({part.difference.low:+.1f} to {part.difference.high:+.1f}), {part.verdict}",
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
        "scale": {"domain": ["win", "tie", "loss"], "range": [GOOD, TIE, BAD]},
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
            "encoding": {
                "y": y, "x": x, "color": colour,
                "description": {"field": "told", "type": "nominal"},
            },
        },
    ]  # fmt: skip
    wins, ties, losses = (comparison.count(verdict) for verdict in ("win", "tie", "loss"))
    return Figure(
        table_name(
            "difference", results.metric, results.split, comparison.second, comparison.first
        ),
        f"{comparison.second} is better than {comparison.first} on {wins} of {len(rows)}, worse on "
        f"{losses}; {ties} are undecided ({report.words.metric(results.metric)} on "
        f"{report.split_name(results.split)}, paired tests, Holm; each interval by itself).",
        spec,
    )


def _anatomies(report: Findings) -> list[Figure]:
    """A stacked bar for each system, or of one system for each kind of sentence."""
    figures = []
    values: list[Any] = []
    colours = _colours_of_errors(report)
    for results in report.results:
        if not results.labels or (results.split, results.labels) in values:
            continue  # metrics that grade the same classes would show the same picture again
        values.append((results.split, results.labels))
        bars = {
            system: sum(results.labels[system].values(), Counter())
            for system in results.best_first
            if system in results.labels
        }
        if len(bars) == 1 and results.families:
            (by_value,) = results.labels.values()
            bars = {}
            for value, counts in by_value.items():
                family = results.families.get(value, value)
                named = report.words.label(results.family_tag or "", family)
                bars.setdefault(named, Counter()).update(counts)
        figure = _stacked(report, results, dict(list(bars.items())[:MOST_BARS]), colours)
        if figure is not None:
            figures.append(figure)
    return figures


def _colours_of_errors(report: Findings) -> dict[str, str]:
    """A colour for each way of being wrong, the same in every picture: the frequent ones first."""
    total: Counter[str] = Counter()
    for results in report.results:
        for by_value in results.labels.values():
            for counts in by_value.values():
                judged = results.right_labels | results.unjudged_labels
                total.update({k: n for k, n in counts.items() if k not in judged})
    wrong = [name for name, _ in total.most_common(len(PALETTE) - 1)]
    return {name: PALETTE[1 + place] for place, name in enumerate(wrong)}


def _stacked(
    report: Findings,
    results: MetricResults,
    bars: Mapping[str, Counter[str]],
    colours: Mapping[str, str],
) -> Figure | None:
    """What became of every sentence: right, or wrong in which way, as shares of each bar."""
    total: Counter[str] = sum(bars.values(), Counter())
    order = [name for name, _ in total.most_common()]
    unjudged = [name for name in order if name in results.unjudged_labels]
    right = [name for name in order if name in results.right_labels]
    classes = [name for name in order if name not in (*right, *unjudged)]
    if not classes and not unjudged:
        return None
    shown = [*right, *(name for name in classes if name in colours), *unjudged]
    labels = {name: report.words.label("class", name) for name in [*shown, "other"]}
    # What is right on one test (a change in one place) may be wrong on another.
    colours = {**colours, **dict.fromkeys(right, MORE[4]), **dict.fromkeys(unjudged, TIE)}
    rows = []
    for bar, counts in bars.items():
        size = sum(counts.values())
        parts = {name: counts[name] for name in shown}
        rest = size - sum(parts.values())
        for name, count in [*parts.items(), *([("other", rest)] if rest else [])]:
            share = 100 * count / size
            rows.append(
                {
                    "bar": bar, "class": labels[name], "share": round(share, 2), "count": count,
                    "order": (shown.index(name) if name in shown else len(shown)),
                    "told": f"{bar}, {labels[name]}: {share:.1f}% ({count:,} of {size:,})",
                }
            )  # fmt: skip
    other = any(row["order"] == len(shown) for row in rows)
    names = [*shown, "other"] if other else shown
    spec = base(rows, 460, {"step": 26})
    spec["mark"] = {"type": "bar", "height": 18}
    spec["encoding"] = {
        "y": {"field": "bar", "type": "nominal", "sort": list(bars), "title": None},
        "x": {
            "field": "share", "type": "quantitative", "stack": "zero", "title": "% of all",
            "scale": {"domain": [0, 100]},
        },
        "color": {
            "field": "class", "type": "nominal", "sort": [labels[name] for name in names],
            "scale": {
                "domain": [labels[name] for name in names],
                "range": [colours.get(name, TIE) for name in names],
            },
            "legend": {"orient": "bottom", "columns": 2, "labelLimit": 320},
        },
        "order": {"field": "order", "type": "quantitative"},
        "description": {"field": "told", "type": "nominal"},
    }  # fmt: skip
    sentences = []
    for bar, counts in list(bars.items())[:MOST_TOLD]:
        errors = [(counts[name], name) for name in classes if counts[name]]
        count, name = max(errors, default=(0, ""))
        share = 100 * count / sum(counts.values())
        most = f"{labels.get(name, name)}, {share:.0f}%" if share >= 1 else "hardly anything"
        apart = 100 * sum(counts[name] for name in unjudged) / sum(counts.values())
        if apart == 100:
            sentences.append(f"{bar}: nothing could be judged")
        else:
            sentences.append(
                f"{bar}: {most}" + (f" ({apart:.0f}% not judged)" if apart >= 1 else "")
            )
    return Figure(
        table_name(results.metric, results.split, "anatomy"),
        f"What goes wrong most on {report.split_name(results.split)}. {'; '.join(sentences)}.",
        spec,
        ERRORS,
    )
