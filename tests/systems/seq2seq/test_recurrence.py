"""Recurrence: nn.LSTM's outputs, last states and gradients, ended sentences or not."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from recombine.systems.seq2seq.operations import Operations
from recombine.systems.seq2seq.recurrence import Recurrence


def test_a_layer_is_nn_lstm_s() -> None:
    """Values and all gradients, for sentences of different lengths."""
    torch.manual_seed(1)
    layer = nn.LSTM(6, 5)
    lengths = torch.tensor([7, 4, 4, 1])
    x = torch.randn(7, 4, 6, requires_grad=True)
    first = [torch.randn(1, 4, 5, requires_grad=True) for _ in range(2)]
    packed, last = layer(pack_padded_sequence(x, lengths), (first[0], first[1]))
    output, _ = pad_packed_sequence(packed, total_length=7)
    expected = [output, last[0][0], last[1][0]]
    bias = layer.bias_ih_l0 + layer.bias_hh_l0
    weights = layer.weight_ih_l0, layer.weight_hh_l0
    found = list(
        Recurrence.apply(x, first[0][0], first[1][0], *weights, bias, lengths, Operations())  # type: ignore[no-untyped-call]
    )
    # Past its end a sentence has its last state here, and zeros there.
    inside = (torch.arange(7)[:, None] < lengths)[..., None]
    found[0] = found[0] * inside
    probes = [torch.randn_like(one) for one in expected]
    inputs = [x, *first, *layer.parameters()]
    for mine, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, theirs)
    gradients = [
        torch.autograd.grad(
            sum((one * probe).sum() for one, probe in zip(outputs, probes, strict=True)), inputs
        )
        for outputs in (found, expected)
    ]
    for mine, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, theirs)
