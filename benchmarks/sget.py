"""Every speed of SGET in one run: build, check, parse, `meaning`, `partial` and `exact`.

    python benchmarks/sget.py [--recipe sget] [--scale 1.0] [--sample 0] [--cores 2]

Each row has CPU seconds of all processes and wall seconds. A grammar that is made ready once (the
reader of `meaning`) has a row of its own, so a sample says what the whole split would take.

Of the hypotheses two fifths are the reference, a fifth other wordings of it, a fifth other
sentences or words, and a fifth text from which a piece was cut or doubled. `exact` on the same rows
is the peer of `meaning`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from recombine.benchmark import Benchmark, Example
from recombine.builders.check import check_benchmark
from recombine.builders.recipe import build
from recombine.grammar import Grammar
from recombine.metrics.base import Metric, Scored
from recombine.metrics.exact import Exact
from recombine.metrics.meaning.judge import MeaningJudge
from recombine.metrics.meaning.metric import MeaningMatch
from recombine.metrics.partial import Partial
from recombine.metrics.scoring import observe

WORDS = ("子供", "友達", "本", "言った", "リアム", "を", "に", "が", "によって", "赤い", "母")


def cpu() -> float:
    """CPU seconds of this process and of those it waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def timed(name: str, count: int, action: Callable[[], Any]) -> Any:
    """Print what an action takes, and return its result."""
    used, started = cpu(), time.perf_counter()
    result = action()
    used, wall = cpu() - used, time.perf_counter() - started
    row = {"what": name, "count": count, "cpu_s": round(used, 2), "wall_s": round(wall, 2)}
    if count > 1:
        row["per_cpu_s"] = round(count / max(used, 1e-9))
    print(json.dumps(row), flush=True)
    return result


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


def classes(metric: Metric, items: Sequence[Scored]) -> dict[str, int]:
    """How many hypotheses there are of each verdict."""
    metric.prepare(items)
    seen = (metric.observe([item]) for item in items)
    return dict(Counter(row.detail["class"] for row in seen if row is not None and row.detail))


def main() -> None:
    """Build one benchmark, and time everything that reads it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recipe", default="sget")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--sample", type=int, default=0, help="sentences of gen (default: all)")
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.cores])
    with tempfile.TemporaryDirectory() as folder:
        overrides = [f"scale={options.scale}"]
        place = Path(folder) / "b"
        benchmark = timed("build", 1, lambda: build(options.recipe, place, overrides=overrides))
        problems = timed("check", 1, lambda: check_benchmark(Benchmark.open(place)))
        assert not problems, problems[0]
        every = benchmark.read("gen")
    examples = random.Random(3).sample(every, min(options.sample or len(every), len(every)))
    count, manifest = len(examples), benchmark.manifest
    edition = manifest.recipe.get("edition")

    grammar = Grammar.load("sget", edition=edition)
    parse = grammar.parser(manifest.source).parse
    sources = [example.source for example in examples]
    for name in ("parse, cold", "parse, warm"):
        timed(name, count, lambda: [parse(source).tree for source in sources])

    languages = {"source_language": manifest.source, "target_language": manifest.target}
    meaning = MeaningMatch(grammar="sget", edition=edition, workers=options.cores, **languages)
    judge = MeaningJudge(grammar, "sget", manifest.source, manifest.target)
    items = [Scored(*pair) for pair in zip(examples, noisy(examples, judge), strict=True)]
    meaning.prepare(items[:1])
    timed("meaning, made ready", 1, lambda: meaning.prepare(items[:200]))
    print(timed("meaning", count, lambda: classes(meaning, items)))
    partial = Partial(grammar="sget", edition=edition, target_language=manifest.target)

    def matched() -> float:
        partial.prepare(items)
        return float(observe(partial, items, "gen").values["", 1].sum())

    print(timed("partial", count, matched), "right")
    exact = Exact()
    timed("exact", count, lambda: [exact.observe([item]) for item in items])
    row = {"peak_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)}
    print(json.dumps(row))


if __name__ == "__main__":
    main()
