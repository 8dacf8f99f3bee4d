"""Write what stands in wrong outputs instead of what should, by pattern and word.

    python examples/reproduce-sget/errors.py benchmarks/sget-official pp_depth_3,recipient_rc \
        released/2/65500/beam=seed-2.txt > docs/results/sget/official-errors.csv

Outputs are plain lines for gen. What a wrong one has in common with the reference at its beginning
and at its end is taken off; what is left of both is counted. A row without `missing` counts what
was added, one without `instead` what was left out; rarer ones are summed up in `...`. The word is
the target word or that of the question.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from itertools import takewhile
from pathlib import Path

from recombine.benchmark import Benchmark

OFTEN = 5


def alike(one: str, other: str) -> int:
    """Return how many characters at the beginning are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def differing(reference: str, output: str) -> tuple[str, str]:
    """Return what is left of both without their common beginning and end."""
    start = alike(reference, output)
    reference, output = reference[start:], output[start:]
    end = alike(reference[::-1], output[::-1])
    return reference[: len(reference) - end], output[: len(output) - end]


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmark", type=Path, help="the built benchmark")
    parser.add_argument("patterns", help="names of patterns, with commas")
    parser.add_argument("outputs", nargs="+", metavar="model/seed/steps/search=file")
    given = parser.parse_args()
    examples = list(Benchmark.open(given.benchmark).iterate("gen"))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    head = ["model", "seed", "steps", "search", "pattern", "word", "missing", "instead", "n"]
    writer.writerow(head)
    for label, path in (one.split("=", 1) for one in given.outputs):
        found: Counter[tuple[str, ...]] = Counter()
        outputs = Path(path).read_text(encoding="utf-8").splitlines()
        for example, output in zip(examples, outputs, strict=True):
            pattern = str(example.tags["pattern"])
            if pattern in given.patterns.split(",") and output.strip() not in example.references:
                asked = example.source.split()[0] if example.source.endswith("?") else ""
                word = str(example.tags.get("target_word", asked))
                found[pattern, word, *differing(example.references[0], output.strip())] += 1
        rare = Counter[tuple[str, ...]]()
        for place, count in found.items():
            if count < OFTEN:
                rare[(*place[:2], *("..." if part else "" for part in place[2:]))] += count
        often = {place: count for place, count in found.items() if count >= OFTEN}
        rows = sorted((*place, count) for place, count in (often | rare).items())
        writer.writerows([*label.split("/"), *row] for row in rows)


if __name__ == "__main__":
    main()
