"""Write the exact matches of a model by pattern, complement clause, regularity, depth and length.

    python examples/reproduce-sget/cells.py runs/sget-official/transformer/seed-1 \
        benchmarks/sget-official > docs/results/sget/released-256-official-seed-1-cells.csv

Tables 6, 7 and 11 of Kumon et al. (2024) and the findings of their appendix E are sums over these
cells, so a claim about them can be held against one file of a model.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from pathlib import Path

from recombine.benchmark import Benchmark
from recombine.files import read_jsonl

TAGS = ("pattern", "in_cp", "regularity", "depth", "longer_than_train")


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cell", type=Path, help="the folder of a system and seed, scored")
    parser.add_argument("benchmark", type=Path)
    given = parser.parse_args()
    tags = {one.id: one.tags for one in Benchmark.open(given.benchmark).iterate("gen")}
    seen: Counter[tuple[object, ...]] = Counter()
    right: Counter[tuple[object, ...]] = Counter()
    for row in read_jsonl(given.cell / "scores" / "exact.gen.jsonl"):
        place = tuple(tags[row["id"]].get(name, "") for name in TAGS)
        seen[place] += 1
        right[place] += int(row["value"])
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*TAGS, "n", "exact"])
    writer.writerows([*place, count, right[place]] for place, count in seen.items())


if __name__ == "__main__":
    main()
