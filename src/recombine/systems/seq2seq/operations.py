"""The operations between matrix products, in plain PyTorch.

fused.py has the same ones as single GPU kernels; a Transformer is given one set or the other and
does not know which. The gradients are written out where that saves passes over the rows.
"""

# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from recombine.systems.seq2seq.attention import attend
from recombine.systems.seq2seq.batch import Grouped, PackedRows
from recombine.systems.seq2seq.dropout import keep_mask
from recombine.systems.seq2seq.fast.waves import WaveGradients, Waves

NORM_EPSILON = 1e-6


class Operations:
    """What lies between two matrix products, as PyTorch offers it; runs anywhere."""

    def linear(self, x: Tensor, weight: Tensor) -> Tensor:
        """Return x times the transposed weight."""
        return functional.linear(x, weight)

    def embed(self, table: Tensor, pieces: Tensor) -> Tensor:
        """Return the rows of an embedding table."""
        return functional.embedding(pieces, table)

    def drop(self, x: Tensor, dropout: float) -> Tensor:
        """Return dropout(x)."""
        return x * keep_mask(x, dropout)

    def add_norm(
        self, x: Tensor, h: Tensor, bias: Tensor | None, gain: Tensor, shift: Tensor, dropout: float
    ) -> tuple[Tensor, Tensor]:
        """Return y = x + dropout(h + bias) and the layer norm of y."""
        y, n = _AddNorm.apply(x, h, bias, gain, shift, dropout)
        return y, n

    def activate(self, u: Tensor, bias: Tensor, dropout: float) -> Tensor:
        """Return dropout(relu(u + bias))."""
        return _Activate.apply(u, bias, dropout)

    def attend_self(
        self,
        projected: Tensor,
        layout: Grouped | PackedRows,
        heads: int,
        side: str,
        *,
        causal: bool,
        table: Tensor | None,
        dropout: float,
    ) -> Tensor:
        """Return self-attention of rows [query | key | value]."""
        return attend(
            projected, None, table, layout, heads, queries=side, keys=side, causal=causal,
            dropout=dropout,
        )  # fmt: skip

    def attend_cross(
        self,
        query: Tensor,
        memory: Tensor,
        layout: Grouped | PackedRows,
        heads: int,
        dropout: float,
    ) -> Tensor:
        """Return attention of target rows to source rows [key | value]."""
        return attend(
            query, memory, None, layout, heads, queries="target", keys="source", causal=False,
            dropout=dropout,
        )  # fmt: skip

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


class _Activate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, u: Tensor, bias: Tensor, dropout: float) -> Tensor:
        out = torch.add(u, bias).relu_()
        if dropout:
            out.mul_(keep_mask(out, dropout))
        ctx.save_for_backward(out)
        ctx.dropout = dropout
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        (out,) = ctx.saved_tensors
        # Positive is what was active and kept.
        d_u = torch.ops.aten.threshold_backward(gradient, out, 0.0)
        if ctx.dropout:
            d_u.mul_(1 / (1 - ctx.dropout))
        return d_u, d_u.sum(0), None


class _AddNorm(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        h: Tensor,
        bias: Tensor | None,
        gain: Tensor,
        shift: Tensor,
        dropout: float,
    ) -> tuple[Tensor, Tensor]:
        h = h if bias is None else h + bias
        mask = keep_mask(h, dropout) if dropout else None
        y = x + h if mask is None else torch.addcmul(x, h, mask)
        n, mean, scale = torch.native_layer_norm(y, y.shape[-1:], gain, shift, NORM_EPSILON)
        ctx.save_for_backward(y, mean, scale, gain, shift, mask)
        ctx.has_bias = bias is not None
        ctx.set_materialize_grads(False)
        return y, n

    @staticmethod
    def backward(ctx: Any, d_y: Tensor | None, d_n: Tensor | None) -> tuple[Tensor | None, ...]:
        y, mean, scale, gain, shift, mask = ctx.saved_tensors
        d_gain = d_shift = None
        if d_n is None:
            d_x = d_y
        else:
            d_x, d_gain, d_shift = torch.ops.aten.native_layer_norm_backward(
                d_n.contiguous(), y, y.shape[-1:], mean, scale, gain, shift, [True] * 3
            )
            if d_y is not None:
                d_x.add_(d_y)
        d_h = d_x if mask is None or d_x is None else d_x * mask
        d_bias = d_h.sum(0) if ctx.has_bias and d_h is not None else None
        return d_x, d_h, d_bias, d_gain, d_shift, None


BITS = 16
