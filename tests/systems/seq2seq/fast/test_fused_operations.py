"""Fused operations: which models they cover, and in which tiles attention is computed."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from recombine.systems.seq2seq.corpus import NumberedSide, ParallelCorpus
from recombine.systems.seq2seq.fast.packing import PackedRows
from recombine.systems.seq2seq.options import LstmOptions, TransformerOptions


@pytest.mark.parametrize(
    ("options", "covered"),
    [
        (TransformerOptions(width=512, heads=8), True),
        (TransformerOptions(width=96, heads=4), False),
        (TransformerOptions(width=4096, heads=32), False),
        (LstmOptions(), True),
        (LstmOptions(input_feeding=True), True),
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


def attention(queries: PackedRows, keys: PackedRows, **given: Any) -> Any:
    """Return attention of some sentences to others."""
    from recombine.systems.seq2seq.fast.fused_attention import FusedAttention

    shape: dict[str, Any] = {
        "heads": 2, "causal": True, "counts": (), "dropout": 0.0, "site": 1, "streams": (),
        "aside": None,
    }  # fmt: skip
    return FusedAttention(queries, keys, **{**shape, **given})


def packed(*lengths: int) -> PackedRows:
    """Return sentences of these lengths, end to end."""
    own = torch.tensor(lengths)
    rows = torch.zeros(int(own.sum()))
    return PackedRows(rows, rows, own, own.cumsum(0) - own)


SOURCE, TARGET = packed(3, 5), packed(4, 1)


def test_a_tile_without_sentences_is_not_launched(importable_kernels: None) -> None:
    """Each tile has the sentences longer than its lower edge; without counts it has all."""
    some = attention(TARGET, TARGET, counts=(2, 1, 0, 0))
    assert some.tiles() == [(0, 16, 2), (16, 32, 1)]
    assert some.kept() == 32
    every = attention(TARGET, TARGET)
    assert every.tiles() == [(0, 16, 2), (16, 32, 2), (32, 64, 2), (64, 128, 2)]
    assert every.kept() == 128


def test_a_short_table_fills_the_columns_that_a_tile_needs(importable_kernels: None) -> None:
    """A product of 64 rows and 16 columns reads memory that is not its own on a GPU."""
    from recombine.systems.seq2seq.fast.fused_attention import constants

    table = torch.zeros(2 * 6 + 1, 32)
    offsets = {
        block: constants(attention(TARGET, TARGET), 32, block // 2, block, table)["OFFSETS"]
        for block in (16, 32, 64, 128)
    }
    assert offsets == {16: 16, 32: 16, 64: 32, 128: 16}


def test_queries_and_keys_have_their_own_side(importable_kernels: None) -> None:
    """Cross-attention goes from the target to the source."""
    found = attention(TARGET, SOURCE, causal=False).sides()
    assert [one.tolist() for one in found] == [[0, 4], [4, 1], [0, 3], [3, 5]]
