"""How long `meaning` takes for a split of SGET that is right, wrong and noise.

    python benchmarks/meaning.py BENCHMARK [--sample 2000] [--workers 2]

Of the hypotheses two fifths are the reference, a fifth other wordings of it, a fifth other
sentences or words, and a fifth text from which a piece was cut or doubled. Printed are CPU seconds
of all processes, for the sample and for 76,000 hypotheses, and the longest time of one hypothesis
beside the mean; the peer is `exact` on the same rows. `partial` is timed on those it is about.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from recombine.benchmark import Benchmark, Example
from recombine.metrics.base import Scored
from recombine.metrics.exact import Exact
from recombine.metrics.meaning.judge import MeaningJudge
from recombine.metrics.meaning.metric import MeaningMatch
from recombine.metrics.partial import Partial
from recombine.metrics.scoring import observe

FULL = 76_000
WORDS = ("子供", "友達", "本", "言った", "リアム", "を", "に", "が", "によって", "赤い", "母")


def noisy(examples: Sequence[Example], judge: MeaningJudge, seed: int = 1) -> Iterator[str]:
    """A hypothesis for every example."""
    chance = random.Random(seed)
    for number, example in enumerate(examples):
        reference, draw = example.references[0], chance.random()
        half = reference[: len(reference) // 2]
        cut = chance.randrange(1, max(2, len(reference) - 6))
        if draw < 0.4:
            yield reference
        elif draw < 0.6:
            meant = judge.meant(example.source, example.references)
            others = judge.wordings.sample(meant[0], 1, number) if meant else ()
            yield others[0] if others else reference
        elif draw < 0.7:
            yield chance.choice(examples).references[0]
        elif draw < 0.8:
            yield reference.replace(*chance.sample(WORDS, 2), 1)
        elif draw < 0.9:
            yield reference[:cut] + reference[cut + chance.randrange(2, 6) :]
        else:
            yield half + reference


def cpu() -> float:
    """CPU seconds of this process and of those it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    """Time both metrics and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("benchmark", type=Path)
    parser.add_argument("--sample", type=int, default=2_000)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    every = Benchmark.open(options.benchmark).read("gen")
    size = min(options.sample or len(every), len(every))
    examples = random.Random(3).sample(every, size)
    languages = {"source_language": "en", "target_language": "ja"}
    metric = MeaningMatch(grammar="sget", workers=options.workers, **languages)
    alone = MeaningMatch(grammar="sget", workers=1, **languages)
    judge = alone._loaded()
    items = [Scored(*pair) for pair in zip(examples, noisy(examples, judge), strict=True)]
    started, used = time.perf_counter(), cpu()
    metric.prepare(items)
    found = Counter(seen.detail["class"] for one in items if (seen := metric.observe([one])))
    spent, wall = cpu() - used, time.perf_counter() - started
    used = cpu()
    exact = Exact()
    for one in items:
        exact.observe([one])
    peer = cpu() - used
    used = cpu()
    partial = Partial(grammar="sget", target_language="ja")
    partial.prepare(items)
    named = [one for one in items if partial.key(one.example) is not None]
    table = observe(partial, items, "gen")
    right = table.values["", 1].sum()
    spent_partial = cpu() - used
    judge.warm_up()
    times = []
    for one in items[:500]:
        used = cpu()
        alone.judge_block([(one.example.source, one.example.references, one.hypothesis)])
        times.append(cpu() - used)
    share = spent / size * FULL
    print(f"{size:,} hypotheses: {spent:.1f} CPU s, {wall:.1f} s wall; {dict(found)}")
    print(
        f"{FULL:,}: {share:.0f} CPU s, {share / options.workers:.0f} s on {options.workers} cores"
    )
    print(f"one: {1000 * sum(times) / len(times):.1f} ms, at most {1000 * max(times):.0f} ms")
    whole = spent_partial / size * FULL
    print(f"partial: {right:.0f} of {len(named):,} right; {FULL:,}: {whole:.0f} CPU s on one core")
    print(f"exact on the same rows: {peer:.2f} CPU s, meaning takes {spent / peer:.0f} times that")


if __name__ == "__main__":
    main()
