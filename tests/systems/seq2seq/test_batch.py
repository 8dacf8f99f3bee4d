"""Batch: every piece of the chosen pairs has its place, and the rest is padding."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from recombine.systems.seq2seq.batch import pad_batch
from recombine.systems.seq2seq.corpus import ParallelCorpus
from recombine.systems.seq2seq.vocabulary import BEGIN, PAD
from systems.seq2seq.twelve_pairs import pairs_of, twelve_pairs

CPU = torch.device("cpu")


@pytest.fixture
def corpus() -> ParallelCorpus:
    """Twelve pairs from empty to long."""
    return twelve_pairs()


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
