"""report.html: the findings on one benchmark, and examples to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from recombine.report.figures.figure import ERRORS, FIGURES, DrawnFigure
from recombine.report.findings import Findings
from recombine.report.page.beside import beside_section, published_columns
from recombine.report.page.comparisons import anatomy_section, compare_section
from recombine.report.page.examples import PackedExamples, pack_examples
from recombine.report.page.film import film
from recombine.report.page.first_screen import verdict_section
from recombine.report.page.frame import page
from recombine.report.page.made import eyebrow, made_section
from recombine.report.page.map import map_section
from recombine.report.page.sections import (
    curves_section,
    files_section,
    glossary_section,
    scores_section,
)
from recombine.report.tables.table import HtmlStyle, Table, html
from recombine.templates import render

# Bytes for examples even when tables and charts use up the whole budget.
LEAST_EXAMPLES = 8_000
# A table of more rows is for its files.
MOST_ROWS = 200
SCRIPTS = (
    "text.js", "page.js", "film.js", "picture.js", "packed.js", "example.js", "words.js",
    "examples.js",
)  # fmt: skip
_HERE = Markup("<!--examples-->")


def render_page(
    report: Findings,
    charts: Mapping[str, Sequence[DrawnFigure]],
    notes: Sequence[str] = (),
    tables: Sequence[Table] = (),
    files: Sequence[str] = (),
    slices: Table | None = None,
) -> str:
    """The whole page; charts are drawings by section, tables those of the papers.

    `files` are the paths of all tables and figures written beside it, `slices` scores of patterns
    over checkpoints.
    """
    frame = page(
        report.title,
        eyebrow(report, _sentences(report)),
        verdict_section(report),
        {
            "map": ("Map", map_section(report, published_columns(report), film(report, slices))),
            "examples": ("Examples", _HERE),
            "beside": ("Beside the paper", beside_section(report)),
            "compare": ("Compare", compare_section(report)),
            "anatomy": ("What goes wrong", anatomy_section(report, charts.get(ERRORS, ()))),
            "curves": ("Figures", curves_section(charts.get(FIGURES, ()))),
            "scores": ("All scores", scores_section(report)),
            "tables": ("As in the papers", _paper_tables(tables)),
            "made": ("How made", made_section(report, notes)),
            "files": ("Files", files_section(files)),
            "glossary": ("Glossary", glossary_section(report)),
        },
        scripts=SCRIPTS,
        skips=("examples", "compare"),
    )
    budget = int(report.options.page_megabytes * 1e6) - len(frame.encode("utf-8"))
    packed = pack_examples(report, max(budget, LEAST_EXAMPLES))
    return str.replace(frame, str(_HERE), str(_examples_section(report, packed)), 1)


def _sentences(report: Findings) -> int:
    """How many sentences were translated."""
    translated = report.source.translated
    return sum(len(translated[split].examples) for split in report.splits if split in translated)


def _paper_tables(tables: Sequence[Table]) -> Markup:
    """The tables in the papers' own layouts, folded up."""
    shown = [
        (table.title, html(table, HtmlStyle(titled=False)))
        for table in tables
        if len(table.rows) <= MOST_ROWS
    ]
    return render("paper_tables", tables=shown) if shown else Markup()


def _examples_section(report: Findings, packed: PackedExamples) -> Markup:
    return render(
        "examples",
        shown=packed.shown,
        total=packed.total,
        tag=report.words.tag(report.main.main_tag or "split"),
        # Base64 text.
        packed=Markup(packed.text),
    )
