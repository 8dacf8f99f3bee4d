"""report.html: the findings on one benchmark, and examples to look at."""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from recombine.report.figures.figure import ERRORS, FIGURES
from recombine.report.findings import Findings
from recombine.report.page.beside import beside_section, published_columns
from recombine.report.page.comparisons import anatomy_section, compare_section
from recombine.report.page.examples import PackedExamples, pack_examples
from recombine.report.page.film import film
from recombine.report.page.first_screen import verdict_section
from recombine.report.page.frame import page
from recombine.report.page.map import map_section
from recombine.report.page.sections import (
    curves_section,
    files_section,
    glossary_section,
    made_section,
    sure_section,
)
from recombine.report.tables.table import Dress, Table, html

# Bytes for examples even when tables and charts use up the whole budget.
LEAST_EXAMPLES = 8_000
# A table of more rows is for its files.
MOST_ROWS = 200
_HERE = "<!--examples-->"


def render_page(
    report: Findings,
    charts: Mapping[str, Mapping[str, str]],
    notes: Sequence[str] = (),
    tables: Sequence[Table] = (),
    files: Sequence[str] = (),
    slices: Table | None = None,
) -> str:
    """The whole page; charts are inline SVG by section and caption, tables those of the papers.

    `files` are the paths of all tables and figures written beside it, `slices` scores of patterns
    over checkpoints.
    """
    manifest = report.source.benchmark.manifest
    frame = page(
        report.title,
        f"{manifest.name} {manifest.version} · {manifest.source} → {manifest.target or 'any'} · {_tested(report)}",
        verdict_section(report),
        {
            "map": ("Map", map_section(report, published_columns(report), film(report, slices))),
            "examples": ("Examples", _HERE),
            "beside": ("Beside the paper", beside_section(report)),
            "compare": ("Compare", compare_section(report)),
            "anatomy": ("What goes wrong", anatomy_section(report, charts.get(ERRORS, {}))),
            "curves": ("Figures", curves_section(report, charts.get(FIGURES, {}))),
            "sure": ("All scores", sure_section(report)),
            "tables": ("As in the papers", _paper_tables(tables)),
            "made": ("How made", made_section(report, notes)),
            "files": ("Files", files_section(files)),
            "glossary": ("Glossary", glossary_section(report)),
        },
        scripts=("text.js", "page.js", "film.js", "packed.js", "example.js", "examples.js"),
    )
    budget = int(report.options.page_megabytes * 1e6) - len(frame.encode("utf-8"))
    packed = pack_examples(report, max(budget, LEAST_EXAMPLES))
    return frame.replace(_HERE, _examples_section(report, packed), 1)


def _tested(report: Findings) -> str:
    """How many systems, seeds and sentences."""
    seeds = sorted({len(of_system) for of_system in report.main.seeds.values()})
    seeds_text = "–".join(str(count) for count in dict.fromkeys([seeds[0], seeds[-1]]))
    systems = len(report.systems)
    translated = report.source.translated
    sentences = sum(
        len(translated[split].examples) for split in report.splits if split in translated
    )
    return (
        f"{systems} system{'' if systems == 1 else 's'} · {seeds_text} "
        f"seed{'' if seeds_text == '1' else 's'} · {sentences:,} sentences"
    )


def _paper_tables(tables: Sequence[Table]) -> str:
    """The tables in the papers' own layouts, folded up."""
    blocks = "".join(
        f'<details class="more"><summary>{escape(table.title)}</summary>{html(table, Dress(titled=False))}</details>'
        for table in tables
        if len(table.rows) <= MOST_ROWS
    )
    return f"<h2>As in the papers</h2>{blocks}" if blocks else ""


def _examples_section(report: Findings, packed: PackedExamples) -> str:
    if not packed.shown:
        return '<h2>Examples</h2><p class="quiet">These runs hold scores but no translations, so there are no examples to show.</p>'
    part = (
        f"{packed.shown:,} of {packed.total:,} examples are in this page, drawn evenly over "
        f"{escape(report.words.tag(report.main.main_tag or 'split'))}, errors and disagreements first."
        if packed.shown < packed.total
        else f"All {packed.total:,} examples are in this page."
    )
    return f"""<h2>Examples</h2>
<p class="quiet">{part} In a translation <del>struck</del> words are missing and <ins>underlined</ins> ones are not in the reference. Keys: <kbd>/</kbd> search, <kbd>j</kbd> <kbd>k</kbd> next and previous.</p>
<form id="controls" class="controls"></form>
<div class="toolbar"><span id="status" role="status" aria-live="polite">Unpacking the examples …</span>
<button id="clear" type="button" class="hidden">Clear</button>
<button id="copy" type="button">Copy link to this selection</button></div>
<div class="browser"><div class="found"><ol id="items" class="items"></ol>
<button id="more" type="button" class="hidden">Show more</button></div>
<article id="detail" class="card detail" tabindex="-1" aria-label="The example"></article></div>
<noscript><p class="note">The example browser needs JavaScript; everything above works without.</p></noscript>
<script type="text/plain" id="packed" data-total="{packed.total}">{packed.text}</script>"""
