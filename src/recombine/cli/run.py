"""Verbs that evaluate systems: train translate score report run."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recombine.cli.talk import (
    aligned,
    known,
    print_found,
    print_json,
    print_plan,
    print_unplanned,
    printable,
    say,
)
from recombine.errors import ConfigError, DataError


def _experiments(options: argparse.Namespace) -> list[Any]:
    """Read the experiment, or those of a series; --sample makes them small."""
    import dataclasses

    from recombine import registry
    from recombine.experiment.experiment import outside_of, read_experiment, series_experiments

    overrides = list(options.overrides)
    sample = options.sample
    if sample and options.verb in ("train", "translate", "run"):
        overrides.append(f"sample={sample}")
    trust = options.trust
    if options.verb in ("train", "translate", "run") and not options.dry_run:
        # Said before any of it runs: an import does.
        with registry.user_code_barred():
            outside = outside_of(read_experiment(options.experiment, overrides, trust=trust))
        for one in outside:
            owner, (kind, what) = next(iter(one.values())), list(one.items())[1]
            say(f"note: {options.experiment} {kind} {what} ({owner})")
    experiment = read_experiment(options.experiment, overrides, trust=trust)
    if sample and options.verb in ("train", "run"):
        systems = {
            name: {**given, "train_size": min(sample, given.get("train_size", sample))}
            for name, given in experiment.system.items()
        }
        experiment = dataclasses.replace(experiment, system=systems)
    return series_experiments(experiment)


def _print_plans(options: argparse.Namespace, *stages: str) -> int:
    from recombine.experiment.experiment import outside_of, read_experiment
    from recombine.experiment.plan import plan_experiment

    if not options.trust:
        outside = outside_of(read_experiment(options.experiment, options.overrides))
        if any("imports" in one for one in outside):
            return print_unplanned(outside, options.json)
    sample = options.sample if options.verb == "score" else 0
    for experiment in _experiments(options):
        plan = plan_experiment(experiment, stages, force=options.force, sample=sample)
        print_plan(plan, options.json)
    return 0


def train_verb(options: argparse.Namespace) -> int:
    """Train."""
    from recombine.experiment.training import train

    if options.dry_run:
        return _print_plans(options, "train")
    for experiment in _experiments(options):
        count = train(experiment, force=options.force)
        say(f"{experiment.run}: {count} model{'' if count == 1 else 's'} trained")
    return 0


def run_verb(options: argparse.Namespace) -> int:
    """Do all stages."""
    from recombine.experiment.failures import Failures
    from recombine.experiment.scoring import score_run
    from recombine.experiment.training import train
    from recombine.experiment.translating import translate

    if options.dry_run:
        return _print_plans(options, "train", "translate", "score", "report")
    members = _experiments(options)
    failures = Failures()
    for experiment in members:
        if options.engine == "ray":
            from recombine.experiment.ray import run_experiment_on_ray

            failures.gather(run_experiment_on_ray, experiment, address=options.address)
        else:
            failures.gather(train, experiment, force=options.force)
            failures.gather(translate, experiment, force=options.force, **_about_failures(options))
            _remark(experiment)
        failures.gather(score_run, experiment, force=options.force)
        scored = {path.parents[1] for path in experiment.run.glob("*/seed-*/scores/*.jsonl")}
        if scored - failures.stale:
            own, out = _own_metrics(experiment), experiment.run / "report"
            _report([experiment.run], out, own, without=failures.stale)
    if len(members) > 1:
        whole = members[0].run.parent
        _report([whole], whole / "report", _own_metrics(members[0]))
    failures.raise_any()
    return 0


def translate_verb(options: argparse.Namespace) -> int:
    """Translate lines, or an experiment."""
    if options.system is None:
        if options.experiment is None:
            raise ConfigError("give an experiment file, or --system NAME")
        from recombine.experiment.translating import translate

        if options.dry_run:
            return _print_plans(options, "translate")
        for experiment in _experiments(options):
            count = translate(experiment, force=options.force, **_about_failures(options))
            say(f"{experiment.run}: {count:,} sentences translated")
            _remark(experiment)
        return 0
    return _translate_lines(options)


def _about_failures(options: argparse.Namespace) -> dict[str, bool]:
    return {"retry": options.retry, "accept_failures": options.accept_failures}


def _remark(experiment: Any) -> None:
    """Say of each system how many sentences it left without a translation."""
    from recombine.experiment.experiment import cells_of

    for name, seed, cell in cells_of(experiment):
        for split, counts in cell.record().get("translate", {}).items():
            for kind in ("failed", "empty"):
                if counts.get(kind):
                    say(f"note: {name}, seed {seed}, {split}: {counts[kind]:,} {kind}")


def _translate_lines(options: argparse.Namespace) -> int:
    from recombine import registry
    from recombine.benchmark import Example, stratified_sample
    from recombine.config import apply_overrides
    from recombine.errors import RecombineError, SystemFailure
    from recombine.experiment.fingerprint import code_of, options_of
    from recombine.experiment.translations import SourceSentence, translate_to_file
    from recombine.files import read_jsonl, read_lines, read_standard_input, sha256_of, write_text
    from recombine.lock import lock_of, locked
    from recombine.stage import identity_of

    given_options = apply_overrides({}, options.overrides)
    system = registry.create("system", options.system, given_options)
    given = read_standard_input() if options.input is None else read_lines(options.input)
    lines = [line for _, line in given]
    if options.sample:
        # Lines have no tags, so that the whole text is one stratum.
        examples = [Example(id=str(place), source=line) for place, line in enumerate(lines)]
        lines = [example.source for example in stratified_sample(examples, options.sample, 0)]
    if options.dry_run:
        from recombine.experiment.plan import plan_lines

        print_plan(plan_lines(system, options.system, lines), options.json)
        return 0
    if options.model is not None:
        system = system.load(options.model)
    if options.output is None:
        return _print_translations(system, lines)
    fingerprint = {
        "system": options.system,
        "options": options_of(system, given_options),
        "input": identity_of(lines),
        **code_of(options.system, system),
    }
    if options.model is not None:
        folder: Path = options.model
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        fingerprint["model"] = {str(path.relative_to(folder)): sha256_of(path) for path in files}
    rows = options.output.with_name(options.output.name + ".rows.jsonl")
    numbered = [SourceSentence(str(number), line) for number, line in enumerate(lines, start=1)]
    sources = [source for source in numbered if source.text.strip()]
    problem: RecombineError | None = None
    with locked(lock_of(options.output)):
        try:
            translated = translate_to_file(
                system, sources, rows, fingerprint, force=options.force, retry=options.retry
            )
            if translated.failed and not (options.accept_failures and translated.final):
                problem = translated.problem()
        except SystemFailure as failure:
            problem = failure
        # Whoever puts the lines beside others needs one for each, whatever became of it.
        answers = {row["id"]: row["hyp"] for row in read_jsonl(rows)}
        text = "".join(answers.get(source.id, "") + "\n" for source in numbered)
        write_text(options.output, text)
    say(f"{options.output}: {len(lines):,} lines")
    if problem is not None:
        lost = sum(source.id not in answers for source in sources)
        say(f"note: {lost:,} of them are empty, because they could not be translated")
        raise problem
    return 0


def _print_translations(system: Any, lines: Sequence[str]) -> int:
    from recombine.errors import SystemFailure
    from recombine.progress import progress
    from recombine.systems.base import Failure, answers, one_line

    failed = 0
    given = answers(system, [line for line in lines if line.strip()])
    # On a terminal the translations themselves show how far the work is.
    shown = contextlib.nullcontext() if sys.stdout.isatty() else progress("translate", len(lines))
    with shown as bar:
        for number, line in enumerate(lines, start=1):
            hypothesis = next(given) if line.strip() else ""
            if isinstance(hypothesis, Failure):
                failed += 1
                say(f"error: line {number}: {hypothesis.reason}")
            print("" if isinstance(hypothesis, Failure) else one_line(hypothesis), flush=True)
            if bar is not None:
                bar.advance()
        for _ in given:
            pass  # one answer too many is a fault, too
    if failed:
        raise SystemFailure(f"{failed} of {len(lines)} sentences could not be translated")
    return 0


def score_verb(options: argparse.Namespace) -> int:
    """Score."""
    options.hyps = [*options.hyps, *options.outputs]
    if options.target.suffix == ".toml" and options.target.name != "benchmark.toml":
        return _score_experiment(options)
    return _score_file(options)


def _score_experiment(options: argparse.Namespace) -> int:
    from recombine.experiment.experiment import cells_of
    from recombine.experiment.scoring import score_run

    options.experiment = options.target
    for name in ("hyps", "split", "metric", "observations", "tags", "json", "explain"):
        if getattr(options, name) and not (name == "json" and options.dry_run):
            raise ConfigError(
                f"--{name} is for a benchmark, and {options.target} is an experiment",
                hint="an experiment says itself what is scored: -o 'metrics=[\"exact\"]'"
                if name in ("metric", "split")
                else "recombine score BENCHMARK --hyps FILE, or recombine report RUN",
            )
    if options.dry_run:
        return _print_plans(options, "score")
    for experiment in _experiments(options):
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
                say(f"note: {name}, seed {seed}: {metric} is about none of these sentences")
    return 0


def _worth(missing: str) -> str:
    return "they are skipped" if missing == "skip" else "they count as each metric declares"


def _score_file(options: argparse.Namespace) -> int:
    from recombine.benchmark import Benchmark
    from recombine.config import apply_overrides
    from recombine.experiment.hypotheses import read_hypotheses
    from recombine.files import write_jsonl
    from recombine.metrics.score import scores_of
    from recombine.metrics.scoring import about_nothing, default_metrics, observation_row, score

    if len(options.hyps) != 1:
        raise ConfigError(
            f"give the hypotheses once: --hyps FILE (got {len(options.hyps)})",
            hint="of several systems: recombine compare BENCHMARK FILE FILE",
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
            asked.update(one.id for one in chosen)
            if len(chosen) < len(examples) and any(one.id in hypotheses for one in examples):
                say(f"note: a sample: {len(chosen):,} of {len(examples):,} examples of '{name}'")
        hypotheses = {name: text for name, text in hypotheses.items() if name in asked}
    metric_options = apply_overrides({}, options.overrides)
    if options.dry_run:
        from recombine.experiment.plan import plan_scores

        plan = plan_scores(benchmark, hypotheses, options.metric, metric_options)
        print_plan(plan, options.json)
        return 0
    results = score(
        benchmark,
        hypotheses,
        options.metric or None,
        options=metric_options,
        missing=options.missing,
        asked=asked,
    )
    if not results:
        raise DataError(
            "nothing to score: none of these metrics is about any of these sentences",
            hint=f"benchmark {benchmark.manifest.name} recommends: "
            + ", ".join(default_metrics(benchmark)),
        )
    for name in about_nothing(options.metric, results):
        say(f"note: {name} is about none of these sentences")
    if options.observations is not None:
        write_jsonl(
            options.observations,
            (observation_row(r.metric.name, one) for r in results for one in r.observations),
        )
    if options.explain:
        for line in _explained(results, hypotheses):
            print(printable(line))
    found = scores_of(results, overall_only=not (options.tags or options.json))
    if options.json:
        print_json([_row(one) for one in found])
        return 0
    print("\n".join(map(printable, _score_lines(found))))
    for line in dict.fromkeys(_metric_notes(results)):
        say(f"note: {line}")
    return 0


def _score_lines(scores: Sequence[Any]) -> Iterator[str]:
    """Scores as a table, and below it the signature of every metric, once."""
    from recombine.statistics.sample import CONFIDENCE

    rows = [["split", "of", "metric", "score", f"{100 * CONFIDENCE:g}% interval", "counted"]]
    for one in scores:
        value = one.slice if one.slice.isprintable() else repr(one.slice)
        span = "-" if math.isnan(one.low) else f"[{one.low:.2f}, {one.high:.2f}]"
        of = f"{one.tag}={value}" if one.tag else "all"
        rows.append([one.split, of, one.metric, one.told(2), span, one.counted])
    if not any(one.tag for one in scores):
        rows = [[row[0], *row[2:]] for row in rows]
    yield from aligned(rows, right=[len(rows[0]) - 3])
    yield ""
    for metric, signature in dict.fromkeys((one.metric, one.signature) for one in scores):
        yield f"signature of {metric}: {signature}"


def _explained(results: Sequence[Any], hypotheses: Mapping[str, str]) -> Iterator[str]:
    """What metrics that say why say of every sentence that is not simply right."""
    for result in results:
        for one, examples in zip(result.observations, result.members, strict=False):
            told = {name: one.detail[name] for name in ("meant", "said") if name in one.detail}
            if not one.detail.get("explanation") or len(examples) != 1:
                continue
            (example,) = examples
            yield f"{example.id}\t{result.metric.name}\t{one.detail.get('class', one.value)}"
            yield f"  source\t{example.source}"
            yield f"  said\t{hypotheses.get(example.id, '')}"
            yield f"  wanted\t{example.references[0]}"
            for name, text in told.items():
                yield f"  meaning {name}\t{text}"
            yield f"  why\t{one.detail['explanation'].partition(' · meant ')[0]}"
            yield ""


def _metric_notes(results: Sequence[Any]) -> Iterator[str]:
    """What a metric left out and learned, for whoever reads its score."""
    for result in results:
        for name, value in result.metric.notes().items():
            if value not in (None, "", [], {}):
                yield f"{result.metric.name}: {name.replace('_', ' ')}: {value}"


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
        "score": known(score.value),
        "ci_low": known(score.low),
        "ci_high": known(score.high),
        "unit": score.unit,
        **({"undecided": score.undecided} if score.undecided else {}),
        "method": score.method,
        "signature": score.signature,
    }


def report_verb(options: argparse.Namespace) -> int:
    """Report."""
    for run in options.runs:
        if (run / "benchmark.toml").is_file():
            raise DataError(
                f"{run} is a benchmark, not a run",
                hint="a run is what `recombine run EXPERIMENT` makes; of outputs that you have: "
                f"recombine compare {run} FILE ... --out DIR",
            )
    if options.power is not None:
        from recombine.report import power_plan

        print_found(power_plan(options.runs, gain=options.power), options.json)
        return 0
    overrides = list(options.overrides)
    if options.sample:
        overrides.append(f"sample={options.sample}")
    other = "scorecard" if options.scorecard else "annotate" if options.annotate else ""
    if other and options.json and not options.dry_run:
        raise ConfigError(f"--json is of a report, and --{other} writes files", hint="leave it out")
    if options.scorecard:
        out = options.out or options.runs[0] / "scorecard"
        if options.dry_run:
            print_plan({"writes": [str(out)], "runs": [*map(str, options.runs)]}, options.json)
            return 0
        return _scorecard(options.runs, out, overrides)
    if options.annotate is not None:
        if options.dry_run:
            print_plan({"writes": [str(options.annotate)]}, options.json)
            return 0
        from recombine.report.annotate import write_annotation_sheet

        count = write_annotation_sheet(options.runs, options.annotate, options.sample)
        say(f"{options.annotate}: {count:,} compounds to judge")
        return 0
    if options.judged is not None:
        from recombine.report.annotate import read_judgements

        print_found(read_judgements(options.runs, options.judged), options.json)
        return 0
    out = options.out or options.runs[0] / "report"
    if options.dry_run:
        from recombine.report.plan import plan_report

        print_plan(plan_report(options.runs, out, options.sample), options.json)
        return 0
    return _report(options.runs, out, overrides, as_json=options.json)


def _own_metrics(experiment: Any) -> list[str]:
    """Vouch for the metrics that the experiment names by their files."""
    own = [name for name in experiment.metrics if ".py:" in name]
    return [f"own={json.dumps(own)}"] if own else []


def _scorecard(runs: Sequence[Path], out: Path, overrides: Sequence[str]) -> int:
    from recombine.report import write_scorecard

    page, text, *_ = write_scorecard(runs, out, _report_options(overrides))
    say(text.read_text(encoding="utf-8"))
    print(page)
    return 0


def _report_options(overrides: Sequence[str]) -> Any:
    from recombine.config import apply_overrides, parse_config
    from recombine.report import ReportOptions

    return parse_config(ReportOptions, apply_overrides({}, overrides))


def _report(
    runs: Sequence[Path],
    out: Path,
    overrides: Sequence[str],
    *,
    as_json: bool = False,
    without: Collection[Path] = (),
) -> int:
    from recombine.report import write_report

    paths = write_report(list(runs), out, _report_options(overrides), without=without)
    for note in paths.notes:
        say(f"note: {note}")
    if as_json:
        files = [str(path) for path in paths.files]
        print_json({"verdict": paths.verdict, "notes": paths.notes, "files": files})
        return 0
    if paths.summary:
        say("")
        say("\n".join(paths.verdict))
        say("")
        say(paths.summary)
        say("")
    print(paths.html)
    return 0
