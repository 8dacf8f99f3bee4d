"""A layer of LSTM cells over time-major rows, with its gradients written out.

cuDNN's layer wants to know the lengths on the host and launches its kernels one by one, so a whole
step cannot be one captured graph. Here the products with the input are one product for all pieces;
what is left of a piece is one product with the state and one element-wise kernel. A sentence that
has ended keeps its state, so the last states are those of its last piece.
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from recombine.systems.seq2seq.operations import Operations


class Recurrence(torch.autograd.Function):
    """One layer: [pieces, sentences, width] and first states to outputs and last states."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        state: Tensor,
        cell: Tensor,
        into: Tensor,
        again: Tensor,
        bias: Tensor,
        lengths: Tensor,
        operations: Operations,
    ) -> tuple[Tensor, Tensor, Tensor]:
        length, count, _ = x.shape
        inside = torch.arange(length, device=x.device)[:, None] < lengths
        gates = torch.addmm(bias, x.flatten(0, 1), into.t()).view(length, count, -1)
        # The first states and those after each piece.
        states = x.new_empty(length + 1, *state.shape)
        cells = x.new_empty(length + 1, *cell.shape)
        states[0], cells[0] = state, cell
        for place in range(length):
            gates[place].addmm_(states[place], again.t())
            operations.cell(
                gates[place], states[place : place + 2], cells[place : place + 2], inside[place]
            )
        ctx.save_for_backward(x, gates, states, cells, into, again, inside)
        ctx.operations = operations
        return states[1:].clone(), states[-1].clone(), cells[-1].clone()

    @staticmethod
    def backward(
        ctx: Any, d_output: Tensor, d_state: Tensor, d_cell: Tensor
    ) -> tuple[Tensor | None, ...]:
        x, gates, states, cells, into, again, inside = ctx.saved_tensors
        length = len(x)
        d_state, d_cell, d_output = d_state.clone(), d_cell.clone(), d_output.contiguous()
        for place in reversed(range(length)):
            ctx.operations.cell_gradient(
                gates[place], cells[place : place + 2], inside[place], d_output[place], d_state,
                d_cell,
            )  # fmt: skip
            d_state.addmm_(gates[place], again)
        d_gates = gates.flatten(0, 1)
        d_x = (d_gates @ into).view_as(x)
        d_into = d_gates.t() @ x.flatten(0, 1)
        d_again = d_gates.t() @ states[:-1].flatten(0, 1)
        return d_x, d_state, d_cell, d_into, d_again, d_gates.sum(0), None, None
