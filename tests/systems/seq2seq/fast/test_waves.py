"""Waves: which piece of which layer a wave takes, and what is known before the first."""

from __future__ import annotations

import pytest
import torch

from recombine.systems.seq2seq.fast.waves import WaveGradients, Waves, count_waves

PIECES, LAYERS, WIDTH = 3, 2, 4
LENGTHS = torch.tensor([3, 1])


def start(dtype: torch.dtype = torch.float32) -> Waves:
    """Return waves over two sentences of three and one pieces."""
    x = torch.ones(PIECES, len(LENGTHS), WIDTH, dtype=dtype)
    first = torch.full((LAYERS, len(LENGTHS), WIDTH), 2.0, dtype=dtype)
    return Waves.start(x, first, 3 * first, torch.zeros(LAYERS, 4 * WIDTH), None, LENGTHS)


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
    assert waves.outputs.shape == (PIECES, len(LENGTHS), WIDTH)


def test_cells_are_kept_in_float32_at_least() -> None:
    """They add up over a sentence, for which bfloat16 is too coarse."""
    waves = start(torch.bfloat16)
    assert (waves.inputs.dtype, waves.cells.dtype) == (torch.bfloat16, torch.float32)
    assert start(torch.float64).cells.dtype == torch.float64


def test_gradients_start_as_copies() -> None:
    """They are written in place, and whoever gave them may read them again."""
    waves = start()
    state, cell = torch.ones(2, LAYERS, len(LENGTHS), WIDTH)
    gradients = WaveGradients.start(waves, torch.ones(PIECES, len(LENGTHS), WIDTH), state, cell)
    gradients.states.zero_()
    gradients.cells.zero_()
    assert state.eq(1).all()
    assert cell.eq(1).all()
    assert gradients.inputs[:, -1].eq(0).all()
