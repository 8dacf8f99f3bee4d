"""The GPU kernels behind the same interface as operations.PlainOperations, for autograd.

Every kernel of one forward pass has a number (its site); with the seed of the step, which lies in a
tensor so that a replayed graph reads a new one, it decides the dropout masks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from recombine.systems.seq2seq import kernels
from recombine.systems.seq2seq.layout import Grouped, Packed
from recombine.systems.seq2seq.operations import NORM_EPSILON, PlainOperations

LONGEST = 128
# Up to this vocabulary a product with one-hot rows beats scattered additions for the gradient.
ONE_HOT_LIMIT = 4096
_TILES = ((0, 16), (16, 32), (32, 64), (64, 128))


@dataclass
class FusedOperations:
    """The kernels; `seed` holds the seed of the current step."""

    seed: Tensor
    # How many sentences of a batch, longest first, can be longer than each tile's lower edge.
    counts: tuple[int, ...] = ()
    site: int = 0
    plain: PlainOperations = field(default_factory=PlainOperations)

    def begin(self) -> None:
        """Start numbering sites anew, at the start of a forward pass."""
        self.site = 0

    def _next(self) -> int:
        self.site += 1
        return self.site

    def embed(self, table: Tensor, pieces: Tensor) -> Tensor:
        """Return the rows of an embedding table."""
        if len(table) > ONE_HOT_LIMIT:
            return functional.embedding(pieces, table)
        found: Tensor = _Embed.apply(table, pieces)
        return found

    def drop(self, x: Tensor, dropout: float) -> Tensor:
        """Return dropout(x)."""
        dropped: Tensor = _Drop.apply(x, self.seed, self._next(), dropout)
        return dropped

    def add_norm(
        self, x: Tensor, h: Tensor, bias: Tensor | None, gain: Tensor, shift: Tensor, dropout: float
    ) -> tuple[Tensor, Tensor]:
        """Return y = x + dropout(h + bias) and the layer norm of y."""
        y, n = _AddNorm.apply(x, h, bias, gain, shift, self.seed, self._next(), dropout)
        return y, n

    def activate(self, u: Tensor, bias: Tensor, dropout: float) -> Tensor:
        """Return dropout(relu(u + bias))."""
        activated: Tensor = _Activate.apply(u, bias, self.seed, self._next(), dropout)
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
            return self.plain.attend_self(
                projected, layout, heads, side, causal=causal, table=table, dropout=dropout
            )
        shape = _Shape(layout, heads, side, side, causal, self.counts, dropout, self._next())
        mixed: Tensor = _Attend.apply(projected, None, table, self.seed, shape)
        return mixed

    def attend_cross(
        self, query: Tensor, memory: Tensor, layout: Grouped | Packed, heads: int, dropout: float
    ) -> Tensor:
        """Return attention of target rows to source rows [key | value]."""
        if isinstance(layout, Grouped):
            return self.plain.attend_cross(query, memory, layout, heads, dropout)
        shape = _Shape(
            layout, heads, "target", "source", False, self.counts, dropout, self._next()
        )
        mixed: Tensor = _Attend.apply(query, memory, None, self.seed, shape)
        return mixed


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


def _threshold(dropout: float) -> tuple[int, float]:
    return int(dropout * (1 << 24)), 1.0 / (1.0 - dropout)


class _Embed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, table: Tensor, pieces: Tensor) -> Tensor:
        ctx.save_for_backward(pieces)
        ctx.size = len(table)
        return table.index_select(0, pieces)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:  # type: ignore[override]
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
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
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
        ctx: Any, u: Tensor, bias: Tensor, seed: Tensor, site: int, dropout: float
    ) -> Tensor:
        out = torch.empty_like(u)
        size = u.numel()
        kernels.activate_kernel[(-(-size // 2048),)](
            u, bias, out, seed, site, size, *_threshold(dropout),
            WIDTH=u.shape[-1], BLOCK=2048, DROP=dropout > 0, num_warps=4,
        )  # fmt: skip
        ctx.save_for_backward(out)
        ctx.dropout = dropout
        ctx.bias_dtype = bias.dtype
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        (out,) = ctx.saved_tensors
        rows, width = out.shape
        programs = max(1, min(132, -(-rows // 8)))
        d_u = torch.empty_like(out)
        partial = torch.empty(programs, width, device=out.device)
        kernels.activate_backward_kernel[(programs, -(-width // 256))](
            out, gradient.contiguous(), d_u, partial, rows, _threshold(ctx.dropout)[1],
            WIDTH=width, ROWS=8, COLUMNS=256, num_warps=4,
        )  # fmt: skip
        return d_u, partial.sum(0).to(ctx.bias_dtype), None, None, None


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
        ctx.site, ctx.dropout, ctx.has_bias = site, dropout, bias is not None
        ctx.set_materialize_grads(False)
        return y, n

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: Any, d_y: Tensor | None, d_n: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        y, gain, mean, scale, seed = ctx.saved_tensors
        rows, width = y.shape
        block = _power(width)
        tall = max(1, 2048 // block)
        programs = max(1, min(528, -(-rows // tall)))
        d_n = torch.zeros_like(y) if d_n is None else d_n.contiguous()
        d_x = torch.empty_like(y)
        d_h = torch.empty_like(y) if ctx.dropout else d_x
        partial = torch.empty(programs, 3, width, device=y.device)
        kernels.add_norm_backward_kernel[(programs,)](
            y, gain, mean, scale, d_n if d_y is None else d_y.contiguous(), d_n, d_x, d_h, partial,
            seed, ctx.site, rows, *_threshold(ctx.dropout),
            WIDTH=width, BLOCK=block, ROWS=tall, DROP=ctx.dropout > 0, HAS_D_Y=d_y is not None,
            num_warps=4,
        )  # fmt: skip
        d_gain, d_shift, d_bias = partial.sum(0).to(gain.dtype).unbind(0)
        return d_x, d_h, d_bias if ctx.has_bias else None, d_gain, d_shift, None, None, None


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
        # The tail of rows that belong to no sentence stays zero.
        out = torch.zeros(len(q), q.shape[1], dtype=q.dtype, device=q.device)
        level = torch.empty(len(q), shape.heads, device=q.device)
        for low, block, count in shape.tiles():
            kernels.attention_kernel[(count * shape.heads,)](
                q, k, v, q if table is None else table, out, level, *shape.sides(), seed,
                shape.site, q.stride(0), k.stride(0), out.stride(0), width**-0.5,
                *_threshold(shape.dropout), **_constants(shape, width, low, block, table),
                num_warps={16: 1, 32: 2, 64: 4, 128: 8}[block],
            )  # fmt: skip
        ctx.save_for_backward(query, memory, table, seed, out, level)
        ctx.shape = shape
        return out

    @staticmethod
    def backward(ctx: Any, d_out: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        query, memory, table, seed, out, level = ctx.saved_tensors
        shape: _Shape = ctx.shape
        q, k, v = _columns(query, memory)
        d_query = torch.zeros_like(query)
        d_memory = None if memory is None else torch.zeros_like(memory)
        d_q, d_k, d_v = _columns(d_query, d_memory)
        width = q.shape[1] // shape.heads
        tiles = [(*tile, _programs(tile[2] * shape.heads)) for tile in shape.tiles()]
        partial = q.new_zeros(0, dtype=torch.float32)
        if table is not None:
            partial = torch.zeros(
                sum(tile[3] for tile in tiles), *table.shape, device=q.device, dtype=torch.float32
            )
        first = 0
        d_out = d_out.contiguous()
        for low, block, count, programs in tiles:
            kernels.attention_backward_kernel[(programs,)](
                q, k, v, q if table is None else table, out, level, d_out, d_q, d_k, d_v,
                partial, first, *shape.sides(), seed, shape.site, count * shape.heads,
                q.stride(0), k.stride(0), out.stride(0), width**-0.5,
                *_threshold(shape.dropout), **_constants(shape, width, low, block, table),
                num_warps={16: 2, 32: 4, 64: 4, 128: 8}[block], num_stages=1,
            )  # fmt: skip
            first += programs
        d_table = None if table is None else partial.sum(0).to(table.dtype)
        return d_query, d_memory, d_table, None, None


def _columns(query: Tensor, memory: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    if memory is None:
        q, k, v = query.chunk(3, dim=-1)
        return q, k, v
    k, v = memory.chunk(2, dim=-1)
    return query, k, v


def _constants(
    shape: _Shape, width: int, low: int, block: int, table: Tensor | None
) -> dict[str, Any]:
    clip = 0 if table is None else (len(table) - 1) // 2
    window = min(clip, block - 1)
    return {
        "HEADS": shape.heads, "WIDTH": width, "BLOCK": block, "LOW": low, "CAUSAL": shape.causal,
        "RELATIVE": table is not None, "CLIP": clip, "WINDOW": window,
        "OFFSETS": max(16, _power(2 * window + 1)), "DROP": shape.dropout > 0,
    }  # fmt: skip


def _programs(items: int) -> int:
    """How many programs share the items of a backward pass; each has its own sum for the table."""
    return max(1, min(items, 1056))


def _power(number: int) -> int:
    return 1 << (number - 1).bit_length()


def supports(options: Any, longest: int) -> bool:
    """Whether the kernels cover a model: whole heads of 16 ... 128, sentences up to a tile."""
    width = options.width // options.heads
    powers = (16, 32, 64, 128)
    return width in powers and longest <= LONGEST and options.width <= 2048
