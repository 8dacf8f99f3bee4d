"""Table 6 of Li et al. 2021: compound translation error rates, with later papers beside."""

from __future__ import annotations

import dataclasses

from recombine.report.findings import Findings
from recombine.report.reading.observations import read_observations
from recombine.report.results import MetricResults, make_results
from recombine.report.tables.published import (
    COGNITION,
    find_all,
    lookup,
    published_benchmark,
    published_setting,
)
from recombine.report.tables.table import Cell, Table

# The metric whose key is one sentence, and the one whose key is the compound in all its contexts.
INSTANCE, AGGREGATE, BLEU = "compound", "compound_aggregate", "bleu"
# Splits as rows of the paper: contexts are training sentences with their own phrases.
CONTEXT = "context"
ERRORS = frozenset({"instance CTER", "aggregate CTER"})
ROWS = {CONTEXT: "train (context)", "test": "test", "gen": "gen"}


def compound_tables(report: Findings) -> list[Table]:
    """Table 6, and the field's results so far when the benchmark is the published one."""
    tables = [_table_6(report)]
    if is_cognition(report):
        tables.append(_field(report))
    return [table for table in tables if table is not None]


def error_rate(results: MetricResults, estimate: float) -> float:
    """CTER in percent, whichever way round the metric counts."""
    return 100 - estimate if results.higher_is_better else estimate


def _table_6(report: Findings) -> Table | None:
    if not any(report.results_of(INSTANCE, split) for split in report.splits):
        return None
    setting = published_setting(report.source)
    beside = setting is not None and setting.name == COGNITION and "Transformer" in setting.kinds
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    table = _with_contexts(report)
    for split in sorted(table.splits, key=_place):
        instance, aggregate, bleu = (
            table.results_of(metric, split) for metric in (INSTANCE, AGGREGATE, BLEU)
        )
        # The plain test has no compounds: its row in the paper is BLEU alone.
        results = instance or bleu
        if results is None:
            continue
        for system in results.systems:
            rules.add(len(rows))
            categories = instance.by_tag("category") if instance is not None else ()
            for category in [*categories, ""]:
                row: tuple[Cell, ...] = (
                    ROWS.get(split, split), system, category or "all",
                    _rate(instance, system, category), _rate(aggregate, system, category),
                    _score(bleu, system, category),
                )  # fmt: skip
                printed = published_rates(ROWS.get(split, split), category)
                if bleu is None or not bleu.as_shipped:
                    printed = (*printed[:2], None)
                rows.append((*row, *printed) if beside else row)
    floor = _floor(report)
    if floor:
        rules.add(len(rows))
        rows.append((*floor, None, None, None) if beside else floor)
    columns = ("split", "system", "category", "instance CTER", "aggregate CTER", "BLEU")
    notes = (
        "References: how often the metric rejects the references themselves. Smaller differences "
        "mean nothing.",
        "Paper: its Transformer, error rates by human judgement of one seed, the best of six. By "
        "the released tool the mean of six seeds is 28.42 / 62.88, sd 2.3 / 2.8. Its BLEU of gen, "
        "48.66, is not that of the released outputs, 60.59.",
    )
    return Table(
        "table-6-cter", "Compound translation error rate (Table 6)",
        (*columns, "instance (paper)", "aggregate (paper)", "BLEU (paper)") if beside else columns,
        tuple(rows), notes if beside else notes[:1], frozenset(rules), 2, lower=ERRORS,
    )  # fmt: skip


def _with_contexts(report: Findings) -> Findings:
    """The report with findings on the training contexts, which only this table shows.

    A split of its own on every page would be read as a test, and it is none.
    """
    scored = report.source.metrics(CONTEXT)
    if INSTANCE not in scored:
        return report
    wanted = [metric for metric in (INSTANCE, AGGREGATE, BLEU) if metric in scored]
    tables = [read_observations(report.source, metric, CONTEXT) for metric in wanted]
    all_results = [make_results(table) for table in tables if table.keys]
    return dataclasses.replace(report, results=(*all_results, *report.results))


def _place(split: str) -> tuple[int, str]:
    """The order of the paper: training contexts, test, compounds."""
    order = list(ROWS)
    return (order.index(split) if split in order else len(order), split)


def _floor(report: Findings) -> tuple[Cell, ...] | None:
    """The row of the references: the metric writes their error rate beside its scores."""
    for scores in report.source.scores:
        if scores.metric == INSTANCE and scores.checkpoint is None:
            floor = scores.notes().get("floor")
            if floor:
                rates = (100 * floor["instance"], 100 * floor["aggregate"])
                return ("references", "", "all", *rates, None)
    return None


def is_cognition(report: Findings) -> bool:
    """Whether the benchmark holds the published sentences."""
    published = published_benchmark(report.source.benchmark)
    return published is not None and published[0] == COGNITION


def published_rates(row: str, category: str) -> tuple[Cell, ...]:
    """The paper's instance and aggregate rates and BLEU of a split or one of its categories."""
    tag, value = ("gen category", category) if category else ("split", row)
    if category and row != ROWS["gen"]:
        return None, None, None
    return (
        lookup(COGNITION, table="6", metric="cter-instance", tag=tag, value=value),
        lookup(COGNITION, table="6", metric="cter-aggregate", tag=tag, value=value),
        lookup(COGNITION, table="6", metric="bleu", tag=tag, value=value),
    )


def _rate(results: MetricResults | None, system: str, category: str) -> float | None:
    score = _score(results, system, category)
    return None if results is None or score is None else error_rate(results, score)


def _score(results: MetricResults | None, system: str, category: str) -> float | None:
    """A system's score on a category ("" for all), if it has one."""
    if results is None or system not in results.systems:
        return None
    if not category:
        return results.overall(system).value
    score = results.by_tag("category").get(category, {}).get(system)
    return score.value if score else None


def _field(report: Findings) -> Table | None:
    rows: list[tuple[Cell, ...]] = []
    split = next((split for split in report.splits if report.results_of(INSTANCE, split)), None)
    if split is None:
        return None
    instance, aggregate = report.results_of(INSTANCE, split), report.results_of(AGGREGATE, split)
    for system in report.systems:
        bleu = _score(report.results_of(BLEU, split), system, "")
        rows.append(
            (system, _rate(instance, system, ""), _rate(aggregate, system, ""), bleu, "this report")
        )
    ours = len(rows)
    published = find_all(COGNITION, tag="split", value="gen")
    for name in dict.fromkeys(row.system for row in published if row.metric.startswith("cter")):
        numbers = {row.metric: row for row in published if row.system == name}
        scores = [
            numbers[metric].score if metric in numbers else None
            for metric in ("cter-instance", "cter-aggregate", "bleu")
        ]
        first = next(iter(numbers.values()))
        rows.append((name, *scores, ", ".join(filter(None, (first.paper, first.note)))))
    return Table(
        "published-cter", "Beside the published systems",
        ("system", "instance CTER", "aggregate CTER", "BLEU", "source"), tuple(rows),
        rules=frozenset({ours}), decimals=2, lower=ERRORS,
    )  # fmt: skip
