"""The verb compare: outputs of several systems from anywhere, in one line."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recombine.cli.options import TRAINED_ON, UNKNOWN, Verb, share
from recombine.cli.talk import fitted, number_or_null, print_json, printable, room, say
from recombine.errors import ConfigError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument("benchmark", type=Path, help="the folder of a benchmark")
    parser.add_argument(
        "hyps",
        type=Path,
        nargs="+",
        metavar="FILE",
        help='plain lines in the order of a split, or JSON lines {"id", "hyp"}',
    )
    parser.add_argument(
        "--names", metavar="NAME,NAME,...", help="the systems' names (default: the files' names)"
    )
    parser.add_argument(
        "--split",
        metavar="NAME",
        help="the split that was translated (default of plain lines: gen or test)",
    )
    parser.add_argument(
        "--trained-on",
        default=UNKNOWN,
        metavar="WHAT",
        help="what the systems learned from: train (of this benchmark), control, unknown "
        "(default) or nothing; for single systems NAME=WHAT,NAME=WHAT",
    )
    parser.add_argument("--slices", action="store_true", help="also test each pattern by itself")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write a report into this folder")
    share(parser, "--metric", "-o", "--json")


def compare_verb(options: argparse.Namespace) -> int:
    """Score, test, report."""
    from recombine.benchmark import TRAINING_SPLITS, Benchmark
    from recombine.config import apply_overrides
    from recombine.evaluation import score
    from recombine.experiment.hypotheses import read_hypotheses
    from recombine.metrics.scoring import default_metrics
    from recombine.stage import refuse_output

    names = _system_names(options.hyps, options.names)
    if options.out is not None:
        refuse_output(options.out)
    benchmark = Benchmark.open(options.benchmark)
    trained_on = _trained_on(names, options.trained_on)
    metrics = options.metric or default_metrics(
        benchmark, learned=any(what in TRAINING_SPLITS for what in trained_on.values())
    )
    metric_options = apply_overrides({}, options.overrides)
    # All are read before any is scored, which may take minutes.
    texts = {}
    for name, path in zip(names, options.hyps, strict=True):
        texts[name], notes = read_hypotheses(path, benchmark, options.split)
        for note in notes:
            say(f"note: {name}: {note}")
    evaluations = [
        score(
            benchmark,
            outputs,
            metrics,
            options=metric_options,
            name=name,
            trained_on=trained_on[name],
        )
        for name, outputs in texts.items()
    ]
    first, *others = evaluations
    tables = {"scores": _scores([evaluation.table() for evaluation in evaluations], names)}
    if others:
        tables["differences"] = first.compare(*others, slices=options.slices)
    if options.json:
        print_json({name: _rows(table) for name, table in tables.items()})
    else:
        width = room(sys.stdout)
        shown = [fitted(_in_words(table), width) for table in tables.values()]
        print(printable("\n\n".join(shown)))
    if options.out is not None:
        paths = first.report(options.out, *others)
        for note in paths.notes:
            say(f"note: {note}")
        say(f"report: {paths.html}")
    return 0


def _system_names(paths: Sequence[Path], given: str | None) -> list[str]:
    """What the systems are called: as the user says, or like their files."""
    if given is not None:
        names = [name.strip() for name in given.split(",")]
        if len(names) != len(paths):
            raise ConfigError(f"{len(names)} names for {len(paths)} files", hint="--names a,b")
    else:
        names = [path.name.partition(".")[0] or path.name for path in paths]
        if len(set(names)) < len(names):
            names = ["-".join(path.with_suffix("").parts[-2:]) for path in paths]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None or "" in names:
        raise ConfigError(
            f"two systems are called '{twice}'" if twice else "a system has no name",
            hint="name them: --names ours,theirs",
        )
    return names


def _trained_on(names: Sequence[str], given: str) -> dict[str, str]:
    """What each system learned from: the same of all, or NAME=WHAT of some."""
    if "=" not in given:
        trained_on = dict.fromkeys(names, given)
    else:
        pairs = [pair.strip().partition("=") for pair in given.split(",")]
        trained_on = {**dict.fromkeys(names, UNKNOWN), **{name: what for name, _, what in pairs}}
    for name, what in trained_on.items():
        if name not in names:
            raise ConfigError(
                f"--trained-on: no system is called '{name}'", hint=f"there are: {', '.join(names)}"
            )
        if what not in TRAINED_ON:
            raise ConfigError(
                f"--trained-on: unknown value '{what}'", hint=f"one of: {', '.join(TRAINED_ON)}"
            )
    return trained_on


def _scores(tables: Sequence[Any], names: Sequence[str]) -> Any:
    """The scores of every system, those of one metric and split together."""
    rows: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    for name, table in zip(names, tables, strict=True):
        for split, metric, *rest in table.rows:
            rows.setdefault((split, metric), []).append((split, metric, name, *rest))
    columns = ("split", "metric", "system", *tables[0].columns[2:])
    everything = tuple(row for group in rows.values() for row in group)
    return dataclasses.replace(tables[0], columns=columns, rows=everything)


def _in_words(table: Any) -> Any:
    """The table as people read it: patterns by the names that the page gives them."""
    from recombine.report.method import BenchmarkMethod
    from recombine.report.words import read_words

    words = read_words()

    def named(cell: Any) -> Any:
        tags = (tag for tag in BenchmarkMethod.main_tags if (tag, cell) in words.known)
        tag = next(tags, None)
        return cell if tag is None else words.label(tag, cell)

    place = table.columns.index("value") if "value" in table.columns else None
    rows = tuple(
        tuple(named(cell) if at == place else cell for at, cell in enumerate(row))
        for row in table.rows
    )
    return dataclasses.replace(table, title="", rows=rows)


def _rows(table: Any) -> list[dict[str, Any]]:
    """The rows by column; an interval is a list, and a number that is not known null."""
    from recombine.report.tables.table import UP_TO
    from recombine.statistics.intervals import Estimate

    rows = []
    for row in table.rows:
        named: dict[str, Any] = {}
        for name, cell in zip(table.columns, row, strict=True):
            if not isinstance(cell, Estimate):
                named[name] = number_or_null(cell)
                continue
            named[name] = [number_or_null(end) for end in cell.span]
            if number_or_null(cell.upper_if_unjudged) is not None:
                named[f"{name} {UP_TO}"] = cell.upper_if_unjudged
        rows.append(named)
    return rows


VERB = Verb(
    "compare",
    "score the outputs of several systems and test their differences",
    "recombine compare out/sget-mini ours.txt theirs.txt --split gen --out out/comparison",
    add_arguments,
    compare_verb,
)
