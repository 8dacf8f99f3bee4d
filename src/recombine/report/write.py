"""`recombine report`: read the runs, write the page, the tables, the figures and the exports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recombine.files import write_text
from recombine.pause import collection_paused
from recombine.report.checkpoints import checkpoint_points, checkpoint_table, slice_table
from recombine.report.exports import write_exports
from recombine.report.figures import draw_figures, report_figures
from recombine.report.folder import replace_former
from recombine.report.generalisation import is_family, series_runs
from recombine.report.generalisation_page import write_family_report
from recombine.report.layouts import paper_tables
from recombine.report.model import Report, build_report
from recombine.report.observations import open_source
from recombine.report.options import ReportOptions, ReportPaths
from recombine.report.overview import own_tables
from recombine.report.page import render_page
from recombine.report.pairs_page import has_pairs, pairs_page
from recombine.report.paper_figures import paper_figures, training_figure
from recombine.report.summary import tidy_rows
from recombine.report.tables import Table, comma_separated, markdown, write_table
from recombine.report.training_figures import slice_figure


@collection_paused()
def write_report(
    runs: Sequence[Path], out: Path, options: ReportOptions | None = None
) -> ReportPaths:
    """Write report.html, report.md, results.csv, tables/ and figures/ into ``out``.

    Runs on several divergent splits, or the run of a series of them, make a page of their own.
    What a former report left there, and this one did not write again, is removed.
    """
    options = options or ReportOptions()
    out = Path(out)
    runs = [Path(run) for run in runs]
    runs = [member for run in runs for member in series_runs(run) or [run]]
    write = write_family_report if is_family(runs) else _write_one_benchmark
    paths = write(runs, out, options)
    replace_former(out, "report", paths.files)
    return paths


def _write_one_benchmark(runs: Sequence[Path], out: Path, options: ReportOptions) -> ReportPaths:
    report = build_report(open_source(runs), options)
    notes = list(report.notes)
    from_paper = paper_tables(report)
    main = report.main
    # A paper whose curves are drawn test by test needs no curve of the first metric beside them.
    has_curves = any(table.name.startswith("training-") for table in from_paper)
    points = (
        [] if has_curves else checkpoint_points(report.source, main.metric, main.split, options)
    )
    tables = [*from_paper, *own_tables(report)]
    if points:
        tables.append(checkpoint_table(points, main.metric, main.split))
    slices = slice_table(points, report.systems, main.metric, main.split)
    if slices is not None:
        tables.append(slices)
    table_paths = [path for table in tables for path in write_table(table, out / "tables")]
    columns, rows = tidy_rows(list(report.scores))
    write_text(out / "results.csv", comma_separated(columns, rows))
    write_text(out / "report.md", markdown_report(report, tables))
    training = (
        training_figure(report, points, main.metric, main.split),
        slice_figure(report, slices) if slices is not None else None,
    )
    figures = [
        *report_figures(report),
        *(figure for figure in training if figure is not None),
        *paper_figures(report, from_paper),
    ]
    pairs = out / "pairs.html" if has_pairs(report.source) else None
    if pairs is not None:
        write_text(pairs, pairs_page(report.source))
        notes.append("Inconsistent pairs with the changed words marked: pairs.html")
    charts, figure_paths = draw_figures(figures, out / "figures", options.figures, notes)
    write_text(out / "report.html", render_page(report, charts, notes[len(report.notes) :]))
    return ReportPaths(
        html=out / "report.html",
        markdown=out / "report.md",
        csv=out / "results.csv",
        tables=tuple(table_paths),
        figures=tuple(figure_paths),
        exports=tuple(write_exports(report, out / "exports", options.exports)),
        notes=tuple(notes),
        pairs=pairs,
    )


def markdown_report(report: Report, tables: Sequence[Table]) -> str:
    """The findings as Markdown: for a terminal, a pull request, an issue."""
    manifest = report.source.benchmark.manifest
    lines = [
        f"# {report.title}",
        "",
        f"{manifest.name} {manifest.version}, {manifest.source} to {manifest.target or 'any'}, "
        f"benchmark {report.source.benchmark.hash[:12]}.",
        "",
    ]
    lines += [f"> {note}" for note in report.notes]
    for table in tables:
        lines += ["", markdown(table)]
    lines += ["", "## Signatures", ""]
    signatures = dict.fromkeys((sheet.metric, sheet.signature) for sheet in report.sheets)
    lines += [f"- `{metric}`: `{signature or 'none'}`" for metric, signature in signatures]
    return "\n".join(lines) + "\n"
