r"""Count how often a training text has the words that the tests of a benchmark are made of.

    python examples/reproduce-paradox/words_in_training.py benchmarks/paradox-en-nl \
        > docs/results/consistency/words-in-training.csv

A model can exchange nouns consistently only if it knows them. A row says of how many pairs of
`systematicity` (both sentences) the rarest word stands so often in the source of the first training
pairs; of synonyms and idioms, how often each term does. Words are runs of letters and digits: the
released sentences are tokenised in more than one way.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections import Counter, defaultdict

from recombine.benchmark import Benchmark, Example
from recombine.builders.consistency.wordlists import read_idioms, read_synonyms

SIZES = (157_000, None)  # that of our largest German model, and all
BINS = {"never": 1, "1 to 9": 10, "10 to 99": 100, "100 to 999": 1000, "more": sys.maxsize}


def words_of(text: str) -> list[str]:
    """Return the words without punctuation, in lower case."""
    return re.findall(r"\w+", text.lower())


def rarest(groups: dict[str, list[Example]], counts: Counter[str]) -> dict[str, list[int]]:
    """Return how often the rarest word of every pair occurs, by data and condition."""
    found = defaultdict(list)
    for examples in groups.values():
        base = next(one for one in examples if one.role == "base")
        for one in examples:
            if one is not base:
                words = {*words_of(base.source), *words_of(one.source)}
                place = f"{one.tags['data']} {one.role}"
                found[place].append(min(counts[word] for word in words))
    return dict(found)


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmark")
    benchmark = Benchmark.open(parser.parse_args().benchmark)
    train = [f" {' '.join(words_of(one.source))} " for one in benchmark.read("train")]
    groups = defaultdict(list)
    for one in benchmark.read("systematicity"):
        groups[one.group].append(one)
    languages = benchmark.manifest.source, benchmark.manifest.target
    synonyms = [term for one in read_synonyms(*languages) for term in (one.first, one.second)]
    idioms = [one.text for one in read_idioms(*languages)]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["training pairs", "of", "what", *BINS])
    for size in SIZES:
        texts = train[:size]
        places = rarest(groups, Counter(word for text in texts for word in text.split()))
        whole = "\n".join(texts)
        for name, terms in (("synonyms", synonyms), ("idioms", idioms)):
            places[name] = [whole.count(f" {term} ") for term in terms]
        for place, counts in places.items():
            edges = list(BINS.values())
            bins = Counter(next(e for e in edges if count < e) for count in counts)
            writer.writerow([len(texts), len(counts), place, *(bins[edge] for edge in edges)])


if __name__ == "__main__":
    main()
