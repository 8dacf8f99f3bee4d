"""A stack of LSTM layers over time-major rows, with its gradients written out.

cuDNN's layers want to know the lengths on the host and launch their kernels one by one, so a whole
step cannot be one captured graph. Here the stack is computed in waves: wave d takes piece d of the
first layer, piece d - 1 of the second and so on, which do not depend on each other. A wave is one
batched product of all layers with their inputs and states, and one element-wise kernel; there are
as many waves as pieces, and one more for each further layer. A sentence that has ended, or has not
begun in a layer, keeps its state there, so the last states are those of its last piece.
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from recombine.systems.seq2seq.fast.waves import WaveGradients, Waves
from recombine.systems.seq2seq.operations import Operations


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
        operations: Operations,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Compute the waves.

        weights: [layers, 4 width, 2 width], for [input | state]; bias: [layers, 4 width];
        keep: factors [layers - 1, waves, sentences, width] of dropout between the layers.
        """
        waves = Waves.start(x, states, cells, bias, keep, lengths)
        across = weights.transpose(1, 2)
        for number in range(waves.count):
            torch.bmm(waves.inputs[:, number], across, out=waves.gates[:, number])
            operations.cell(waves, number)
        ctx.save_for_backward(weights, *waves.tensors())
        ctx.operations, ctx.pieces = operations, len(x)
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
            ctx.operations.cell_gradient(waves, gradients, number)
            # In place of the gates are their gradients now.
            torch.bmm(waves.gates[:, number], weights, out=gradients.inputs[:, number])
        width = d_output.shape[-1]
        d_gates = waves.gates.flatten(1, 2)
        d_weights = d_gates.transpose(1, 2) @ waves.inputs[:, :-1].flatten(1, 2)
        d_x = gradients.inputs[0, : ctx.pieces, :, :width].contiguous()
        d_first = gradients.inputs[:, 0, :, width:] + gradients.states
        d_bias = d_gates.sum(1)
        return d_x, d_first, gradients.cells.to(d_cell.dtype), d_weights, d_bias, None, None, None
