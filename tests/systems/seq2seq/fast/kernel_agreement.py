"""How far kernels are from plain PyTorch, for a GPU and for Triton's interpreter on a CPU.

As a program (with TRITON_INTERPRET=1, which Triton reads when it is imported) it prints the largest
relative error of any gradient for each kind of model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from recombine.systems.seq2seq.batch import Batch, pad_batch
from recombine.systems.seq2seq.corpus import NumberedSide, ParallelCorpus
from recombine.systems.seq2seq.fast.fused_operations import FusedCells, FusedOperations
from recombine.systems.seq2seq.fast.packing import Resident
from recombine.systems.seq2seq.fast.waves import Cells, Recurrence, count_waves
from recombine.systems.seq2seq.lstm import Lstm
from recombine.systems.seq2seq.operations import Operations
from recombine.systems.seq2seq.options import LstmOptions, TransformerOptions
from recombine.systems.seq2seq.transformer import Transformer


def corpus_of(lengths: Sequence[int]) -> ParallelCorpus:
    """Return sentences of these lengths, longest first as in a batch."""
    stream = np.random.default_rng(1)
    return ParallelCorpus(
        *(NumberedSide.of([stream.integers(4, 30, n).tolist() for n in lengths]),) * 2
    )


def transformer_error(
    operations: FusedOperations, lengths: Sequence[int], positions: str, norm: str, clip: int
) -> float:
    """Return the largest relative error of the gradient of any weight."""
    device = operations.seed.device
    options = TransformerOptions(
        encoder_layers=1, decoder_layers=1, width=64, feed_forward=96, heads=2,
        positions=positions, norm=norm, max_relative=clip,
    )  # fmt: skip
    torch.manual_seed(1)
    model = Transformer(options, 30, 30).to(device)
    rows = sum(length + 1 for length in lengths) + 50  # some belong to no sentence
    chosen = torch.arange(len(lengths), device=device)
    corpus = corpus_of(lengths)
    batch, _ = Resident(corpus, device).pack(chosen, rows, rows)
    return _error(model, pad_batch(corpus, np.arange(len(lengths)), device), batch, operations)


def lstm_error(
    operations: FusedOperations, lengths: Sequence[int], input_feeding: bool = False
) -> float:
    """Return the same for an LSTM."""
    device = operations.seed.device
    options = LstmOptions(width=32, encoder_layers=3, decoder_layers=2, input_feeding=input_feeding)
    torch.manual_seed(1)
    model = Lstm(options, 30, 30).to(device)
    chosen = torch.arange(len(lengths), device=device)
    room = max(lengths) + 2
    corpus = corpus_of(lengths)
    batch, _ = Resident(corpus, device).pad(chosen, room, room)
    return _error(model, pad_batch(corpus, np.arange(len(lengths)), device), batch, operations)


def recurrence_error(device: torch.device, lengths: Sequence[int], layers: int) -> float:
    """Return the same for a stack of LSTM layers with real masks between them."""
    torch.manual_seed(1)
    pieces, sentences, width = max(lengths), len(lengths), 24
    x, states, cells, weights, bias = (
        (0.3 * torch.randn(shape)).to(device).requires_grad_()
        for shape in (
            (pieces, sentences, width),
            (layers, sentences, width),
            (layers, sentences, width),
            (layers, 4 * width, 2 * width),
            (layers, 4 * width),
        )
    )
    keep = torch.rand(layers - 1, count_waves(pieces, layers), sentences, width).to(device)
    gradients = []
    for chosen in (Cells(), FusedCells()):
        outputs = Recurrence.apply(
            x, states, cells, weights, bias, keep, torch.tensor(lengths, device=device), chosen
        )
        loss = sum(one.square().sum() for one in outputs)
        gradients.append(torch.autograd.grad(loss, (x, states, cells, weights, bias)))
    return _largest(*gradients)


def twin_loss_error(device: torch.device, size: int) -> float:
    """Return the same for the logits of pairs that stand twice, and for the loss itself."""
    corpus = corpus_of([9, 4, 1])
    batch, _ = Resident(corpus, device, twice=True).pack(torch.arange(3, device=device), 40, 40)
    torch.manual_seed(1)
    logits = (3 * torch.randn(len(batch.expected), size)).to(device).requires_grad_()
    results = []
    for operations in (Operations(), FusedOperations(torch.zeros(1), keep_all=True)):
        loss = operations.loss(logits, batch, 0.1, 5.0)
        results.append([loss, *torch.autograd.grad(2 * loss, logits)])
    return _largest(*results)


def _error(
    model: torch.nn.Module, plain: Batch, batch: Batch, operations: FusedOperations
) -> float:
    weights = list(model.parameters())
    # cuDNN's LSTM layers have no gradient where dropout is off.
    with torch.backends.cudnn.flags(enabled=False):
        expected = torch.autograd.grad(model.eval()(plain), weights)
    # In training, with masks that keep everything: the very kernels of training.
    with operations.within(model):
        found = torch.autograd.grad(model.train()(batch), weights)
    return _largest(expected, found)


def _largest(expected: Sequence[Tensor], found: Sequence[Tensor]) -> float:
    return max(
        float((mine - theirs).norm() / (theirs.norm() + 1e-5))
        for mine, theirs in zip(found, expected, strict=True)
    )


def main() -> None:
    """Print the errors as JSON."""
    torch.set_num_threads(1)
    lengths = [40, 18, 15, 9, 1, 0]
    seed = torch.zeros(1, dtype=torch.int64)
    print(
        json.dumps(
            {
                "relative, post-norm": transformer_error(
                    FusedOperations(seed, keep_all=True), lengths, "relative", "post", 6
                ),
                "sinusoidal, pre-norm": transformer_error(
                    FusedOperations(seed, keep_all=True), lengths[2:], "sinusoidal", "pre", 6
                ),
                "relative, nothing clipped": transformer_error(
                    FusedOperations(seed, keep_all=True), lengths[1:], "relative", "pre", 20
                ),
                "rotary": transformer_error(
                    FusedOperations(seed, keep_all=True), lengths[2:], "rope", "pre", 6
                ),
                "twins": twin_loss_error(seed.device, 5000),
                "lstm": lstm_error(FusedOperations(seed, keep_all=True), lengths[1:]),
                "lstm, fed": lstm_error(FusedOperations(seed, keep_all=True), lengths[1:], True),
                "lstm, dropout": recurrence_error(seed.device, lengths[1:], 3),
            }
        )
    )


if __name__ == "__main__":
    main()
