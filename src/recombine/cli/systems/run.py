"""The verb run: train, translate, score and report."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recombine.cli.options import FAILED, LONG, Verb, share, share_plan
from recombine.cli.systems.experiments import (
    about_failures,
    print_plans,
    read_experiments,
    remark_failures,
)
from recombine.cli.systems.report import report_runs
from recombine.cli.talk import say
from recombine.progress import step, steps


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument("experiment", type=Path, help="an experiment file (.toml)")
    share(parser, "-o", "--trust", *LONG, *FAILED)
    share_plan(parser)
    share(parser, "--engine", "--address")


def run_verb(options: argparse.Namespace) -> int:
    """Do all stages."""
    from recombine.experiment.failures import Failures

    if options.dry_run:
        return print_plans(options, "train", "translate", "score")
    members = read_experiments(options)
    failures = Failures()
    for experiment in members:
        names = [f"train {name}" for name in experiment.system]
        with steps([*names, "translate", "score", "report"]):
            _run(experiment, options, failures)
    if len(members) > 1:
        whole = members[0].run.parent
        report_runs([whole], whole / "report", _own_metrics(members[0]))
    failures.raise_any()
    _say_next(members, options.experiment)
    return 0


def _say_next(members: Sequence[Any], path: Path) -> None:
    """Say what to do next: more seeds where one was trained, else how many would tell more."""
    trained = any(any(member.run.glob("*/seed-*/model")) for member in members)
    if trained and len(members[0].seeds) == 1:
        say(f"Next: recombine run {path} -o 'seeds=[1, 2, 3]'  (one seed may be luck)")
    elif trained and len(members) == 1:
        say(f"Next: recombine report {members[0].run} --power 2  (seeds needed to see 2 points)")


def _run(experiment: Any, options: argparse.Namespace, failures: Any) -> None:
    """Do all stages of one experiment, and report what was scored."""
    from recombine.experiment.scoring import score_run
    from recombine.experiment.training import train
    from recombine.experiment.translating import translate

    if options.engine == "ray":
        from recombine.experiment.ray import run_experiment_on_ray

        failures.gather(run_experiment_on_ray, experiment, address=options.address)
    else:
        failures.gather(train, experiment, force=options.force)
        with step("translate"):
            failures.gather(translate, experiment, force=options.force, **about_failures(options))
        remark_failures(experiment)
    with step("score"):
        failures.gather(score_run, experiment, force=options.force)
    scored = {path.parents[1] for path in experiment.run.glob("*/seed-*/scores/*.jsonl")}
    if scored - failures.stale:
        own, out = _own_metrics(experiment), experiment.run / "report"
        with step("report"):
            report_runs([experiment.run], out, own, without=failures.stale)


def _own_metrics(experiment: Any) -> list[str]:
    """Vouch for the metrics that the experiment names by their files."""
    own = [name for name in experiment.metrics if ".py:" in name]
    return [f"own={json.dumps(own)}"] if own else []


VERB = Verb(
    "run",
    "train, translate, score and report; what is up to date is skipped",
    "recombine run experiment.toml",
    add_arguments,
    run_verb,
)
