"""The report on a family of divergent splits: one page, its tables and its figures."""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from recombine.files import write_text
from recombine.registry import data_path
from recombine.report.figures import draw_figures
from recombine.report.generalisation import (
    MAX,
    MIN,
    Family,
    family_tables,
    generalisation_table,
    read_family,
    response_figures,
)
from recombine.report.options import ReportOptions, ReportPaths
from recombine.report.sections import number, swatch
from recombine.report.summary import tidy_rows
from recombine.report.tables import Table, comma_separated, markdown, show, write_table

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
_OWN_STYLE = "table{margin:0}.scroll+p{margin-top:.5rem}"


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
    style = data_path("page", "page.css").read_text(encoding="utf-8")
    languages = ", ".join(
        f"{one.report.source.benchmark.manifest.source} → {one.target or 'any'}"
        for one in {one.target: one for one in family.divisions}.values()
    )
    figures = "".join(
        f'<figure class="card">{svg}<figcaption>{escape(caption)}</figcaption></figure>'
        for caption, svg in charts.items()
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(_title(family))}</title>
<link rel="icon" href="data:,">
<style>{style}{_OWN_STYLE}</style></head>
<body>
<header class="top"><div class="wrap">
<p class="eyebrow">Recombine report · {len(family.divisions)} divergent splits · {escape(languages)}</p>
<h1>{escape(_title(family))}</h1>
<p class="quiet">The same words in training and test, and other combinations of them. Does it compose, or does it only remember?</p>
</div></header>
<nav class="bar" aria-label="Sections"><div class="wrap"><a href="#score">How much is lost</a><a href="#doubt">Is it the compounds?</a><a href="#within">Within one test set</a><a href="#made">How made</a></div></nav>
<main id="main">
<section id="score"><div class="wrap">
<h2>How much is lost when compounds are new?</h2>
{_cards(family)}
{_html(by_name.get("generalisation-scores"))}
<h3>Score by divergence</h3>
<div class="grid">{figures}</div>
{_html(by_name.get("dose-response"))}
</div></section>
<section id="doubt"><div class="wrap">
<h2>Is it the compounds?</h2>
{_doubts(family)}
{_html(by_name.get("divergent-splits"))}
{_html(by_name.get("generalisation-by-length"))}
</div></section>
<section id="within"><div class="wrap">
<h2>Within one test set</h2>
<p class="quiet">A system that composes does as well on sentences full of novel compounds as on the others. One model, one test set.</p>
{_html(by_name.get("novelty-within-test"))}
</div></section>
<section id="made"><div class="wrap">
<h2>How was this made?</h2>
{_made(family)}
{"".join(f'<p class="note small">{escape(note)}</p>' for note in notes)}
</div></section>
</main>
<footer><div class="wrap">Made by <code>recombine report</code>. Tables and figures for papers lie beside this file; each run has a page of its own with its examples.</div></footer>
</body></html>
"""


def _cards(family: Family) -> str:
    table = generalisation_table(family)
    if table is None:
        return '<p class="note">A generalisation score needs a min and a max split.</p>'
    place = {name: index for index, name in enumerate(table.columns) if name != "±"}
    cards = []
    for row in table.rows:
        width = row[place["max / min"] + 1]
        even, published = row[place["at equal lengths"]], row[place["published"]]
        facts = {
            f"{family.metric} on max": show(row[place["max"]]),
            f"{family.metric} on min": show(row[place["min"]]),
            "at equal lengths": show(even, 3),
            "published": show(published, 2),
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


def _html(table: Table | None) -> str:
    """A table for the page."""
    if table is None:
        return ""
    heads = "".join(
        f'<th scope="col"{_kind(table, index)}>{escape(name)}</th>'
        for index, name in enumerate(table.columns)
    )
    rows = "".join(
        "<tr>"
        + "".join(
            f"<td{_kind(table, index)}>{escape(show(cell, table.decimals))}</td>"
            for index, cell in enumerate(row)
        )
        + "</tr>"
        for row in table.rows
    )
    notes = "".join(f'<p class="small quiet">{escape(note)}</p>' for note in table.notes)
    return (
        f"<h3>{escape(table.title)}</h3>"
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(table.title)}"><table>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{notes}"
    )


def _kind(table: Table, index: int) -> str:
    numbers = all(not isinstance(row[index], str) for row in table.rows)
    return ' class="num"' if numbers else ""


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
