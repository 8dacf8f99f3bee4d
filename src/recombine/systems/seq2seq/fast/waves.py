"""Waves: a stack of LSTM layers over a batch, with its gradients written out.

cuDNN's layers want to know the lengths on the host and launch their kernels one by one, so a whole
step cannot be one captured graph. Here the stack is computed in waves: wave d takes piece d of the
first layer, piece d - 1 of the second and so on, which do not depend on each other. A wave is one
batched product of all layers with their inputs and states, and one element-wise kernel; there are
as many waves as pieces, and one more for each further layer. A sentence that has ended, or has not
begun in a layer, keeps its state there, so the last states are those of its last piece. The
backward pass takes the waves in reverse; gradients of the weights are one product at the end.
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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


class Cells:
    """What a wave does between its products, in plain PyTorch."""

    def cell(self, waves: Waves, number: int) -> None:
        """Activate the gates of a wave, in place; write its cells, its states and what is above.

        Hochreiter and Schmidhuber 1997 with the forget gate of Gers et al. 2000; the gates are in
        the order of nn.LSTM: input, forget, candidate, output. Dropout between the layers is
        that of nn.LSTM: on what goes up, not on what goes on.
        """
        gates = waves.gates[:, number]
        gates += waves.bias[:, None]
        entry, forget, candidate, exit_ = gates.chunk(4, dim=-1)
        for part in (entry, forget, exit_):
            part.sigmoid_()
        candidate.tanh_()
        inside = waves.inside(number)
        old = waves.cells[:, number]
        cell = torch.where(inside, forget * old + entry * candidate, old)
        state = torch.where(inside, exit_ * cell.tanh(), waves.states[:, number])
        waves.cells[:, number + 1] = cell
        waves.states[:, number + 1] = state
        up = state[:-1] if waves.keep is None else state[:-1] * waves.keep[:, number]
        waves.inputs[1:, number + 1, :, : state.shape[-1]] = up

    def cell_gradient(self, waves: Waves, gradients: WaveGradients, number: int) -> None:
        """Turn the gates of a wave into their gradients, in place; so for cells and states.

        Gradients of states turn into the part of the old state's that comes past the gates: all
        of it outside of a sentence, else none. Those of cells turn into the old cell's.
        """
        gates = waves.gates[:, number]
        entry, forget, candidate, exit_ = (part.clone() for part in gates.chunk(4, dim=-1))
        above, again = gradients.inputs[:, number + 1].chunk(2, dim=-1)
        total = gradients.states + again
        total[:-1] += above[1:] if waves.keep is None else above[1:] * waves.keep[:, number]
        place = number - (waves.layers - 1)
        if place >= 0:
            total[-1] += gradients.outputs[place]
        inside = waves.inside(number)
        squashed = waves.cells[:, number + 1].tanh()
        through = gradients.cells + total * exit_ * (1 - squashed.square())
        parts = (
            through * candidate * entry * (1 - entry),
            through * waves.cells[:, number] * forget * (1 - forget),
            through * entry * (1 - candidate.square()),
            total * squashed * exit_ * (1 - exit_),
        )
        gates.copy_(torch.cat(parts, dim=-1) * inside)
        gradients.cells.copy_(torch.where(inside, through * forget, gradients.cells))
        gradients.states.copy_(torch.where(inside, 0.0, total))


class Recurrence(torch.autograd.Function):
    """All layers: [pieces, sentences, width] and first states to outputs and last states."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        states: Tensor,
        cells: Tensor,
        weights: Tensor,
        bias: Tensor,
        keep: Tensor | None,
        lengths: Tensor,
        between: Cells,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Compute the waves.

        weights: [layers, 4 width, 2 width], for [input | state]; bias: [layers, 4 width];
        keep: factors [layers - 1, waves, sentences, width] of dropout between the layers.
        """
        waves = Waves.start(x, states, cells, bias, keep, lengths)
        across = weights.transpose(1, 2)
        for number in range(waves.count):
            torch.bmm(waves.inputs[:, number], across, out=waves.gates[:, number])
            between.cell(waves, number)
        ctx.save_for_backward(weights, *waves.tensors())
        ctx.between, ctx.pieces = between, len(x)
        last = waves.states[:, -1], waves.cells[:, -1].to(x.dtype)
        return waves.outputs.clone(), last[0].clone(), last[1].clone()

    @staticmethod
    def backward(
        ctx: Any, d_output: Tensor, d_state: Tensor, d_cell: Tensor
    ) -> tuple[Tensor | None, ...]:
        weights, *tensors = ctx.saved_tensors
        waves = Waves(*tensors)
        gradients = WaveGradients.start(waves, d_output, d_state, d_cell)
        for number in reversed(range(waves.count)):
            ctx.between.cell_gradient(waves, gradients, number)
            # In place of the gates are their gradients now.
            torch.bmm(waves.gates[:, number], weights, out=gradients.inputs[:, number])
        width = d_output.shape[-1]
        d_gates = waves.gates.flatten(1, 2)
        d_weights = d_gates.transpose(1, 2) @ waves.inputs[:, :-1].flatten(1, 2)
        d_x = gradients.inputs[0, : ctx.pieces, :, :width].contiguous()
        d_first = gradients.inputs[:, 0, :, width:] + gradients.states
        d_bias = d_gates.sum(1)
        return d_x, d_first, gradients.cells.to(d_cell.dtype), d_weights, d_bias, None, None, None
