"""The verb run: train, translate, score and report."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from recombine.cli.options import ENGINES, FAILED, LONG, Verb, share, share_plan
from recombine.cli.systems.experiments import (
    about_failures,
    print_plans,
    read_experiments,
    remark_failures,
)
from recombine.cli.systems.report import report_runs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what may be given."""
    parser.add_argument("experiment", type=Path)
    share(parser, "-o", "--trust", *LONG, *FAILED)
    share_plan(parser)
    parser.add_argument("--engine", choices=ENGINES, default="local")
    share(parser, "--address")


def run_verb(options: argparse.Namespace) -> int:
    """Do all stages."""
    from recombine.experiment.failures import Failures
    from recombine.experiment.scoring import score_run
    from recombine.experiment.training import train
    from recombine.experiment.translating import translate

    if options.dry_run:
        return print_plans(options, "train", "translate", "score", "report")
    members = read_experiments(options)
    failures = Failures()
    for experiment in members:
        if options.engine == "ray":
            from recombine.experiment.ray import run_experiment_on_ray

            failures.gather(run_experiment_on_ray, experiment, address=options.address)
        else:
            failures.gather(train, experiment, force=options.force)
            failures.gather(translate, experiment, force=options.force, **about_failures(options))
            remark_failures(experiment)
        failures.gather(score_run, experiment, force=options.force)
        scored = {path.parents[1] for path in experiment.run.glob("*/seed-*/scores/*.jsonl")}
        if scored - failures.stale:
            own, out = _own_metrics(experiment), experiment.run / "report"
            report_runs([experiment.run], out, own, without=failures.stale)
    if len(members) > 1:
        whole = members[0].run.parent
        report_runs([whole], whole / "report", _own_metrics(members[0]))
    failures.raise_any()
    return 0


def _own_metrics(experiment: Any) -> list[str]:
    """Vouch for the metrics that the experiment names by their files."""
    own = [name for name in experiment.metrics if ".py:" in name]
    return [f"own={json.dumps(own)}"] if own else []


VERB = Verb(
    "run",
    "train, translate, score and report, skipping what is up to date",
    "recombine run experiment.toml",
    add_arguments,
    run_verb,
)
