"""What verbs of experiments share: read the experiment, print its plan."""

from __future__ import annotations

import argparse
from typing import Any

from recombine.cli.talk import print_plan, print_unplanned, say


def read_experiments(options: argparse.Namespace) -> list[Any]:
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
        for entry in outside:
            owner, (kind, what) = next(iter(entry.values())), list(entry.items())[1]
            say(f"note: {options.experiment} {kind} {what} ({owner})")
    experiment = read_experiment(options.experiment, overrides, trust=trust)
    if sample and options.verb in ("train", "run"):
        systems = {
            name: {**given, "train_size": min(sample, given.get("train_size", sample))}
            for name, given in experiment.system.items()
        }
        experiment = dataclasses.replace(experiment, system=systems)
    return series_experiments(experiment)


def print_plans(options: argparse.Namespace, *stages: str) -> int:
    """Print what these stages would do."""
    from recombine.experiment.experiment import outside_of, read_experiment
    from recombine.experiment.plan import plan_experiment

    if not options.trust:
        outside = outside_of(read_experiment(options.experiment, options.overrides))
        if any("imports" in entry for entry in outside):
            return print_unplanned(outside, options.json)
    sample = options.sample if options.verb == "score" else 0
    for experiment in read_experiments(options):
        plan = plan_experiment(experiment, stages, force=options.force, sample=sample)
        print_plan(plan, options.json)
    return 0


def about_failures(options: argparse.Namespace) -> dict[str, bool]:
    """What to do with sentences that failed for good."""
    return {"retry": options.retry, "accept_failures": options.accept_failures}


def remark_failures(experiment: Any) -> None:
    """Say of each system how many sentences it left without a translation."""
    from recombine.experiment.experiment import cells_of

    for name, seed, cell in cells_of(experiment):
        for split, counts in cell.record().get("translate", {}).items():
            for kind in ("failed", "empty"):
                if counts.get(kind):
                    say(f"note: {name}, seed {seed}, {split}: {counts[kind]:,} {kind}")
