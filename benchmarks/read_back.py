"""Outputs of a generated benchmark that the grammar reads back to their source; prints CSV.

Of Japanese to English `exact` says little: Japanese has no articles, *child* and *kid* are one
word, and a benchmark has one reference. Here an output is right when one of its analyses, said in
the source language, is the source. `--hyps FILE` has a line for each sentence of `--split`. The
columns are some of those of scores.csv.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from pathlib import Path

from recombine.benchmark import Benchmark, normalise
from recombine.grammar.benchmark_grammar import declared_grammar, load_grammar

READINGS = 12  # analyses of one output that are tried


def main() -> None:
    """Read all outputs back and count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--benchmark", required=True)
    parser.add_argument("--hyps", required=True, type=Path)
    parser.add_argument("--split", default="gen")
    parser.add_argument("--every", type=int, default=1, help="take each second row, or third ...")
    given = parser.parse_args()
    benchmark = Benchmark.open(given.benchmark)
    declared = declared_grammar(benchmark)
    assert declared is not None, "no grammar made this benchmark"
    grammar = load_grammar(declared)
    parse = grammar.parser(benchmark.manifest.target).parse
    say = grammar.realiser(benchmark.manifest.source).fill
    examples = list(benchmark.read(given.split))
    outputs = given.hyps.read_text(encoding="utf-8").split("\n")[:-1]
    assert len(outputs) == len(examples), f"{len(outputs)} lines for {len(examples)} sentences"
    right: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    for example, output in list(zip(examples, outputs, strict=True))[:: given.every]:
        found = output in example.references or any(
            normalise(say(tree.codes)) == example.source for tree in parse(output).trees(READINGS)
        )
        tags = {"all": "all", **example.tags}
        for key in [(tag, str(tags[tag])) for tag in ("all", "category", "pattern") if tag in tags]:
            total[key] += 1
            right[key] += found
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["split", "tag", "value", "metric", "n", "score"])
    for (tag, value), n in total.items():
        score = f"{100 * right[tag, value] / n:.4f}"
        writer.writerow([given.split, tag, value, "read back", n, score])


if __name__ == "__main__":
    main()
