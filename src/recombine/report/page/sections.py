"""Sections of the page that any benchmark has: all scores, figures, files, glossary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from recombine.metrics.score import Score
from recombine.report.figures.figure import DrawnFigure
from recombine.report.findings import Findings
from recombine.report.page.frame import figures
from recombine.report.page.scale import level, shade
from recombine.report.page.shown import SystemLook, between, examples_link, interval, look
from recombine.report.results import MetricResults
from recombine.report.tables.own import overall_table, tag_table
from recombine.report.tables.table import UNDECIDED, CellStyle, HtmlStyle, html
from recombine.templates import capital, render


class DrawnInterval(NamedTuple):
    """An interval with its middle, in percent of the room it is drawn in; `zero` is a line."""

    low: float
    middle: float
    high: float
    zero: float | None = None


class ScoreRow(NamedTuple):
    """A system's score on a split by a metric, with its interval in words and drawn."""

    system: SystemLook
    score: str
    interval: str
    span: DrawnInterval | None
    hover: str


class ScoreBlock(NamedTuple):
    """The scores of all systems by one metric, the best first."""

    metric: str
    limits: str
    rows: Sequence[ScoreRow]


def scores_section(report: Findings) -> Markup:
    """Every metric on every split: score, interval and drawing; the rest is folded below."""
    splits = []
    for split in report.splits:
        table = replace(overall_table(report, split), title=capital(report.split_name(split)))
        blocks = [_block(report, results) for results in report.results if results.split == split]
        splits.append((table.title, blocks, html(table, HtmlStyle(titled=False, merged=True))))
    by_tag = [
        results
        for results in report.results
        if results.main_tag and results.by_tag(results.main_tag)
    ]
    return render(
        "scores",
        lead=_lead(report),
        splits=splits,
        confidence=f"{100 * report.options.confidence:g}%",
        methods=_interval_methods(report),
        notes=report.notes,
        others=_small_tables(report, by_tag[0]) if by_tag else [],
        wide=bool(by_tag) and len(by_tag[0].systems) > 3,
    )


def _block(report: Findings, results: MetricResults) -> ScoreBlock:
    low, high = results.limits
    less = "" if results.higher_is_better else ", lower is better"
    rows = []
    for system in results.best_first:
        score = results.overall(system)
        rows.append(
            ScoreRow(
                look(report, system),
                between(score),
                interval(score),
                _span(results, score),
                score.counted,
            )
        )
    return ScoreBlock(
        capital(report.words.metric(results.metric)), f"{low:g} to {high:g}{less}", rows
    )


def _span(results: MetricResults, score: Score) -> DrawnInterval | None:
    ends = (score.low, score.value, score.high)
    if any(map(math.isnan, ends)):
        return None
    return DrawnInterval(*(100 * level(results, end) for end in ends))


def _interval_methods(report: Findings) -> str:
    """How the intervals were worked out, where all of them were in one way."""
    methods = {
        score.method
        for results in report.results
        for system in results.systems
        if not math.isnan((score := results.overall(system)).low)
    }
    return f" ({methods.pop()})" if len(methods) == 1 else ""


def _lead(report: Findings) -> str:
    """Who was judged, on what, and what the data say of the order."""
    main = report.main
    systems = len(main.systems)
    text = (
        f"{systems} system{'' if systems == 1 else 's'}, judged on the same {main.n:,} items "
        f"({report.split_name(main.split)}) by {report.words.metric(main.metric)}."
    )
    if systems == 1:
        return text
    (best, *others) = report.ranking(main)
    apart = ", controls aside" if report.controls else ""
    if len(best) > 1:
        return f"{text} The data cannot tell apart the best{apart}: {', '.join(best)}."
    if not others:
        return text
    return (
        f"{text} {best[0]} is ahead of every other system{apart} (p < .05 after Holm's correction)."
    )


def curves_section(drawn: Sequence[DrawnFigure]) -> Markup:
    """The figures, with what each of them finds."""
    return Markup("<h2>Figures</h2>") + figures(drawn) if drawn else Markup()


def glossary_section(report: Findings) -> Markup:
    """Words of the field and of this page, and the metrics, each in a line."""
    used = {report.words.metric(results.metric) for results in report.results}
    metrics = {wording.label for wording in report.words.known_metrics}
    terms = [
        (term.label, _sentence(term.trained))
        for term in report.words.terms
        if term.trained and (term.label not in metrics or term.label in used)
    ]
    return render("glossary", terms=terms)


def _sentence(text: str) -> str:
    text = capital(text)
    return text if text.endswith(".") else text + "."


def files_section(files: Sequence[str]) -> Markup:
    """Every table and figure that was written beside the page."""
    groups: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for path in sorted(files):
        folder, _, name = path.rpartition("/")
        stem, _, form = name.partition(".")
        address = quote(f"{folder}/{name}")
        groups.setdefault(folder, {}).setdefault(stem, []).append((form, address))
    folders = [
        (capital(folder), [(stem.replace("-", " "), forms) for stem, forms in names.items()])
        for folder, names in groups.items()
    ]
    return render("files", folders=folders) if folders else Markup()


def open_note(results: MetricResults) -> str:
    """What two numbers in one place mean, where a metric could not judge everything."""
    return UNDECIDED if results.is_open else ""


def _heat_table(report: Findings, results: MetricResults, tag: str) -> Markup:
    """Scores by a tag, each cell coloured and a link to its examples."""
    table = replace(tag_table(results, tag), notes=())
    scores = results.by_tag(tag)
    cells = {}
    for row, (value, *_) in enumerate(table.rows):
        cells[row, 0] = CellStyle(html=Markup.escape(_value_name(report, scores, tag, str(value))))
        for place, system in enumerate(results.best_first):
            score = scores[str(value)].get(system)
            cells[row, 2 + place] = _heat_look(results, score, system, str(value), tag)
    heads: dict[int, Markup | str] = {
        2 + place: render("swatch", system=look(report, system))
        for place, system in enumerate(results.best_first)
    }
    heads[0] = report.words.tag(tag)
    return html(table, HtmlStyle(cells, heads, css="heat", titled=False))


def _heat_look(
    results: MetricResults, score: Score | None, system: str, value: str, tag: str
) -> CellStyle:
    if score is None or math.isnan(score.value):
        return CellStyle()
    fields = {
        "a": system,
        f"tag__{tag}": value,
        "metric": results.metric,
        "tag__split": results.split,
    }
    return CellStyle(shade(results, score), examples_link(**fields), score.counted)


def _small_tables(report: Findings, results: MetricResults) -> list[Markup]:
    """Tags with two to twelve values side by side: groups, in a complement clause or not."""
    return [
        _heat_table(report, results, tag)
        for tag in results.tags
        if tag != results.main_tag
        and tag not in results.number_tags
        and 2 <= len(results.by_tag(tag)) <= 12
    ]


def _value_name(report: Findings, table: Iterable[str], tag: str, value: str) -> str:
    """What a tag's value is called; tags that are 0 or 1 are questions."""
    if set(table) == {"0", "1"}:
        return {"0": "no", "1": "yes"}[value]
    return report.words.label(tag, value)
