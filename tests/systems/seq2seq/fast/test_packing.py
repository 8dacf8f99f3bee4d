"""Packing: batches laid out on the device hold the pairs that the host would have laid out."""

from __future__ import annotations

import pytest
import torch

from recombine.systems.seq2seq.corpus import ParallelCorpus
from recombine.systems.seq2seq.fast.packing import PackedRows, Resident
from recombine.systems.seq2seq.vocabulary import BEGIN, PAD
from systems.seq2seq.twelve_pairs import pairs_of, twelve_pairs

CPU = torch.device("cpu")


@pytest.fixture
def corpus() -> ParallelCorpus:
    """Twelve pairs from empty to long."""
    return twelve_pairs()


def test_packed_sentences_touch(corpus: ParallelCorpus) -> None:
    """Sentence b begins where b - 1 ends; after the last one there is only padding."""
    chosen = [3, 8, 1, 10]
    resident = Resident(corpus, CPU)
    # Filled up with the empty sentence, as token batches are.
    numbers = torch.tensor([*chosen, resident.empty, resident.empty])
    batch, pieces = resident.pack(numbers, 200, 190)
    source, target = batch.source, batch.target
    assert isinstance(source, PackedRows)
    assert isinstance(target, PackedRows)
    assert int(pieces) == corpus.target.lengths[chosen].sum()
    ends = target.starts + target.lengths
    assert target.starts.tolist() == [0, *ends[:-1].tolist()]
    assert batch.expected[int(pieces) :].eq(PAD).all()
    found = []
    for row in range(len(chosen)):
        read, said = (
            slice(int(side.starts[row]), int(side.starts[row] + side.lengths[row]))
            for side in (source, target)
        )
        expected = batch.expected[said].tolist()
        assert target.pieces[said].tolist() == [BEGIN, *expected[:-1]]
        assert target.positions[said].tolist() == list(range(len(expected)))
        found.append((source.pieces[read].tolist(), expected))
    assert sorted(found) == pairs_of(corpus, chosen)


def test_padded_sentences_lie_side_by_side(corpus: ParallelCorpus) -> None:
    """With more room than they need; an empty sentence is padding only."""
    chosen = [3, 8, 1, 10]
    resident = Resident(corpus, CPU)
    batch, pieces = resident.pad(torch.tensor([*chosen, resident.empty]), 45, 47)
    assert batch.source.pieces.shape == (5, 45)
    assert batch.expected.shape == (5, 47)
    assert int(pieces) == corpus.target.lengths[chosen].sum()
    assert batch.expected[-1].eq(PAD).all()
    found = []
    for row in range(len(chosen)):
        source, target = int(batch.source.lengths[row]), int(batch.target.lengths[row])
        expected = batch.expected[row, :target].tolist()
        assert batch.target.pieces[row, :target].tolist() == [BEGIN, *expected[:-1]]
        found.append((batch.source.pieces[row, :source].tolist(), expected))
    assert sorted(found) == pairs_of(corpus, chosen)
