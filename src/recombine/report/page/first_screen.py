"""The first screen above the map: a headline, what was done, and numbers as bars."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from markupsafe import Markup

from recombine.metrics.score import Score
from recombine.report.findings import Findings
from recombine.report.page.gap import gap_section
from recombine.report.page.headline import familiar_results
from recombine.report.page.made import chips, what_was_done
from recombine.report.page.scale import level
from recombine.report.page.shown import between, colour, look
from recombine.report.results import MetricResults
from recombine.statistics.intervals import Estimate
from recombine.templates import number, render


class Bar(NamedTuple):
    """One number as a bar: whose metric it is, what it is called, and how it is drawn."""

    results: MetricResults
    score: Estimate
    name: str
    kind: str = "new"


class DrawnBar(NamedTuple):
    """A bar in percent of its track: its length, and where its interval begins and how wide."""

    name: str
    kind: str
    hover: str
    text: str
    share: float | None
    span: tuple[float, float] | None


def verdict_section(report: Findings) -> Markup:
    """What was found, in words and as the method shows it."""
    headline = report.headline
    return render(
        "first_screen",
        headline=headline.headline,
        sentences=headline.sentences,
        done=what_was_done(report),
        chips=chips(report),
        # What a method shows is HTML by its contract.
        first_screen=Markup(report.method.first_screen(report)),
        gap=gap_section(report),
    )


def bars(report: Findings, numbers: Callable[[Findings, str], Iterable[Bar]]) -> Markup:
    """Per system these numbers, with their intervals, the best system first."""
    main = report.main
    low, high = main.limits
    return render(
        "bars",
        rows=[
            (look(report, system), "", [drawn_bar(bar) for bar in numbers(report, system)])
            for system in main.best_first
        ],
        metric=report.words.metric(main.metric),
        limits=f"{low:g} to {high:g}",
        higher_is_better=main.higher_is_better,
        confidence=f"{100 * report.options.confidence:g}% ",
    )


def familiar_and_new(report: Findings, system: str) -> Iterator[Bar]:
    """What a system gets of familiar and of new sentences."""
    main, familiar = report.main, familiar_results(report)
    if familiar is not None and system in familiar.systems:
        yield Bar(familiar, familiar.overall(system), report.split_name(familiar.split), "familiar")
    yield Bar(main, main.overall(system), report.split_name(main.split))


def drawn_bar(bar: Bar) -> DrawnBar:
    """A bar with its name before it, its number behind it, and its interval."""
    results, score = bar.results, bar.score
    if math.isnan(score.value):
        return DrawnBar(bar.name, bar.kind, "", "–", None, None)
    share, low, high = (
        100 * level(results, value) for value in (score.value, score.low, score.high)
    )
    counted = f", {score.counted}" if isinstance(score, Score) else ""
    description = (
        f"{bar.name}: {between(score)}, {number(score.low)} to {number(score.high)}{counted}"
    )
    span = None if math.isnan(low) else (low, max(0.0, high - low))
    return DrawnBar(bar.name, bar.kind, description, between(score), share, span)


def bar_of_system(report: Findings, results: MetricResults, system: str) -> tuple[str, DrawnBar]:
    """A system's score on a split as a bar, with the class of its colour."""
    return colour(report, system), drawn_bar(Bar(results, results.overall(system), system))
