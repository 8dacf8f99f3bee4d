"""GPU kernels: which models they cover."""

from __future__ import annotations

from typing import Any

import pytest

from recombine.systems.seq2seq.corpus import NumberedSide, ParallelCorpus
from recombine.systems.seq2seq.options import LstmOptions, TransformerOptions


@pytest.mark.parametrize(
    ("options", "covered"),
    [
        (TransformerOptions(width=512, heads=8), True),
        (TransformerOptions(width=96, heads=4), False),
        (TransformerOptions(width=4096, heads=32), False),
        (LstmOptions(), True),
        (LstmOptions(bidirectional=True), False),
    ],
)
def test_only_some_shapes_are_covered(
    importable_kernels: None, options: Any, covered: bool
) -> None:
    """Heads of 16 to 128 numbers, a power of two, in rows of up to 2,048; one direction."""
    from recombine.systems.seq2seq.fast.fused_operations import supports

    side = NumberedSide.of([[4, 5], [4] * 200])
    assert supports(options, ParallelCorpus(side, side)) is covered


def test_some_sentence_must_fit_a_tile(importable_kernels: None) -> None:
    """Attention is computed in tiles of up to 128 pieces."""
    from recombine.systems.seq2seq.fast.fused_operations import supports

    side = NumberedSide.of([[4] * 200])
    assert not supports(TransformerOptions(width=512, heads=8), ParallelCorpus(side, side))
