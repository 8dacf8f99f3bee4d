"""Pairs of sentences as numbers, and what a batch of them has to hold."""

from __future__ import annotations

import numpy as np

from recombine.systems.seq2seq.corpus import NumberedSide, ParallelCorpus


def twelve_pairs() -> ParallelCorpus:
    """Twelve pairs from empty to long."""
    stream = np.random.default_rng(2)
    sides = [
        NumberedSide.of([stream.integers(4, 30, n).tolist() for n in stream.integers(0, 40, 12)])
        for _ in range(2)
    ]
    return ParallelCorpus(*sides)


def pairs_of(corpus: ParallelCorpus, chosen: list[int]) -> list[tuple[list[int], list[int]]]:
    """Return what a batch of these pairs has to hold, in any order."""
    sides = corpus.source, corpus.target
    return sorted(
        (sides[0].sentence(number).tolist(), sides[1].sentence(number).tolist())
        for number in chosen
    )
