"""Tables 5 and 6 of Kumon et al. 2024: two builds of a benchmark that differ in one key.

With and without selectional restrictions, with and without concatenation. They come from the
scorecard, which takes runs of several builds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recombine.methods.generated.tables import (
    GENERALISATION,
    IN_DISTRIBUTION,
    paper_systems,
    published_values,
)
from recombine.report.findings import Findings
from recombine.report.results import MetricResults
from recombine.report.tables.published import (
    CONCATENATION,
    SELECTION,
    SGET,
    find,
    published_setting,
)
from recombine.report.tables.table import Cell, Table


def variant_table(key: str, with_it: Findings, without: Findings) -> Table | None:
    """Table 5 or 6 from two builds that differ in one key of the recipe."""
    if key == CONCATENATION:
        return _table_6(with_it, without)
    return _table_5(with_it, without) if key == SELECTION else None


def _table_5(with_it: Findings, without: Findings) -> Table | None:
    """Selectional restrictions, yes or no: both splits by exact match and BLEU."""
    rows: list[tuple[Cell, ...]] = []
    names = _in_both(with_it, without, SELECTION)
    for split in (IN_DISTRIBUTION, GENERALISATION):
        for metric in ("exact", "bleu"):
            pair = [report.results_of(metric, split) for report in (with_it, without)]
            for system in with_it.systems:
                scores = _overall(pair, system)
                if scores is not None:
                    beside = _printed_pair("5", SELECTION, names, metric, split)
                    rows.append((split, metric, system, *scores, *beside))
    return _variants("table-5-selection", "Selectional restrictions (Table 5)",
                     ("split", "metric", "system"), "restrictions", names, rows)  # fmt: skip


def _table_6(with_it: Findings, without: Findings) -> Table | None:
    """Concatenated training sentences, yes or no: the eight recursion patterns."""
    pair = [report.results_of("exact", GENERALISATION) for report in (with_it, without)]
    rows: list[tuple[Cell, ...]] = []
    names = _in_both(with_it, without, CONCATENATION)
    for value in published_values("6"):
        for system in with_it.systems:
            pair_scores = [
                results.by_tag("pattern").get(value, {}).get(system) for results in pair if results
            ]
            scores = [score.value for score in pair_scores if score is not None]
            if len(scores) == 2:
                beside = _printed_pair("6", CONCATENATION, names, "exact", value)
                rows.append((value, system, *scores, *beside))
    return _variants("table-6-concatenation", "Concatenated training sentences (Table 6), exact",
                     ("pattern", "system"), CONCATENATION, names, rows)  # fmt: skip


def _overall(pair: Sequence[MetricResults | None], system: str) -> list[float] | None:
    values = [
        results.overall(system).value for results in pair if results and system in results.systems
    ]
    return values if len(values) == 2 else None


def _in_both(with_it: Findings, without: Findings, key: str) -> list[str]:
    """The paper's systems of the kinds that both runs have, where both builds are its own."""
    first, second = (published_setting(report.source) for report in (with_it, without))
    names = paper_systems(second, (key,))
    return [name for name in paper_systems(first) if name in names]


def _printed_pair(
    number: str, key: str, names: Sequence[str], metric: str, value: str
) -> Iterator[Cell]:
    for name in names:
        for word in ("with", "without"):
            published = find(
                SGET, table=number, system=f"{name}, {word} {key}", metric=metric, value=value
            )
            yield published.score if published else None


def _variants(
    name: str,
    title: str,
    first: tuple[str, ...],
    what: str,
    names: Sequence[str],
    rows: Sequence[tuple[Cell, ...]],
) -> Table | None:
    if not rows:
        return None
    ours = (f"with {what}", f"without {what}")
    paper = [f"{system}, {word} (paper)" for system in names for word in ("with", "without")]
    return Table(name, title, (*first, *ours, *paper), tuple(rows),
                 ("The sentences are not the same, so no paired test applies.",))  # fmt: skip
