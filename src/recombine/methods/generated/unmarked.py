"""Set apart the patterns that ask for what a language of the benchmark does not mark.

Chinese verbs of saying have no tense: whoever translates into Chinese answers a pattern of present
tense without knowing it, and whoever translates from Chinese cannot know.  The benchmark's
certificate says which patterns these are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recombine.benchmark import Benchmark
from recombine.files import read_json
from recombine.report.findings import Findings
from recombine.report.tables.table import UP_TO, Cell, Table

MARK = "†"
PATTERN = "pattern"


def set_apart(report: Findings, tables: Sequence[Table]) -> list[Table]:
    """Tables of patterns with those of the certificate below a rule, and scores without them."""
    unmarked = _unmarked(report.source.benchmark)
    if not unmarked:
        return list(tables)
    names = frozenset(name for listed in unmarked.values() for name in listed)
    note = f"{MARK} {' and '.join(unmarked)} does not mark what the pattern asks for."
    parts = [_split(table, names, note) for table in tables]
    marked = _with_and_without(report, names, " and ".join(unmarked))
    return [*parts, marked] if marked is not None else parts


def _unmarked(benchmark: Benchmark) -> Mapping[str, Sequence[str]]:
    path = benchmark.path / "certificate.json"
    if not path.is_file():
        return {}
    apart: Mapping[str, Sequence[str]] = read_json(path).get("unmarked", {})
    return apart


def _split(table: Table, names: frozenset[str], note: str) -> Table:
    if table.columns[0] != PATTERN or not any(row[0] in names for row in table.rows):
        return table
    order = sorted(range(len(table.rows)), key=lambda place: table.rows[place][0] in names)
    rows = [table.rows[place] for place in order]
    apart = next(place for place, row in enumerate(rows) if row[0] in names)
    # A rule stands before the first row that is left of what it stood before.
    kept = [sum(table.rows[place][0] not in names for place in range(rule)) for rule in table.rules]
    return replace(
        table,
        rows=tuple((f"{row[0]} {MARK}", *row[1:]) if row[0] in names else row for row in rows),
        rules=frozenset({apart, *(rule for rule in kept if rule < apart)}),
        notes=(*table.notes, note),
    )


def _with_and_without(report: Findings, names: frozenset[str], language: str) -> Table | None:
    """Shares of right answers over all patterns, and over those that the languages mark."""
    rows: list[tuple[Cell, ...]] = []
    for results in report.results:
        if not results.is_share or results.main_tag != PATTERN:
            continue
        slices = results.by_tag(PATTERN)
        # Where not all could be judged a second row says how high the scores may be.
        ways = [(system, most) for system in results.systems for most in (False, True)]
        for system, most in ways:
            overall = results.overall(system)
            if most and not overall.undecided:
                continue
            metric = f"{results.metric}, {UP_TO}" if most else results.metric
            whole = overall.value + most * overall.undecided
            row: list[Cell] = [results.split, metric, system, whole]
            for apart in (False, True):
                scores = [
                    slices[name][system]
                    for name in slices
                    if (name in names) is apart and system in slices[name]
                ]
                count = sum(score.n for score in scores)
                total = sum(
                    (score.value + most * score.undecided) * score.n for score in scores if score.n
                )
                row += [total / count if count else None, count]
            rows.append(tuple(row))
    if not rows:
        return None
    return Table(
        "marked-patterns", f"With and without the patterns that {language} does not mark",
        ("split", "metric", "system", "all", "marked", "n", "not marked", "n not marked"),
        tuple(rows), ("Means over sentences.",),
    )  # fmt: skip
