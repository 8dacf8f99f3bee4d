"""Exchange what the paper leaves open: held-out words, verbs of a tense, kinds of adjectives.

    python examples/reproduce-sget/exchange.py benchmarks/sget-official > exchanged.txt
    python examples/reproduce-sget/exchange.py benchmarks/sget-official \
        released/2/10000/greedy=outputs.txt > docs/results/sget/official-exchanged.csv

The first writes English sentences, the second counts what came out for them. They are sentences of
gen with another word: each name and noun that was seen alone as subject and as object, other verbs
in *present infinitive*, fewer of the six adjectives.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from recombine.benchmark import Benchmark, Example
from recombine.grammar.grammar import Grammar
from recombine.grammar.tree import Tree

TENSE = "present_infinitive"
LIKE_PREFER = {"yearn": "yearns", "long": "longs", "want": "wants", "crave": "craves"}
LIKE_PREFER |= {"wish": "wishes", "love": "loves"}
LIKE_PLAN = {"intend": "intends", "mean": "means"}
KEPT = {
    "the sixth alone": (5,),
    "first and sixth": (0, 5),
    "third to sixth": (2, 3, 4, 5),
    "second to sixth": (1, 2, 3, 4, 5),
    "first to fifth": (0, 1, 2, 3, 4),
}


class Exchanged(NamedTuple):
    """A sentence with another word, and what it should become."""

    pattern: str
    word: str
    kind: str  # of the noun under the adjectives: thing or living
    in_cp: object
    source: str
    reference: str


def nouns(gen: dict[str, list[Example]], alone: dict[str, str]) -> Iterator[Exchanged]:
    """Return sentences with each word in the role of its own pattern and in the other one."""
    for kind in ("proper", "common"):
        patterns = [f"primitive_to_{role}_{kind}" for role in ("subject", "object")]
        words = [sorted({str(one.tags["target_word"]) for one in gen[name]}) for name in patterns]
        for pattern, own in zip(patterns, words, strict=True):
            carriers: Counter[tuple[str, object]] = Counter()
            for one in gen[pattern]:
                old, place = str(one.tags["target_word"]), one.tags["in_cp"]
                text = one.references[0]
                if one.source.count(old) == text.count(alone[old]) == 1:
                    if carriers[old, place] < 20:
                        for word in (*own, *words[1 - patterns.index(pattern)]):
                            source = one.source.replace(old, word)
                            reference = text.replace(alone[old], alone[word])
                            yield Exchanged(pattern, word, "", place, source, reference)
                    carriers[old, place] += 1


def verbs(gen: dict[str, list[Example]]) -> Iterator[Exchanged]:
    """Return sentences of *prefer* and *plan* with other verbs that are said in the same way."""
    for old, said, others in (
        ("prefer", "たい", {"prefer": "prefers"} | LIKE_PREFER),
        ("plan", "", {"plan": "plans"} | LIKE_PLAN),
    ):
        found: Counter[object] = Counter()
        for one in gen[TENSE]:
            text, form = one.references[0], others[old]
            if one.tags["target_word"] == old and one.source.count(form) == 1:
                if said and text.count(said) != 1:
                    continue
                found[one.tags["in_cp"]] += 1
                if found[one.tags["in_cp"]] <= 100:
                    for verb, other in others.items():
                        source = one.source.replace(form, other)
                        yield Exchanged(TENSE, verb, "", one.tags["in_cp"], source, text)


def adjectives(gen: dict[str, list[Example]]) -> Iterator[Exchanged]:
    """Return sentences with some of their six adjectives; the first tells things from beings."""
    grammar = Grammar.load("sget", edition="official")
    said, kinds = {}, {}
    for word in grammar.inventory.words:
        if word.category == "Adj":
            tree = Tree(grammar.inventory, (grammar.inventory.codes[word.id],))
            said[word.id] = grammar.text(tree, "ja")
            kinds[word.id] = "thing" if word.classes[0].startswith("thing") else "living"
    used = 0
    for one in gen["adjective_depth_5_6"]:
        words = one.source[:-1].split(" ")
        at = [place for place, word in enumerate(words) if word in said]
        whole = "".join(said[words[place]] for place in at)
        if len(at) == 6 and at[-1] - at[0] == 5 and whole in one.references[0] and used < 400:
            used += 1
            for name, kept in KEPT.items():
                left = [place for number, place in enumerate(at) if number not in kept]
                source = " ".join(word for place, word in enumerate(words) if place not in left)
                shorter = "".join(said[words[at[number]]] for number in kept)
                reference = one.references[0].replace(whole, shorter)
                kind, place = kinds[words[at[0]]], one.tags["in_cp"]
                yield Exchanged("adjective_depth_5_6", name, kind, place, source + ".", reference)


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmark", type=Path, help="the built benchmark")
    parser.add_argument("outputs", nargs="*", metavar="model/seed/steps/search=file")
    given = parser.parse_args()
    benchmark = Benchmark.open(given.benchmark)
    alone = {one.source: one.references[0] for one in benchmark.iterate("train")}
    gen: defaultdict[str, list[Example]] = defaultdict(list)
    for one in benchmark.iterate("gen"):
        gen[str(one.tags["pattern"])].append(one)
    found = [*nouns(gen, alone), *verbs(gen), *adjectives(gen)]
    if not given.outputs:
        print("\n".join(one.source for one in found))
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    head = ["model", "seed", "steps", "search", "pattern", "word", "kind", "in_cp", "n", "exact"]
    writer.writerow(head)
    for label, path in (one.split("=", 1) for one in given.outputs):
        outputs = Path(path).read_text(encoding="utf-8").splitlines()
        seen: Counter[tuple[object, ...]] = Counter()
        right: Counter[tuple[object, ...]] = Counter()
        for one, output in zip(found, outputs, strict=True):
            seen[one[:4]] += 1
            right[one[:4]] += output.strip() == one.reference
        writer.writerows([*label.split("/"), *row, n, right[row]] for row, n in seen.items())


if __name__ == "__main__":
    main()
