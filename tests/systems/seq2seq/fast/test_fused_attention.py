"""Fused attention: which tiles there are, and what a kernel must not be given."""

from __future__ import annotations

import pytest
import torch

from recombine.systems.seq2seq.corpus import NumberedSide, ParallelCorpus
from recombine.systems.seq2seq.fast.packing import Resident


def test_a_size_of_more_sentences_than_a_batch_is_refused(importable_kernels: None) -> None:
    """Beyond the last start a kernel would take whatever lies there for a sentence."""
    from recombine.systems.seq2seq.fast.fused_attention import FusedAttention

    corpus = ParallelCorpus(*(NumberedSide.of([[5], [6, 7], [8]]),) * 2)
    resident = Resident(corpus, torch.device("cpu"), twice=True)
    batch, _ = resident.pack(torch.arange(3), 30, 30)

    def tiles(*counts: int) -> list[tuple[int, int, int]]:
        rows = batch.source
        return FusedAttention(rows, rows, 1, False, counts, 0.0, 1, (), None).tiles()  # type: ignore[arg-type]

    assert tiles(6, 2, 0, 0) == [(0, 16, 6), (16, 32, 2)]
    with pytest.raises(ValueError, match="a batch of 6 sentences, a size of 7"):
        tiles(7, 2, 0, 0)
