"""Waves: what the waves of a stack of LSTM layers read and write, by layer and wave."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Waves:
    """The tensors of a forward pass; what wave d of a layer writes is read by wave d + 1."""

    inputs: Tensor  # [layers, waves + 1, sentences, 2 width]: input and state, the next one's last
    cells: Tensor  # [layers, waves + 1, sentences, width]
    gates: Tensor  # [layers, waves, sentences, 4 width]
    bias: Tensor  # [layers, 4 width]
    keep: Tensor | None  # [layers - 1, waves, sentences, width]: factors of dropout
    lengths: Tensor  # [sentences]

    @classmethod
    def start(
        cls,
        x: Tensor,
        states: Tensor,
        cells: Tensor,
        bias: Tensor,
        keep: Tensor | None,
        lengths: Tensor,
    ) -> Waves:
        """Return tensors that hold what is known before the first wave."""
        pieces, sentences, width = x.shape
        layers = len(states)
        count = count_waves(pieces, layers)
        inputs = x.new_empty(layers, count + 1, sentences, 2 * width)
        inputs[0, :pieces, :, :width] = x
        # A layer that has ended or not begun changes no state, whatever it reads, but the weights'
        # gradients are zero times this: it must be a number.
        inputs[0, pieces:, :, :width] = 0
        inputs[1:, 0, :, :width] = 0
        inputs[:, 0, :, width:] = states
        # bfloat16 could not add the small to the large.
        memory = torch.promote_types(x.dtype, torch.float32)
        kept = x.new_empty(layers, count + 1, sentences, width, dtype=memory)
        kept[:, 0] = cells
        gates = x.new_empty(layers, count, sentences, 4 * width)
        return cls(inputs, kept, gates, bias, keep, lengths)

    @property
    def layers(self) -> int:
        """How many layers there are."""
        return len(self.gates)

    @property
    def count(self) -> int:
        """How many waves there are."""
        return self.gates.shape[1]

    @property
    def states(self) -> Tensor:
        """The states before each wave, and after the last."""
        return self.inputs[..., self.cells.shape[-1] :]

    @property
    def outputs(self) -> Tensor:
        """The states of the last layer after each piece."""
        return self.states[-1, self.layers :]

    def inside(self, number: int) -> Tensor:
        """Whether a wave is inside a sentence: [layers, sentences, 1]."""
        layer = torch.arange(self.layers, device=self.lengths.device)
        place = (number - layer)[:, None, None]
        return (place >= 0) & (place < self.lengths[:, None])

    def tensors(self) -> tuple[Tensor | None, ...]:
        """Return the tensors in the order of the fields."""
        return self.inputs, self.cells, self.gates, self.bias, self.keep, self.lengths


@dataclass
class WaveGradients:
    """The gradients on their way back."""

    outputs: Tensor  # [pieces, sentences, width], of the last layer's states from above
    inputs: Tensor  # of Waves.inputs: what a wave's products give back
    states: Tensor  # [layers, sentences, width]: what goes past the gates to the wave before
    cells: Tensor  # the same of the cells

    @classmethod
    def start(
        cls, waves: Waves, d_output: Tensor, d_state: Tensor, d_cell: Tensor
    ) -> WaveGradients:
        """Return what is known before the last wave."""
        inputs = torch.empty_like(waves.inputs)
        inputs[:, -1] = 0  # no wave reads what the last one wrote
        cells = d_cell.to(waves.cells.dtype, copy=True)
        return cls(d_output.contiguous(), inputs, d_state.clone(), cells)


def count_waves(pieces: int, layers: int) -> int:
    """Return how many waves the layers need for so many pieces."""
    return pieces + layers - 1
