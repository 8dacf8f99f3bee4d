"""Recombined pairs of SGET: time, memory, and what the grammar says of them; prints one line each.

`--benchmark DIR` is a built SGET (`recombine build sget --out DIR`). The pairs are learnt from its
train split alone. The benchmark's own grammar then parses a sample of them: the share of sources
that it can parse (at least 90 per cent), of those the share with the grammar's own translation (at
least 97), and how many show each pattern of the generalisation set. 250,000 pairs must take less
than 60 seconds of two cores and 2 GB. `-o` sets any
option, `--method words` judges the baseline, `--pairs FILE` pairs that were drawn before.
`--turned` judges such pairs the other way round, with the grammar of a benchmark of the other
direction: a Japanese sentence has many English translations, and the grammar names one of them.
`--out FILE` writes the sample with the verdict on each pair: to be read.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections import Counter
from pathlib import Path
from typing import Any

from recombine.augment import AugmentOptions, Pair, Recombiner
from recombine.augment.words import WordExchange
from recombine.benchmark import Benchmark
from recombine.builders.generated.builder import Generated
from recombine.builders.generated.proof import PairReader
from recombine.config import apply_overrides, parse_config
from recombine.files import read_jsonl
from recombine.grammar.benchmark_grammar import declared_grammar

READINGS = 12  # analyses of one sentence that are tried


def judge(benchmark: Benchmark, rows: list[tuple[str, str]], out: Path | None = None) -> None:
    """Parse the rows and print what the grammar says of them."""
    own = declared_grammar(benchmark)
    assert own is not None, "no grammar made this benchmark"
    options = {**benchmark.manifest.recipe, "grammar": own.place}
    blueprint = parse_config(Generated, options).blueprint()
    reader = PairReader(blueprint)
    parser = blueprint.grammar.parser(benchmark.manifest.source)
    parsed = right = 0
    shown: Counter[str] = Counter()
    verdicts = []
    for source, target in rows:
        trees = list(parser.parse(source).trees(READINGS))
        parsed += bool(trees)
        translations = [reader.translation(tree) for tree in trees]
        meant = trees[translations.index(target)] if target in translations else None
        if meant is not None:
            right += 1
            shown.update(blueprint.held.shown_by(meant.codes))
        said = "right" if meant is not None else translations[0] if trees else "no parse"
        verdicts.append(f"{source}\t{target}\t{said}\n")
    if out:
        out.write_text("source\ttarget\tgrammar\n" + "".join(verdicts), encoding="utf-8")
    print(f"parsed {100 * parsed / len(rows):.1f}% of {len(rows):,}")
    print(f"the grammar's own translation {100 * right / max(1, parsed):.1f}% of {parsed:,}")
    for pattern in blueprint.patterns():
        print(f"{pattern.name:40} {shown[pattern.name]:6}")


def main() -> None:
    """Learn, draw and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--benchmark", required=True)
    parser.add_argument("-n", type=int, default=250_000)
    parser.add_argument("--sample", type=int, default=2500)
    parser.add_argument("--method", default="recombine", choices=("recombine", "words"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", action="append", default=[], help="key=value, an option")
    parser.add_argument("--pairs", type=Path, help="JSON lines that were drawn before")
    parser.add_argument("--turned", action="store_true", help="with --pairs: target first")
    parser.add_argument("--out", type=Path, help="write the sample with verdicts, as TSV")
    arguments = parser.parse_args()
    benchmark = Benchmark.open(arguments.benchmark)
    stream = random.Random(arguments.seed)
    if arguments.pairs:
        sides = ("target", "source") if arguments.turned else ("source", "target")
        rows = [(row[sides[0]], row[sides[1]]) for row in read_jsonl(arguments.pairs)]
        judge(benchmark, stream.sample(rows, min(arguments.sample, len(rows))), arguments.out)
        return
    pairs = [Pair(one.source, one.references[0], one.id) for one in benchmark.read("train")]
    said: dict[str, Any] = apply_overrides({}, arguments.o)
    options = AugmentOptions(
        n=arguments.n,
        seed=arguments.seed,
        source_language=benchmark.manifest.source,
        target_language=benchmark.manifest.target,
        **said,
    )
    start, cpu = time.perf_counter(), time.process_time()
    method = {"recombine": Recombiner, "words": WordExchange}[arguments.method]
    learned = method.learn(pairs, options)
    print(f"learn {time.perf_counter() - start:.1f} s, {time.process_time() - cpu:.1f} s of cores")
    drawn = [(row.source, row.target) for row in learned.draw()]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{len(drawn):,} pairs {time.perf_counter() - start:.1f} s, "
        f"{time.process_time() - cpu:.1f} s of cores, {peak:.2f} GB"
    )
    judge(benchmark, stream.sample(drawn, min(arguments.sample, len(drawn))), arguments.out)


if __name__ == "__main__":
    main()
