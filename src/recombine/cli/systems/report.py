"""The verb report: the page, tables and figures of one run or of several."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from recombine.cli.options import PLANNED, Verb, share
from recombine.cli.talk import (
    fitted,
    print_data,
    print_json,
    print_opened,
    print_plan,
    room,
    say,
    wrapped,
)
from recombine.errors import ConfigError, DataError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument("runs", nargs="+", type=Path, help="folders of runs")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="the folder to write (default: RUN/report)"
    )
    parser.add_argument(
        "--power",
        type=float,
        metavar="POINTS",
        help="print how many seeds would show a gain of so many points",
    )
    parser.add_argument(
        "--scorecard", action="store_true", help="set runs of several benchmarks side by side"
    )
    parser.add_argument(
        "--annotate",
        type=Path,
        metavar="FILE",
        help="write translations for people to judge with Pearmut, suspected errors marked",
    )
    parser.add_argument(
        "--judged",
        type=Path,
        metavar="FILE",
        help="read the judgements of Pearmut; with --out, write human scores for each system",
    )
    share(parser, "-o", "--json", *PLANNED)


def report_verb(options: argparse.Namespace) -> int:
    """Write the report of runs, or print what --power or --judged asks for."""
    for run in options.runs:
        if (run / "benchmark.toml").is_file():
            raise DataError(
                f"{run} is a benchmark, not a run",
                hint="a run is what `recombine run EXPERIMENT` makes; of outputs that you have: "
                f"recombine compare {run} FILE ... --out DIR",
            )
    if options.power is not None:
        from recombine.report import power_plan

        print_data(power_plan(options.runs, gain=options.power), options.json)
        return 0
    overrides = list(options.overrides)
    if options.sample:
        overrides.append(f"sample={options.sample}")
    other = "scorecard" if options.scorecard else "annotate" if options.annotate else ""
    if other and options.json and not options.dry_run:
        raise ConfigError(
            f"--json prints what a report says, and --{other} writes files", hint="leave --json out"
        )
    if options.scorecard:
        out = options.out or options.runs[0] / "scorecard"
        if options.dry_run:
            plan = {"writes": [str(out)], "runs": [*map(str, options.runs)]}
            return print_plan(plan, options.json)
        return _scorecard(options.runs, out, overrides)
    if options.annotate is not None:
        if options.dry_run:
            return print_plan({"writes": [str(options.annotate)]}, options.json)
        from recombine.report.annotate import write_campaign

        count = write_campaign(options.runs, options.annotate, options.sample)
        say(f"{options.annotate}: {count:,} sentences to judge: pearmut add {options.annotate}")
        return 0
    if options.judged is not None:
        from recombine.report.annotate import read_judgements

        print_data(read_judgements(options.runs, options.judged, options.out), options.json)
        return 0
    out = options.out or options.runs[0] / "report"
    if options.dry_run:
        return _plan(options.runs, out, options.json)
    return report_runs(options.runs, out, overrides, as_json=options.json)


def _plan(runs: Sequence[Path], out: Path, as_json: bool) -> int:
    """Print what a report would read."""
    from recombine.report.reading.runs import open_runs

    source = open_runs(runs)
    plan = {
        "runs": [*map(str, runs)],
        "out": str(out),
        "systems": list(source.systems),
        "splits": {split: list(source.metrics(split)) for split in source.splits()},
    }
    return print_plan(plan, as_json)


def _scorecard(runs: Sequence[Path], out: Path, overrides: Sequence[str]) -> int:
    from recombine.report import write_scorecard

    page, text, *_ = write_scorecard(runs, out, _report_options(overrides))
    width = room(sys.stderr)
    lines = text.read_text(encoding="utf-8").splitlines()
    # Tables of many suites are wider than most terminals: the page has them, and the file.
    short = [line for line in lines if not width or not line.startswith("|") or len(line) <= width]
    say("\n".join(short))
    print_opened(page)
    return 0


def _report_options(overrides: Sequence[str]) -> Any:
    from recombine.config import apply_overrides, parse_config
    from recombine.report import ReportOptions

    return parse_config(ReportOptions, apply_overrides({}, overrides))


def report_runs(
    runs: Sequence[Path],
    out: Path,
    overrides: Sequence[str],
    *,
    as_json: bool = False,
    without: Collection[Path] = (),
) -> int:
    """Write the report of these runs and say what it found."""
    from recombine.report import write_report

    paths = write_report(list(runs), out, _report_options(overrides), without=without)
    for note in paths.notes:
        say(f"note: {note}")
    if as_json:
        files = [str(path) for path in paths.files]
        print_json({"verdict": paths.verdict, "notes": paths.notes, "files": files})
        return 0
    width = room(sys.stderr)
    if paths.short is not None:
        say("")
        say("\n".join(wrapped(line, width) for line in paths.verdict))
        say("")
        say(fitted(paths.short, width))
        say("")
    print_opened(paths.html)
    return 0


VERB = Verb(
    "report",
    "write the report of a run, or of several compared: page, tables, figures",
    "recombine report runs/quickstart --out out/report",
    add_arguments,
    report_verb,
)
