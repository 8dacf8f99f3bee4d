"""The operations of operations.Operations as GPU kernels, for autograd.

Every kernel of one forward pass has a number (its site); with the seed of the step, which lies in a
tensor so that a replayed graph reads a new one, it decides the dropout masks.
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from recombine.systems.seq2seq.batch import Batch, Sentences
from recombine.systems.seq2seq.corpus import ParallelCorpus
from recombine.systems.seq2seq.fast import cell_kernels, kernels
from recombine.systems.seq2seq.fast.fused_attention import Attend, FusedAttention
from recombine.systems.seq2seq.fast.graph_sizes import LONGEST
from recombine.systems.seq2seq.fast.launch import (
    KEEP_ALL,
    beside,
    column_sum,
    launch,
    power_of_two,
    threshold_of,
)
from recombine.systems.seq2seq.fast.packing import PackedRows
from recombine.systems.seq2seq.fast.side_stream import Aside
from recombine.systems.seq2seq.fast.waves import (
    Cells,
    Recurrence,
    WaveGradients,
    Waves,
    count_waves,
)
from recombine.systems.seq2seq.operations import NORM_EPSILON, Operations, States
from recombine.systems.seq2seq.options import LstmOptions

# Up to this vocabulary a product with one-hot rows beats scattered additions for the gradient.
ONE_HOT_LIMIT = 16_384
# Programs that share a sum over rows, and the rows each takes at a time.
NORM_PROGRAMS, NORM_ROWS = 528, 4
ACTIVATE_PROGRAMS, ACTIVATE_ROWS = 132, 8
CELL_BLOCK = 512
LOSS_BLOCK = 2048


@dataclass
class FusedOperations(Operations):
    """The kernels; `seed` holds the seed of the current step."""

    seed: Tensor
    # How many sentences of a batch, longest first, can be longer than each tile's lower edge.
    counts: tuple[int, ...] = ()
    # Kernels for different lengths run side by side, so that the long ones do not hold up others.
    streams: tuple[torch.cuda.Stream, ...] = ()
    # Where the weights' gradients are computed; None: in the current stream.
    aside: Aside | None = None
    # For comparing with other code: the kernels for dropout, with masks that keep everything.
    keep_all: bool = False
    site: int = 0

    @contextmanager
    def within(self, model: Any) -> Iterator[None]:
        """Number sites anew, and in the end wait for the weights' gradients."""
        self.site = 0
        with super().within(model):
            yield
            if self.aside is not None:
                self.aside.join()

    def _rate(self, dropout: float) -> float:
        return KEEP_ALL if self.keep_all and dropout else dropout

    def _next(self) -> int:
        self.site += 1
        return self.site

    def linear(self, x: Tensor, weight: Tensor) -> Tensor:
        """Return x times the transposed weight."""
        product: Tensor = _Linear.apply(x, weight, self.aside)
        return product

    def embed(self, table: Tensor, pieces: Tensor) -> Tensor:
        """Return the rows of an embedding table."""
        if len(table) > ONE_HOT_LIMIT:
            return super().embed(table, pieces)
        rows: Tensor = _Embed.apply(table, pieces.flatten())
        return rows.view(*pieces.shape, -1)

    def drop(self, x: Tensor, dropout: float) -> Tensor:
        """Return dropout(x)."""
        dropped: Tensor = _Drop.apply(x, self.seed, self._next(), self._rate(dropout))
        return dropped

    def add_norm(
        self, x: Tensor, h: Tensor, bias: Tensor | None, gain: Tensor, shift: Tensor, dropout: float
    ) -> tuple[Tensor, Tensor]:
        """Return y = x + dropout(h + bias) and the layer norm of y."""
        rate, site = self._rate(dropout), self._next()
        y, n = _FusedAddNorm.apply(x, h, bias, gain, shift, self.seed, site, rate, self.aside)
        return y, n

    def activate(self, u: Tensor, bias: Tensor, dropout: float) -> Tensor:
        """Return dropout(relu(u + bias))."""
        rate, site = self._rate(dropout), self._next()
        activated: Tensor = _FusedActivate.apply(u, bias, self.seed, site, rate, self.aside)
        return activated

    def rotate(self, projected: Tensor, rotation: tuple[Tensor, Tensor], heads: int) -> Tensor:
        """Return rows [query | key | value] with queries and keys turned by their positions."""
        turned: Tensor = _Rotate.apply(projected, *rotation, heads)
        return turned

    def attend_self(
        self,
        projected: Tensor,
        sentences: Sentences,
        heads: int,
        *,
        causal: bool,
        table: Tensor | None,
        dropout: float,
    ) -> Tensor:
        """Return self-attention of rows [query | key | value]."""
        shape = self._shape(sentences, sentences, heads, causal, dropout)
        mixed: Tensor = Attend.apply(projected, None, table, self.seed, shape)
        return mixed

    def attend_cross(
        self,
        query: Tensor,
        memory: Tensor,
        target: Sentences,
        source: Sentences,
        heads: int,
        dropout: float,
    ) -> Tensor:
        """Return attention of target rows to source rows [key | value]."""
        shape = self._shape(target, source, heads, False, dropout)
        mixed: Tensor = Attend.apply(query, memory, None, self.seed, shape)
        return mixed

    def loss(
        self, logits: Tensor, batch: Batch, label_smoothing: float, rdrop_weight: float
    ) -> Tensor:
        """Return the loss of a batch, summed over its target pieces."""
        if batch.twins is None:
            return super().loss(logits, batch, label_smoothing, rdrop_weight)
        rows, expected = logits.flatten(0, -2), batch.expected.flatten()
        loss: Tensor = _TwinLoss.apply(rows, expected, batch.twins, label_smoothing, rdrop_weight)
        return loss

    def recur(
        self, layers: nn.LSTM, x: Tensor, lengths: Tensor, states: States | None
    ) -> tuple[Tensor, States]:
        """Return the outputs [sentences, pieces, width] of LSTM layers and their last states.

        The waves are time-major; nothing of it must be known to the host.
        """
        assert not layers.bidirectional
        count = layers.num_layers
        if states is None:
            first = x.new_zeros(count, len(x), layers.hidden_size)
            states = first, first
        into, again, bias, other = (
            torch.stack([getattr(layers, f"{name}_l{number}") for number in range(count)])
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        keep = None
        if count > 1 and layers.training and layers.dropout:
            # Factors of dropout between the layers, as nn.LSTM has it.
            sentences, pieces, width = x.shape
            keep = x.new_ones(count - 1, count_waves(pieces, count), sentences, width)
            keep = self.drop(keep, layers.dropout)
        output, *last = Recurrence.apply(
            x.transpose(0, 1), *states, torch.cat((into, again), dim=-1), bias + other, keep,
            lengths, FusedCells(),
        )  # fmt: skip
        return output.transpose(0, 1), (last[0], last[1])

    def _shape(
        self, queries: Sentences, keys: Sentences, heads: int, causal: bool, dropout: float
    ) -> FusedAttention:
        assert isinstance(queries, PackedRows)
        assert isinstance(keys, PackedRows)
        rate, site = self._rate(dropout), self._next()
        return FusedAttention(
            queries, keys, heads, causal, self.counts, rate, site, self.streams, self.aside
        )


class FusedCells(Cells):
    """What a wave of LSTM layers does between its products, in one kernel."""

    def cell(self, waves: Waves, number: int) -> None:
        """Activate the gates of a wave, in place; write its cells, its states and what is above."""
        _launch_cells(cell_kernels.cell_kernel, waves, number, waves.inputs, waves.bias)

    def cell_gradient(self, waves: Waves, gradients: WaveGradients, number: int) -> None:
        """Turn the gates of a wave into their gradients, in place; so for cells and states."""
        _launch_cells(
            cell_kernels.cell_gradient_kernel, waves, number,
            gradients.outputs, gradients.inputs, gradients.states, gradients.cells,
        )  # fmt: skip


def _launch_cells(kernel: Any, waves: Waves, number: int, *its_own: Tensor) -> None:
    cells, gates, keep, lengths = waves.cells, waves.gates, waves.keep, waves.lengths
    _, _, sentences, width = cells.shape
    launch(
        kernel, (waves.layers, -(-sentences * width // CELL_BLOCK)),
        *its_own, cells, gates, gates if keep is None else keep, lengths, number, waves.count,
        sentences,
        LAYERS=waves.layers, WIDTH=width, DROP=keep is not None, BLOCK=CELL_BLOCK, num_warps=4,
    )  # fmt: skip


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, aside: Aside | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.aside = aside
        return functional.linear(x, weight)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight = ctx.saved_tensors
        with beside(ctx.aside, gradient, x):
            d_weight = gradient.t() @ x
        return gradient @ weight, d_weight, None


class _Embed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, table: Tensor, pieces: Tensor) -> Tensor:
        ctx.save_for_backward(pieces)
        ctx.size = len(table)
        return table.index_select(0, pieces)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (pieces,) = ctx.saved_tensors
        numbers = torch.arange(ctx.size, device=pieces.device)
        one_hot = (pieces[None, :] == numbers[:, None]).to(gradient.dtype)
        return one_hot @ gradient, None


class _Drop(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, seed: Tensor, site: int, dropout: float) -> Tensor:
        ctx.save_for_backward(seed)
        ctx.site, ctx.dropout = site, dropout
        return _drop(x.contiguous(), seed, site, dropout)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        (seed,) = ctx.saved_tensors
        return _drop(gradient.contiguous(), seed, ctx.site, ctx.dropout), None, None, None


def _drop(x: Tensor, seed: Tensor, site: int, dropout: float) -> Tensor:
    out = torch.empty_like(x)
    size = x.numel()
    launch(
        kernels.drop_kernel, (-(-size // 1024),),
        x, out, seed, site, size, *threshold_of(dropout), BLOCK=1024, num_warps=4,
    )  # fmt: skip
    return out


class _FusedActivate(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        u: Tensor,
        bias: Tensor,
        seed: Tensor,
        site: int,
        dropout: float,
        aside: Aside | None,
    ) -> Tensor:
        out = torch.empty_like(u)
        size = u.numel()
        launch(
            kernels.activate_kernel, (-(-size // 2048),),
            u, bias, out, seed, site, size, *threshold_of(dropout),
            WIDTH=u.shape[-1], BLOCK=2048, DROP=dropout > 0, num_warps=4,
        )  # fmt: skip
        ctx.save_for_backward(out)
        ctx.dropout, ctx.aside = dropout, aside
        ctx.bias_dtype = bias.dtype
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        (out,) = ctx.saved_tensors
        rows, width = out.shape
        programs = max(1, min(ACTIVATE_PROGRAMS, -(-rows // ACTIVATE_ROWS)))
        d_u = torch.empty_like(out)
        sums = torch.empty(programs, width, device=out.device)
        launch(
            kernels.activate_backward_kernel, (programs, -(-width // 256)),
            out, gradient.contiguous(), d_u, sums, rows, threshold_of(ctx.dropout)[1],
            WIDTH=width, ROWS=ACTIVATE_ROWS, COLUMNS=256, num_warps=4,
        )  # fmt: skip
        with beside(ctx.aside, sums):
            d_bias = column_sum(sums, ctx.bias_dtype)
        return d_u, d_bias, None, None, None, None


class _FusedAddNorm(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        h: Tensor,
        bias: Tensor | None,
        gain: Tensor,
        shift: Tensor,
        seed: Tensor,
        site: int,
        dropout: float,
        aside: Aside | None,
    ) -> tuple[Tensor, Tensor]:
        rows, width = x.shape
        y, n = torch.empty_like(x), torch.empty_like(x)
        mean = torch.empty(rows, device=x.device)
        scale = torch.empty(rows, device=x.device)
        block = power_of_two(width)
        launch(
            kernels.add_norm_kernel, (rows,),
            x, h, gain if bias is None else bias, gain, shift, y, n, mean, scale, seed, site,
            *threshold_of(dropout), NORM_EPSILON,
            WIDTH=width, BLOCK=block, HAS_BIAS=bias is not None, DROP=dropout > 0,
            num_warps=max(1, min(8, block // 256)),
        )  # fmt: skip
        ctx.save_for_backward(y, gain, mean, scale, seed)
        ctx.site, ctx.dropout, ctx.has_bias, ctx.aside = site, dropout, bias is not None, aside
        ctx.set_materialize_grads(False)
        return y, n

    @staticmethod
    def backward(ctx: Any, d_y: Tensor | None, d_n: Tensor | None) -> tuple[Tensor | None, ...]:
        y, gain, mean, scale, seed = ctx.saved_tensors
        rows, width = y.shape
        block = power_of_two(width)
        tall = max(1, NORM_ROWS * 512 // block)
        programs = max(1, min(NORM_PROGRAMS, -(-rows // tall)))
        d_n = torch.zeros_like(y) if d_n is None else d_n.contiguous()
        d_x = torch.empty_like(y)
        d_h = torch.empty_like(y) if ctx.dropout else d_x
        sums = torch.empty(programs, 3 * width, device=y.device)
        launch(
            kernels.add_norm_backward_kernel, (programs,),
            y, gain, mean, scale, d_n if d_y is None else d_y.contiguous(), d_n, d_x, d_h, sums,
            seed, ctx.site, rows, *threshold_of(ctx.dropout),
            WIDTH=width, BLOCK=block, ROWS=tall, DROP=ctx.dropout > 0, HAS_D_Y=d_y is not None,
            num_warps=4,
        )  # fmt: skip
        with beside(ctx.aside, sums):
            d_gain, d_shift, d_bias = column_sum(sums, gain.dtype).chunk(3)
        gradients = d_bias if ctx.has_bias else None, d_gain, d_shift
        return d_x, d_h, *gradients, None, None, None, None


class _Rotate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, cosine: Tensor, sine: Tensor, heads: int) -> Tensor:
        ctx.save_for_backward(cosine, sine)
        ctx.heads = heads
        return _rotated(rows, cosine, sine, heads, back=False)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        cosine, sine = ctx.saved_tensors
        # A rotation's transpose turns back.
        return _rotated(gradient.contiguous(), cosine, sine, ctx.heads, back=True), None, None, None


def _rotated(rows: Tensor, cosine: Tensor, sine: Tensor, heads: int, *, back: bool) -> Tensor:
    out = torch.empty_like(rows)
    width = rows.shape[1] // 3
    launch(
        kernels.rotate_kernel, (len(rows),),
        rows, out, cosine, sine,
        WIDTH=width, HALF=width // heads // 2, BLOCK=power_of_two(width), BACK=back, num_warps=4,
    )  # fmt: skip
    return out


class _TwinLoss(torch.autograd.Function):
    """operations.batch_loss of a batch whose pairs stand twice."""

    @staticmethod
    def forward(
        ctx: Any,
        logits: Tensor,
        expected: Tensor,
        twins: Tensor,
        label_smoothing: float,
        rdrop_weight: float,
    ) -> Tensor:
        rows, size = logits.shape
        losses, normaliser, divergence = torch.empty(3, rows, device=logits.device)
        launch(
            kernels.twin_loss_kernel, (rows,),
            logits, expected, twins, losses, normaliser, divergence, size, label_smoothing,
            rdrop_weight, BLOCK=LOSS_BLOCK, num_warps=4,
        )  # fmt: skip
        ctx.save_for_backward(logits, expected, twins, normaliser, divergence)
        ctx.weights = label_smoothing, rdrop_weight
        return losses.sum()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        logits, expected, twins, normaliser, divergence = ctx.saved_tensors
        rows, size = logits.shape
        d_logits = torch.empty_like(logits)
        launch(
            kernels.twin_loss_backward_kernel, (rows,),
            logits, expected, twins, normaliser, divergence, gradient, d_logits, size,
            *ctx.weights, BLOCK=LOSS_BLOCK, num_warps=4,
        )  # fmt: skip
        return d_logits, None, None, None, None


def supports(options: Any, corpus: ParallelCorpus) -> bool:
    """Whether the kernels cover a model and at least its shortest sentence.

    A Transformer has heads of 16 ... 128 numbers and rows of up to 2,048; an LSTM has one direction
    and as many sentences in every batch.
    """
    if isinstance(options, LstmOptions):
        return not options.bidirectional and options.batch_unit == "sentences"
    longest = np.maximum(corpus.source.lengths, corpus.target.lengths)
    return (
        options.width // options.heads in (16, 32, 64, 128)
        and options.width <= 2048
        and bool(longest.min() <= LONGEST)
    )
