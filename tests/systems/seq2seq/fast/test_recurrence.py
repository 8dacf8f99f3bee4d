"""Recurrence: nn.LSTM's outputs, last states and gradients, whatever the lengths and the layers."""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from recombine.systems.seq2seq.fast.recurrence import Recurrence
from recombine.systems.seq2seq.fast.waves import count_waves
from recombine.systems.seq2seq.operations import Operations

LENGTHS = torch.tensor([7, 4, 4, 1])
WIDTH = 5


def reference(
    stack: nn.LSTM, x: Tensor, states: Tensor, cells: Tensor, keep: Tensor | None
) -> list[Tensor]:
    """Return the same from nn.LSTM, layer by layer, with these factors between the layers."""
    last = []
    for number in range(stack.num_layers):
        layer = nn.LSTM(WIDTH, WIDTH)
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        weights = {f"{name}_l0": getattr(stack, f"{name}_l{number}") for name in names}
        packed, state = torch.func.functional_call(
            layer,
            weights,
            (
                pack_padded_sequence(x, LENGTHS),
                (states[number : number + 1], cells[number : number + 1]),
            ),
        )
        x, _ = pad_packed_sequence(packed, total_length=len(x))
        last.append(state)
        if keep is not None and number < stack.num_layers - 1:
            # Piece t of this layer is in wave t + number.
            x = x * keep[number, number : number + len(x)]
    return [x, torch.cat([one[0] for one in last]), torch.cat([one[1] for one in last])]


@pytest.mark.parametrize(("layers", "dropout"), [(1, False), (2, False), (4, True)])
def test_a_stack_is_nn_lstm_s(layers: int, dropout: bool) -> None:
    """Values and all gradients, for sentences of different lengths, with dropout or without."""
    torch.manual_seed(1)
    stack = nn.LSTM(WIDTH, WIDTH, layers)
    pieces, sentences = int(LENGTHS.max()), len(LENGTHS)
    x = torch.randn(pieces, sentences, WIDTH, requires_grad=True)
    states, cells = (torch.randn(layers, sentences, WIDTH, requires_grad=True) for _ in range(2))
    keep = None
    if dropout:
        shape = layers - 1, count_waves(pieces, layers), sentences, WIDTH
        keep = torch.randint(0, 2, shape) * 2.0
    weights = torch.stack(
        [
            torch.cat((getattr(stack, f"weight_ih_l{n}"), getattr(stack, f"weight_hh_l{n}")), 1)
            for n in range(layers)
        ]
    )
    bias = torch.stack(
        [getattr(stack, f"bias_ih_l{n}") + getattr(stack, f"bias_hh_l{n}") for n in range(layers)]
    )
    found = list(Recurrence.apply(x, states, cells, weights, bias, keep, LENGTHS, Operations()))
    expected = reference(stack, x, states, cells, keep)
    # Past its end a sentence has its last state here, and zeros there.
    found[0] = found[0] * (torch.arange(pieces)[:, None] < LENGTHS)[..., None]
    for mine, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, theirs)
    probes = [torch.randn_like(one) for one in expected]
    inputs = [x, states, cells, *stack.parameters()]
    gradients = [
        torch.autograd.grad(
            sum((one * probe).sum() for one, probe in zip(outputs, probes, strict=True)), inputs
        )
        for outputs in (found, expected)
    ]
    for mine, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, theirs)


def test_gradients_that_come_in_stay_as_they_are() -> None:
    """Others may read them, too."""
    x, first = torch.randn(3, 2, WIDTH, requires_grad=True), torch.zeros(1, 2, WIDTH)
    weights, bias = torch.randn(1, 4 * WIDTH, 2 * WIDTH), torch.zeros(1, 4 * WIDTH)
    lengths = torch.tensor([3, 1])
    found = Recurrence.apply(x, first, first, weights, bias, None, lengths, Operations())
    given = [torch.randn_like(one) for one in found]
    copies = [one.clone() for one in given]
    torch.autograd.backward(found, given)
    for one, copy in zip(given, copies, strict=True):
        assert torch.equal(one, copy)
