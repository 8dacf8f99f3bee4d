r"""Count how often a training text has the words that the tests of a benchmark are made of.

    python examples/reproduce-paradox/words_in_training.py benchmarks/paradox-en-nl \
        > docs/results/consistency/words-in-training.csv
    python examples/reproduce-paradox/words_in_training.py benchmarks/paradox-en-nl \
        --hyps systematicity.jsonl > docs/results/consistency/en-nl-rare-words.csv

A model can exchange nouns consistently only if it knows them. A row says of how many pairs of
`systematicity` (both sentences) the rarest word stands so often in the source of the first training
pairs; of synonyms and idioms, how often each term does. Words are runs of letters and digits: the
released sentences are tokenised in more than one way. With translations (`--hyps`, JSON lines) a
row says how many pairs with so rare a word are consistent by the published rule.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from recombine.benchmark import Benchmark, Example
from recombine.builders.consistency.wordlists import read_idioms, read_synonyms
from recombine.metrics.base import Scored
from recombine.metrics.consistency.metric import Consistency

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


def bin_of(count: int) -> str:
    """Return the name of the bin of a count."""
    return next(name for name, edge in BINS.items() if count < edge)


def judge(examples: Sequence[Example], hyps: dict[str, str], counts: Counter[str]) -> None:
    """Write how many pairs are consistent, by their rarest word."""
    rule, sources = Consistency(mode="official"), {one.id: one.source for one in examples}
    items = [Scored(one, hyps[one.id]) for one in examples]
    rule.prepare(items)
    found: Counter[tuple[str, str, str, float]] = Counter()
    for item in items:
        one = item.example
        seen = rule.observe([item]) if rule.key(one) is not None else None
        if seen is not None:
            words = {word for name in seen.ids for word in words_of(sources[name])}
            rare = bin_of(min(counts[word] for word in words))
            place = f"{one.tags['data']} {one.role}"
            found[place, one.tags["template"], rare, seen.value] += 1
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["what", "template", "rarest word", "pairs", "consistent"])
    for key in sorted({key[:3] for key in found}):
        no, yes = (found[*key, value] for value in (0.0, 1.0))
        writer.writerow([*key, no + yes, yes])


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmark")
    parser.add_argument("--hyps", type=Path)
    given = parser.parse_args()
    benchmark = Benchmark.open(given.benchmark)
    train = [f" {' '.join(words_of(one.source))} " for one in benchmark.read("train")]
    examples = benchmark.read("systematicity")
    if given.hyps:
        rows = map(json.loads, given.hyps.read_text(encoding="utf-8").splitlines())
        hyps = {row["id"]: row["hyp"] for row in rows}
        judge(examples, hyps, Counter(word for text in train for word in text.split()))
        return
    groups = defaultdict(list)
    for one in examples:
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
            bins = Counter(map(bin_of, counts))
            writer.writerow([len(texts), len(counts), place, *(bins[name] for name in BINS)])


if __name__ == "__main__":
    main()
