"""Sections of report.html that set systems against each other and class what they did."""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from html import escape

from recombine.report.compare import Comparison, verdict_of
from recombine.report.findings import Findings, Sheet
from recombine.report.page.frame import figures
from recombine.report.page.scale import step
from recombine.report.page.sections import colour, examples_link, number, swatch
from recombine.report.tables.own import (
    by_family,
    comparison_table,
    label_table,
    slice_difference_table,
)
from recombine.report.tables.table import CellLook, Dress, html

# More labels than this would not fit a stacked row on a phone.
MOST_LABELS = 12


def compare_section(report: Findings) -> str:
    """How do systems compare: paired differences, wins and losses."""
    sheets = [sheet for sheet in report.sheets if sheet.comparisons]
    if not sheets:
        return ""
    blocks = _comparisons(report, sheets[0])
    if len(sheets) > 1:
        others = "".join(_comparisons(report, sheet) for sheet in sheets[1:])
        blocks += (
            f'<details class="more"><summary>Other metrics and splits</summary>{others}</details>'
        )
    return f"""<h2>How do the systems compare?</h2>
<p class="quiet">Paired on the same items. A difference counts only when its Holm-adjusted p-value is
below .05; otherwise it is a tie. Intervals are of each difference by itself.</p>
{blocks}"""


def _comparisons(report: Findings, sheet: Sheet) -> str:
    """Every paired difference, drawn on a common scale, and each by the values of the main tag."""
    ends = [v for one in sheet.comparisons for v in (one.overall.low, one.overall.high)]
    reach = max([1.0, *(abs(v) for v in ends if not math.isnan(v))])
    cells: dict[tuple[int, int], CellLook] = {}
    bars = []
    for row, one in enumerate(sheet.comparisons):
        verdict = verdict_of(one.overall, one.p_adjusted, sheet.higher_is_better)
        cells[row, 0] = CellLook(html=_pair(report, sheet, one))
        cells[row, 1] = CellLook(verdict)
        bars.append(_difference_bar(report, one, reach))
    table = comparison_table(report, sheet)  # its first note is the ranking
    dress = Dress(cells, drawn=(f"−{number(reach)} to +{number(reach)}", bars), titled=False)
    return f"""
<h3>{escape(report.words.metric(sheet.metric))}, {escape(report.split_name(sheet.split))}: {_ranking_text(sheet)}</h3>
{html(replace(table, notes=table.notes[1:]), dress)}
{"".join(_slice_details(report, sheet, one) for one in sheet.comparisons)}"""


def _ranking_text(sheet: Sheet) -> str:
    return " &gt; ".join(
        "{" + ", ".join(escape(name) for name in group) + "}"
        if len(group) > 1
        else escape(group[0])
        for group in sheet.ranking
    )


def _pair(report: Findings, sheet: Sheet, one: Comparison) -> str:
    links = [
        f'<a href="{escape(_where_better(sheet, better, other))}">only {escape(better)} is right: '
        f"{count:,}</a>"
        for better, other, count in (
            (one.second, one.first, one.only_second),
            (one.first, one.second, one.only_first),
        )
        if count
    ]
    only = f'<br><span class="small">{"; ".join(links)}</span>' if links else ""
    return f"{swatch(report, one.second)} − {swatch(report, one.first)}{only}"


def _where_better(sheet: Sheet, better: str, other: str) -> str:
    """The examples of a split that one system gets better than another."""
    return examples_link(
        a=better, b=other, verdict="better", metric=sheet.metric, tag__split=sheet.split
    )


def _difference_bar(report: Findings, one: Comparison, reach: float) -> str:
    left, middle, right = (
        50 + 50 * value / reach
        for value in (one.overall.low, one.overall.difference, one.overall.high)
    )
    if math.isnan(left):
        return ""
    return (
        f'<div class="range {colour(report, one.second)}" aria-hidden="true"><u style="left:50%"></u>'
        f'<b style="left:{left:.2f}%;width:{right - left:.2f}%"></b><i style="left:{middle:.2f}%"></i></div>'
    )


def _slice_details(report: Findings, sheet: Sheet, one: Comparison) -> str:
    if not one.slices:
        return ""
    words = report.words
    title = (
        f"{one.second} − {one.first}, by {words.tag(sheet.main_tag or '')}: "
        f"{words.metric(sheet.metric)}, {report.split_name(sheet.split)}"
    )
    table = replace(slice_difference_table(sheet, one), title=title)
    cells = {}
    for row, (value, _, _, verdict) in enumerate(table.rows):
        tag = {f"tag__{sheet.main_tag}": str(value)}
        tag["tag__split"] = sheet.split
        link = examples_link(a=one.second, b=one.first, metric=sheet.metric, **tag)
        cells[row, 0] = CellLook(
            html=f'<a href="{escape(link)}">{escape(report.words.label(sheet.main_tag or "", str(value)))}</a>'
        )
        cells[row, 1] = cells[row, 3] = CellLook(str(verdict))
    return (
        f'<details class="more"><summary>{escape(table.title)}</summary>'
        f"{html(table, Dress(cells, titled=False))}</details>"
    )


def anatomy_section(report: Findings, charts: Mapping[str, str]) -> str:
    """What happened in the errors, where a metric classes them: a picture, and every count."""
    sheets: list[Sheet] = []
    for sheet in report.sheets:
        # Metrics that grade the same classes would show the same table again.
        known = (one for one in sheets if one.split == sheet.split)
        if sheet.labels and all(one.labels != sheet.labels for one in known):
            sheets.append(sheet)
    if not sheets:
        return ""
    blocks = []
    for sheet in sheets:
        for system in sheet.systems:
            if system in sheet.labels:
                blocks.append(_classes(report, sheet, system))
    return f"""<h2>What goes wrong?</h2>
<p class="quiet">How the metrics class what they saw, counted over all seeds.</p>
{figures(charts)}{"".join(blocks)}"""


def _classes(report: Findings, sheet: Sheet, system: str) -> str:
    """The classes a system was given, coloured by their share of each value of the main tag."""
    whole = label_table(report, sheet, system)
    columns = whole.columns[: 1 + MOST_LABELS]
    table = replace(whole, columns=columns, rows=tuple(row[: len(columns)] for row in whole.rows))
    counts = sheet.labels[system]
    cells = {}
    for row, value in enumerate(by_family(sheet, counts), start=1):
        size = sum(counts[value].values())
        cells[row, 0] = CellLook(
            html=escape(report.words.label(sheet.main_tag or "", value) if value else "all")
        )
        for place, label in enumerate(columns[1:], start=1):
            cells[row, place] = _class_look(
                report, sheet, system, value, label, counts[value][label], size
            )
    heads = {0: escape(report.words.tag(sheet.main_tag or ""))}
    dress = Dress(cells, heads, css="heat", titled=False)
    return f'<details class="more"><summary>{escape(whole.title)}</summary>{html(table, dress)}</details>'


def _class_look(
    report: Findings, sheet: Sheet, system: str, value: str, label: str, count: int, size: int
) -> CellLook:
    share = count / size if size else 0.0
    title = f"{100 * share:.1f}%"
    right = label in sheet.right_labels
    css = step(share, right)
    if right or not count:
        return CellLook(css, title=title)
    # What the class is called is part of every explanation, so a search for it finds the examples.
    fields = {
        "a": system,
        "q": report.words.label("class", label),
        "metric": sheet.metric,
        "tag__split": sheet.split,
    }
    if value and sheet.main_tag:
        fields[f"tag__{sheet.main_tag}"] = value
    return CellLook(css, examples_link(**fields), title)
