"""Recombined pairs of SGET: time, memory, and what the grammar says of them; prints one line each.

`--benchmark DIR` is a built SGET (`recombine build sget --out DIR`). The pairs are learnt from its
train split alone. The benchmark's own grammar then parses a sample of them: the share of sources
that it can parse (at least 90 per cent), of those the share with the grammar's own translation (at
least 97), and how many show each pattern of the generalisation set. 250,000 pairs must take less
than 60 seconds of two cores and 2 GB. `--plain` leaves out paradigms and sentence analogies.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections import Counter

from recombine.augment import AugmentOptions, Pair, Recombiner
from recombine.benchmark import Benchmark
from recombine.builders.generated.proof import PairReader
from recombine.builders.recipe import read_recipe

READINGS = 12  # analyses of one sentence that are tried


def judge(benchmark: Benchmark, rows: list[tuple[str, str]]) -> None:
    """Parse the rows and print what the grammar says of them."""
    blueprint = read_recipe("sget").builder.blueprint()
    reader = PairReader(blueprint)
    parser = blueprint.grammar.parser("en")
    parsed = right = 0
    shown: Counter[str] = Counter()
    for source, target in rows:
        trees = list(parser.parse(source).trees(READINGS))
        parsed += bool(trees)
        meant = next((tree for tree in trees if reader.translation(tree) == target), None)
        if meant is not None:
            right += 1
            shown.update(blueprint.held.shown_by(meant.codes))
    print(f"parsed {100 * parsed / len(rows):.1f}% of {len(rows):,}")
    print(f"the grammar's own translation {100 * right / max(1, parsed):.1f}% of {parsed:,}")
    for pattern in blueprint.patterns():
        print(f"{pattern.name:40} {shown[pattern.name]:6}")


def main() -> None:
    """Learn, draw and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--benchmark", required=True)
    parser.add_argument("-n", type=int, default=250_000)
    parser.add_argument("--sample", type=int, default=2500)
    parser.add_argument("--plain", action="store_true")
    arguments = parser.parse_args()
    benchmark = Benchmark.open(arguments.benchmark)
    pairs = [Pair(one.source, one.references[0], one.id) for one in benchmark.read("train")]
    wanted = not arguments.plain
    options = AugmentOptions(n=arguments.n, paradigms=wanted, sentence_analogies=wanted)
    start, cpu = time.perf_counter(), time.process_time()
    recombiner = Recombiner.learn(pairs, options)
    print(f"learn {time.perf_counter() - start:.1f} s, {time.process_time() - cpu:.1f} s of cores")
    drawn = [(row.source, row.target) for row in recombiner.draw()]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{len(drawn):,} pairs {time.perf_counter() - start:.1f} s, "
        f"{time.process_time() - cpu:.1f} s of cores, {peak:.2f} GB"
    )
    stream = random.Random(0)
    judge(benchmark, stream.sample(drawn, min(arguments.sample, len(drawn))))


if __name__ == "__main__":
    main()
