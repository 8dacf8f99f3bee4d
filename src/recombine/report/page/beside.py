"""Beside the paper: our scores and the published ones on one line, where the two may be compared.

Only where the benchmark is the published one and the system of a kind that the paper trained
(`tables/published.py` decides); otherwise there is no section.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from markupsafe import Markup

from recombine.metrics.score import Score
from recombine.report.findings import Findings
from recombine.report.page.scale import level
from recombine.report.page.shown import between
from recombine.report.results import MetricResults
from recombine.report.tables.published import Published, kind_of, published_setting, read_published
from recombine.templates import capital, listed, number, render, signed

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
    kinds = {cell.name: kind_of(cell) for cell in report.source.cells}
    numbers = [
        row
        for row in read_published(setting.name)
        if row.score is not None and row.metric == report.main.metric
    ]
    pairs_of: dict[tuple[str, str], list[PairedNumber]] = {}
    for system in report.main.systems:
        kind = kinds.get(system, "")
        for name in (kind, f"{kind}{WHOLE}") if kind else ():
            rows: dict[tuple[str, str], Published] = {}
            for row in numbers:
                if row.system == name:
                    rows.setdefault((row.tag, row.value), row)
            pairs = [*_overall(report, system, rows), *_slices(report, system, rows)]
            if pairs:
                pairs_of[system, name] = pairs
                break
    return pairs_of


def _overall(
    report: Findings, system: str, rows: Mapping[tuple[str, str], Published]
) -> list[PairedNumber]:
    overall = []
    for split in report.splits:
        results, row = report.results_of(report.main.metric, split), rows.get(("split", split))
        if results is not None and row is not None and system in results.systems:
            overall.append(
                PairedNumber(f"all {report.split_name(split)}", results.overall(system), row)
            )
    return overall


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
    columns: dict[str, dict[str, float]] = {}
    for (_, name), pairs in published_pairs(report).items():
        scores = {pair.ours.slice: pair.theirs.score for pair in pairs if pair.ours.slice}
        if scores:
            columns[f"paper: {name}"] = {
                key: score for key, score in scores.items() if score is not None
            }
    return columns


def beside_section(report: Findings) -> Markup:
    """A dot for ours and a ring for the paper's, the difference beside them."""
    pairs_of = published_pairs(report)
    if not pairs_of:
        return Markup()
    rows = [pair.theirs for pairs in pairs_of.values() for pair in pairs]
    papers = " and ".join(dict.fromkeys(row.paper for row in rows))
    places = sorted(dict.fromkeys(row.table for row in rows if row.table), key=_by_number)
    edition = report.source.benchmark.manifest.recipe.get("edition")
    return render(
        "beside",
        metric=capital(report.words.metric(report.main.metric)),
        source=f"{papers}, table{'s' if len(places) > 1 else ''} {listed(places)}",
        edition=edition or "",
        plots=[_plot(report.main, *names, pairs) for names, pairs in pairs_of.items()],
        notes=list(dict.fromkeys(f"{row.row}: {row.note}" for row in rows if row.note)),
    )


def _by_number(table: str) -> tuple[int, str]:
    """Table 4b stands before Table 10."""
    digits = "".join(filter(str.isdigit, table))
    return int(digits) if digits else 0, table


def _plot(
    results: MetricResults, system: str, name: str, pairs: list[PairedNumber]
) -> dict[str, Any]:
    apart = [abs(pair.ours.value - (pair.theirs.score or 0.0)) for pair in pairs if pair.ours.slice]
    return {
        "ours": system,
        "theirs": name,
        "apart": number(sum(apart) / len(apart)) if apart else "",
        "rows": len(apart),
        "limits": f"{results.limits[0]:g} to {results.limits[1]:g}",
        "lines": [_line(results, pair) for pair in pairs],
    }


def _line(results: MetricResults, pair: PairedNumber) -> dict[str, Any]:
    given = pair.theirs.score or 0.0
    places = (pair.ours.value, given, pair.ours.low, pair.ours.high)
    ours, theirs, low, high = (100 * level(results, place) for place in places)
    return {
        "label": pair.label,
        "places": (ours, theirs, low, high),
        "has_interval": low == low,
        "ours": between(pair.ours),
        "theirs": number(given),
        "spread": f" ± {number(pair.theirs.sd)}" if pair.theirs.sd is not None else "",
        "difference": signed(pair.ours.value - given),
    }
