"""GPU kernels: the loss and every gradient of plain PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from recombine.systems.seq2seq.corpus import Corpus, Side
from recombine.systems.seq2seq.layout import Resident
from recombine.systems.seq2seq.options import TransformerOptions
from recombine.systems.seq2seq.transformer import Transformer


@pytest.mark.parametrize(
    ("width", "heads", "covered"), [(512, 8, True), (96, 4, False), (4096, 32, False)]
)
def test_only_some_shapes_are_covered(
    importable_kernels: None, width: int, heads: int, covered: bool
) -> None:
    """Heads of 16 to 128 numbers, a power of two, in rows of up to 2,048."""
    from recombine.systems.seq2seq.fused import supports

    assert supports(TransformerOptions(width=width, heads=heads)) is covered


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
