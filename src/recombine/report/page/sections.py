"""The parts of report.html, in the order in which a reader asks.

Everything here is static HTML that works without scripts; all text goes through `escape`.
"""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from urllib.parse import quote, urlencode

from recombine.metrics.score import Score
from recombine.report.findings import Findings, Sheet
from recombine.report.page.frame import figures
from recombine.report.page.scale import shade
from recombine.report.tables.own import overall_table, tag_table
from recombine.report.tables.table import UNDECIDED, CellLook, Dress, Ranged, html


def number(value: float, decimals: int = 1) -> str:
    """A number with fixed decimals and a true minus sign; a dash when there is none."""
    if math.isnan(value):
        return "–"
    return f"{value:.{decimals}f}".replace("-", "−")


def whole(value: float) -> str:
    """A score without decimals; all and none are said only where they are true."""
    if math.isnan(value):
        return "–"
    if 99.5 <= value < 100:
        return ">99"
    return "<1" if 0 < value < 0.5 else number(value, 0)


def between(score: Score | Ranged, write: Callable[[float], str] = number) -> str:
    """A score as text; where the metric could not judge everything, how low and high it may be."""
    ends = [score.value] if math.isnan(score.reach) else [score.value, score.reach]
    return "–".join(map(write, ends))


def open_note(sheet: Sheet) -> str:
    """What two numbers in one place mean, where a metric could not judge everything."""
    return f'<p class="small quiet">{escape(UNDECIDED)}</p>' if sheet.is_open else ""


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
    """Every metric on every split, with intervals and spread over seeds."""
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
    sheets = [sheet for sheet in report.sheets if sheet.main_tag and sheet.by_tag(sheet.main_tag)]
    others = "".join(_small_tables(report, sheet) for sheet in sheets[:1])
    return f"""<h2>All scores, and how sure they are</h2>
{_lead(report)}
{caution}
{tables}
<p class="small quiet">Bars are {confidence}% intervals{_interval_note(report)}.
Score = mean over seeds, never the best seed.</p>
{notes}
{f"<h3>By what else differs between the sentences</h3>{others}" if others else ""}"""


def _interval_note(report: Findings) -> str:
    scores = [sheet.overall(system) for sheet in report.sheets for system in sheet.systems]
    methods = dict.fromkeys(score.method for score in scores)
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
    text += f", judged on the same {main.n:,} items ({escape(report.split_name(main.split))}) by {escape(report.words.metric(main.metric))}."
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
    table = replace(overall_table(report, split), title=f"Scores: {report.split_name(split)}")
    sheets = [sheet for sheet in report.sheets if sheet.split == split]
    order = [(sheet, system) for sheet in sheets for system in sheet.systems]
    cells, bars = {}, []
    for row, (sheet, system) in enumerate(order):
        cells[row, 0] = CellLook(html=f"{escape(report.words.metric(sheet.metric))}{_below(sheet)}")
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


def _bar(score: Score, scale: float) -> str:
    if any(map(math.isnan, (score.low, score.value))):
        return ""
    low = max(0.0, min(100.0, 100 * score.low / scale))
    high = max(0.0, min(100.0, 100 * score.high / scale))
    middle = max(0.0, min(100.0, 100 * score.value / scale))
    return (
        f'<b style="left:{low:.2f}%;width:{high - low:.2f}%"></b><i style="left:{middle:.2f}%"></i>'
    )


def curves_section(report: Findings, charts: Mapping[str, str]) -> str:
    """The figures, with what each of them finds."""
    return f"<h2>Figures</h2>{figures(charts)}" if charts else ""


def glossary_section(report: Findings) -> str:
    """Words of the field and of this page, and the metrics, each in a line."""
    used = {report.words.metric(sheet.metric) for sheet in report.sheets}
    terms = [one for one in report.words.terms if one.trained]
    metrics = {one.label for one in report.words.known_metrics}
    rows = "".join(
        f"<dt>{escape(one.label)}</dt><dd>{escape(_sentence(one.trained))}</dd>"
        for one in terms
        if one.label not in metrics or one.label in used
    )
    return f'<h2>Glossary</h2><dl class="facts glossary">{rows}</dl>'


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else text + "."


def files_section(files: Sequence[str]) -> str:
    """Every table and figure that was written beside the page."""
    groups: dict[str, dict[str, list[str]]] = {}
    for path in sorted(files):
        folder, _, name = path.rpartition("/")
        stem, _, form = name.rpartition(".")
        groups.setdefault(folder, {}).setdefault(stem, []).append(form)
    blocks = []
    for folder, names in groups.items():
        items = "".join(
            f"<li>{pretty(stem.replace('-', ' '))} "
            + " ".join(
                f'<a href="{escape(quote(f"{folder}/{stem}.{form}"))}">{escape(form)}</a>'
                for form in forms
            )
            + "</li>"
            for stem, forms in names.items()
        )
        blocks.append(
            f'<details class="more"><summary>{escape(folder.capitalize())} ({len(names)})</summary><ul class="files">{items}</ul></details>'
        )
    if not blocks:
        return ""
    return f"""<h2>Files beside this page</h2>
<p class="quiet">Tables as Markdown, LaTeX and CSV, figures as SVG and PDF; every score with its interval is in <a href="results.csv">results.csv</a>.</p>{"".join(blocks)}"""


def _heat_table(report: Findings, sheet: Sheet, tag: str) -> str:
    """Scores by a tag, each cell coloured and a link to its examples."""
    table = replace(tag_table(sheet, tag), notes=())
    scores = sheet.by_tag(tag)
    cells = {}
    for row, (value, *_) in enumerate(table.rows):
        cells[row, 0] = CellLook(html=_value_name(report, scores, tag, str(value)))
        for place, system in enumerate(sheet.systems):
            look = _heat_look(sheet, scores[str(value)].get(system), system, str(value), tag)
            cells[row, 2 + place] = look
    heads = {2 + place: swatch(report, system) for place, system in enumerate(sheet.systems)}
    heads[0] = escape(report.words.tag(tag))
    return html(table, Dress(cells, heads, css="heat", titled=False))


def _heat_look(sheet: Sheet, score: Score | None, system: str, value: str, tag: str) -> CellLook:
    if score is None or math.isnan(score.value):
        return CellLook()
    fields = {"a": system, f"tag__{tag}": value, "metric": sheet.metric, "tag__split": sheet.split}
    return CellLook(shade(sheet, score), examples_link(**fields), score.counted)


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


def _value_name(report: Findings, table: Iterable[str], tag: str, value: str) -> str:
    """What a tag's value is called; tags that are 0 or 1 are questions."""
    if set(table) == {"0", "1"}:
        return {"0": "no", "1": "yes"}[value]
    return escape(report.words.label(tag, value))


def made_section(report: Findings, notes: Sequence[str]) -> str:
    """Signatures and provenance: what a reader needs to get the same numbers."""
    manifest = report.source.benchmark.manifest
    facts = {
        "Benchmark": f"{manifest.name} {manifest.version}",
        "Identity": report.source.benchmark.hash,
        "Builder and seed": f"{manifest.builder}, seed {manifest.seed}",
        "Licence": manifest.licence or "not stated",
        "Citation": manifest.citation or "not stated",
        "Intervals": f"{100 * report.options.confidence:g}%",
        "Paired tests": f"{report.options.trials:,} trials where outputs are exchanged, seed {report.options.seed}",
    }
    units = dict.fromkeys(sheet.sampled for sheet in report.sheets)
    facts["Units of the sample"] = ", ".join(units)
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
