"""Worked examples for a prompt: drawn by the seed alone, or drawn to cover the structures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recombine.benchmark import Example


def choose_shots(examples: Sequence[Example], count: int, seed: int, choice: str) -> list[Example]:
    """Return `count` examples: drawn by the seed alone, or drawn to cover the structures."""
    usable = [example for example in examples if example.references]
    order = np.random.Generator(np.random.PCG64(seed)).permutation(len(usable)).tolist()
    if choice == "seed":
        return [usable[place] for place in order[:count]]
    return _cover([usable[place] for place in order], count)


def _cover(examples: Sequence[Example], count: int) -> list[Example]:
    """Greedy cover: the example that shows most not yet seen structures and words, in turn.

    A structure (a tag and its value) weighs more than any number of words, since the prompt has
    to show how to compose; ties go to the earlier example of the seeded order.
    """
    chosen: list[Example] = []
    seen: set[str] = set()
    while len(chosen) < min(count, len(examples)):
        best, best_gain = None, (-1, -1)
        for example in examples:
            if example in chosen:
                continue
            gain = (len(_structures(example) - seen), len(_words(example) - seen))
            if gain > best_gain:
                best, best_gain = example, gain
        assert best is not None
        chosen.append(best)
        seen |= _structures(best) | _words(best)
    return chosen


def _structures(example: Example) -> set[str]:
    return {f"{name}={value}" for name, value in example.tags.items()}


def _words(example: Example) -> set[str]:
    return {f"word {word}" for word in example.source.casefold().split()}
