"""Count how many complement clauses stand inside each other in the outputs, beside how many should.

    python examples/reproduce-sget/clauses.py benchmarks/sget-official \
        released/2/65500/beam=seed-2.txt > docs/results/sget/official-clauses.csv

Outputs are plain lines for gen; they are parsed with the benchmark's grammar. A row without a
number of clauses counts those that are no sentence of it.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from recombine.benchmark import Benchmark, Example
from recombine.grammar.grammar import Grammar

PATTERNS = ("cp_depth_3", "cp_depth_5_6")


def count(examples: Iterable[Example], outputs: Iterable[str]) -> list[tuple[object, ...]]:
    """Return how many have and should have so many clauses, and how many of these are right."""
    grammar = Grammar.load("sget", edition="official")
    seen: Counter[tuple[int, str]] = Counter()
    right: Counter[tuple[int, str]] = Counter()
    for example, output in zip(examples, outputs, strict=True):
        if example.tags["pattern"] in PATTERNS:
            tree = grammar.parse(output.strip(), "ja").tree
            written = "" if tree is None else str(tree.depth("cp"))
            asked = grammar.parse(example.source, "en").require_tree().depth("cp")
            seen[asked, written] += 1
            right[asked, written] += output.strip() in example.references
    return [(*place, number, right[place]) for place, number in sorted(seen.items())]


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmark", type=Path, help="the built benchmark")
    parser.add_argument("outputs", nargs="+", metavar="model/seed/steps/search=file")
    given = parser.parse_args()
    examples = list(Benchmark.open(given.benchmark).iterate("gen"))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["model", "seed", "steps", "search", "clauses", "written", "n", "exact"])
    for label, path in (one.split("=", 1) for one in given.outputs):
        outputs = Path(path).read_text(encoding="utf-8").splitlines()
        writer.writerows([*label.split("/"), *row] for row in count(examples, outputs))


if __name__ == "__main__":
    main()
