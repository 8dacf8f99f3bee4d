"""Count how deep a training set goes, how often it shows single words, and what tests repeat of it.

    python examples/reproduce-sget/shares.py released=train.tsv,dev.tsv \
        official=benchmarks/sget-official standard=benchmarks/sget

Each is a benchmark or the released pairs as lines of English and Japanese with a tab between them.
Sentences that were concatenated are left out of the depths, single words of both.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from pathlib import Path

from recombine.benchmark import Benchmark
from recombine.grammar.grammar import Grammar

KINDS = ("pp", "ce", "adj", "cp")


def sources(place: str) -> dict[str, list[str]]:
    """Return the English sentences of each split."""
    if (Path(place) / "benchmark.toml").exists():
        benchmark = Benchmark.open(Path(place))
        return {
            split: [example.source for example in benchmark.iterate(split)]
            for split in ("train", "dev", "test")
        }
    return {
        split: [line.split("\t")[0] for line in Path(file).read_text(encoding="utf-8").splitlines()]
        for split, file in zip(("train", "dev", "test"), place.split(","), strict=False)
    }


def counts(splits: dict[str, list[str]], grammar: Grammar) -> Counter[tuple[str, object]]:
    """Return how many sentences are so."""
    found: Counter[tuple[str, object]] = Counter()
    train = splits.pop("train")
    known = set(train)
    for source, times in Counter(train).items():
        if not source.endswith((".", "?")):
            found["single words shown so often", times] += 1
        elif " and " not in source:
            tree = grammar.parse(source, "en").require_tree()
            for kind in KINDS:
                found[f"depth of {kind}", tree.depth(kind)] += times
    for split, own in splits.items():
        found["also in train", split] = sum(source in known for source in own)
    found["different sentences", "train"] = len(known)
    return found


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("places", nargs="+", metavar="name=place")
    places = dict(one.split("=", 1) for one in parser.parse_args().places)
    grammars = {name: Grammar.load("sget", edition=name) for name in ("official", "standard")}
    found = {
        name: counts(sources(place), grammars[name if name in grammars else "official"])
        for name, place in places.items()
    }
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["what", "value", *found])
    for row in sorted({key for one in found.values() for key in one}, key=str):
        writer.writerow([*row, *(one.get(row, "") for one in found.values())])


if __name__ == "__main__":
    main()
