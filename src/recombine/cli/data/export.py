"""The verb export: a benchmark in the format of another tool."""

from __future__ import annotations

import argparse
from pathlib import Path

from recombine.cli.options import FORMATS, PLANNED, Verb, share, share_plan
from recombine.cli.talk import print_plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument("benchmark", type=Path, help="the folder of a benchmark")
    parser.add_argument(
        "--format",
        required=True,
        choices=FORMATS,
        help="parquet: a dataset for the Hugging Face Hub, with Croissant metadata; "
        "wmt: a test suite as WMT takes it; inspect, lm-eval: a task that these tools run",
    )
    parser.add_argument(
        "--out", required=True, type=Path, metavar="DIR", help="the folder to write"
    )
    share(parser, "--metric", *PLANNED)
    share_plan(parser)


def export_verb(options: argparse.Namespace) -> int:
    """Export a benchmark."""
    from recombine.benchmark import Benchmark
    from recombine.export import export

    benchmark = Benchmark.open(options.benchmark)
    if options.dry_run:
        most = options.sample
        sizes = {
            split: min(size, most) if most else size
            for split, size in benchmark.manifest.splits.items()
        }
        plan = {"format": options.format, "out": str(options.out), "splits": sizes}
        return print_plan(plan, options.json)
    written = export(
        benchmark, options.format, options.out, sample=options.sample, metrics=options.metric
    )
    for path in written:
        print(path)
    return 0


VERB = Verb(
    "export",
    "write a benchmark as TSV, text, Parquet, or a task of Inspect, lm-eval or WMT",
    "recombine export out/sget-mini --format parquet --out out/sget-mini-hf",
    add_arguments,
    export_verb,
)
