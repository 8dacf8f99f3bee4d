"""Hold Partial Match with our grammar against Partial Match with GiNZA, on a part of the outputs.

    python examples/reproduce-sget/judges.py benchmarks/sget-official \
        released/2/65500/beam=seed-2.txt > docs/results/sget/partial-agreement.csv

Outputs are plain lines for gen. Of every pattern that names constituents 32 outputs are drawn, and
25 of those that are no exact match (an exact match is right for both); what both say is counted.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

from recombine.benchmark import Benchmark
from recombine.metrics.base import Scored
from recombine.metrics.scoring import create_metric

SAMPLES = {"any": 32, "no exact match": 25}


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmark", type=Path, help="the built benchmark")
    parser.add_argument("outputs", nargs="+", metavar="model/seed/steps/search=file")
    given = parser.parse_args()
    benchmark = Benchmark.open(given.benchmark)
    judges = [create_metric(name, benchmark, {}) for name in ("partial", "partial-ginza")]
    examples = list(benchmark.iterate("gen"))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    head = ["model", "seed", "steps", "search", "sample", "pattern", "partial", "partial_ginza"]
    writer.writerow([*head, "n"])
    for label, path in (one.split("=", 1) for one in given.outputs):
        outputs = Path(path).read_text(encoding="utf-8").splitlines()
        found: defaultdict[tuple[str, str], list[Scored]] = defaultdict(list)
        for example, output in zip(examples, outputs, strict=True):
            if judges[0].key(example) is not None:
                pattern, item = str(example.tags["pattern"]), Scored(example, output.strip())
                found["any", pattern].append(item)
                if item.hypothesis not in example.references:
                    found["no exact match", pattern].append(item)
        draw = random.Random(1)
        for (sample, pattern), items in found.items():
            chosen = draw.sample(items, min(SAMPLES[sample], len(items)))
            seen = [[judge.observe([item]) for judge in judges] for item in chosen]
            said = Counter(tuple(int(one.value) for one in pair if one) for pair in seen)
            rows = [[*label.split("/"), sample, pattern, *pair, n] for pair, n in said.items()]
            writer.writerows(sorted(rows, key=str))


if __name__ == "__main__":
    main()
