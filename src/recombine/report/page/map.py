"""The map: what the systems can do, and what not.

It has a tile for every kind of sentence that is asked for, coloured by its score on the range
that the metric declares; hatched where the interval is wide; a click shows the examples. One system
has strips of tiles, several have a table with a column each.
"""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape

from recombine.metrics.score import Score
from recombine.metrics.slices import show_tag
from recombine.report.findings import Findings, Sheet
from recombine.report.page.scale import STEPS, WIDE, shade
from recombine.report.page.sections import between, examples_link, number, open_note, swatch, whole
from recombine.report.tables.own import by_family

# A value of more kinds than this is for its table.
MOST_TILES = 120
# With more columns than this there is no room for examples beside them; they are on hover.
MOST_BESIDE = 6


def map_section(
    report: Findings, published: Mapping[str, Mapping[str, float]], above: str = ""
) -> str:
    """The map of the main metric, and of the other metrics of its split behind a choice.

    `published` maps the name of a published system to its scores by value of the main tag; `above`
    is what drives the map.
    """
    each = report.method.splits_are_tests
    sheets = [
        sheet
        for sheet in report.sheets
        if has_map(sheet) and (each or sheet.split == report.main.split)
    ]
    if not sheets:
        return ""
    names = [
        f"{report.split_name(sheet.split)}: {report.words.metric(sheet.metric)}"
        if each
        else report.words.metric(sheet.metric)
        for sheet in sheets
    ]
    first = max(_firsts(sheets), key=_contrast) if each else sheets[0]
    blocks = "".join(
        _map(report, sheet, name, published if sheet is report.main else {}, sheet is first)
        for sheet, name in zip(sheets, names, strict=True)
    )
    choice = ""
    if len(sheets) > 1:
        options = "".join(
            f"<option{' selected' if sheet is first else ''}>{escape(name)}</option>"
            for sheet, name in zip(sheets, names, strict=True)
        )
        choice = f'<label>by <select id="map-metric">{options}</select></label>'
    return f"""<div class="map-head"><h2>What can it do, and what not?</h2>
<div class="map-tools">{choice}{_sorting(report, published)}{_differences(report, published)}</div></div>
{above}{blocks}"""


def has_map(sheet: Sheet) -> bool:
    """Whether a metric was scored by kinds of sentence that fit a map."""
    return sheet.main_tag is not None and 1 < len(sheet.by_tag(sheet.main_tag)) <= MOST_TILES


def _firsts(sheets: Sequence[Sheet]) -> list[Sheet]:
    """The first metric of every split."""
    found: dict[str, Sheet] = {}
    for sheet in sheets:
        found.setdefault(sheet.split, sheet)
    return list(found.values())


def _contrast(sheet: Sheet) -> float:
    """How far apart the tiles of a map are: one whose tiles are all alike says nothing more than its mean."""
    assert sheet.main_tag is not None
    tiles = [one.value for by in sheet.by_tag(sheet.main_tag).values() for one in by.values()]
    values = [one for one in tiles if not math.isnan(one)]
    low, high = sheet.limits
    return (max(values) - min(values)) / (high - low) if values else 0.0


def _sorting(report: Findings, published: Mapping[str, Mapping[str, float]]) -> str:
    if len(report.main.systems) + len(published) == 1:
        return ""
    options = "".join(
        f'<option value="{value}">{text}</option>'
        for value, text in (
            ("paper", "paper order"),
            ("score", "lowest first"),
            ("spread", "disagreement"),
        )
    )
    return f'<label>sorted <select id="map-sort">{options}</select></label>'


def _differences(report: Findings, published: Mapping[str, Mapping[str, float]]) -> str:
    """Pairs of columns whose difference can be shown in place of the scores."""
    systems = [name for tied in report.main.ranking for name in tied]  # best first
    pairs = [(a, b) for a in systems for b in systems if a != b]
    pairs += [(a, b) for a in systems for b in published]
    if not pairs:
        return ""
    options = "".join(
        f'<option value="{escape(json.dumps([a, b]))}">{escape(a)} − {escape(b)}</option>'
        for a, b in pairs
    )
    return f'<label>showing <select id="map-mode"><option value="">scores</option>{options}</select></label>'


def _key(sheet: Sheet) -> str:
    low, high = sheet.limits
    scale = "m" if sheet.higher_is_better else "w"
    steps = "".join(f'<i class="{scale}{step}"></i>' for step in range(STEPS + 1))
    return (
        f'<p class="key"><span class="scores">{low:g} {steps} {high:g}</span>'
        '<span class="differences hidden"><i class="d0"></i><i class="d2"></i> first is lower · <i class="d4"></i> same · <i class="d6"></i><i class="d8"></i> first is higher<span class="tested"> · <b class="tie">grey</b>: no clear difference</span></span>'
        f'<span class="hatched"> · <i class="{scale}3 unsure"></i> uncertain by ±{100 * WIDE / 2:g} or more</span><span class="clicks"> · a click shows examples</span></p>'
        + open_note(sheet)
    )


def _map(
    report: Findings,
    sheet: Sheet,
    name: str,
    published: Mapping[str, Mapping[str, float]],
    shown: bool,
) -> str:
    drawn = (
        _tiles(report, sheet)
        if len(sheet.systems) == 1 and not published
        else _table(report, sheet, published)
    )
    kind = f"map{' main' if sheet is report.main else ''}{'' if shown else ' hidden'}"
    return f'<div class="{kind}" data-map="{escape(name)}">{_key(sheet)}{drawn}</div>'


def strips(report: Findings, sheet: Sheet) -> list[tuple[str, list[str]]]:
    """Values of the main tag by family, both with the lowest score first."""
    assert sheet.main_tag is not None
    scores = sheet.by_tag(sheet.main_tag)
    sign = 1 if sheet.higher_is_better else -1

    def mean(values: Sequence[str]) -> float:
        found = [one.value for value in values for one in scores[value].values()]
        found = [one for one in found if not math.isnan(one)]
        return sign * sum(found) / len(found) if found else math.inf

    order: dict[str, list[str]] = {}
    for value in scores:
        order.setdefault(sheet.families.get(value, ""), []).append(value)
    for members in order.values():
        members.sort(key=lambda value: mean([value]))
    return sorted(order.items(), key=lambda item: mean(item[1]))


def _tiles(report: Findings, sheet: Sheet) -> str:
    assert sheet.main_tag is not None
    (system,) = sheet.systems
    scores, rows = sheet.by_tag(sheet.main_tag), []
    families = sheet.by_tag(sheet.family_tag) if sheet.family_tag else {}
    for family, values in strips(report, sheet):
        tiles = "".join(
            _tile(report, sheet, value, scores[value][system])
            for value in values
            if system in scores[value]
        )
        overall = families.get(family, {}).get(system)
        told = (
            f' <span class="quiet">{escape(between(overall, whole))}</span>'
            if overall is not None
            else ""
        )
        label = report.words.label(sheet.family_tag or "", family) if family else ""
        head = (
            f'<h3 title="{escape(family)}">{escape(_capital(label))}{told}</h3>' if family else ""
        )
        rows.append(f'<div class="strip">{head}<div class="tiles">{tiles}</div></div>')
    return "".join(rows)


def _tile(report: Findings, sheet: Sheet, value: str, score: Score) -> str:
    assert sheet.main_tag is not None
    text = escape(report.words.label(sheet.main_tag, value))
    if math.isnan(score.value):
        return f'<span class="tile"><b>–</b><span>{text}</span></span>'
    return (
        f'<a class="tile {shade(sheet, score)}" data-value="{escape(value)}" href="{escape(_link(sheet, score.system, value))}" '
        f'title="{escape(hover(report, sheet, value, score))}"><b>{escape(between(score, whole))}</b><span>{text}</span></a>'
    )


def hover(report: Findings, sheet: Sheet, value: str, score: Score) -> str:
    """Words on a tile or cell: what it is, the score with its interval, trained and asked."""
    assert sheet.main_tag is not None
    label = _capital(report.words.label(sheet.main_tag, value))
    lines = [
        f"{label}: {between(score)} ({number(score.low)} to {number(score.high)}), {score.counted}",
        *report.words.hint(sheet.main_tag, value).split(" · "),
    ]
    return "\n".join(filter(None, lines))


def _link(sheet: Sheet, system: str, value: str) -> str:
    return examples_link(
        a=system, metric=sheet.metric, tag__split=sheet.split, **{f"tag__{sheet.main_tag}": value}
    )


def _table(report: Findings, sheet: Sheet, published: Mapping[str, Mapping[str, float]]) -> str:
    """A row per kind of sentence, a column per system, equally wide; heads stay in sight."""
    assert sheet.main_tag is not None
    words, tag = report.words, sheet.main_tag
    scores = sheet.by_tag(tag)
    heads = "".join(
        f'<th scope="col" data-system="{escape(system)}">{swatch(report, system)}</th>'
        for system in sheet.systems
    ) + "".join(
        f'<th scope="col" data-system="{escape(name)}" class="paper">{escape(name)}</th>'
        for name in published
    )
    width = 2 + len(sheet.systems) + len(published)
    families = sheet.by_tag(sheet.family_tag) if sheet.family_tag else {}
    rows, family = [], None
    shown = _one_of_each(report, sheet)
    for order, value in enumerate(by_family(sheet, scores)):
        mine = sheet.families.get(value)
        if mine is not None and mine != family:
            family = mine
            means = "".join(
                f'<td data-v="{families[mine][one].value:.2f}">{escape(between(families[mine][one], whole))}</td>'
                if one in families.get(mine, {})
                else "<td></td>"
                for one in sheet.systems
            )
            label = _capital(words.label(sheet.family_tag or "", mine))
            rows.append(
                f'<tr class="family"><th scope="rowgroup" title="{escape(mine)}">{escape(label)}</th><td class="about"></td>{means}{"<td></td>" * len(published)}</tr>'
            )
        rows.append(
            _row(report, sheet, value, order, scores[value], shown.get(value, ""), published)
        )
    trained = any(words.find(tag, value).trained for value in scores)
    title = "What was trained → what is asked" if trained else "For example"
    about = f'<th scope="col" class="about">{title}</th>'
    ties = {
        f"{one.second}\n{one.first}": [part.value for part in one.slices if part.verdict == "tie"]
        for one in sheet.comparisons
        if one.slices
    }
    many = " many" if width > MOST_BESIDE else ""
    told = escape(json.dumps(ties, ensure_ascii=False))
    title = f"{words.metric(sheet.metric)} of every system by {words.tag(tag)}"
    return (
        f'<div class="scroll map-scroll" role="region" tabindex="0" aria-label="{escape(title)}">'
        f'<table class="map-table{many}" data-range="{sheet.limits[1] - sheet.limits[0]:g}" data-ties="{told}" data-width="{width}"><thead><tr><th scope="col">{escape(_capital(words.tag(tag)))}</th>'
        f"{about}{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _one_of_each(report: Findings, sheet: Sheet) -> dict[str, str]:
    """A sentence for every value of the main tag, for values that no wording has an example of."""
    found: dict[str, str] = {}
    for example in report.source.examples(sheet.split).values():
        value = show_tag(example.tags.get(sheet.main_tag or "", ""))
        if value and value not in found:
            found[value] = example.source[:200]
    return found


def _row(
    report: Findings,
    sheet: Sheet,
    value: str,
    order: int,
    scores: Mapping[str, Score],
    shown: str,
    published: Mapping[str, Mapping[str, float]],
) -> str:
    assert sheet.main_tag is not None
    words = report.words.find(sheet.main_tag, value)
    trained = f"{escape(words.trained)} → " if words.trained else ""
    about = f"{trained}<b>{escape(words.asked or shown)}</b>"
    cells = []
    for system in sheet.systems:
        score = scores.get(system)
        if score is None or math.isnan(score.value):
            cells.append("<td>–</td>")
            continue
        link, told = _link(sheet, system, value), hover(report, sheet, value, score)
        cells.append(
            f'<td class="{shade(sheet, score)}" data-v="{score.value:.2f}"><a href="{escape(link)}" title="{escape(told)}">{escape(between(score, whole))}</a></td>'
        )
    for by_value in published.values():
        given = by_value.get(value)
        cells.append(
            f'<td class="paper" data-v="{given:.2f}">{number(given, 0)}</td>'
            if given is not None
            else "<td>–</td>"
        )
    label = escape(words.label)
    return (
        f'<tr data-order="{order}" data-value="{escape(value)}"><th scope="row">{label}</th>'
        f'<td class="about" title="{escape(report.words.hint(sheet.main_tag, value))}"><span>{about}</span></td>{"".join(cells)}</tr>'
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
