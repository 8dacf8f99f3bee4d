"""Beside the paper: our scores and the published ones on one line, where the two may be compared.

Only where the benchmark is the published one and the system of a kind that the paper trained
(`tables/published.py` decides); otherwise there is no section.
"""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import NamedTuple

from recombine.metrics.score import Score
from recombine.report.findings import Findings, Sheet
from recombine.report.page.headline import listed
from recombine.report.page.scale import level
from recombine.report.page.sections import between, number, signed
from recombine.report.tables.published import Published, kind_of, published_setting, read_published

# Of a paper's models of one kind, the one to stand beside: trained on all its data.
WHOLE = ", full data"


class PairedNumber(NamedTuple):
    """One of our scores with the published one."""

    label: str
    ours: Score
    theirs: Published


def published_pairs(report: Findings) -> dict[tuple[str, str], list[PairedNumber]]:
    """System and the paper's name for it -> every score of the main metric with a published one."""
    setting = published_setting(report.source)
    if setting is None or setting.without or not report.main.as_shipped:
        return {}
    kinds = {report.source.names[cell.path]: kind_of(cell) for cell in report.source.cells}
    numbers = [
        row
        for row in read_published(setting.name)
        if row.score is not None and row.metric == report.main.metric
    ]
    found: dict[tuple[str, str], list[PairedNumber]] = {}
    for system in report.main.systems:
        kind = kinds.get(system, "")
        for name in (kind, f"{kind}{WHOLE}") if kind else ():
            rows: dict[tuple[str, str], Published] = {}
            for row in numbers:
                if row.system == name:
                    rows.setdefault((row.tag, row.value), row)
            pairs = [*_overall(report, system, rows), *_slices(report, system, rows)]
            if pairs:
                found[system, name] = pairs
                break
    return found


def _overall(
    report: Findings, system: str, rows: Mapping[tuple[str, str], Published]
) -> list[PairedNumber]:
    found = []
    for split in report.splits:
        sheet, row = report.sheet(report.main.metric, split), rows.get(("split", split))
        if sheet is not None and row is not None and system in sheet.systems:
            found.append(
                PairedNumber(f"all {report.split_name(split)}", sheet.overall(system), row)
            )
    return found


def _slices(
    report: Findings, system: str, rows: Mapping[tuple[str, str], Published]
) -> list[PairedNumber]:
    main = report.main
    return [
        PairedNumber(
            report.words.label(main.main_tag, value), by_system[system], rows[main.main_tag, value]
        )
        for value, by_system in (main.by_tag(main.main_tag) if main.main_tag else {}).items()
        if main.main_tag and system in by_system and (main.main_tag, value) in rows
    ]


def published_columns(report: Findings) -> dict[str, dict[str, float]]:
    """The paper's name for a system -> its published scores by value of the main tag."""
    found: dict[str, dict[str, float]] = {}
    for (_, name), pairs in published_pairs(report).items():
        scores = {one.ours.slice: one.theirs.score for one in pairs if one.ours.slice}
        if scores:
            found[f"paper: {name}"] = {
                key: score for key, score in scores.items() if score is not None
            }
    return found


def beside_section(report: Findings) -> str:
    """A dot for ours and a ring for the paper's, the difference beside them."""
    found = published_pairs(report)
    if not found:
        return ""
    first, *others = (_plot(report.main, *names, pairs) for names, pairs in found.items())
    more = "".join(others)
    folded = (
        f'<details class="more"><summary>The other systems</summary>{more}</details>'
        if more
        else ""
    )
    blocks = first + folded
    rows = [one.theirs for pairs in found.values() for one in pairs]
    papers = " and ".join(dict.fromkeys(row.paper for row in rows))
    places = sorted(dict.fromkeys(row.table for row in rows if row.table), key=_by_number)
    tables = f"table{'s' if len(places) > 1 else ''} {listed(places)}"
    notes = "".join(
        f'<p class="note small">{escape(note)}</p>'
        for note in dict.fromkeys(f"{row.row}: {row.note}" for row in rows if row.note)
    )
    manifest = report.source.benchmark.manifest
    edition = manifest.recipe.get("edition")
    caveat = f" This benchmark is the edition “{edition}”." if edition else ""
    return f"""<h2>Beside the paper</h2>
<p class="quiet">{escape(report.words.metric(report.main.metric).capitalize())}. Source: {escape(papers)}, {escape(tables)}. The benchmark has the published recipe and sizes; its sentences, and the training of the system, are not the paper's own.{escape(caveat)} A difference within the spread of seeds says nothing.</p>
{blocks}{notes}"""


def _by_number(table: str) -> tuple[int, str]:
    """Table 4b stands before Table 10."""
    digits = "".join(filter(str.isdigit, table))
    return int(digits) if digits else 0, table


def _plot(sheet: Sheet, system: str, name: str, pairs: list[PairedNumber]) -> str:
    apart = [abs(one.ours.value - (one.theirs.score or 0.0)) for one in pairs if one.ours.slice]
    mean = (
        f"On average {number(sum(apart) / len(apart))} points apart over {len(apart)} rows."
        if apart
        else ""
    )
    lines = "".join(_line(sheet, one) for one in pairs)
    return f"""<h3>{escape(system)} (ours, ●) and {escape(name)} (the paper's, ○)</h3><p class="small quiet">{mean}</p>
<div class="scroll dots" role="region" tabindex="0" aria-label="{escape(system)} beside {escape(name)}"><table><thead><tr><th scope="col">what is asked</th><th scope="col">{sheet.limits[0]:g} to {sheet.limits[1]:g}</th><th scope="col" class="num">ours</th><th scope="col" class="num">paper</th><th scope="col" class="num">difference</th></tr></thead><tbody>{lines}</tbody></table></div>"""


def _line(sheet: Sheet, one: PairedNumber) -> str:
    given = one.theirs.score or 0.0
    ours, theirs = 100 * level(sheet, one.ours.value), 100 * level(sheet, given)
    low, high = 100 * level(sheet, one.ours.low), 100 * level(sheet, one.ours.high)
    left, width = min(ours, theirs), abs(ours - theirs)
    spread = f" ± {number(one.theirs.sd)}" if one.theirs.sd is not None else ""
    return (
        f'<tr><th scope="row">{escape(one.label)}</th><td><div class="dotline" aria-hidden="true"><u style="left:{left:.1f}%;width:{width:.1f}%"></u>'
        f'<s style="left:{low:.1f}%;width:{high - low:.1f}%"></s><i style="left:{theirs:.1f}%" class="ring"></i><i style="left:{ours:.1f}%"></i></div></td>'
        f'<td class="num">{between(one.ours)}</td><td class="num">{number(given)}<small>{spread}</small></td><td class="num">{signed(one.ours.value - given)}</td></tr>'
    )
