"""The verb score: hypotheses from anywhere, or the translations of an experiment."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from recombine.cli.options import LONG, TRAINED_ON, UNKNOWN, Verb, share
from recombine.cli.systems.experiments import print_plans, read_experiments
from recombine.cli.talk import aligned, number_or_null, print_json, print_plan, printable, say
from recombine.errors import ConfigError, DataError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument(
        "target", type=Path, help="the folder of a benchmark, or an experiment file"
    )
    parser.add_argument("outputs", type=Path, nargs="*", help="another way to write --hyps")
    parser.add_argument(
        "--hyps",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help='the outputs: plain lines, or JSON lines {"id", "hyp"}; - is standard input',
    )
    parser.add_argument(
        "--split",
        metavar="NAME",
        help="the split that was translated (default of plain lines: gen or test)",
    )
    parser.add_argument(
        "--observations",
        type=Path,
        metavar="FILE",
        help="write each observation as a JSON line into this file",
    )
    parser.add_argument(
        "--tags", action="store_true", help="also print the score of every pattern and other tag"
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="explain each wrong sentence (metrics meaning and anatomy)",
    )
    parser.add_argument(
        "--summary",
        action="store_true",
        help="print each reason once with its count and an example, the most frequent first",
    )
    parser.add_argument(
        "--missing",
        choices=("count", "skip"),
        default="count",
        help="a sentence without output: count it as the metric declares (default), or skip it",
    )
    parser.add_argument(
        "--trained-on",
        choices=TRAINED_ON,
        help="what the system learned from: train (of this benchmark), control, unknown (default) "
        "or nothing. Without --metric, meaning comes first where it did not learn from a "
        "benchmark that a grammar wrote",
    )
    share(parser, "--metric", "-o", "--trust", "--json", *LONG)


def score_verb(options: argparse.Namespace) -> int:
    """Print the scores of a file of outputs, or of each system of an experiment."""
    options.hyps = [*options.hyps, *options.outputs]
    if options.target.suffix == ".toml" and options.target.name != "benchmark.toml":
        return _score_experiment(options)
    return _score_file(options)


def _score_experiment(options: argparse.Namespace) -> int:
    from recombine.experiment.experiment import cells_of
    from recombine.experiment.scoring import score_run

    options.experiment = options.target
    for name in (
        "hyps", "split", "metric", "observations", "tags", "json", "explain", "summary",
        "trained_on",
    ):  # fmt: skip
        if getattr(options, name) and not (name == "json" and options.dry_run):
            raise ConfigError(
                f"--{name.replace('_', '-')} goes with a benchmark, but {options.target} is an "
                "experiment",
                hint="an experiment says it itself: -o 'metrics=[\"exact\"]', "
                "-o system.NAME.trained_on=train"
                if name in ("metric", "split", "trained_on")
                else "recombine score BENCHMARK --hyps FILE, or recombine report RUN",
            )
    if options.dry_run:
        return print_plans(options, "score")
    for experiment in read_experiments(options):
        count = score_run(
            experiment, force=options.force, sample=options.sample, missing=options.missing
        )
        say(f"{experiment.run}: {count} scored")
        for name, seed, cell in cells_of(experiment):
            scored = cell.record().get("score", {})
            lacking = scored.get("asked", 0) - scored.get("hypotheses", 0)
            if lacking:
                say(
                    f"note: {name}, seed {seed}: {lacking:,} of {scored['asked']:,} sentences have "
                    f"no output; {_worth(scored['missing'])}"
                )
            for metric in scored.get("about_nothing", ()):
                say(f"note: {name}, seed {seed}: {metric} applies to none of these sentences")
    return 0


def _worth(missing: str) -> str:
    return "they are skipped" if missing == "skip" else "they count as each metric declares"


def _score_file(options: argparse.Namespace) -> int:
    from recombine.benchmark import TRAINING_SPLITS, Benchmark
    from recombine.config import apply_overrides
    from recombine.experiment.hypotheses import read_hypotheses
    from recombine.files import write_jsonl
    from recombine.metrics.scoring import (
        UNTAUGHT,
        about_nothing,
        create_metrics,
        default_metrics,
        observation_row,
        score,
    )

    if len(options.hyps) != 1:
        raise ConfigError(
            f"one file of hypotheses is needed: --hyps FILE (got {len(options.hyps)})",
            hint="for several systems: recombine compare BENCHMARK FILE FILE",
        )
    benchmark = Benchmark.open(options.target)
    hypotheses, notes = read_hypotheses(options.hyps[0], benchmark, options.split)
    for note in notes:
        say(f"note: {note}")
    asked: set[str] | None = None
    if options.sample:
        from recombine.benchmark import stratified_sample

        asked = set()
        for name in benchmark.splits:
            examples = benchmark.read(name)
            chosen = stratified_sample(examples, options.sample, 0)
            asked.update(example.id for example in chosen)
            if len(chosen) < len(examples) and any(
                example.id in hypotheses for example in examples
            ):
                say(f"note: a sample: {len(chosen):,} of {len(examples):,} examples of '{name}'")
        hypotheses = {name: text for name, text in hypotheses.items() if name in asked}
    metric_options = apply_overrides({}, options.overrides)
    names = options.metric or default_metrics(
        benchmark, learned=(options.trained_on or UNKNOWN) in TRAINING_SPLITS
    )
    if options.dry_run:
        metrics = create_metrics(names, benchmark, metric_options)
        plan = {
            "benchmark": benchmark.manifest.name,
            "hypotheses": len(hypotheses),
            "metrics": [metric.name for metric in metrics],
            "outside": [
                {"metric": metric.name, **metric.outside()}
                for metric in metrics
                if metric.outside()
            ],
        }
        return print_plan(plan, options.json)
    tables = score(
        benchmark,
        hypotheses,
        names,
        options=metric_options,
        missing=options.missing,
        asked=asked,
    )
    if not tables:
        raise DataError(
            "nothing to score: none of these metrics applies to any of these sentences",
            hint=f"benchmark {benchmark.manifest.name} recommends: "
            + ", ".join(default_metrics(benchmark)),
        )
    if not (options.trained_on or options.metric) and names[0] == UNTAUGHT:
        say(
            f"note: {UNTAUGHT} is scored because nobody said that the system learned from this "
            "benchmark; --trained-on train leaves it out"
        )
    for name in about_nothing(options.metric, tables):
        say(f"note: {name} applies to none of these sentences")
    if options.observations is not None:
        write_jsonl(
            options.observations,
            (observation_row(table.metric, row) for table in tables for row in table.rows()),
        )
    if options.explain or options.summary:
        explain = _reasons if options.summary else _explained
        for line in explain(tables, hypotheses):
            print(printable(line))
    sliced = options.tags or options.json
    scores = (table.scores() if sliced else table.overall() for table in tables)
    flat = list(chain.from_iterable(scores))
    if options.json:
        print_json([_row(score) for score in flat])
        return 0
    print("\n".join(map(printable, _score_lines(flat))))
    for line in dict.fromkeys(_metric_notes(tables)):
        say(f"note: {line}")
    return 0


def _score_lines(scores: Sequence[Any]) -> Iterator[str]:
    """Scores as a table, and below it the signature of every metric, once."""
    from recombine.statistics.sample import CONFIDENCE

    rows = [["split", "of", "metric", "score", f"{100 * CONFIDENCE:g}% interval", "counted"]]
    for score in scores:
        value = score.slice if score.slice.isprintable() else repr(score.slice)
        span = "-" if math.isnan(score.low) else f"[{score.low:.2f}, {score.high:.2f}]"
        of = f"{score.tag}={value}" if score.tag else "all"
        rows.append([score.split, of, score.metric, score.in_digits(2), span, score.counted])
    if not any(score.tag for score in scores):
        rows = [[row[0], *row[2:]] for row in rows]
    yield from aligned(rows, right=[len(rows[0]) - 3])
    yield ""
    for metric, signature in dict.fromkeys((score.metric, score.signature) for score in scores):
        yield f"signature of {metric}: {signature}"


# Details of a metric that reads sentences, and what they are called here.
READINGS = {"meant": "source means", "said": "output means"}


def _explained(tables: Sequence[Any], hypotheses: Mapping[str, str]) -> Iterator[str]:
    """Every sentence with a fault that its metric explains."""
    for table in tables:
        for row in table.rows():
            if not row.detail.get("explanation") or len(row.ids) != 1:
                continue
            example = table.examples[row.ids[0]]
            yield f"{example.id}\t{table.metric}\t{row.detail.get('class', row.value)}"
            yield f"  source\t{example.source}"
            yield f"  output\t{hypotheses.get(example.id, '')}"
            for reference in example.references[:1]:
                yield f"  reference\t{reference}"
            for name, label in READINGS.items():
                if name in row.detail:
                    yield f"  {label}\t{row.detail[name]}"
            yield f"  why\t{_reason(row)}"
            yield ""


def _reason(row: Any) -> str:
    """The explanation without the readings that it may end with."""
    return str(row.detail.get("explanation", "")).partition(" · meant ")[0]


def _reasons(tables: Sequence[Any], hypotheses: Mapping[str, str]) -> Iterator[str]:
    """How often each reason was given: unknown words, wrong words, roles."""
    for table in tables:
        sentences: dict[tuple[str, str], list[str]] = {}
        for row in table.rows():
            for reason in _reason(row).split("; ") if len(row.ids) == 1 else ():
                if reason:
                    key = (str(row.detail.get("class", row.value)), reason)
                    sentences.setdefault(key, []).append(row.ids[0])
        for (kind, reason), ids in sorted(sentences.items(), key=lambda item: -len(item[1])):
            example = table.examples[ids[0]]
            yield f"{len(ids)}\t{table.metric}\t{kind}\t{reason}"
            yield f"  such as\t{example.source} -> {hypotheses.get(example.id, '')}"
        if sentences:
            yield ""
        yield from _missing_synonyms(row.detail for row in table.rows())


def _missing_synonyms(details: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Unknown words as rows of a lexicon, for whoever knows the language to choose from."""
    from recombine.metrics.meaning.metric import lexicon_rows

    rows = lexicon_rows(details)
    if rows:
        yield "# Does the form say the same? Then add it to variants/CODE.lexicon.tsv."
        yield "id\tform"
        yield from (f"{word}\t{form}" for word, form in rows)
        yield ""


def _metric_notes(tables: Sequence[Any]) -> Iterator[str]:
    """Notes of each metric: what it left out, and what it learned."""
    for table in tables:
        for name, value in table.notes().items():
            if value not in (None, "", [], {}):
                yield f"{table.metric}: {name.replace('_', ' ')}: {value}"


def _row(score: Any) -> dict[str, Any]:
    """A score by the names of scores.csv."""
    return {
        "split": score.split,
        "tag": score.tag or "all",
        "value": score.slice or "all",
        "metric": score.metric,
        "n": score.n,
        "of": score.of,
        "failed": score.failed,
        "score": number_or_null(score.value),
        "ci_low": number_or_null(score.low),
        "ci_high": number_or_null(score.high),
        "unit": score.unit,
        **({"undecided": score.undecided} if score.undecided else {}),
        "method": score.method,
        "signature": score.signature,
    }


VERB = Verb(
    "score",
    "score outputs that you have, or the translations of an experiment",
    "recombine score out/sget-mini --hyps hypotheses.txt --split gen --metric exact",
    add_arguments,
    score_verb,
)
