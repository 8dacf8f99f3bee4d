r"""Measure D_A and D_C of random splits with counts as they are, and with sums of eight bits.

    python examples/reproduce-dbca/random_splits.py parsed.tsv.xz \
        > docs/results/divergent/random-splits.csv

Table 2 of Moisio et al. (2023) prints D_A .28, .18 and .13 for random splits of 3,000, 10,000 and
30,000 test sentences, where their own definition gives a twentieth of it. Their code keeps the
counts of a sentence in eight bits; where the rows of a whole set are summed in that type, a sum
above 255 begins at 0 again. The corpus has the columns lemmas, relations and heads.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from pathlib import Path

import numpy as np

from recombine.builders.divergent.compare_sets import Measurement
from recombine.builders.divergent.count import count_corpus
from recombine.builders.divergent.encode import prepare
from recombine.builders.divergent.measure import column_totals, divergences

TRAIN, TESTS, DRAWS = 200_000, (3_000, 10_000, 30_000), 5
EIGHT_BITS = 256


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    corpora = (parser.parse_args().corpus,)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["test", "draw", "sums", "D_A", "D_C"])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        options = Measurement(cache=folder)
        corpus, _ = prepare(options, corpora, folder)
        counts = count_corpus(corpus, options, folder / "rows")
        for size in TESTS:
            for draw in range(1, DRAWS + 1):
                order = np.random.default_rng([draw, size]).permutation(counts.size)
                sums = []
                for rows in (order[size : size + TRAIN], order[:size]):
                    sums.append(column_totals(counts, rows))
                for kind, limit in (("whole", 2**62), ("eight bits", EIGHT_BITS)):
                    train, test = (one % limit for one in sums)
                    found = divergences(train, test, counts.atoms)
                    values = f"{found.atom:.4f}", f"{found.compound:.4f}"
                    writer.writerow([size, draw, kind, *values])


if __name__ == "__main__":
    main()
