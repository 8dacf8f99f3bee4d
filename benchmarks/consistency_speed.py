"""Score 100,000 pairs of one system: seconds for the neutral and the official mode.

    python benchmarks/consistency_speed.py

Outputs are the Dutch side of the template grammar with one word in fifty replaced, so that every
class of judgement occurs. The promise is 20 seconds on a laptop core.
"""

from __future__ import annotations

import time

import numpy as np

from recombine.benchmark import Example
from recombine.builders.consistency.synthetic import SyntheticSentences, TemplateTrees
from recombine.builders.recipe import read_recipe
from recombine.metrics.base import Scored
from recombine.metrics.consistency.metric import Consistency

PAIRS = 100_000


def spoil(sentence: str, rng: np.random.Generator) -> str:
    """Replace one word in fifty."""
    words = sentence.split()
    for place in range(len(words)):
        if rng.random() < 0.02:
            words[place] = f"w{int(rng.integers(50))}"
    return " ".join(words)


def outputs() -> list[Scored]:
    """Return bases and NP variants with imperfect Dutch outputs."""
    trees = TemplateTrees("paradox", "en", "nl")
    maker = SyntheticSentences(trees, read_recipe("consistency").builder.template)
    rng = np.random.Generator(np.random.PCG64(1))
    items = []
    for template in maker.templates:
        drawn = maker.draw(template, PAIRS // 10, rng)
        for number in range(PAIRS // 10):
            base = drawn[number % len(drawn)]
            variant = maker.swap(base, "np", rng)
            for role, one in (("base", base), ("np", variant)):
                example = Example.make(
                    source=one.source,
                    tags={"template": template},
                    group=f"{template}/{number}",
                    role=role,
                )
                items.append(Scored(example, spoil(one.reference or "", rng)))
    return items


def main() -> None:
    """Print one line per mode."""
    items = outputs()
    for mode in ("official", "neutral"):
        metric = Consistency(mode=mode)
        start, cpu = time.perf_counter(), time.process_time()
        metric.prepare(items)
        seen = [metric.observe([item]) for item in items if metric.key(item.example) is not None]
        stats = np.array([one.stats for one in seen if one is not None])
        print(
            f"{mode}: {len(seen):,} pairs, score {metric.aggregate(stats):.4f}, "
            f"{time.perf_counter() - start:.1f} s wall, {time.process_time() - cpu:.1f} s CPU"
        )


if __name__ == "__main__":
    main()
