"""Speed of building SGET: pairs per second beside a plain recursive sampler, in the same run.

    python benchmarks/sget_build.py [--scale 1.0] [--cores 1]

The plain sampler draws from the same grammar with `random.choices` and realises English only,
without patterns, selectional restrictions, translation or proof: the least any generator must do.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import tempfile
import time
from pathlib import Path

from recombine.builders.recipe import build
from recombine.grammar import Grammar


def plain_sampler(seconds: float) -> float:
    """Sentences per CPU second of a recursive sampler with random.choices."""
    grammar = Grammar.load("sget")
    inventory = grammar.inventory
    fill = grammar.realiser("en").fill
    generator = random.Random(1)

    def draw(symbol: object) -> list[int]:
        codes = list(inventory.choices(symbol))
        weights = [
            inventory.word(c).weight if inventory.is_word(c) else inventory.rule(c).weight
            for c in codes
        ]
        code = generator.choices(codes, weights)[0]
        found = [code]
        if not inventory.is_word(code):
            for part in inventory.rule(code).parts:
                found.extend(draw(part.symbol))
        return found

    from recombine.grammar.model import Symbol

    start = Symbol(grammar.abstract.start[0])
    count, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        fill(tuple(draw(start)))
        count += 1
    return count / (time.process_time() - began)


def main() -> None:
    """Build, then print one row."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--scale", type=float, default=1.0)
    options.add_argument("--recipe", default="sget")
    options.add_argument("--cores", type=int, default=1, help="the proof uses a second one")
    given = options.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: given.cores])
    with tempfile.TemporaryDirectory() as folder:
        wall, cpu = time.perf_counter(), time.process_time()
        overrides = [f"scale={given.scale}"]
        benchmark = build(given.recipe, Path(folder) / "b", seed=1, overrides=overrides)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        pairs = sum(benchmark.manifest.splits.values())
    plain = plain_sampler(3.0)
    row = {
        "pairs": pairs,
        "wall_s": round(wall, 1),
        "cpu_s": round(cpu, 1),
        "pairs_per_cpu_s": round(pairs / cpu),
        "peak_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "plain_sampler_sentences_per_cpu_s": round(plain),
        "ratio": round(pairs / cpu / plain, 2),
    }
    print(json.dumps(row))


if __name__ == "__main__":
    main()
