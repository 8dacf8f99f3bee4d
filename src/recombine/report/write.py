"""`recombine report`: read the runs, write the page, the tables, the figures and the exports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from recombine.benchmark import refuse_output
from recombine.files import sha256_of, write_json, write_text
from recombine.parallel import gc_paused
from recombine.report.exports import write_exports
from recombine.report.figures.figure import draw_figures, report_figures
from recombine.report.figures.papers import paper_figures, training_figure
from recombine.report.figures.training import slice_figure
from recombine.report.findings import Findings, build_report
from recombine.report.options import ReportOptions, ReportPaths
from recombine.report.page.generalisation import write_family_report
from recombine.report.page.page import render_page
from recombine.report.page.pairs import has_pairs, pairs_page
from recombine.report.runs import open_source
from recombine.report.scores import tidy_rows
from recombine.report.tables import paper_tables
from recombine.report.tables.checkpoints import checkpoint_points, checkpoint_table, slice_table
from recombine.report.tables.generalisation import is_family, series_runs
from recombine.report.tables.own import own_tables
from recombine.report.tables.table import Table, comma_separated, markdown, write_table


@gc_paused()
def write_report(
    runs: Sequence[Path], out: Path, options: ReportOptions | None = None
) -> ReportPaths:
    """Write report.html, report.md, results.csv, tables/ and figures/ into ``out``.

    Runs on several divergent splits, or the run of a series of them, make a page of their own.
    What a former report left there, and this one did not write again, is removed.
    """
    options = options or ReportOptions()
    out = Path(out)
    refuse_output(out)
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


def markdown_report(report: Findings, tables: Sequence[Table]) -> str:
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


# Lists what reports wrote into a folder: kind of report -> path in the folder -> SHA-256.
WRITTEN = "written.json"


def replace_former(out: Path, kind: str, files: Iterable[Path]) -> list[Path]:
    """Note the files of this report and remove those only the former one of its kind wrote.

    A file is removed only if it still has the bytes the former report gave it, so nothing that
    somebody else wrote, or changed, is lost.
    """
    written = {path.relative_to(out).as_posix(): sha256_of(path) for path in files}
    listed = _read(out / WRITTEN)
    former = listed.get(kind, {})
    listed[kind] = written
    kept = {name for names in listed.values() for name in names}
    removed = []
    for name, digest in former.items():
        path = out / name
        inside = path.resolve().is_relative_to(out.resolve())
        if name not in kept and inside and path.is_file() and sha256_of(path) == digest:
            path.unlink()
            removed.append(path)
    for folder in sorted({path.parent for path in removed}, reverse=True):
        while folder != out and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent
    write_json(out / WRITTEN, listed)
    return removed


def _read(path: Path) -> dict[str, Mapping[str, Any]]:
    """The list a former report left; without one that can be read nothing is ours to remove."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {kind: names for kind, names in found.items() if isinstance(names, dict)}
