"""Write the exact matches of models by pattern, target word and what else their sentences are.

    recombine score benchmarks/sget-official --hyps seed-2.txt --split gen --metric exact \
        --observations seed-2.jsonl
    python examples/reproduce-sget/cells.py benchmarks/sget-official \
        released/2/70000/beam=seed-2.jsonl > docs/results/sget/official-cells.csv

Each file of observations comes with what made it: model/seed/steps/search. `scores/exact.gen.jsonl`
of a run is such a file, too. Tables 4, 6, 7, 10 and 11 of Kumon et al. (2024) and the findings of
their appendix E are sums over these cells (`tables.py`).
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from pathlib import Path

from recombine.benchmark import Benchmark
from recombine.files import read_jsonl

MADE_BY = ("model", "seed", "steps", "search")
TAGS = ("pattern", "in_cp", "regularity", "depth", "longer_than_train", "target_word")


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmark", type=Path)
    parser.add_argument("observations", nargs="+", metavar="model/seed/steps/search=file")
    given = parser.parse_args()
    benchmark = Benchmark.open(given.benchmark)
    tags = {one.id: one.tags for split in ("test", "gen") for one in benchmark.iterate(split)}
    seen: Counter[tuple[object, ...]] = Counter()
    right: Counter[tuple[object, ...]] = Counter()
    for one in given.observations:
        label, path = one.split("=", 1)
        for row in read_jsonl(Path(path)):
            place = *label.split("/"), *(tags[row["id"]].get(name, "") for name in TAGS)
            seen[place] += 1
            right[place] += int(row["value"])
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*MADE_BY, *TAGS, "n", "exact"])
    writer.writerows([*place, count, right[place]] for place, count in seen.items())


if __name__ == "__main__":
    main()
