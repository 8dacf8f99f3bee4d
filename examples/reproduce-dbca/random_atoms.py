r"""Measure D_A of random splits for other readings of what an atom is.

    python examples/reproduce-dbca/random_atoms.py parsed.tsv.xz \
        > docs/results/divergent/random-atoms.csv

Table 2 of Moisio et al. (2023) prints D_A .28, .18 and .13 for random splits of 3,000, 10,000 and
30,000 test sentences, where their own definition gives a twentieth of it. Which definition would?
The corpus has the columns lemmas, relations and heads. D_A is 1 - sum sqrt(p q), as they have it.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from recombine.files import read_table

TRAIN, TESTS = 200_000, (3_000, 10_000, 30_000)
Sentence = tuple[list[str], list[str], str]  # lemmas, relations, text


def divergence(train: Counter[str], test: Counter[str]) -> float:
    """Return D_A of two counts."""
    all_train, all_test = sum(train.values()), sum(test.values())
    shared = (train[atom] * count for atom, count in test.items())
    return 1 - sum(map(math.sqrt, shared)) / math.sqrt(all_train * all_test)


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    rows = list(read_table(parser.parse_args().corpus, ("en", "lemmas", "relations")))
    order = np.random.default_rng(1).permutation(len(rows))[: TRAIN + max(TESTS)]
    sentences: list[Sentence] = [
        (rows[i]["lemmas"].split(), rows[i]["relations"].split(), rows[i]["en"])
        for i in order.tolist()
    ]
    counts = Counter(lemma for row in rows for lemma in row["lemmas"].split())
    rank = {lemma: place for place, (lemma, _) in enumerate(counts.most_common())}

    def lemmas(first: int, fewest: int) -> Callable[[Sentence], Iterable[str]]:
        return lambda one: [w for w in one[0] if rank[w] >= first and counts[w] >= fewest]

    def pairs(first: int) -> Callable[[Sentence], Iterable[str]]:
        return lambda one: [
            f"{relation}+{lemma}"
            for lemma, relation in zip(one[0], one[1], strict=True)
            if rank[lemma] >= first
        ]

    readings: dict[str, Callable[[Sentence], Iterable[str]]] = {
        "lemmas": lemmas(0, 1),
        "lemmas from rank 200 that occur 10 times": lemmas(200, 10),
        "lemmas from rank 200": lemmas(200, 1),
        "lemmas from rank 2,000 that occur 10 times": lemmas(2000, 10),
        "lemmas from rank 2,000": lemmas(2000, 1),
        "words as written": lambda one: one[2].split(),
        "relation and lemma": pairs(0),
        "relation and lemma from rank 200": pairs(200),
    }
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["atoms", *(f"test {size}" for size in TESTS)])
    for name, atoms in readings.items():
        train = Counter(atom for one in sentences[:TRAIN] for atom in atoms(one))
        found = []
        for size in TESTS:
            chosen = sentences[TRAIN : TRAIN + size]
            found.append(divergence(train, Counter(atom for one in chosen for atom in atoms(one))))
        writer.writerow([name, *(f"{value:.4f}" for value in found)])
        sys.stdout.flush()


if __name__ == "__main__":
    main()
