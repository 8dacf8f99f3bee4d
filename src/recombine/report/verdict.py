"""The verdict: what a report found, in plain sentences and one short table.

For whoever reads no further: the last lines of `recombine run`, the head of report.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from recombine.metrics.slices import LENGTH_TAG
from recombine.report.findings import Findings, Sheet
from recombine.report.tables.own import ranged
from recombine.report.tables.table import Table, markdown

# The split of sentences like those of training, beside one of new combinations.
FAMILIAR, NEW = "test", "gen"
# Columns of the short table, and systems that get a sentence of their own.
MOST_COLUMNS = 4
MOST_SYSTEMS = 5
# report.md has at most 60 lines: rows of its table, and lines under a heading.
MOST_ROWS = 10
MOST_LINES = {"Notes": 5, "Tables": 12, "Figures": 6, "Signatures": 6}
# What a right observation is called, where the name of the metric is not English enough.
RIGHT = {
    "exact": "exactly right",
    "partial": "right in the part that is tested",
    "meaning": "right in meaning",
    "consistency": "translated consistently",
    "synonym-consistency": "the same for both synonyms",
    "compound": "with the compound mistranslated",
    "compound_aggregate": "mistranslated in at least one context",
    "literal": "rendered word for word",
}


def verdict(report: Findings) -> list[str]:
    """The findings in sentences: one a system, then who is ahead, then what to beware of."""
    main = report.main
    order = [system for tied in main.ranking for system in tied]
    lines = [_of_system(report, system) for system in order[:MOST_SYSTEMS]]
    if len(order) > MOST_SYSTEMS:
        lines.append(f"{len(order) - MOST_SYSTEMS} more systems are in the report.")
    if len(order) > 1:
        lines.append(_ahead(main))
    single = [name for name, seeds in main.seeds.items() if len(seeds) == 1]
    if any(name in report.source.trained for name in single):
        lines.append("Trained with one seed: the luck of training is not in the intervals.")
    return lines


def _of_system(report: Findings, system: str) -> str:
    main = report.main
    score = main.overall(system)
    familiar = report.sheet(main.metric, FAMILIAR) if main.split == NEW else None
    if math.isnan(score.value):
        return f"{system}: no {main.metric} on {main.split}."
    if familiar is None or system not in familiar.systems:
        told = (
            f"{score.value:.1f}% of {score.n:,} in {main.split} {_right(main)}"
            if main.is_share
            else f"{main.metric} {score.value:.1f} on {main.split}"
        )
    elif main.is_share:
        before = familiar.overall(system).value
        told = f"{before:.1f}% of familiar sentences {_right(main)}, {score.value:.1f}% of new ones"
    else:
        before = familiar.overall(system).value
        told = f"{main.metric} {before:.1f} on familiar sentences, {score.value:.1f} on new ones"
    return f"{system}: {told}{_never(main, system)}."


def _right(sheet: Sheet) -> str:
    return RIGHT.get(sheet.metric, f"right by {sheet.metric}")


def _never(sheet: Sheet, system: str) -> str:
    """How many patterns were never right, where there are any."""
    tag = sheet.main_tag
    if tag is None or tag in sheet.number_tags or tag == LENGTH_TAG:
        return ""
    if not sheet.is_share or not sheet.higher_is_better:
        return ""
    scores = [scores[system] for scores in sheet.by_tag(tag).values() if system in scores]
    known = [one.value for one in scores if not math.isnan(one.value)]
    never = sum(value == 0 for value in known)
    return f"; {never} of {len(known)} {tag.replace('_', ' ')}s never" if never else ""


def _ahead(main: Sheet) -> str:
    best = main.ranking[0]
    if len(best) == 1:
        return f"On {main.split} {best[0]} is ahead of every other (paired tests, p < .05, Holm)."
    return f"On {main.split} the data cannot tell apart {', '.join(best[:-1])} and {best[-1]}."


def summary_table(report: Findings) -> Table:
    """Systems down, the first metric on every split and the others on the first across."""
    main = report.main
    columns = [sheet for sheet in report.sheets if sheet.metric == main.metric]
    columns += [
        sheet
        for sheet in report.sheets
        if sheet.split == main.split and sheet.metric != main.metric
    ]
    columns = columns[:MOST_COLUMNS]
    left_out = len(report.sheets) - len(columns)
    rows = tuple(
        (
            system,
            *(ranged(one.overall(system)) if system in one.systems else None for one in columns),
        )
        for tied in main.ranking
        for system in tied
    )
    more = f" {left_out} more columns are in results.csv." if left_out else ""
    return Table(
        "summary",
        f"{report.source.benchmark.manifest.name}: scores with "
        f"{100 * report.options.confidence:g}% intervals",
        ("system", *(f"{one.metric}, {one.split}" for one in columns)),
        rows,
        notes=(f"Best first.{more}",),
    )


def markdown_report(
    report: Findings,
    said: Sequence[str],
    short: Table,
    tables: Sequence[Table],
    figures: Sequence[Path],
) -> str:
    """The findings on one screen, with links to the rest: for a pull request, an issue, a mail."""
    manifest = report.source.benchmark.manifest
    signatures = dict.fromkeys((sheet.metric, sheet.signature) for sheet in report.sheets)
    return _one_screen(
        report.title,
        [
            f"{manifest.name} {manifest.version}, {manifest.source} to {manifest.target or 'any'}, "
            f"benchmark {report.source.benchmark.hash[:12]}.",
            "\n".join(f"- {line}" for line in said),
            markdown(_cut(short)).rstrip(),
        ],
        {
            "Notes": ([f"- {note}" for note in report.notes], "report.html"),
            "Tables": (_table_links(tables), "tables/"),
            "Figures": (_figure_links(figures), "figures/"),
            "Signatures": (
                [f"- `{name}`: `{text or 'none'}`" for name, text in signatures],
                "results.csv",
            ),
        },
    )


def family_markdown(
    title: str, tables: Sequence[Table], figures: Sequence[Path], notes: Sequence[str]
) -> str:
    """The same of several divergent splits: their first table, and links."""
    return _one_screen(
        title,
        [markdown(_cut(table)).rstrip() for table in tables[:1]],
        {
            "Notes": ([f"- {note}" for note in notes], "report.html"),
            "Tables": (_table_links(tables), "tables/"),
            "Figures": (_figure_links(figures), "figures/"),
        },
    )


def _one_screen(
    title: str, parts: Sequence[str], lists: dict[str, tuple[Sequence[str], str]]
) -> str:
    blocks = [f"# {title}", *parts]
    blocks.append("Everything: [report.html](report.html); all scores: [results.csv](results.csv).")
    for heading, (lines, rest) in lists.items():
        most = MOST_LINES[heading]
        if len(lines) > most:
            more = f"- {len(lines) - most + 1} more: [{rest}]({rest})"
            lines = [*lines[: most - 1], more]
        if lines:
            blocks.append(f"## {heading}\n\n" + "\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _cut(table: Table) -> Table:
    left = len(table.rows) - MOST_ROWS
    if left <= 0:
        return table
    more = f"{left} more rows: [results.csv](results.csv)"
    return replace(table, rows=table.rows[:MOST_ROWS], notes=(*table.notes, more))


def _table_links(tables: Sequence[Table]) -> list[str]:
    return [
        f"- {table.title}: "
        + ", ".join(f"[{form}](tables/{table.name}.{form})" for form in ("md", "tex", "csv"))
        for table in tables
    ]


def _figure_links(figures: Sequence[Path]) -> list[str]:
    drawn = [path for path in figures if path.suffix == ".svg"]
    return [f"- [{path.stem}](figures/{path.name})" for path in drawn]
