"""The verb contamination: which sentences of a benchmark stand in a corpus."""

from __future__ import annotations

import argparse
from pathlib import Path

from recombine.cli.options import PLANNED, Verb, share
from recombine.cli.talk import print_data, print_reading_plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument("benchmark", type=Path, help="the folder of a benchmark")
    parser.add_argument("corpus", type=Path, nargs="+", help="texts to search in")
    parser.add_argument(
        "--split",
        action="append",
        default=[],
        metavar="NAME",
        help="a split to look for; repeatable (default: all but train, dev and control)",
    )
    share(parser, "--json", *PLANNED)


def contamination_verb(options: argparse.Namespace) -> int:
    """Find benchmark sentences in a corpus."""
    from recombine.benchmark import Benchmark
    from recombine.corpus.contamination import contamination, searched_splits

    benchmark = Benchmark.open(options.benchmark)
    if options.dry_run:
        sizes = {
            split: benchmark.manifest.splits[split]
            for split in searched_splits(benchmark, options.split)
        }
        if options.sample:
            sizes = {split: min(size, options.sample) for split, size in sizes.items()}
        return print_reading_plan(options.corpus, options.json, examples=sizes)
    counts = contamination(
        benchmark, options.corpus, splits=tuple(options.split), sample=options.sample
    )
    print_data(counts, options.json)
    return 0


VERB = Verb(
    "contamination",
    "find benchmark sentences in a training corpus (exact, normalised, n-gram)",
    "recombine contamination out/sget-mini corpus.txt",
    add_arguments,
    contamination_verb,
)
