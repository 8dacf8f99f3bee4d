"""The parts of report.html, in the order in which a reader asks.

Everything here is static HTML that works without scripts; all text goes through `escape`.
"""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from urllib.parse import urlencode

from recombine.metrics.score import Score
from recombine.report.findings import Findings, Sheet


def number(value: float, decimals: int = 1) -> str:
    """A number with fixed decimals and a true minus sign; a dash when there is none."""
    if math.isnan(value):
        return "–"
    return f"{value:.{decimals}f}".replace("-", "−")


def signed(value: float) -> str:
    """A difference with its sign always shown."""
    return ("+" if value >= 0 else "−") + f"{abs(value):.1f}"


def p_text(value: float) -> str:
    """A p-value as papers print it."""
    return "p < .001" if value < 0.001 else f"p = {value:.3f}".replace("0.", ".", 1)


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


def head_section(report: Findings) -> str:
    """The page's heading: what was tested."""
    manifest = report.source.benchmark.manifest
    pair = f"{manifest.source} → {manifest.target or 'any'}"
    seeds = sorted({len(sheet_seeds) for sheet_seeds in report.main.seeds.values()})
    seeds_text = "–".join(str(count) for count in dict.fromkeys([seeds[0], seeds[-1]]))
    systems = len(report.systems)
    return f"""
<header class="top"><div class="wrap">
<p class="eyebrow">Recombine report · {escape(manifest.name)} {escape(manifest.version)} · {escape(pair)}</p>
<h1>{escape(report.title)}</h1>
<p class="quiet">{systems} system{"" if systems == 1 else "s"}, {seeds_text} seed{"" if seeds_text == "1" else "s"} each,
{sum(manifest.splits.get(split, 0) for split in report.splits):,} sentences in {", ".join(escape(s) for s in report.splits)}.
Does it compose, or does it only remember?</p>
</div></header>"""


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
    return f"""
<section id="sure"><div class="wrap">
<h2>What was tested, and how sure are we?</h2>
{_lead(report)}
<div class="cards">{cards}</div>
{caution}
{tables}
<p class="small quiet">Bars are {confidence}% intervals{_interval_note(report)}.
Score = mean over seeds, never the best seed.</p>
{notes}
</div></section>"""


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
            if system in by_system
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
<div class="range {colour(report, system)}" aria-hidden="true">{_bar(score, 100.0)}</div>
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
    sheets = [sheet for sheet in report.sheets if sheet.split == split]
    rows = []
    for sheet in sheets:
        scale = 100.0
        for position, system in enumerate(sheet.systems):
            score = sheet.overall(system)
            lead = (
                f'<th scope="rowgroup" rowspan="{len(sheet.systems)}">{escape(sheet.metric)}'
                f'<br><span class="small quiet">{sheet.n:,} {_unit(sheet)}{_direction(sheet)}</span></th>'
                if position == 0
                else ""
            )
            rows.append(
                f'<tr>{lead}<th scope="row">{swatch(report, system)}</th>'
                f'<td class="num">{number(score.value)}</td>'
                f'<td class="num small">{number(score.low)}–{number(score.high)}</td>'
                f'<td><div class="range {colour(report, system)}" aria-hidden="true">'
                f"{_bar(score, scale)}</div></td>"
                f'<td class="num small">{_seed_text(score)}</td></tr>'
            )
    return f"""
<h3>{escape(split)}: every metric</h3>
<div class="scroll" role="region" tabindex="0" aria-label="Scores on {escape(split)}"><table>
<thead><tr><th scope="col">metric</th><th scope="col">system</th><th scope="col" class="num">score</th>
<th scope="col" class="num">interval</th><th scope="col">0 to 100</th>
<th scope="col" class="num">seeds: sd, min–max</th></tr></thead>
<tbody>{"".join(rows)}</tbody></table></div>"""


def _direction(sheet: Sheet) -> str:
    """A reminder where less is better: error rates, literal idioms."""
    return "" if sheet.higher_is_better else ", lower is better"


def _unit(sheet: Sheet) -> str:
    return "items" if sheet.n != 1 else "item"


def _bar(score: Score, scale: float) -> str:
    low = max(0.0, min(100.0, 100 * score.low / scale))
    high = max(0.0, min(100.0, 100 * score.high / scale))
    middle = max(0.0, min(100.0, 100 * score.value / scale))
    if math.isnan(low) or math.isnan(middle):
        return ""
    return (
        f'<b style="left:{low:.2f}%;width:{high - low:.2f}%"></b><i style="left:{middle:.2f}%"></i>'
    )


def _seed_text(score: Score) -> str:
    if len(score.seeds) == 1:
        return "1 seed"
    low, high = min(score.seeds), max(score.seeds)
    return f"{len(score.seeds)}: {number(score.sd)}, {number(low)}–{number(high)}"


def breaks_section(report: Findings, charts: Mapping[str, str]) -> str:
    """Where does the system break: heat map, groups, curves."""
    sheets = [sheet for sheet in report.sheets if sheet.main_tag and sheet.by_tag(sheet.main_tag)]
    if not sheets:
        return ""
    names = [f"{sheet.metric} on {sheet.split}" for sheet in sheets]
    options = "".join(f"<option>{escape(name)}</option>" for name in names)
    heats = "".join(_heat(report, sheet, name) for sheet, name in zip(sheets, names, strict=True))
    figures = "".join(
        f'<figure class="card">{svg}<figcaption>{escape(caption)}</figcaption></figure>'
        for caption, svg in charts.items()
    )
    groups = "".join(_small_tables(report, sheet) for sheet in sheets[:1])
    return f"""
<section id="breaks"><div class="wrap">
<h2>Where does it break?</h2>
<p class="quiet">Each cell is a score with its interval; click one to see its examples.</p>
{groups}
<div class="toolbar"><label class="small quiet">Show <select id="heat-metric">{options}</select></label></div>
<div class="key" aria-hidden="true">broken {"".join(f'<i class="h{step}"></i>' for step in range(11))} solid</div>
{heats}
{f'<h3>Curves</h3><div class="grid figures">{figures}</div>' if figures else ""}
</div></section>"""


def _heat(report: Findings, sheet: Sheet, name: str) -> str:
    assert sheet.main_tag is not None
    table = sheet.by_tag(sheet.main_tag)
    heads = "".join(f'<th scope="col">{swatch(report, system)}</th>' for system in sheet.systems)
    rows: list[str] = []
    family = None
    for value in by_family(sheet, table):
        mine = sheet.families.get(value)
        if mine is not None and mine != family:
            rows.append(
                f'<tr class="family"><th scope="rowgroup" colspan="{len(sheet.systems) + 1}">'
                f"{escape(mine)}</th></tr>"
            )
            family = mine
        cells = "".join(
            _heat_cell(sheet, table[value].get(system), system, value, sheet.main_tag)
            for system in sheet.systems
        )
        rows.append(f'<tr><th scope="row">{pretty(value)}</th>{cells}</tr>')
    return f"""
<div class="scroll" role="region" tabindex="0" data-heat="{escape(name)}" aria-label="{escape(name)} by {escape(sheet.main_tag)}">
<table class="heat"><thead><tr><th scope="col">{escape(sheet.main_tag)}</th>{heads}</tr></thead>
<tbody>{"".join(rows)}</tbody></table></div>"""


def by_family(sheet: Sheet, values: Iterable[str]) -> list[str]:
    """Values grouped by family, both in order of first appearance."""
    order: dict[str, list[str]] = {}
    for value in values:
        order.setdefault(sheet.families.get(value, ""), []).append(value)
    return [value for members in order.values() for value in members]


def _heat_cell(sheet: Sheet, score: Score | None, system: str, value: str, tag: str) -> str:
    if score is None or math.isnan(score.value):
        return "<td>–</td>"
    level = score.value if sheet.higher_is_better else 100 - score.value
    step = max(0, min(10, round(level / 10)))
    link = examples_link(
        **{
            "a": system,
            f"tag__{tag}": value,
            "metric": sheet.metric,
            "tag__split": sheet.split,
        }
    )
    return (
        f'<td class="h{step}"><a href="{escape(link)}" title="{score.n:,} items, '
        f'{number(score.low)} to {number(score.high)}">{number(score.value)}'
        f"<small>±{number(score.half_width)}</small></a></td>"
    )


def _small_tables(report: Findings, sheet: Sheet) -> str:
    """Tags with two to twelve values side by side: groups, in a complement clause or not."""
    blocks = []
    for tag in sheet.tags:
        table = sheet.by_tag(tag)
        if tag == sheet.main_tag or not 2 <= len(table) <= 12 or tag in sheet.number_tags:
            continue
        heads = "".join(
            f'<th scope="col">{swatch(report, system)}</th>' for system in sheet.systems
        )
        rows = "".join(
            f'<tr><th scope="row">{_yes_no(table, value)} <span class="small quiet">{next(iter(by_system.values())).n:,}</span></th>'
            + "".join(
                _heat_cell(sheet, by_system.get(system), system, value, tag)
                for system in sheet.systems
            )
            + "</tr>"
            for value, by_system in table.items()
        )
        title = tag.replace("_", " ")
        blocks.append(
            f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(title)}"><table class="heat">'
            f'<thead><tr><th scope="col">{escape(title)}</th>{heads}</tr></thead>'
            f"<tbody>{rows}</tbody></table></div>"
        )
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
    return f"""
<section id="made"><div class="wrap">
<h2>How was this made?</h2>
<div class="grid"><div class="card"><dl class="facts">{rows}</dl></div>
<div class="card"><dl class="facts">{listed}</dl></div></div>
{extra}
</div></section>"""
