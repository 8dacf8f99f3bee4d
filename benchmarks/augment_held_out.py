"""Thresholds and ingredients of the recombiner, tried on combinations held out from train.

`--benchmark DIR` has a train split, the only one that is opened. The combinations that a fold hides
are chosen once, with the options as they are; then every row learns from what is left of the fold
with one threshold changed, and prints how many hidden pairs it derives and how many of those with
their own target (`recombine.augment.trial.held_out`). Rows: the defaults, a neighbour on each side
of every threshold, and each ingredient left out.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from recombine.augment import AugmentOptions, Pair, Recombiner, frames, links, repertoire
from recombine.augment.analogy import alternations, forms, paradigms
from recombine.augment.phrases import deletion, grammar
from recombine.augment.trial.held_out import deep_fold, folds, read_pairs, trial, trial_rows
from recombine.benchmark import Benchmark

# Options, and thresholds that are none: (module, name, a value on each side).
NEIGHBOURS: list[tuple[Any, str, list[Any]]] = [
    (None, "lift", [1.8, 3.2]),
    (None, "share", [0.1, 0.25]),
    (None, "similarity", [0.45, 0.65]),
    (None, "support", [1, 3]),
    (None, "frame_support", [5, 20]),
    (None, "analogy_support", [2, 5]),
    (None, "rare", [False]),
    (None, "class_size", [10, 40]),
    (None, "clearly", [1.5, 3.0]),
    (links, "OWN_SHARE", [0.7, 0.9]),
    (grammar, "HEAD_SIMILARITY", [0.2, 0.4]),
    (deletion, "PRODUCTIVE", [3, 8]),
    (deletion, "MODIFIER_PURITY", [0.7, 0.9]),
    (frames, "SAME_CLAUSE", [0.35, 0.65]),
    (repertoire, "SMALL_SORT", [10, 40]),
    (repertoire, "HOME_SHARE", [0.02, 0.08]),
    (repertoire, "KNOWN_MEMBER", [4, 16]),
    (repertoire, "KNOWN_SLOT", [15, 60]),
    (paradigms, "AGREEMENT", [0.7, 0.9]),
    (paradigms, "VARIED", [2, 5]),
    (paradigms, "BY_SCRIPT", [3, 8]),
    (alternations, "ALTERNATION", [0.65, 0.85]),
    (alternations, "LEXICAL_ALTERNATION", [0.5, 0.7]),
    (alternations, "SHARED_END", [0.8, 0.97]),
    (alternations, "FREQUENT", [15, 60]),
    (forms, "LOOK_ALIKE", [3.0, 12.0]),
    (forms, "KNOWN_JUNCTION", [10, 40]),
    (None, "sentence_analogies", [False]),
    (None, "paradigms", [False]),
]


def main() -> None:
    """Try every row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--benchmark", required=True)
    parser.add_argument("--fold", type=int, action="append", help="default: 0")
    parser.add_argument("--parts", type=int, default=10, help="one in so many is hidden")
    parser.add_argument("--every", type=int, default=1, help="take each second pair, or third ...")
    parser.add_argument("--only", nargs="*", help="names of the thresholds to change")
    given = parser.parse_args()
    benchmark = Benchmark.open(given.benchmark)
    pairs = [Pair(one.source, one.references[0], one.id) for one in benchmark.read("train")]
    pairs = pairs[:: given.every]
    languages = {
        "source_language": benchmark.manifest.source,
        "target_language": benchmark.manifest.target,
    }
    options = AugmentOptions(**languages)
    readings = read_pairs(Recombiner.learn(pairs, options), pairs)
    print(f"read {sum(one is not None for one in readings):,} of {len(pairs):,} pairs")
    hidden = folds(pairs, readings, given.parts, given.fold or [0])
    print("changed\tkind\tcombinations\tpairs\tderived %\tof those right %", flush=True)

    def row(name: str, own: AugmentOptions, *, deep: bool = False) -> None:
        rows = trial_rows()
        for held in [*hidden, *([deep_fold(pairs, readings)] if deep else [])]:
            trial(held, own, rows)
        for one in rows.values():
            if one.pairs:
                print(
                    f"{name}\t{one.kind}\t{one.combinations}\t{one.pairs}\t"
                    f"{100 * one.coverage:.1f}\t{100 * one.precision:.1f}",
                    flush=True,
                )

    row("as it is", options, deep=True)
    for module, name, values in NEIGHBOURS:
        if given.only and name not in given.only:
            continue
        for value in values:
            if module is None:
                row(f"{name} {value}", replace(options, **{name: value}))
                continue
            usual = getattr(module, name)
            setattr(module, name, value)
            row(f"{name.lower()} {value}", options)
            setattr(module, name, usual)


if __name__ == "__main__":
    main()
