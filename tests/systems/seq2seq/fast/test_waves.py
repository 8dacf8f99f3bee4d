"""Waves: nn.LSTM's outputs, last states and gradients, whatever the lengths and the layers."""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from recombine.systems.seq2seq.fast.waves import (
    Cells,
    Recurrence,
    WaveGradients,
    Waves,
    count_waves,
)

PIECES, LAYERS, WIDTH = 3, 2, 5
SHORT = torch.tensor([3, 1])
LENGTHS = torch.tensor([7, 4, 4, 1])


def start(dtype: torch.dtype = torch.float32) -> Waves:
    """Return waves over two sentences of three and one pieces."""
    x = torch.ones(PIECES, len(SHORT), WIDTH, dtype=dtype)
    first = torch.full((LAYERS, len(SHORT), WIDTH), 2.0, dtype=dtype)
    return Waves.start(x, first, 3 * first, torch.zeros(LAYERS, 4 * WIDTH), None, SHORT)


@pytest.mark.parametrize(("pieces", "layers", "waves"), [(1, 1, 1), (7, 1, 7), (7, 4, 10)])
def test_each_further_layer_is_one_wave_later(pieces: int, layers: int, waves: int) -> None:
    """As many waves as pieces, and one for each layer but the first."""
    assert count_waves(pieces, layers) == waves


def test_a_wave_is_inside_where_its_layer_has_a_piece() -> None:
    """Wave d takes piece d of the first layer and piece d - 1 of the second."""
    waves = start()
    found = [waves.inside(number)[..., 0].int().tolist() for number in range(waves.count)]
    assert found == [
        [[1, 1], [0, 0]],
        [[1, 0], [1, 1]],
        [[1, 0], [1, 0]],
        [[0, 0], [1, 0]],
    ]


def test_nothing_that_is_read_is_undefined() -> None:
    """The first layer reads all of x, and zeros past it; the others read zeros at first."""
    waves = start()
    read = waves.inputs[..., :WIDTH]
    assert read[0, :PIECES].eq(1).all()
    assert read[0, PIECES:].eq(0).all()
    assert read[1, 0].eq(0).all()
    assert waves.states[:, 0].eq(2).all()
    assert waves.cells[:, 0].eq(6).all()
    assert waves.outputs.shape == (PIECES, len(SHORT), WIDTH)


def test_cells_are_kept_in_float32_at_least() -> None:
    """They add up over a sentence, for which bfloat16 is too coarse."""
    waves = start(torch.bfloat16)
    assert (waves.inputs.dtype, waves.cells.dtype) == (torch.bfloat16, torch.float32)
    assert start(torch.float64).cells.dtype == torch.float64


def test_gradients_start_as_copies() -> None:
    """They are written in place, and whoever gave them may read them again."""
    waves = start()
    state, cell = torch.ones(2, LAYERS, len(SHORT), WIDTH)
    gradients = WaveGradients.start(waves, torch.ones(PIECES, len(SHORT), WIDTH), state, cell)
    gradients.states.zero_()
    gradients.cells.zero_()
    assert state.eq(1).all()
    assert cell.eq(1).all()
    assert gradients.inputs[:, -1].eq(0).all()


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
    found = list(Recurrence.apply(x, states, cells, weights, bias, keep, LENGTHS, Cells()))
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
    found = Recurrence.apply(x, first, first, weights, bias, None, lengths, Cells())
    given = [torch.randn_like(one) for one in found]
    copies = [one.clone() for one in given]
    torch.autograd.backward(found, given)
    for one, copy in zip(given, copies, strict=True):
        assert torch.equal(one, copy)
