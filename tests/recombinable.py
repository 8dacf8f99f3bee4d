"""Training pairs of our own in which words change places, as pairs, files and a benchmark."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from recombine.benchmark import Benchmark
from recombine.builders.recipe import build

NAMES = {"Anna": "Anna", "Bert": "Bert", "Carl": "Karl", "Dora": "Dora", "Eve": "Eva"}
VERBS = {"saw": "sah", "heard": "hörte", "found": "fand", "called": "rief"}
THINGS = {
    "a dog": "einen Hund", "a king": "einen König", "a ball": "einen Ball", "a tree": "einen Baum",
    "a car": "einen Wagen",
}  # fmt: skip


def english_german() -> list[tuple[str, str]]:
    """100 sentences of five names, four verbs and five things."""
    return [
        (f"{n} {v} {t}.", f"{NAMES[n]} {VERBS[v]} {THINGS[t]}.")
        for n, v, t in product(NAMES, VERBS, THINGS)
    ]


def recombinable(folder: Path) -> Benchmark:
    """Build a benchmark of 60 sentences to learn from, 10 in dev, 10 in gen; 20 are in no split."""
    # Neighbours differ in one word: each split gets some of every kind.
    pairs = [english_german()[37 * number % 100] for number in range(100)]
    splits = {"train": pairs[:60], "dev": pairs[60:70], "gen": pairs[70:80]}
    overrides = ["benchmark.name=made-up", "benchmark.source=en", "benchmark.target=de"]
    folder.mkdir(parents=True, exist_ok=True)
    for split, rows in splits.items():
        for side, language in enumerate(("en", "de")):
            path = folder / f"{split}.{language}"
            path.write_text("".join(row[side] + "\n" for row in rows), encoding="utf-8")
        overrides += [
            f'split.{split}.source="{folder / split}.en"',
            f'split.{split}.references=["{folder / split}.de"]',
        ]
    return build("imported", folder / "benchmark", overrides=overrides)
