"""The report on a family of divergent splits: one page, its tables and its figures."""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from recombine.files import write_text
from recombine.report.figures.figure import draw_figures
from recombine.report.options import ReportOptions, ReportPaths
from recombine.report.page.frame import html_table, static_page
from recombine.report.page.sections import number, swatch
from recombine.report.scores import tidy_rows
from recombine.report.tables.generalisation import (
    PAPER,
    Family,
    family_tables,
    generalisation_table,
    read_family,
    response_figures,
)
from recombine.report.tables.splits import MAX, MIN
from recombine.report.tables.table import Table, comma_separated, markdown, show, write_table


def write_family_report(runs: Sequence[Path], out: Path, options: ReportOptions) -> ReportPaths:
    """Write report.html, report.md, results.csv, tables/ and figures/ into ``out``."""
    family = read_family(runs, options)
    notes = [f"{one.name}: {note}" for one in family.divisions for note in one.report.notes]
    tables = family_tables(family)
    table_paths = [path for table in tables for path in write_table(table, out / "tables")]
    write_text(out / "results.csv", _tidy(family))
    text = "\n\n".join([f"# {_title(family)}", *map(markdown, tables)])
    write_text(out / "report.md", text + "\n")
    charts, figure_paths = draw_figures(
        response_figures(family), out / "figures", options.figures, notes
    )
    write_text(out / "report.html", render_family(family, tables, charts, notes))
    return ReportPaths(
        html=out / "report.html",
        markdown=out / "report.md",
        csv=out / "results.csv",
        tables=tuple(table_paths),
        figures=tuple(figure_paths),
        exports=(),
        notes=tuple(notes),
    )


def _tidy(family: Family) -> str:
    """Every number of every run, one a row."""
    rows: list[list[object]] = []
    for one in family.divisions:
        columns, found = tidy_rows(list(one.report.scores))
        rows += [[one.name, one.kind, one.seed, *row] for row in found]
    return comma_separated(["benchmark", "kind", "split_seed", *columns], rows)


def _title(family: Family) -> str:
    given = family.divisions[0].report.options.title
    return given or f"When compounds are new: {', '.join(family.systems)}"


def render_family(
    family: Family, tables: Sequence[Table], charts: Mapping[str, str], notes: Sequence[str]
) -> str:
    """The whole page; charts map captions to inline SVG."""
    by_name = {table.name: table for table in tables}
    languages = ", ".join(
        f"{one.report.source.benchmark.manifest.source} → {one.target or 'any'}"
        for one in {one.target: one for one in family.divisions}.values()
    )
    figures = "".join(
        f'<figure class="card">{svg}<figcaption>{escape(caption)}</figcaption></figure>'
        for caption, svg in charts.items()
    )
    score = f"""<h2>How much is lost when compounds are new?</h2>
{_cards(family)}
{html_table(by_name.get("generalisation-scores"))}
<h3>Score by divergence</h3>
<div class="grid figures">{figures}</div>
{html_table(by_name.get("dose-response"))}"""
    doubt = f"""<h2>Is it the compounds?</h2>
{_doubts(family)}
{html_table(by_name.get("table-2-splits"))}
{html_table(by_name.get("generalisation-by-length"))}"""
    within = f"""<h2>Within one test set</h2>
<p class="quiet">A system that composes does as well on sentences full of novel compounds as on the others. One model, one test set.</p>
{html_table(by_name.get("novelty-within-test"))}"""
    made = f"""<h2>How was this made?</h2>
{_made(family)}
<p class="small quiet">Each run has a page of its own with its examples: <code>recombine report RUN</code>.</p>
{"".join(f'<p class="note small">{escape(note)}</p>' for note in notes)}"""
    return static_page(
        _title(family),
        f"Recombine report · {len(family.divisions)} divergent splits · {languages}",
        "The same words in training and test, and other combinations of them. Does it compose, or does it only remember?",
        {
            "score": ("How much is lost", score),
            "doubt": ("Is it the compounds?", doubt),
            "within": ("Within one test set", within),
            "made": ("How made", made),
        },
    )


def _cards(family: Family) -> str:
    table = generalisation_table(family)
    if table is None:
        return '<p class="note">A generalisation score needs a min and a max split.</p>'
    place = {name: index for index, name in enumerate(table.columns) if name != "±"}
    cards = []
    for row in table.rows:
        width = row[place["max / min"] + 1]
        facts = {
            f"{family.metric} on max": show(row[place["max"]]),
            f"{family.metric} on min": show(row[place["min"]]),
            "at equal lengths": show(row[place["at equal lengths"]], 3),
            **({PAPER: show(row[place[PAPER]], 2)} if PAPER in place else {}),
        }
        cards.append(
            f'<article class="card system"><h3>{swatch(family.report, str(row[0]))}</h3>'
            f'<p class="big"><span>{show(row[place["max / min"]], 3)}</span>'
            f"<small>max / min into {escape(str(row[1]))}<br>± {show(width, 3)}</small></p>"
            '<dl class="facts small">'
            + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items())
            + "</dl></article>"
        )
    return f'<div class="cards">{"".join(cards)}</div>'


def _doubts(family: Family) -> str:
    """In words, what else differs between the test sets of min and max."""
    lines = []
    for target in family.targets:
        kinds = family.kinds(target)
        if MIN not in kinds or MAX not in kinds:
            continue
        low, high = kinds[MIN][0].test, kinds[MAX][0].test
        longer = 100 * (high["mean_length"] / low["mean_length"] - 1)
        words = (low["lemmas"] / low["words"], high["lemmas"] / high["words"])
        lines.append(
            f"Into {escape(target or 'any language')}: sentences of max are "
            f"{number(abs(longer))}% {'longer' if longer >= 0 else 'shorter'} than those of min, "
            f"and have {number(1000 * words[1], 0)} different lemmas per 1,000 words against "
            f"{number(1000 * words[0], 0)} (the test sets have {high['sentences']:,} and "
            f"{low['sentences']:,} sentences)."
        )
    return "".join(f'<p class="lead">{line}</p>' for line in lines)


def _made(family: Family) -> str:
    rows = "".join(
        f"<dt>{escape(one.name)}, seed {one.seed}</dt>"
        f'<dd class="sig">{escape(one.report.source.benchmark.hash)}</dd>'
        for one in family.divisions
    )
    signatures = dict.fromkeys(
        sheet.signature for sheet in family.report.sheets if sheet.metric == family.metric
    )
    listed = "".join(
        f'<dt>{escape(family.metric)}</dt><dd class="sig">{escape(text)}</dd>'
        for text in signatures
    )
    return (
        f'<div class="grid"><div class="card"><dl class="facts">{rows}</dl></div>'
        f'<div class="card"><dl class="facts">{listed}</dl></div></div>'
    )
