"""The GPU kernels behind the same interface as operations.Operations, for autograd.

Every kernel of one forward pass has a number (its site); with the seed of the step, which lies in a
tensor so that a replayed graph reads a new one, it decides the dropout masks.
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from recombine.systems.seq2seq import kernels
from recombine.systems.seq2seq.aside import Aside
from recombine.systems.seq2seq.layout import Grouped, Packed
from recombine.systems.seq2seq.operations import NORM_EPSILON, Operations

LONGEST = 128
# Up to this vocabulary a product with one-hot rows beats scattered additions for the gradient.
ONE_HOT_LIMIT = 16_384
# Programs that clear the rows no sentence owns.
CLEARING = 32
KEEP_ALL = 1e-30
_TILES = ((0, 16), (16, 32), (32, 64), (64, 128))
# Warps of a program, by size of the tile.
FORWARD_WARPS = {16: 1, 32: 4, 64: 4, 128: 8}
BACKWARD_WARPS = {16: 2, 32: 4, 64: 8, 128: 8}
# Programs that share a sum over rows, and the rows each takes at a time.
NORM_PROGRAMS, NORM_ROWS = 528, 4
ACTIVATE_PROGRAMS, ACTIVATE_ROWS = 132, 8
TABLE_PROGRAMS, TABLE_ROWS = 264, 128


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

    def begin(self) -> None:
        """Start numbering sites anew, at the start of a forward pass."""
        self.site = 0

    def finish(self) -> None:
        """Wait for the weights' gradients, at the end of a backward pass."""
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
        found: Tensor = _Embed.apply(table, pieces)
        return found

    def drop(self, x: Tensor, dropout: float) -> Tensor:
        """Return dropout(x)."""
        dropped: Tensor = _Drop.apply(x, self.seed, self._next(), self._rate(dropout))
        return dropped

    def add_norm(
        self, x: Tensor, h: Tensor, bias: Tensor | None, gain: Tensor, shift: Tensor, dropout: float
    ) -> tuple[Tensor, Tensor]:
        """Return y = x + dropout(h + bias) and the layer norm of y."""
        rate, site = self._rate(dropout), self._next()
        y, n = _AddNorm.apply(x, h, bias, gain, shift, self.seed, site, rate, self.aside)
        return y, n

    def activate(self, u: Tensor, bias: Tensor, dropout: float) -> Tensor:
        """Return dropout(relu(u + bias))."""
        rate, site = self._rate(dropout), self._next()
        activated: Tensor = _Activate.apply(u, bias, self.seed, site, rate, self.aside)
        return activated

    def attend_self(
        self,
        projected: Tensor,
        layout: Grouped | Packed,
        heads: int,
        side: str,
        *,
        causal: bool,
        table: Tensor | None,
        dropout: float,
    ) -> Tensor:
        """Return self-attention of rows [query | key | value]."""
        if isinstance(layout, Grouped):  # decoding
            return super().attend_self(
                projected, layout, heads, side, causal=causal, table=table, dropout=dropout
            )
        shape = self._shape(layout, heads, (side, side), causal, dropout)
        mixed: Tensor = _Attend.apply(projected, None, table, self.seed, shape)
        return mixed

    def attend_cross(
        self, query: Tensor, memory: Tensor, layout: Grouped | Packed, heads: int, dropout: float
    ) -> Tensor:
        """Return attention of target rows to source rows [key | value]."""
        if isinstance(layout, Grouped):
            return super().attend_cross(query, memory, layout, heads, dropout)
        shape = self._shape(layout, heads, ("target", "source"), False, dropout)
        mixed: Tensor = _Attend.apply(query, memory, None, self.seed, shape)
        return mixed

    def _shape(
        self, layout: Packed, heads: int, sides: tuple[str, str], causal: bool, dropout: float
    ) -> _Shape:
        rate, site = self._rate(dropout), self._next()
        return _Shape(
            layout, heads, *sides, causal, self.counts, rate, site, self.streams, self.aside
        )


@dataclass(frozen=True)
class _Shape:
    layout: Packed
    heads: int
    queries: str
    keys: str
    causal: bool
    counts: tuple[int, ...]
    dropout: float
    site: int
    streams: tuple[torch.cuda.Stream, ...]
    aside: Aside | None

    def sides(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        layout = self.layout
        source = layout.source_starts, layout.source_lengths
        target = layout.target_starts, layout.target_lengths
        query_side = source if self.queries == "source" else target
        key_side = source if self.keys == "source" else target
        return (*query_side, *key_side)

    def tiles(self) -> list[tuple[int, int, int]]:
        """Return (low, block, sentences) for every tile size in use."""
        counts = self.counts or (len(self.layout.source_starts),) * len(_TILES)
        return [(*tile, count) for tile, count in zip(_TILES, counts, strict=True) if count]

    def kept(self) -> int:
        """Return how many places a row of weights has: those of the largest tile in use."""
        return max(block for _, block, _ in self.tiles())

    def side_by_side(self, launches: list[Callable[[], None]]) -> None:
        """Launch kernels that do not depend on one another, each on a stream of its own."""
        if not self.streams:
            for launch in launches:
                launch()
            return
        main = torch.cuda.current_stream()
        beside = self.streams[: len(launches) - 1]
        for stream, launch in zip(beside, reversed(launches), strict=False):
            stream.wait_stream(main)
            with torch.cuda.stream(stream):
                launch()
        launches[0]()
        for stream in beside:
            main.wait_stream(stream)


def _threshold(dropout: float) -> tuple[int, float]:
    """Return the hash below which an element is dropped, and the scale of those kept."""
    if dropout == KEEP_ALL:
        return 0, 1.0
    return int(dropout * (1 << 24)), 1.0 / (1.0 - dropout)


def _beside(aside: Aside | None, *used: Tensor) -> AbstractContextManager[None]:
    return nullcontext() if aside is None else aside.beside(*used)


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, aside: Aside | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.aside = aside
        return functional.linear(x, weight)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight = ctx.saved_tensors
        with _beside(ctx.aside, gradient, x):
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
    kernels.drop_kernel[(-(-size // 1024),)](
        x, out, seed, site, size, *_threshold(dropout), BLOCK=1024, num_warps=4
    )
    return out


class _Activate(torch.autograd.Function):
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
        kernels.activate_kernel[(-(-size // 2048),)](
            u, bias, out, seed, site, size, *_threshold(dropout),
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
        kernels.activate_backward_kernel[(programs, -(-width // 256))](
            out, gradient.contiguous(), d_u, sums, rows, _threshold(ctx.dropout)[1],
            WIDTH=width, ROWS=ACTIVATE_ROWS, COLUMNS=256, num_warps=4,
        )  # fmt: skip
        with _beside(ctx.aside, sums):
            d_bias = _column_sum(sums, ctx.bias_dtype)
        return d_u, d_bias, None, None, None, None


class _AddNorm(torch.autograd.Function):
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
        block = _power(width)
        kernels.add_norm_kernel[(rows,)](
            x, h, gain if bias is None else bias, gain, shift, y, n, mean, scale, seed, site,
            *_threshold(dropout), NORM_EPSILON,
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
        block = _power(width)
        tall = max(1, NORM_ROWS * 512 // block)
        programs = max(1, min(NORM_PROGRAMS, -(-rows // tall)))
        d_n = torch.zeros_like(y) if d_n is None else d_n.contiguous()
        d_x = torch.empty_like(y)
        d_h = torch.empty_like(y) if ctx.dropout else d_x
        sums = torch.empty(programs, 3 * width, device=y.device)
        kernels.add_norm_backward_kernel[(programs,)](
            y, gain, mean, scale, d_n if d_y is None else d_y.contiguous(), d_n, d_x, d_h, sums,
            seed, ctx.site, rows, *_threshold(ctx.dropout),
            WIDTH=width, BLOCK=block, ROWS=tall, DROP=ctx.dropout > 0, HAS_D_Y=d_y is not None,
            num_warps=4,
        )  # fmt: skip
        with _beside(ctx.aside, sums):
            d_gain, d_shift, d_bias = _column_sum(sums, gain.dtype).chunk(3)
        found = d_bias if ctx.has_bias else None, d_gain, d_shift
        return d_x, d_h, *found, None, None, None, None


class _Attend(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        memory: Tensor | None,
        table: Tensor | None,
        seed: Tensor,
        shape: _Shape,
    ) -> Tensor:
        q, k, v = _columns(query, memory)
        width = q.shape[1] // shape.heads
        out = torch.empty(len(q), q.shape[1], dtype=q.dtype, device=q.device)
        weights = q.new_empty(len(q), shape.heads, shape.kept())
        spread = _spread_of(q, shape, table)

        def launch(low: int, block: int, count: int) -> None:
            items = count * shape.heads
            kernels.attention_kernel[(items + (0 if low else CLEARING),)](
                q, k, v, q if table is None else table, out, weights, spread, *shape.sides(),
                seed, shape.site, items, len(q), q.stride(0), k.stride(0), out.stride(0),
                width**-0.5, *_threshold(shape.dropout),
                **_constants(shape, width, low, block, table), num_warps=FORWARD_WARPS[block],
            )  # fmt: skip

        shape.side_by_side([partial(launch, *tile) for tile in shape.tiles()])
        ctx.save_for_backward(query, memory, table, seed, weights, spread)
        ctx.shape = shape
        return out

    @staticmethod
    def backward(ctx: Any, d_out: Tensor) -> tuple[Tensor | None, ...]:
        query, memory, table, seed, weights, spread_weights = ctx.saved_tensors
        shape: _Shape = ctx.shape
        q, k, v = _columns(query, memory)
        d_query = torch.empty_like(query)
        d_memory = None if memory is None else torch.empty_like(memory)
        d_q, d_k, d_v = _columns(d_query, d_memory)
        width = q.shape[1] // shape.heads
        spread = _spread_of(q, shape, table)
        d_out = d_out.contiguous()

        def launch(low: int, block: int, count: int) -> None:
            items = count * shape.heads
            kernels.attention_backward_kernel[(items + (0 if low else CLEARING),)](
                q, k, v, q if table is None else table, weights, d_out, d_q, d_k, d_v, spread,
                *shape.sides(), seed, shape.site, items, len(q), len(k), q.stride(0),
                k.stride(0), d_out.stride(0), width**-0.5, *_threshold(shape.dropout),
                **_constants(shape, width, low, block, table), QUERY_COLUMNS=query.shape[1],
                num_warps=BACKWARD_WARPS[block], num_stages=1,
            )  # fmt: skip

        shape.side_by_side([partial(launch, *tile) for tile in shape.tiles()])
        d_table = None
        if table is not None:
            with _beside(shape.aside, q, d_out, spread_weights, spread):
                d_table = _table_gradient(table, q, d_out, spread_weights, spread, shape)
        return d_query, d_memory, d_table, None, None


def _spread_of(q: Tensor, shape: _Shape, table: Tensor | None) -> Tensor:
    """Return room for the weights of every row and head, by relative position."""
    return q.new_empty(0 if table is None else len(q), shape.heads, _spread(shape, table))


def _spread(shape: _Shape, table: Tensor | None) -> int:
    """Return how many places weights by relative position have; none is after a causal query."""
    clip = _clip(table)
    return max(16, _power(clip + 1 if shape.causal else 2 * clip + 1))


def _clip(table: Tensor | None) -> int:
    return 0 if table is None else (len(table) - 1) // 2


def _table_gradient(
    table: Tensor, q: Tensor, d_out: Tensor, weights: Tensor, scores: Tensor, shape: _Shape
) -> Tensor:
    starts, lengths, *_ = shape.sides()
    size, width = table.shape
    room = weights.shape[-1]
    programs = max(1, min(TABLE_PROGRAMS, -(-len(q) * shape.heads // TABLE_ROWS)))
    # Zeros, because a causal query does not reach the upper half of the table.
    sums = torch.zeros(programs, size, width, device=q.device)
    kernels.table_backward_kernel[(programs,)](
        q, d_out, weights, scores, sums, starts, lengths, len(starts), q.stride(0),
        d_out.stride(0), HEADS=shape.heads, WIDTH=width, SPREAD=room, SIZE=size, ROWS=TABLE_ROWS,
        num_warps=4, num_stages=1,
    )  # fmt: skip
    return _column_sum(sums.flatten(1), table.dtype).view_as(table)


def _column_sum(sums: Tensor, dtype: torch.dtype) -> Tensor:
    rows, width = sums.shape
    out = torch.empty(width, device=sums.device, dtype=dtype)
    kernels.column_sum_kernel[(-(-width // 16),)](
        sums, out, rows, WIDTH=width, ROWS=256, COLUMNS=16, num_warps=8
    )
    return out


def _columns(query: Tensor, memory: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    if memory is None:
        q, k, v = query.chunk(3, dim=-1)
        return q, k, v
    k, v = memory.chunk(2, dim=-1)
    return query, k, v


def _constants(
    shape: _Shape, width: int, low: int, block: int, table: Tensor | None
) -> dict[str, Any]:
    clip = _clip(table)
    window = min(clip, block - 1)
    highest = 0 if shape.causal else window
    return {
        "HEADS": shape.heads, "WIDTH": width, "BLOCK": block, "LOW": low, "CAUSAL": shape.causal,
        "RELATIVE": table is not None, "CLIP": clip, "WINDOW": window, "HIGHEST": highest,
        "OFFSETS": max(16, _power(window + highest + 1)), "SPREAD": _spread(shape, table),
        "KEPT": shape.kept(), "DROP": shape.dropout > 0,
    }  # fmt: skip


def _power(number: int) -> int:
    return 1 << (number - 1).bit_length()


def supports(options: Any) -> bool:
    """Whether the kernels cover a model: heads of 16 ... 128 numbers, rows of up to 2,048."""
    return options.width // options.heads in (16, 32, 64, 128) and options.width <= 2048
