"""Batch: every piece of the chosen pairs has its place, and the rest is padding."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from recombine.systems.seq2seq.batch import pad_batch
from recombine.systems.seq2seq.corpus import NumberedSide, ParallelCorpus
from recombine.systems.seq2seq.vocabulary import BEGIN, PAD

CPU = torch.device("cpu")


@pytest.fixture
def corpus() -> ParallelCorpus:
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


def test_a_batch_holds_the_chosen_pairs(corpus: ParallelCorpus) -> None:
    """Read back without padding, they are the chosen pairs; the decoder reads one piece behind."""
    chosen = [7, 2, 2, 11, 0, 5, 9]
    batch = pad_batch(corpus, np.array(chosen), CPU)
    found = []
    for row in range(len(chosen)):
        source, target = int(batch.source.lengths[row]), int(batch.target.lengths[row])
        expected = batch.expected[row, :target].tolist()
        assert batch.target.pieces[row, :target].tolist() == [BEGIN, *expected[:-1]]
        assert batch.expected[row, target:].eq(PAD).all()
        assert batch.source.padding()[row].tolist() == [
            place >= source for place in range(batch.source.pieces.shape[1])
        ]
        found.append((batch.source.pieces[row, :source].tolist(), expected))
    assert sorted(found) == pairs_of(corpus, chosen)
