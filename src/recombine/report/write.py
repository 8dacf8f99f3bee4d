"""`recombine report`: read the runs, write the page, the tables, the figures and the exports."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recombine.errors import DataError
from recombine.experiment.run import Run
from recombine.files import sha256_of, write_json, write_text
from recombine.lock import lock_of, locked
from recombine.metrics.score import tidy_rows
from recombine.parallel import gc_paused
from recombine.report.exports import require_exports, write_exports
from recombine.report.figures.figure import FIGURES, draw_figures
from recombine.report.figures.own import report_figures
from recombine.report.figures.training import log_figure, slice_figure, training_figure
from recombine.report.findings import build_report
from recombine.report.method import BenchmarkMethod, method_of
from recombine.report.options import ReportOptions
from recombine.report.page.made import source_line
from recombine.report.page.page import render_page
from recombine.report.reading.runs import PATIENCE, ReportRuns, open_runs, reading
from recombine.report.reading.shared_benchmark import benchmark_of
from recombine.report.tables import paper_tables
from recombine.report.tables.checkpoints import checkpoint_points, checkpoint_table, slice_table
from recombine.report.tables.own import own_tables
from recombine.report.tables.table import Table, comma_separated, plain, table_paths, write_table
from recombine.report.verdict import joint_markdown, markdown_report, summary_table, verdict
from recombine.stage import refuse_output


class ReportPaths(NamedTuple):
    """What a report wrote."""

    html: Path
    markdown: Path
    csv: Path
    tables: tuple[Path, ...]
    figures: tuple[Path, ...]
    exports: tuple[Path, ...]
    notes: tuple[str, ...]
    # What was found, in sentences, and the short table below them.
    verdict: tuple[str, ...] = ()
    short: Table | None = None

    @property
    def summary(self) -> str:
        """The short table as text."""
        return plain(self.short) if self.short is not None else ""

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file written."""
        return (self.html, self.markdown, self.csv, *self.tables, *self.figures, *self.exports)


@gc_paused()
def write_report(
    runs: Sequence[Path],
    out: Path,
    options: ReportOptions | None = None,
    *,
    without: Collection[Path] = (),
) -> ReportPaths:
    """Write report.html, report.md, results.csv, tables/ and figures/ into ``out``.

    Runs on several benchmarks of one corpus, or the run of a series of them, make a page of their
    own.
    What a former report left there, and this one did not write again, is removed. `without` are
    folders of systems whose scores are of something else than the experiment says now.
    """
    options = options or ReportOptions()
    out = Path(out)
    refuse_output(out)
    require_exports(options.exports)
    runs = [Path(run) for run in runs]
    runs = [member for run in runs for member in series_runs(run) or [run]]
    with reading(runs, out):
        joint = joint_method(runs)
        if joint is not None:
            return _write_joint(joint, runs, out, options)
        return _write_one_benchmark(open_runs(runs, without), out, options)


def series_runs(folder: Path) -> list[Path]:
    """The runs of a series' members, which lie below the run of their experiment."""
    if Run(folder).cells():
        return []
    return sorted(path.parent for path in folder.glob("*/experiment.json"))


@gc_paused()
def write_report_of(
    source: ReportRuns, out: Path, options: ReportOptions | None = None
) -> ReportPaths:
    """Write the same report on observations that are at hand."""
    options = options or ReportOptions()
    refuse_output(out)
    require_exports(options.exports)
    with locked(lock_of(out), wait=PATIENCE):
        return _write_one_benchmark(source, out, options)


def _write_one_benchmark(source: ReportRuns, out: Path, options: ReportOptions) -> ReportPaths:
    _require_scored(source, options)
    report = build_report(source, options)
    notes = list(report.notes)
    from_paper = paper_tables(report)
    main = report.main
    # A paper whose curves are drawn test by test needs no curve of the first metric beside them.
    has_curves = any(table.name.startswith("training-") for table in from_paper)
    points = [] if has_curves else checkpoint_points(report.source, main.metric, main.split)
    measured = report.measured(main)
    slices = slice_table(points, report.systems, main.metric, main.split, measured, report.words)
    tables = [
        *from_paper,
        *own_tables(report),
        *([checkpoint_table(points, main.metric, main.split, measured)] if points else []),
        *([slices] if slices is not None else []),
    ]
    training = (
        training_figure(report, points, main.metric, main.split),
        slice_figure(report, slices) if slices is not None else None,
        log_figure(report),
    )
    figures = [
        *report_figures(report),
        *(figure for figure in training if figure is not None),
        *report.method.figures(report, from_paper),
    ]
    pages = {}
    charts, drawn = draw_figures(
        figures, out / "figures", options.figures, notes, source_line(report)
    )
    written = [path for table in tables for path in table_paths(table, out / "tables")]
    files = [path.relative_to(out).as_posix() for path in (*written, *drawn)]
    pages["report.html"] = render_page(
        report, charts, notes[len(report.notes) :], from_paper, files, slices
    )
    sentences, short = verdict(report), summary_table(report)
    pages["report.md"] = markdown_report(report, sentences, short, tables, drawn)
    pages["results.csv"] = comma_separated(*tidy_rows(list(report.scores)))
    exports = write_exports(report, out / "exports", options.exports)
    write_folder(out, "report", pages, tables, (*drawn, *exports))
    return _paths(out, pages, tables, drawn, exports, notes)._replace(
        verdict=tuple(sentences), short=short
    )


def _require_scored(source: ReportRuns, options: ReportOptions) -> None:
    """Refuse to leave out a metric or a split that was asked for, because nothing scored it."""
    splits = source.splits()
    metrics = tuple(dict.fromkeys(name for split in splits for name in source.metrics(split)))
    for kind, asked, scored in (
        ("metric", options.metrics, metrics),
        ("split", options.splits, splits),
    ):
        for name in asked:
            if name not in scored:
                raise DataError(
                    f"no scores of {kind} '{name}'", hint=f"there are: {', '.join(scored)}"
                )


def joint_method(runs: Sequence[Path]) -> BenchmarkMethod | None:
    """The method that makes one report of these runs; None where they share their benchmark."""
    if len(runs) < 2 or not all(Run(path).cells() for path in runs):
        return None
    benchmarks = [benchmark_of(path, Run(path)) for path in runs]
    methods = [method_of(benchmark) for benchmark in benchmarks]
    apart = len({benchmark.hash for benchmark in benchmarks}) > 1
    return methods[0] if apart and all(method.of_one_corpus for method in methods) else None


def _write_joint(
    method: BenchmarkMethod, runs: Sequence[Path], out: Path, options: ReportOptions
) -> ReportPaths:
    """The report on several benchmarks of one corpus."""
    reports = [build_report(open_runs([run]), options, examples=False) for run in runs]
    joint = method.joint_report(reports)
    notes = list(joint.notes)
    charts, drawn = draw_figures(
        joint.figures, out / "figures", options.figures, notes, source_line(*reports)
    )
    rows: list[list[object]] = []
    for report, apart in zip(reports, joint.rows, strict=True):
        columns, scores = tidy_rows(list(report.scores))
        rows += [[*apart, *row] for row in scores]
    pages = {
        "report.html": joint.page(charts.get(FIGURES, []), notes),
        "report.md": joint_markdown(joint.title, joint.tables, drawn, notes),
        "results.csv": comma_separated([*joint.columns, *columns], rows),
    }
    write_folder(out, "report", pages, joint.tables, drawn)
    return _paths(out, pages, joint.tables, drawn, (), notes)


def _paths(
    out: Path,
    pages: Mapping[str, str],
    tables: Sequence[Table],
    figures: Sequence[Path],
    exports: Sequence[Path],
    notes: Sequence[str],
) -> ReportPaths:
    return ReportPaths(
        html=out / "report.html",
        markdown=out / "report.md",
        csv=out / "results.csv",
        tables=tuple(path for table in tables for path in table_paths(table, out / "tables")),
        figures=tuple(figures),
        exports=tuple(exports),
        notes=tuple(notes),
    )


def write_folder(
    out: Path,
    kind: str,
    pages: Mapping[str, str],
    tables: Sequence[Table],
    written: Sequence[Path] = (),
) -> list[Path]:
    """Write pages and tables, and remove what only a former report of this kind had written.

    `written` are files of this report that lie there already.
    """
    files = []
    for name, text in pages.items():
        write_text(out / name, text)
        files.append(out / name)
    files += [path for table in tables for path in write_table(table, out / "tables")]
    replace_former(out, kind, [*files, *written])
    return files


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
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(stored, dict):
        return {}
    return {kind: names for kind, names in stored.items() if isinstance(names, dict)}
