"""Sections of report.html that set systems against each other and class what they did."""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

import math
from collections import Counter
from html import escape

from recombine.report.compare import Comparison, verdict_of
from recombine.report.findings import Findings, Sheet
from recombine.report.page.pairs import has_pairs
from recombine.report.page.sections import (
    by_family,
    colour,
    examples_link,
    number,
    p_text,
    pretty,
    signed,
    swatch,
)

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
    return f"""
<section id="compare"><div class="wrap">
<h2>How do the systems compare?</h2>
<p class="quiet">Paired on the same items. A difference counts only when its Holm-adjusted p-value is
below .05; otherwise it is a tie.</p>
{blocks}
</div></section>"""


def _comparisons(report: Findings, sheet: Sheet) -> str:
    reach = max(
        [
            1.0,
            *(
                abs(v)
                for one in sheet.comparisons
                for v in (one.overall.low, one.overall.high)
                if not math.isnan(v)
            ),
        ]
    )
    rows = "".join(_comparison_row(report, sheet, one, reach) for one in sheet.comparisons)
    return f"""
<h3>{escape(sheet.metric)} on {escape(sheet.split)}: {_ranking_text(sheet)}</h3>
<div class="scroll" role="region" tabindex="0" aria-label="Paired differences"><table>
<thead><tr><th scope="col">second − first</th><th scope="col" class="num">difference</th>
<th scope="col">−{number(reach)} to +{number(reach)}</th><th scope="col" class="num">interval</th>
<th scope="col">test</th><th scope="col">{escape(sheet.main_tag or "slices")}: wins, ties, losses</th></tr></thead>
<tbody>{rows}</tbody></table></div>
{"".join(_slice_details(sheet, one) for one in sheet.comparisons)}"""


def _ranking_text(sheet: Sheet) -> str:
    return " &gt; ".join(
        "{" + ", ".join(escape(name) for name in group) + "}"
        if len(group) > 1
        else escape(group[0])
        for group in sheet.ranking
    )


def _comparison_row(report: Findings, sheet: Sheet, one: Comparison, reach: float) -> str:
    found = one.overall
    verdict = verdict_of(found, one.p_adjusted, sheet.higher_is_better)
    left, right = (50 + 50 * found.low / reach, 50 + 50 * found.high / reach)
    middle = 50 + 50 * found.difference / reach
    link = examples_link(a=one.second, b=one.first, verdict="better", metric=sheet.metric)
    slices = (
        f'<span class="win">{one.count("win")}</span>, {one.count("tie")}, '
        f'<span class="loss">{one.count("loss")}</span>'
        if one.slices
        else "–"
    )
    only = (
        f'<br><a class="small" href="{escape(link)}">only second right: {one.only_second:,}; '
        f"only first right: {one.only_first:,}</a>"
        if one.only_first or one.only_second
        else ""
    )
    return (
        f'<tr><th scope="row">{swatch(report, one.second)} − {swatch(report, one.first)}{only}</th>'
        f'<td class="num {verdict}">{signed(found.difference)}</td>'
        f'<td><div class="range {colour(report, one.second)}" aria-hidden="true"><u style="left:50%"></u>'
        f'<b style="left:{left:.2f}%;width:{right - left:.2f}%"></b><i style="left:{middle:.2f}%"></i></div></td>'
        f'<td class="num small">{signed(found.low)} to {signed(found.high)}</td>'
        f'<td class="small">{escape(p_text(one.p_adjusted))}<br><span class="quiet">{escape(found.test)}</span></td>'
        f"<td>{slices}</td></tr>"
    )


def _slice_details(sheet: Sheet, one: Comparison) -> str:
    if not one.slices:
        return ""
    rows = []
    for part in sorted(one.slices, key=lambda item: item.difference.difference):
        link = examples_link(
            **{
                "a": one.second,
                "b": one.first,
                f"tag__{sheet.main_tag}": part.value,
                "metric": sheet.metric,
            }
        )
        rows.append(
            f'<tr><th scope="row"><a href="{escape(link)}">{pretty(part.value)}</a></th>'
            f'<td class="num {part.verdict}">{signed(part.difference.difference)}</td>'
            f'<td class="num small">{signed(part.difference.low)} to {signed(part.difference.high)}</td>'
            f'<td class="small">{escape(p_text(part.p_adjusted))}</td><td class="{part.verdict}">{part.verdict}</td></tr>'
        )
    title = f"{escape(one.second)} − {escape(one.first)} for each {escape(sheet.main_tag or '')}"
    return f"""<details class="more"><summary>{title}</summary>
<div class="scroll" role="region" tabindex="0" aria-label="{title}"><table><thead><tr><th scope="col">{escape(sheet.main_tag or "")}</th>
<th scope="col" class="num">difference</th><th scope="col" class="num">interval</th><th scope="col">Holm</th><th scope="col">verdict</th></tr></thead>
<tbody>{"".join(rows)}</tbody></table></div></details>"""


def anatomy_section(report: Findings) -> str:
    """What happened in the errors, where a metric classes them."""
    sheets: list[Sheet] = []
    for sheet in report.sheets:
        # Metrics that grade the same classes would show the same table again.
        known = (one for one in sheets if one.split == sheet.split)
        if sheet.labels and all(one.labels != sheet.labels for one in known):
            sheets.append(sheet)
    if not sheets:
        return ""
    pairs = (
        '<p><a href="pairs.html">Inconsistent pairs with the changed words marked</a></p>'
        if has_pairs(report.source)
        else ""
    )
    blocks = []
    for sheet in sheets:
        for system in sheet.systems:
            if system in sheet.labels:
                blocks.append(_label_table(report, sheet, system))
    return f"""
<section id="anatomy"><div class="wrap">
<h2>What goes wrong?</h2>
<p class="quiet">How the metrics class what they saw, counted over all seeds.</p>
{pairs}{"".join(blocks)}
</div></section>"""


def _label_table(report: Findings, sheet: Sheet, system: str) -> str:
    counts = sheet.labels[system]
    total: Counter[str] = sum(counts.values(), Counter())
    labels = [name for name, _ in total.most_common(MOST_LABELS)]
    heads = "".join(f'<th scope="col" class="num">{escape(label)}</th>' for label in labels)
    rows = []
    for value in by_family(sheet, counts):
        size = sum(counts[value].values())
        cells = "".join(
            _label_cell(sheet, system, value, label, counts[value][label], size) for label in labels
        )
        rows.append(f'<tr><th scope="row">{pretty(value or "all")}</th>{cells}</tr>')
    foot = "".join(f'<td class="num">{total[label]:,}</td>' for label in labels)
    return f"""
<h3>{swatch(report, system)}: {escape(sheet.metric)} on {escape(sheet.split)}</h3>
<div class="scroll" role="region" tabindex="0" aria-label="Classes of {escape(system)}"><table class="heat">
<thead><tr><th scope="col">{escape(sheet.main_tag or "")}</th>{heads}</tr></thead>
<tbody><tr class="family"><th scope="row">all</th>{foot}</tr>{"".join(rows)}</tbody></table></div>"""


def _label_cell(sheet: Sheet, system: str, value: str, label: str, count: int, size: int) -> str:
    share = count / size if size else 0.0
    right = label in sheet.right_labels
    if right:
        step = 5 + min(5, round(5 * share))
    else:
        step = 5 - min(5, math.ceil(5 * share) if share else 0)
    text = f"{count:,}"
    if count and not right:
        # The class is part of every explanation, so a search for it finds the examples.
        fields = {"a": system, "q": label, "metric": sheet.metric, "tag__split": sheet.split}
        if value and sheet.main_tag:
            fields[f"tag__{sheet.main_tag}"] = value
        text = f'<a href="{escape(examples_link(**fields))}">{text}</a>'
    return f'<td class="num h{step}" title="{100 * share:.1f}%">{text}</td>'
