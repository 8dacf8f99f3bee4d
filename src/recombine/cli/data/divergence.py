"""The verb divergence: how far apart two sets are."""

from __future__ import annotations

import argparse
from pathlib import Path

from recombine.cli.options import PLANNED, Verb, share
from recombine.cli.talk import print_data, print_reading_plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument(
        "train", type=Path, help="a parsed corpus, a text (with -o parser=...), or a benchmark"
    )
    parser.add_argument("test", type=Path, help="the other set, in one of the same forms")
    share(parser, "-o", "--json", *PLANNED)


def divergence_verb(options: argparse.Namespace) -> int:
    """Measure divergence."""
    from recombine.builders.divergent.compare_sets import measure_divergence
    from recombine.config import apply_overrides

    settings = apply_overrides({"sample": options.sample}, options.overrides)
    if options.dry_run:
        return print_reading_plan([options.train, options.test], options.json, **settings)
    print_data(measure_divergence(options.train, options.test, settings), options.json)
    return 0


VERB = Verb(
    "divergence",
    "measure atom and compound divergence between two sets (Keysers 2020, Moisio 2023)",
    "recombine divergence train.conllu test.conllu",
    add_arguments,
    divergence_verb,
)
