"""Sections of the page that set systems against each other and class what they did."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from markupsafe import Markup

from recombine.report.compare import Comparison, verdict_of
from recombine.report.figures.figure import DrawnFigure
from recombine.report.findings import Findings
from recombine.report.page.frame import figures
from recombine.report.page.scale import step
from recombine.report.page.sections import DrawnInterval
from recombine.report.page.shown import SystemLook, examples_link, look
from recombine.report.results import MetricResults
from recombine.report.tables.own import by_family, comparison_table, label_table
from recombine.report.tables.table import CellStyle, HtmlStyle, Table, html, show_p
from recombine.templates import number, render, signed

# More labels than this would not fit a stacked row on a phone.
MOST_LABELS = 12
# Why a pair has no p-value.
NO_TEST = "on too few sentences or with too many outputs missing"
# Pairs that are told with a figure; the others are rows of the table.
MOST_PAIRS = 3


class DifferenceRow(NamedTuple):
    """A difference on one kind of sentence: what it is called, drawn, and where it is seen."""

    name: str
    link: str
    span: DrawnInterval | None
    difference: str
    hover: str
    verdict: str


class OnlyRight(NamedTuple):
    """A button: examples that one system gets right and the other does not, with which seed."""

    system: str
    seed: str
    examples: int
    link: str


class Duel(NamedTuple):
    """Two systems: what the data say of them, in a sentence and by kind of sentence."""

    better: SystemLook
    other: SystemLook
    sentence: str
    difference: str
    span: DrawnInterval | None
    only_right: Sequence[OnlyRight]
    rows: Sequence[DifferenceRow]
    widest: str
    # Whether the rows are open: of the first pair, and where one of them is told apart.
    is_open: bool


def compare_section(report: Findings) -> Markup:
    """How do systems compare: a sentence, the differences drawn, the examples behind them."""
    compared = [results for results in report.results if results.comparisons]
    if not compared:
        return Markup()
    first, *others = compared
    # What a system lacks to its control is told above, as composition; here systems compete.
    pairs = sorted(
        first.comparisons,
        key=lambda pair: not report.controls.isdisjoint((pair.first, pair.second)),
    )
    return render(
        "compare",
        metric=report.words.metric(first.metric),
        split=report.split_name(first.split),
        tag=report.words.tag(first.main_tag or ""),
        duels=[
            _duel(report, first, pair, is_first=not place)
            for place, pair in enumerate(pairs[:MOST_PAIRS])
        ],
        # Pairs that have no figure of their own are told by the table.
        table=_table(report, first) if len(first.comparisons) > 1 else "",
        others=[_table(report, results, titled=True) for results in others],
    )


def _duel(report: Findings, results: MetricResults, pair: Comparison, *, is_first: bool) -> Duel:
    ends = [end for part in pair.slices for end in (part.difference.low, part.difference.high)]
    ends += [pair.overall.low, pair.overall.high]
    widest = max([1.0, *(abs(end) for end in ends if not math.isnan(end))])
    several = max(len(results.seeds[name]) for name in (pair.first, pair.second)) > 1
    seed = " with its first seed" if several else ""
    only_right = [
        OnlyRight(better, seed, count, _where_better(results, better, other))
        for better, other, count in (
            (pair.second, pair.first, pair.only_second),
            (pair.first, pair.second, pair.only_first),
        )
        if count
    ]
    overall = pair.overall
    return Duel(
        look(report, pair.second),
        look(report, pair.first),
        comparison_sentence(report, results, pair),
        _shown(overall.value),
        _span(overall.low, overall.value, overall.high, widest),
        only_right,
        _rows(report, results, pair, widest),
        number(widest, 0),
        is_first and pair.count("tie") < len(pair.slices),
    )


def comparison_sentence(report: Findings, results: MetricResults, pair: Comparison) -> str:
    """What the data say of two systems; the better one is named first."""
    overall = pair.overall
    verdict = verdict_of(overall, pair.p_adjusted, results.higher_is_better)
    apart = number(abs(overall.value))
    span = sorted((abs(overall.low), abs(overall.high)))
    within = (
        f" ({number(span[0])} to {number(span[1])})"
        if not math.isnan(overall.low) and overall.low * overall.high > 0
        else ""
    )
    if math.isnan(pair.p_adjusted):
        head = f"No verdict on {pair.second} and {pair.first}: {apart} points apart, {NO_TEST}"
    elif verdict == "tie":
        head = (
            f"The data cannot tell {pair.second} from {pair.first}: {apart} points apart, "
            f"{_p(pair.p_adjusted)}"
        )
    else:
        better, other = (pair.second, pair.first) if verdict == "win" else (pair.first, pair.second)
        head = f"{better} is {apart} points{within} better than {other}, {_p(pair.p_adjusted)}"
    if not pair.slices:
        return head + "."
    wins, ties, losses = (pair.count(kind) for kind in ("win", "tie", "loss"))
    kinds = f"{len(pair.slices)} kinds of sentence"
    return (
        f"{head}. Of {kinds} {pair.second} wins {wins or 'none'}, ties {ties or 'none'} and loses "
        f"{losses or 'none'}."
    )


def _p(p: float) -> str:
    """A p-value with its letter; no line is broken between them."""
    shown = show_p(p) if not math.isnan(p) else "unknown"
    return "p\u00a0" + (shown.replace("<", "<\u00a0") if "<" in shown else f"=\u00a0{shown}")


def _rows(
    report: Findings, results: MetricResults, pair: Comparison, widest: float
) -> list[DifferenceRow]:
    """Kinds of sentence, those where the better system gains most first."""
    tag = results.main_tag or ""
    sign = -1 if results.higher_is_better else 1
    rows = []
    for part in sorted(pair.slices, key=lambda part: sign * part.difference.value):
        change = part.difference
        fields = {f"tag__{tag}": part.value, "tag__split": results.split}
        low, high = signed(change.low), signed(change.high)
        rows.append(
            DifferenceRow(
                report.words.label(tag, part.value),
                examples_link(a=pair.second, b=pair.first, metric=results.metric, **fields),
                _span(change.low, change.value, change.high, widest),
                _shown(change.value),
                f"{low} to {high}, {_p(part.p_adjusted)}, {part.n:,} sentences: {part.verdict}",
                part.verdict,
            )
        )
    return rows


def _shown(difference: float) -> str:
    return "–" if math.isnan(difference) else signed(difference)


def _span(low: float, middle: float, high: float, widest: float) -> DrawnInterval | None:
    if math.isnan(low) or math.isnan(middle):
        return None
    low, middle, high = (50 + 50 * end / widest for end in (low, middle, high))
    return DrawnInterval(low, middle, high, zero=50.0)


def _where_better(results: MetricResults, better: str, other: str) -> str:
    """The examples of a split that one system gets better than another."""
    return examples_link(
        a=better, b=other, verdict="better", metric=results.metric, tag__split=results.split
    )


def _table(report: Findings, results: MetricResults, *, titled: bool = False) -> Markup:
    """Every pair of systems in a row: difference, interval, p, wins, ties and losses."""
    table = comparison_table(report, results)
    cells = {
        (row, 1): CellStyle(verdict_of(pair.overall, pair.p_adjusted, results.higher_is_better))
        for row, pair in enumerate(results.comparisons)
    }
    return html(table, HtmlStyle(cells, titled=titled))


def anatomy_section(report: Findings, drawn: Sequence[DrawnFigure]) -> Markup:
    """What happened in the errors, where a metric classes them: a picture, and every count."""
    classed: list[MetricResults] = []
    for results in report.results:
        # Metrics that grade the same classes would show the same table again.
        same_split = (earlier for earlier in classed if earlier.split == results.split)
        if results.labels and all(earlier.labels != results.labels for earlier in same_split):
            classed.append(results)
    if not classed:
        return Markup()
    return render(
        "anatomy",
        figures=figures(drawn),
        tables=[
            _classes(report, results, system)
            for results in classed
            for system in results.best_first
            if system in results.labels
        ],
    )


def _classes(report: Findings, results: MetricResults, system: str) -> tuple[str, Markup]:
    """The classes a system was given, coloured by their share of each value of the main tag."""
    complete = label_table(report, results, system)
    columns = complete.columns[: 1 + MOST_LABELS]
    rows = tuple(row[: len(columns)] for row in complete.rows)
    table: Table = replace(complete, columns=columns, rows=rows)
    counts = results.labels[system]
    cells = {}
    for row, value in enumerate(by_family(results, counts), start=1):
        size = sum(counts[value].values())
        name = report.words.label(results.main_tag or "", value) if value else "all"
        cells[row, 0] = CellStyle(html=Markup.escape(name))
        for place, label in enumerate(columns[1:], start=1):
            cells[row, place] = _class_look(
                report, results, system, value, label, counts[value][label], size
            )
    heads: dict[int, Markup | str] = {0: report.words.tag(results.main_tag or "")}
    return complete.title, html(table, HtmlStyle(cells, heads, css="heat", titled=False))


def _class_look(
    report: Findings,
    results: MetricResults,
    system: str,
    value: str,
    label: str,
    count: int,
    size: int,
) -> CellStyle:
    share = count / size if size else 0.0
    title = f"{100 * share:.1f}%"
    right = label in results.right_labels
    css = step(share, right)
    if right or not count:
        return CellStyle(css, title=title)
    # What the class is called is part of every explanation, so a search for it finds the examples.
    fields = {
        "a": system,
        "q": report.words.label("class", label),
        "metric": results.metric,
        "tag__split": results.split,
    }
    if value and results.main_tag:
        fields[f"tag__{results.main_tag}"] = value
    return CellStyle(css, examples_link(**fields), title)
