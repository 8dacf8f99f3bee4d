"""The report's own tables: scores, scores by tag, paired differences, classes of errors."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from recombine.metrics.observations import ObservationTable
from recombine.metrics.score import ALL, Score, undecided_share
from recombine.metrics.slices import Rows
from recombine.report.compare import ALPHA, Comparison, SliceDifference, verdict_of
from recombine.report.findings import Findings
from recombine.report.gap import GapParts
from recombine.report.results import MetricResults
from recombine.report.tables.table import UP_TO, Cell, Table, show_p, with_upper
from recombine.report.words import Words
from recombine.statistics.paired import PairedDifference


def own_tables(report: Findings) -> list[Table]:
    """Tables every benchmark has."""
    tables = [overall_table(report, split) for split in report.splits]
    if any(parts.control for parts in report.gaps):
        tables.append(gap_table(report.gaps, report.words))
    for results in report.results:
        tables.extend(_tables_by_tag(report, results))
    return tables


def _in_words(report: Findings, results: MetricResults, tag: str) -> Table:
    """Scores by a tag as people read them: what is measured, where, and the names of values."""
    table = tag_table(results, tag)
    words, metric = report.words, report.words.metric(results.metric)
    labels = {str(row[0]): words.label(tag, str(row[0])) for row in table.rows}
    by = words.tag(tag)
    return replace(
        table,
        title=f"{metric[:1].upper()}{metric[1:]} on {report.split_name(results.split)} by {by}, "
        f"with {100 * report.options.confidence:g}% intervals",
        labels={**labels, tag: by},
        heads=tuple((metric if text else text, width) for text, width in table.heads),
    )


def table_name(*parts: str) -> str:
    """A file name from table parts."""
    return "-".join(re.sub(r"[^A-Za-z0-9+]+", "-", part).strip("-").lower() for part in parts)


def overall_table(report: Findings, split: str) -> Table:
    """Every metric and system on one split."""
    rows: list[tuple[Cell, ...]] = []
    rules, best = set(), set()
    of_split = [results for results in report.results if results.split == split]
    for results in of_split:
        rules.add(len(rows))
        overall = {system: results.overall(system) for system in results.best_first}
        top = best_systems(results, overall)
        for system, score in overall.items():
            if system in top:
                best.add((len(rows), 5))
            rows.append(
                (
                    results.metric, system, score.n, score.of, score.failed,
                    score.value, score.low, score.high,
                    len(score.seeds), score.sd, min(score.seeds), max(score.seeds),
                )
            )  # fmt: skip
    columns: tuple[str, ...] = (
        "metric", "system", "n", "of", "failed", "score", "low", "high", "seeds", "sd", "min",
        "max",
    )  # fmt: skip
    notes: tuple[str, ...] = (
        f"{100 * report.options.confidence:g}% intervals. Score: mean over seeds, with standard "
        "deviation, lowest and highest. n: keys with a score, out of all that apply (of). Failed: "
        "no output.",
    )
    scores = [results.overall(name) for results in of_split for name in results.best_first]
    columns, rows = with_upper(columns, rows, scores)
    if UP_TO in columns:
        notes = (*notes, "up to: the score if all that the metric could not judge counted, too.")
    return Table(
        name=table_name("scores", split),
        title=f"Scores on {report.split_name(split)}",
        columns=columns,
        rows=tuple(rows),
        notes=notes,
        rules=frozenset(rules),
        heads=(("", 5), ("score and interval", 3), ("seeds", 4)),
        labels={results.metric: report.words.metric(results.metric) for results in of_split},
        best=frozenset(best),
    )  # fmt: skip


def _tables_by_tag(report: Findings, results: MetricResults) -> Iterator[Table]:
    for tag in results.tags:
        by_value = results.by_tag(tag)
        if len(by_value) <= 100:
            yield _in_words(report, results, tag)
    if results.comparisons:
        yield comparison_table(report, results)
    for system in results.labels:
        yield label_table(report, results, system)


NO_CONTROL = "No control: part of what is lost may be difficulty"


def gap_table(gaps: Sequence[GapParts], words: Words | None = None) -> Table:
    """What every system loses on new sentences: composition and difficulty, in all and by slice."""
    first = gaps[0]
    tag = next((parts.tag for parts in gaps if parts.tag), "")
    alone = [parts.system for parts in gaps if parts.composition is None]
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    for parts in gaps:
        if not parts.tag:
            rules.add(len(rows))
        rows.append(
            (
                parts.system, parts.control or None, *([parts.slice or ALL] if tag else []),
                parts.n, parts.familiar, parts.new, parts.gap, parts.composition, parts.difficulty,
            )
        )  # fmt: skip
    values = {parts.slice for parts in gaps if parts.tag}
    labels = {value: words.label(tag, value) for value in values} if words is not None else {}
    return Table(
        name=table_name("gap", first.metric, first.split),
        title=f"What is lost on new sentences ({first.metric} on {first.split}): composition and "
        "difficulty",
        columns=("system", "control", *([tag] if tag else []), "n", "familiar", "new", "lost",
                 "composition", "difficulty"),
        rows=tuple(rows),
        notes=(
            "Lost = familiar minus new = composition (what the control gets more on the same "
            "sentences) + difficulty (the rest). Intervals are not corrected for their number.",
            *(
                f"{name} is a neutral system, which learned from no side of the benchmark. What it "
                "loses is difficulty; what a system loses beyond that is composition."
                for name in dict.fromkeys(parts.control for parts in gaps if parts.neutral)
            ),
            *([f"{NO_CONTROL}: {', '.join(alone)}."] if alone else []),
        ),
        rules=frozenset(rules),
        labels=labels,
    )  # fmt: skip


def tag_table(results: MetricResults, tag: str) -> Table:
    """Scores with intervals for each value of a tag, values of one family together."""
    by_value, systems = results.by_tag(tag), results.best_first
    rows: list[tuple[Cell, ...]] = []
    for value in by_family(results, by_value) if tag == results.main_tag else by_value:
        scores = by_value[value]
        rows.append(
            (value, counts_of(scores.values()), *(scores.get(system) for system in systems))
        )
    values = [str(row[0]) for row in rows]
    best = {value: best_systems(results, by_value[value]) for value in values}
    sentence = _told_apart(results, tag)
    return Table(
        name=table_name(results.metric, results.split, "by", tag),
        title=f"{results.metric} on {results.split} by {tag}",
        columns=(tag, "n", *systems),
        rows=tuple(rows),
        notes=(results.signature,) if results.signature else (),
        heads=(("", 2), (results.metric, len(systems))) if len(systems) > 1 else (),
        best=frozenset(
            (row, 2 + systems.index(system))
            for row, value in enumerate(values)
            for system in best[value]
        ),
        tied=frozenset(
            (row, 2 + systems.index(system))
            for row, value in enumerate(values)
            for system in by_value[value]
            if sentence is not None
            and best[value]
            and system not in best[value]
            and not any((value, frozenset((system, name))) in sentence for name in best[value])
        ),
    )


def best_systems(results: MetricResults, scores: Mapping[str, Score]) -> list[str]:
    """The systems with the best score; none where there is no choice, or all have the same."""
    values = {name: score.value for name, score in scores.items() if not math.isnan(score.value)}
    if len(set(values.values())) < 2:
        return []
    top = (max if results.higher_is_better else min)(values.values())
    return [name for name, value in values.items() if value == top]


def _told_apart(results: MetricResults, tag: str) -> set[tuple[str, frozenset[str]]] | None:
    """Value and two systems, where a paired test tells them apart; None if there was no test."""
    if tag != results.main_tag or not results.comparisons:
        return None
    return {
        (part.value, frozenset((pair.first, pair.second)))
        for pair in results.comparisons
        for part in pair.slices
        if part.verdict != "tie"
    }


def counts_of(scores: Iterable[Score]) -> int | str:
    """Of how many scores are; where systems differ in what could be judged, the least and most."""
    counts = sorted({score.n for score in scores})
    return counts[0] if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"


def by_family(results: MetricResults, values: Iterable[str]) -> list[str]:
    """Values grouped by family, both in order of first appearance."""
    order: dict[str, list[str]] = {}
    for value in values:
        order.setdefault(results.families.get(value, ""), []).append(value)
    return [value for members in order.values() for value in members]


OPEN = (
    "What the metric could not judge counts in no score and no difference. If that could reverse "
    "a difference, it is a tie."
)


def comparison_table(report: Findings, results: MetricResults) -> Table:
    """Paired differences of every pair of systems."""
    rows: list[tuple[Cell, ...]] = []
    for pair in results.comparisons:
        rows.append(
            (
                f"{pair.second} − {pair.first}", pair.overall.value, pair.overall.low,
                pair.overall.high, show_p(pair.p_adjusted), pair.overall.method,
                pair.count("win"), pair.count("tie"), pair.count("loss"),
            )
        )  # fmt: skip
    ranks = " > ".join("{" + ", ".join(group) + "}" for group in results.ranking())
    return Table(
        name=table_name("compare", results.metric, results.split),
        title=f"Paired differences, {report.measured(results)}",
        columns=("pair", "difference", "low", "high", "p (Holm)", "test", "wins", "ties", "losses"),
        rows=tuple(rows),
        notes=(f"Tied sets, best first: {ranks}", *((OPEN,) if results.is_open else ())),
    )


def difference_table(
    compared: Sequence[tuple[ObservationTable, Comparison]], *, slices: bool = False
) -> Table:
    """Paired differences on every metric and split, in all or for each value of the main tag."""
    rows: list[tuple[Cell, ...]] = []
    unjudged: list[list[float]] = []
    rules = set()
    for table, pair in compared:
        rules.add(len(rows))
        parts: list[tuple[str, Rows | None, int, PairedDifference, float]] = [
            ("all", None, pair.n, pair.overall, pair.p_adjusted)
        ]
        tag = table.main_tag
        if slices and tag is not None:
            places = table.slices(tag)
            parts += [
                (part.value, places[part.value], part.n, part.difference, part.p_adjusted)
                for part in sorted(pair.slices, key=_loss_first)
            ]
        for value, where, n, change, p_value in parts:
            scores = (table.mean(name, where) for name in (pair.first, pair.second))
            verdict = verdict_of(change, p_value, table.higher_is_better)
            better = {"win": pair.second, "loss": pair.first, "tie": "undecided"}[verdict]
            if pair.incomplete:
                better = "no verdict"
            rows.append(
                (pair.first, pair.second, pair.split, pair.metric, *([value] if slices else []), n,
                 *scores, replace(change, undecided=0.0), show_p(p_value), better)
            )  # fmt: skip
            tables = (table.tables(name, where) for name in (pair.first, pair.second))
            unjudged.append([undecided_share(stats, table.undecided) for stats in tables])
    tests = dict.fromkeys(pair.overall.method for _, pair in compared)
    notes = [f"Better where p < {ALPHA:g}; tests: {', '.join(tests)}"]
    notes += dict.fromkeys(
        f"No verdict on {pair.metric}, {pair.split}: {name} {why}"
        for _, pair in compared
        for name, why in pair.incomplete.items()
    )
    notes += dict.fromkeys(table.judged_apart for table, _ in compared if table.judged_apart)
    columns = ("first", "second", "split", "metric", *(["value"] if slices else []), "n",
               "score of first", "score of second", "difference", "p (Holm)", "better")  # fmt: skip
    if any(map(any, unjudged)):
        columns = (*columns, "first not judged", "second not judged")
        rows = [(*row, *more) for row, more in zip(rows, unjudged, strict=True)]
        notes.append(OPEN)
    return Table(
        name="compare",
        title="Paired differences, second minus first; the second has the better score",
        columns=columns,
        rows=tuple(rows),
        notes=tuple(notes),
        rules=frozenset(rules),
    )  # fmt: skip


def _loss_first(part: SliceDifference) -> tuple[bool, float]:
    gain = part.difference.value
    return math.isnan(gain), gain if part.higher_is_better else -gain


def label_table(report: Findings, results: MetricResults, system: str) -> Table:
    """How often each class of verdict was seen, in all and per value of the main tag."""
    by_value = results.labels[system]
    total: Counter[str] = sum(by_value.values(), Counter())
    labels = [name for name, _ in total.most_common()]
    rows: list[tuple[Cell, ...]] = [("all", *(total[label] for label in labels))]
    for value in by_family(results, by_value):
        rows.append((value or "–", *(by_value[value][label] for label in labels)))
    return Table(
        name=table_name(results.metric, results.split, "classes", system),
        title=f"{system}: what happened ({report.measured(results)})",
        columns=(results.main_tag or "", *labels),
        rows=tuple(rows),
        rules=frozenset({1}),
        labels={name: report.words.label("class", name) for name in labels},
    )
