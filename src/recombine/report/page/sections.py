"""The parts of report.html, in the order in which a reader asks.

Everything here is static HTML that works without scripts; all text goes through `escape`.
"""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from urllib.parse import urlencode

from recombine.metrics.score import Score
from recombine.report.findings import Findings, Sheet
from recombine.report.page.frame import figures
from recombine.report.tables.own import by_family, overall_table, tag_table
from recombine.report.tables.table import CellLook, Dress, html


def number(value: float, decimals: int = 1) -> str:
    """A number with fixed decimals and a true minus sign; a dash when there is none."""
    if math.isnan(value):
        return "–"
    return f"{value:.{decimals}f}".replace("-", "−")


def signed(value: float) -> str:
    """A difference with its sign always shown."""
    return ("+" if value >= 0 else "−") + f"{abs(value):.1f}"


def pretty(value: str) -> str:
    """A tag or one of its values as people write it, ready for HTML."""
    return escape(value.replace("_", " "))


def colour(report: Findings, system: str) -> str:
    """The class that gives a system its colour everywhere in the page."""
    return f"c{report.systems.index(system) % 8}"


def swatch(report: Findings, system: str) -> str:
    """A system's name with its colour."""
    return (
        f'<span class="sw"><span class="dot {colour(report, system)}" aria-hidden="true"></span>'
        f"<span>{escape(system)}</span></span>"
    )


def examples_link(**fields: str) -> str:
    """An address inside the page that opens a selection of examples."""
    return "#examples?" + urlencode({key.replace("__", "."): text for key, text in fields.items()})


def sure_section(report: Findings) -> str:
    """What was tested and how sure are we."""
    main = report.main
    confidence = round(100 * report.options.confidence)
    trained = report.source.trained
    one_seed = any(len(seeds) == 1 for name, seeds in main.seeds.items() if name in trained)
    tables = "".join(_overall_table(report, split) for split in report.splits)
    notes = "".join(f'<p class="note small">{escape(note)}</p>' for note in report.notes)
    caution = (
        '<p class="note">Some systems were trained with a single seed. Their intervals cover the choice of '
        "sentences, not the luck of training, which is often larger.</p>"
        if one_seed
        else ""
    )
    cards = "".join(_system_card(report, system) for system in main.systems)
    return f"""<h2>What was tested, and how sure are we?</h2>
{_lead(report)}
<div class="cards">{cards}</div>
{caution}
{tables}
<p class="small quiet">Bars are {confidence}% intervals{_interval_note(report)}.
Score = mean over seeds, never the best seed.</p>
{notes}"""


def _system_card(report: Findings, system: str) -> str:
    """One system at a glance: its score, what it scores on other splits, its weakest points."""
    main = report.main
    score = main.overall(system)
    others = []
    for split in report.splits[1:]:
        sheet = report.sheet(main.metric, split)
        if sheet is not None and system in sheet.systems:
            there = sheet.overall(system).value
            others.append(
                f"<dt>{escape(split)}</dt><dd>{number(there)} "
                f'<span class="quiet">({signed(score.value - there)} on {escape(main.split)})</span></dd>'
            )
    weak = ""
    if main.main_tag:
        worst = sorted(
            (by_system[system].value, value)
            for value, by_system in main.by_tag(main.main_tag).items()
            if system in by_system and not math.isnan(by_system[system].value)
        )
        worst = worst[:3] if main.higher_is_better else worst[::-1][:3]
        weak = (
            f"<dt>weakest</dt><dd>{', '.join(f'{pretty(v)} ({number(e)})' for e, v in worst)}</dd>"
        )
    seeds = len(score.seeds)
    spread = (
        f"{seeds} seeds, sd {number(score.sd)}, {number(min(score.seeds))}–{number(max(score.seeds))}"
        if seeds > 1
        else "1 seed"
    )
    return f"""<article class="card system"><h3>{swatch(report, system)}</h3>
<p class="big"><span class="{colour(report, system)}">{number(score.value)}</span>
<small>{escape(main.metric)} on {escape(main.split)}{_direction(main)}<br>{number(score.low)} to {number(score.high)}</small></p>
{_range(report, system, score)}
<dl class="facts small">{"".join(others)}{weak}<dt>spread</dt><dd>{spread}</dd></dl></article>"""


def _interval_note(report: Findings) -> str:
    methods = dict.fromkeys(report.main.overall(system).method for system in report.main.systems)
    return f" ({escape(', '.join(methods))})" if methods else ""


def _lead(report: Findings) -> str:
    main = report.main
    best = main.ranking[0]
    counts = {len(one) for one in main.seeds.values()}
    seeds = f"{counts.pop()} seeds" if len(counts) == 1 and counts != {1} else "their seeds"
    text = (
        f"{len(main.systems)} system{'' if len(main.systems) == 1 else 's'} with {seeds}"
        if seeds != "their seeds" or any(len(one) > 1 for one in main.seeds.values())
        else f"{len(main.systems)} system{'' if len(main.systems) == 1 else 's'}"
    )
    text += f", judged on the same {main.n:,} {escape(main.split)} items by {escape(main.metric)}."
    if len(main.systems) > 1:
        text += (
            f" <strong>{escape(best[0])}</strong> is ahead of every other system (p &lt; .05 after Holm's correction)."
            if len(best) == 1
            else " The data cannot tell apart the best: "
            + ", ".join(f"<strong>{escape(name)}</strong>" for name in best)
            + "."
        )
    return f'<p class="lead">{text}</p>'


def _overall_table(report: Findings, split: str) -> str:
    """Every metric and system, each interval drawn on 0 to 100."""
    table = overall_table(report, split)
    sheets = [sheet for sheet in report.sheets if sheet.split == split]
    order = [(sheet, system) for sheet in sheets for system in sheet.systems]
    cells, bars = {}, []
    for row, (sheet, system) in enumerate(order):
        cells[row, 0] = CellLook(html=f"{escape(sheet.metric)}{_below(sheet)}")
        cells[row, 1] = CellLook(html=swatch(report, system))
        bars.append(_range(report, system, sheet.overall(system)))
    dress = Dress(cells=cells, merged=True, drawn=("0 to 100", bars))
    return html(table, dress)


def _below(sheet: Sheet) -> str:
    return "" if sheet.higher_is_better else '<br><span class="small quiet">lower is better</span>'


def _range(report: Findings, system: str, score: Score) -> str:
    return (
        f'<div class="range {colour(report, system)}" aria-hidden="true">{_bar(score, 100.0)}</div>'
    )


def _direction(sheet: Sheet) -> str:
    """A reminder where less is better: error rates, literal idioms."""
    return "" if sheet.higher_is_better else ", lower is better"


def _bar(score: Score, scale: float) -> str:
    if any(map(math.isnan, (score.low, score.value))):
        return ""
    low = max(0.0, min(100.0, 100 * score.low / scale))
    high = max(0.0, min(100.0, 100 * score.high / scale))
    middle = max(0.0, min(100.0, 100 * score.value / scale))
    return (
        f'<b style="left:{low:.2f}%;width:{high - low:.2f}%"></b><i style="left:{middle:.2f}%"></i>'
    )


def breaks_section(report: Findings, charts: Mapping[str, str]) -> str:
    """Where does the system break: heat map, groups, curves."""
    sheets = [sheet for sheet in report.sheets if sheet.main_tag and sheet.by_tag(sheet.main_tag)]
    if not sheets:
        return ""
    names = [f"{sheet.metric} on {sheet.split}" for sheet in sheets]
    options = "".join(f"<option>{escape(name)}</option>" for name in names)
    heats = "".join(_heat(report, sheet, name) for sheet, name in zip(sheets, names, strict=True))
    groups = "".join(_small_tables(report, sheet) for sheet in sheets[:1])
    return f"""<h2>Where does it break?</h2>
<p class="quiet">Each cell is a score with its interval; click one to see its examples.</p>
{groups}
<div class="toolbar"><label class="small quiet">Show <select id="heat-metric">{options}</select></label></div>
<div class="key" aria-hidden="true">broken {"".join(f'<i class="h{step}"></i>' for step in range(11))} solid</div>
{heats}
{f"<h3>Curves</h3>{figures(charts)}" if charts else ""}"""


def _heat(report: Findings, sheet: Sheet, name: str) -> str:
    assert sheet.main_tag is not None
    headings, family = {}, None
    for row, value in enumerate(by_family(sheet, sheet.by_tag(sheet.main_tag))):
        mine = sheet.families.get(value)
        if mine is not None and mine != family:
            headings[row] = family = mine
    return _heat_table(report, sheet, sheet.main_tag, headings, f' data-heat="{escape(name)}"')


def _heat_table(
    report: Findings,
    sheet: Sheet,
    tag: str,
    headings: Mapping[int, str] | None = None,
    attributes: str = "",
) -> str:
    """Scores by a tag, orange where broken and blue where solid, each cell a link to examples."""
    table = replace(tag_table(sheet, tag), notes=())
    scores = sheet.by_tag(tag)
    cells = {}
    for row, (value, *_) in enumerate(table.rows):
        cells[row, 0] = CellLook(html=_yes_no(scores, str(value)))
        for place, system in enumerate(sheet.systems):
            look = _heat_look(sheet, scores[str(value)].get(system), system, str(value), tag)
            cells[row, 2 + place] = look
    heads = {2 + place: swatch(report, system) for place, system in enumerate(sheet.systems)}
    heads[0] = pretty(tag)
    dress = Dress(cells, heads, headings or {}, css="heat", attributes=attributes, titled=False)
    return html(table, dress)


def _heat_look(sheet: Sheet, score: Score | None, system: str, value: str, tag: str) -> CellLook:
    if score is None or math.isnan(score.value):
        return CellLook()
    level = score.value if sheet.higher_is_better else 100 - score.value
    fields = {"a": system, f"tag__{tag}": value, "metric": sheet.metric, "tag__split": sheet.split}
    step = max(0, min(10, round(level / 10)))
    return CellLook(f"h{step}", examples_link(**fields), score.counted)


def _small_tables(report: Findings, sheet: Sheet) -> str:
    """Tags with two to twelve values side by side: groups, in a complement clause or not."""
    blocks = [
        _heat_table(report, sheet, tag)
        for tag in sheet.tags
        if tag != sheet.main_tag
        and tag not in sheet.number_tags
        and 2 <= len(sheet.by_tag(tag)) <= 12
    ]
    # Many systems need the whole width.
    kind = "grid" if len(sheet.systems) <= 3 else "grid full"
    return f'<div class="{kind}">{"".join(blocks)}</div>' if blocks else ""


def _yes_no(table: Iterable[str], value: str) -> str:
    """Tags that are 0 or 1 are questions."""
    return {"0": "no", "1": "yes"}[value] if set(table) == {"0", "1"} else pretty(value)


def made_section(report: Findings, notes: Sequence[str]) -> str:
    """Signatures and provenance: what a reader needs to get the same numbers."""
    manifest = report.source.benchmark.manifest
    facts = {
        "Benchmark": f"{manifest.name} {manifest.version}",
        "Identity": report.source.benchmark.hash,
        "Builder and seed": f"{manifest.builder}, seed {manifest.seed}",
        "Licence": manifest.licence or "not stated",
        "Citation": manifest.citation or "not stated",
        "Intervals": f"{100 * report.options.confidence:g}%, {report.options.samples:,} resamples, seed {report.options.seed}",
    }
    units = dict.fromkeys(sheet.resampled for sheet in report.sheets)
    facts["Resampled"] = ", ".join(units)
    rows = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items())
    signatures = dict.fromkeys((sheet.metric, sheet.signature) for sheet in report.sheets)
    listed = "".join(
        f'<dt>{escape(metric)}</dt><dd class="sig">{escape(text or "none")}</dd>'
        for metric, text in signatures
    )
    extra = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"""<h2>How was this made?</h2>
<div class="grid"><div class="card"><dl class="facts">{rows}</dl></div>
<div class="card"><dl class="facts">{listed}</dl></div></div>
{extra}"""
