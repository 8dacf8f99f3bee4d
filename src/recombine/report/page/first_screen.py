"""The first screen above the map: a headline, and what each method has to show at once.

Generalisation has a bar of familiar against new sentences per system; compounds have their two
errors; consistency has a card per test, with two sentences that show what is asked.
"""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from recombine.benchmark import Example
from recombine.corpus.segment import PLAIN_TOKEN
from recombine.corpus.token_diff import differing
from recombine.metrics.score import Score
from recombine.report.findings import Findings, Sheet
from recombine.report.page.headline import AGGREGATE, INSTANCE, familiar_sheet, find_headline
from recombine.report.page.scale import level
from recombine.report.page.sections import between, colour, number, swatch
from recombine.report.tables.table import Ranged

BASE = "base"


class Bar(NamedTuple):
    """One number as a bar: whose metric it is, what it is called, and how it is drawn."""

    sheet: Sheet
    score: Score | Ranged
    name: str
    kind: str = "new"


def verdict_section(report: Findings) -> str:
    """What was found, in words and as bars or cards."""
    told = find_headline(report)
    sentences = " ".join(escape(one) for one in told.sentences)
    builder = report.source.benchmark.manifest.builder
    shown = _cards(report) if builder.startswith("consistency") else bars(report)
    return f"""<h1>{escape(told.headline)}</h1>
<p class="lead">{sentences}</p>
{shown}"""


def bars(report: Findings) -> str:
    """Per system the numbers of the method, with their intervals."""
    main = report.main
    rows = []
    for system in main.systems:
        drawn = "".join(draw_bar(one) for one in _numbers(report, system))
        rows.append(
            f'<div><dt>{swatch(report, system)}</dt><dd class="{colour(report, system)}">{drawn}</dd></div>'
        )
    low, high = main.limits
    many = " many" if len(rows) > 3 else ""
    less = "" if main.higher_is_better else "; lower is better"
    return f"""<dl class="verdict-bars{many}">{"".join(rows)}</dl>
<p class="small quiet">{escape(_capital(report.words.metric(main.metric)))}, {low:g} to {high:g}{less}. The line at the end of a bar is its {100 * report.options.confidence:g}% interval.</p>"""


def _numbers(report: Findings, system: str) -> Iterator[Bar]:
    main = report.main
    errors = [report.sheet(name, main.split) for name in (INSTANCE, AGGREGATE)]
    if main.metric == INSTANCE and errors[1] is not None:
        for sheet in errors:
            if sheet is not None and system in sheet.systems:
                yield Bar(sheet, sheet.overall(system), report.words.metric(sheet.metric))
        return
    familiar = familiar_sheet(report)
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


# What each test of consistency asks, in a sentence.
ASKED = {
    "systematicity": "A part of the sentence is exchanged. Only its translation should change.",
    "substitutivity": "A word is exchanged for a synonym. Nothing else should change.",
    "overgeneralisation": "An idiom means something else than its words. They should not be translated one by one.",
}


def _cards(report: Findings) -> str:
    """A card per test: its question, two sentences of it, and a bar per system."""
    firsts: dict[str, Sheet] = {}
    for sheet in report.sheets:
        firsts.setdefault(sheet.split, sheet)
    cards = []
    for split, sheet in firsts.items():
        drawn = "".join(
            f'<div class="{colour(report, system)}">{draw_bar(Bar(sheet, sheet.overall(system), system))}</div>'
            for system in sheet.systems
        )
        less = "" if sheet.higher_is_better else ", lower is better"
        cards.append(f"""<article class="card test"><h2>{escape(_capital(report.split_name(split)))}</h2>
<p class="small">{escape(ASKED.get(split, ""))}</p>{_shown(report, split)}
<p class="small quiet">{escape(_capital(report.words.metric(sheet.metric)))}, {sheet.limits[0]:g} to {sheet.limits[1]:g}{less}</p>{drawn}</article>""")
    return f'<div class="tests">{"".join(cards)}</div>'


def _shown(report: Findings, split: str) -> str:
    """Sentences of a test: a pair with its difference marked, or an idiom in its place."""
    groups: dict[str, Example] = {}
    for example in report.source.examples(split).values():
        for focus in example.focus:
            if focus.role == "idiom" and focus.start is not None and focus.end is not None:
                text = example.source
                return f'<p class="shown">{escape(text[: focus.start])}<mark>{escape(text[focus.start : focus.end])}</mark>{escape(text[focus.end :])}</p>'
        group = example.group
        if group is None:
            continue
        other = groups.setdefault(group, example)
        if other is not example and BASE in (other.role, example.role):
            base, changed = (other, example) if other.role == BASE else (example, other)
            return "".join(
                f'<p class="shown">{one}</p>' for one in _marked(base.source, changed.source)
            )
    return ""


def _marked(first: str, second: str) -> tuple[str, str]:
    """Both sentences, the words in which they differ marked."""
    words = [PLAIN_TOKEN.findall(text) for text in (first, second)]
    changed: tuple[set[int], set[int]] = (set(), set())
    for one in differing(words[0], words[1]):
        changed[0].update(range(one.first_start, one.first_end))
        changed[1].update(range(one.second_start, one.second_end))

    def told(tokens: Sequence[str], places: set[int]) -> str:
        return " ".join(
            f"<mark>{escape(token)}</mark>" if place in places else escape(token)
            for place, token in enumerate(tokens)
        )

    return told(words[0], changed[0]), told(words[1], changed[1])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
