"""The verdict: what a report found, in plain sentences and one short table.

For whoever reads no further: the last lines of `recombine run`, the head of report.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from recombine.report.findings import Findings
from recombine.report.gap import gap_sentences
from recombine.report.tables.table import Table, markdown

# Columns of the short table.
MOST_COLUMNS = 4
# report.md has at most 60 lines: rows of its table, and lines under a heading.
MOST_ROWS = 10
MOST_LINES = {"Notes": 5, "Tables": 12, "Figures": 6, "Signatures": 6}


def verdict(report: Findings) -> list[str]:
    """The headline of the page and its reasons, and what to beware of."""
    headline = report.headline
    lines = [f"{headline.headline}.", *headline.sentences]
    single = [name for name, seeds in report.main.seeds.items() if len(seeds) == 1]
    if any(name in report.source.trained for name in single):
        lines.append("Trained with one seed: the luck of training is not in the intervals.")
    return [*lines, *gap_sentences(report.gaps, report.method.control)]


def summary_table(report: Findings) -> Table:
    """Systems down, the first metric on every split and the others on the first across."""
    main = report.main
    columns = [results for results in report.results if results.metric == main.metric]
    columns += [
        results
        for results in report.results
        if results.split == main.split and results.metric != main.metric
    ]
    columns = columns[:MOST_COLUMNS]
    left_out = len(report.results) - len(columns)
    rows = tuple(
        (
            system,
            *(
                results.overall(system) if system in results.systems else None
                for results in columns
            ),
        )
        for system in main.best_first
    )
    more = f" {left_out} more columns are in results.csv." if left_out else ""
    return Table(
        "summary",
        f"{report.source.benchmark.manifest.name}: scores with "
        f"{100 * report.options.confidence:g}% intervals",
        (
            "system",
            *(
                f"{report.words.metric(results.metric)}, {report.split_name(results.split)}"
                for results in columns
            ),
        ),
        rows,
        notes=(f"Best first.{more}",),
    )


def markdown_report(
    report: Findings,
    sentences: Sequence[str],
    short: Table,
    tables: Sequence[Table],
    figures: Sequence[Path],
) -> str:
    """The findings on one screen, with links to the rest: for a pull request, an issue, a mail."""
    manifest = report.source.benchmark.manifest
    signatures = dict.fromkeys((results.metric, results.signature) for results in report.results)
    return _one_screen(
        report.title,
        [
            _inert(
                f"{manifest.name} {manifest.version}, {manifest.source} to "
                f"{manifest.target or 'any'}, benchmark {report.source.benchmark.hash[:12]}."
            ),
            "\n".join(f"- {_inert(line)}" for line in sentences),
            markdown(_cut(short)).rstrip(),
        ],
        {
            "Notes": ([f"- {_inert(note)}" for note in report.notes], "report.html"),
            "Tables": (_table_links(tables), "tables/"),
            "Figures": (_figure_links(figures), "figures/"),
            "Signatures": (
                [f"- `{name}`: `{text or 'none'}`" for name, text in signatures],
                "results.csv",
            ),
        },
    )


def joint_markdown(
    title: str, tables: Sequence[Table], figures: Sequence[Path], notes: Sequence[str]
) -> str:
    """The same of several benchmarks: their first table, and links."""
    return _one_screen(
        title,
        [markdown(_cut(table)).rstrip() for table in tables[:1]],
        {
            "Notes": ([f"- {_inert(note)}" for note in notes], "report.html"),
            "Tables": (_table_links(tables), "tables/"),
            "Figures": (_figure_links(figures), "figures/"),
        },
    )


def _inert(text: str) -> str:
    """Text of anybody's in Markdown: no tag of HTML, no link and no image."""
    return text.replace("<", "&lt;").replace("](", "]\\(")


def _one_screen(
    title: str, parts: Sequence[str], lists: dict[str, tuple[Sequence[str], str]]
) -> str:
    blocks = [f"# {_inert(title)}", *parts]
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
