"""The first screen above the map: a headline, and numbers as bars with their intervals."""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import NamedTuple

from recombine.metrics.score import Score
from recombine.report.findings import Findings, Sheet
from recombine.report.page.gap import gap_section
from recombine.report.page.headline import familiar_sheet
from recombine.report.page.scale import level
from recombine.report.page.sections import between, colour, number, swatch
from recombine.report.tables.table import Ranged


class Bar(NamedTuple):
    """One number as a bar: whose metric it is, what it is called, and how it is drawn."""

    sheet: Sheet
    score: Score | Ranged
    name: str
    kind: str = "new"


def verdict_section(report: Findings) -> str:
    """What was found, in words and as the method shows it."""
    told = report.headline
    sentences = " ".join(escape(one) for one in told.sentences)
    return f"""<h1>{escape(told.headline)}</h1>
<p class="lead">{sentences}</p>
{report.method.first_screen(report)}
{gap_section(report)}"""


def bars(report: Findings, numbers: Callable[[Findings, str], Iterable[Bar]]) -> str:
    """Per system these numbers, with their intervals."""
    main = report.main
    rows = []
    for system in main.systems:
        drawn = "".join(draw_bar(one) for one in numbers(report, system))
        rows.append(
            f'<div><dt>{swatch(report, system)}</dt><dd class="{colour(report, system)}">{drawn}</dd></div>'
        )
    low, high = main.limits
    many = " many" if len(rows) > 3 else ""
    less = "" if main.higher_is_better else "; lower is better"
    return f"""<dl class="verdict-bars{many}">{"".join(rows)}</dl>
<p class="small quiet">{escape(capital(report.words.metric(main.metric)))}, {low:g} to {high:g}{less}. The line at the end of a bar is its {100 * report.options.confidence:g}% interval.</p>"""


def familiar_and_new(report: Findings, system: str) -> Iterator[Bar]:
    """What a system gets of familiar and of new sentences."""
    main, familiar = report.main, familiar_sheet(report)
    if familiar is not None and system in familiar.systems:
        yield Bar(familiar, familiar.overall(system), report.split_name(familiar.split), "familiar")
    yield Bar(main, main.overall(system), report.split_name(main.split))


def draw_bar(one: Bar) -> str:
    """A bar with its name before it, its number behind it, and its interval."""
    sheet, score = one.sheet, one.score
    whole = f'<span class="name">{escape(one.name)}</span>'
    if math.isnan(score.value):
        return f'<div class="vb {one.kind}">{whole}<span class="track"></span><b>–</b></div>'
    share, low, high = (100 * level(sheet, value) for value in (score.value, score.low, score.high))
    span = (
        ""
        if math.isnan(low)
        else f'<i style="left:{low:.1f}%;width:{max(0.0, high - low):.1f}%"></i>'
    )
    counted = f", {score.counted}" if isinstance(score, Score) else ""
    told = f"{one.name}: {between(score)}, {number(score.low)} to {number(score.high)}{counted}"
    return (
        f'<div class="vb {one.kind}" title="{escape(told)}">{whole}<span class="track"><u style="width:{share:.1f}%"></u>{span}</span>'
        f"<b>{between(score)}</b></div>"
    )


def capital(text: str) -> str:
    """With a capital at its beginning."""
    return text[:1].upper() + text[1:]
