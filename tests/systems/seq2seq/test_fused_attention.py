"""Fused attention: tiles for all lengths, and the loss and every gradient of plain PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from recombine.systems.seq2seq.corpus import Corpus, Side
from recombine.systems.seq2seq.layout import Packed, Resident
from recombine.systems.seq2seq.options import TransformerOptions
from recombine.systems.seq2seq.transformer import Transformer


def attention(layout: Any, **given: Any) -> Any:
    """Return self-attention of the target."""
    from recombine.systems.seq2seq.fused_attention import Attention

    shape: dict[str, Any] = {
        "heads": 2, "queries": "target", "keys": "target", "causal": True, "counts": (),
        "dropout": 0.0, "site": 1, "streams": (), "aside": None,
    }  # fmt: skip
    return Attention(layout, **{**shape, **given})


def layout() -> Packed:
    """Two sentences of 3 and 5 source and 4 and 1 target pieces."""
    starts, lengths = (torch.tensor([0, 3]), torch.tensor([0, 4])), ([3, 5], [4, 1])
    sides = zip(starts, map(torch.tensor, lengths), strict=True)
    return Packed(*(tensor for side in sides for tensor in side), 5, 4, (8, 5))


def test_a_tile_without_sentences_is_not_launched(importable_kernels: None) -> None:
    """Each tile has the sentences longer than its lower edge; without counts it has all."""
    some = attention(layout(), counts=(9, 4, 0, 0))
    assert some.tiles() == [(0, 16, 9), (16, 32, 4)]
    assert some.kept() == 32
    every = attention(layout())
    assert every.tiles() == [(0, 16, 2), (16, 32, 2), (32, 64, 2), (64, 128, 2)]
    assert every.kept() == 128


def test_queries_and_keys_have_their_own_side(importable_kernels: None) -> None:
    """Cross-attention goes from the target to the source."""
    found = attention(layout(), keys="source", causal=False).sides()
    assert [one.tolist() for one in found] == [[0, 4], [4, 1], [0, 3], [3, 5]]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("positions", ["relative", "sinusoidal"])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_kernels_agree_with_plain_pytorch(positions: str, norm: str) -> None:
    """In float32, for sentences of every tile size, dropout keeping everything."""
    from recombine.systems.seq2seq.aside import Aside
    from recombine.systems.seq2seq.fused import FusedOperations

    stream = np.random.default_rng(1)
    lengths = [120, 70, 40, 33, 20, 17, 15, 9, 3, 1, 0]
    corpus = Corpus(*(Side.of([stream.integers(4, 30, n).tolist() for n in lengths]),) * 2)
    device = torch.device("cuda")
    options = TransformerOptions(
        encoder_layers=1, decoder_layers=1, width=64, feed_forward=96, heads=2,
        positions=positions, norm=norm, max_relative=6,
    )  # fmt: skip
    torch.manual_seed(1)
    model = Transformer(options, 30, 30).to(device)
    batch, _ = Resident(corpus, device).pack(torch.arange(11, device=device), 400, 400)
    expected = torch.autograd.grad(model.eval()(batch), list(model.parameters()))
    seed = torch.zeros(1, dtype=torch.int64, device=device)
    operations = FusedOperations(seed, keep_all=True, aside=Aside(device))
    model.operations = operations
    operations.begin()
    found = torch.autograd.grad(model.train()(batch), list(model.parameters()))
    operations.finish()
    for mine, theirs in zip(found, expected, strict=True):
        assert float((mine - theirs).norm()) <= 1e-4 * float(theirs.norm()) + 1e-5
