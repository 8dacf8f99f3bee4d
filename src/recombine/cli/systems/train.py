"""The verb train: every seed of the trainable systems."""

from __future__ import annotations

import argparse
from pathlib import Path

from recombine.cli.options import LONG, Verb, share, share_plan
from recombine.cli.systems.experiments import print_plans, read_experiments
from recombine.cli.talk import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument("experiment", type=Path, help="an experiment file (.toml)")
    share(parser, "-o", "--trust", *LONG)
    share_plan(parser)


def train_verb(options: argparse.Namespace) -> int:
    """Train every system and seed whose model is not up to date."""
    from recombine.experiment.training import train

    if options.dry_run:
        return print_plans(options, "train")
    for experiment in read_experiments(options):
        count = train(experiment, force=options.force)
        say(f"{experiment.run}: {count} model{'' if count == 1 else 's'} trained")
    return 0


VERB = Verb(
    "train",
    "train the systems of an experiment, one model per seed",
    "recombine train experiment.toml",
    add_arguments,
    train_verb,
)
