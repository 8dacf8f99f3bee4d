"""Attention by GPU kernels, for autograd: one tile size for each range of lengths."""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from recombine.systems.seq2seq.fast import kernels
from recombine.systems.seq2seq.fast.graph_sizes import LONGEST, LOWER_EDGES
from recombine.systems.seq2seq.fast.launch import (
    beside,
    column_sum,
    launch,
    power_of_two,
    threshold_of,
)
from recombine.systems.seq2seq.fast.packing import PackedRows
from recombine.systems.seq2seq.fast.side_stream import Aside

# Programs that clear the rows no sentence owns.
CLEARING = 32
_TILES = tuple(itertools.pairwise((*LOWER_EDGES, LONGEST)))
# Warps of a program, by size of the tile.
FORWARD_WARPS = {16: 1, 32: 4, 64: 4, 128: 8}
BACKWARD_WARPS = {16: 2, 32: 4, 64: 8, 128: 8}
# The fewest columns of a product with the table. A product has at least 16, but with 16 of them
# and 64 rows Triton 3.6 lets eight warps read past the shared memory of a float32 tile.
FEWEST_OFFSETS = {16: 16, 32: 16, 64: 32, 128: 16}
# Programs that share a sum over rows, and the rows each takes at a time.
TABLE_PROGRAMS, TABLE_ROWS = 264, 128


@dataclass(frozen=True)
class FusedAttention:
    """Who attends to whom, in which tiles."""

    queries: PackedRows
    keys: PackedRows
    heads: int
    causal: bool
    counts: tuple[int, ...]
    dropout: float
    site: int
    streams: tuple[torch.cuda.Stream, ...]
    aside: Aside | None

    def sides(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return starts and lengths of the queries and of the keys."""
        return self.queries.starts, self.queries.lengths, self.keys.starts, self.keys.lengths

    def tiles(self) -> list[tuple[int, int, int]]:
        """Return (low, block, sentences) for every tile size in use."""
        sentences = len(self.queries.starts)
        counts = self.counts or (sentences,) * len(_TILES)
        if max(counts) > sentences:
            # A kernel would read beyond the end and take what lies there for a sentence.
            raise ValueError(f"a batch of {sentences} sentences, a size of {max(counts)}")
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
        others = self.streams[: len(launches) - 1]
        for stream, launch in zip(others, reversed(launches), strict=False):
            stream.wait_stream(main)
            with torch.cuda.stream(stream):
                launch()
        launches[0]()
        for stream in others:
            main.wait_stream(stream)


class Attend(torch.autograd.Function):
    """Attention of queries to keys and values, which lie in the same rows or in `memory`."""

    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        memory: Tensor | None,
        table: Tensor | None,
        seed: Tensor,
        shape: FusedAttention,
    ) -> Tensor:
        q, k, v = _columns(query, memory)
        width = q.shape[1] // shape.heads
        out = torch.empty(len(q), q.shape[1], dtype=q.dtype, device=q.device)
        weights = q.new_empty(len(q), shape.heads, shape.kept())
        spread = _spread_of(q, shape, table)

        def run(low: int, block: int, count: int) -> None:
            items = count * shape.heads
            launch(
                kernels.attention_kernel, (items + (0 if low else CLEARING),),
                q, k, v, q if table is None else table, out, weights, spread, *shape.sides(),
                seed, shape.site, items, len(q), q.stride(0), k.stride(0), out.stride(0),
                width**-0.5, *threshold_of(shape.dropout),
                **constants(shape, width, low, block, table), num_warps=FORWARD_WARPS[block],
            )  # fmt: skip

        shape.side_by_side([partial(run, *tile) for tile in shape.tiles()])
        ctx.save_for_backward(query, memory, table, seed, weights, spread)
        ctx.shape = shape
        return out

    @staticmethod
    def backward(ctx: Any, d_out: Tensor) -> tuple[Tensor | None, ...]:
        query, memory, table, seed, weights, spread_weights = ctx.saved_tensors
        shape: FusedAttention = ctx.shape
        q, k, v = _columns(query, memory)
        d_query = torch.empty_like(query)
        d_memory = None if memory is None else torch.empty_like(memory)
        d_q, d_k, d_v = _columns(d_query, d_memory)
        width = q.shape[1] // shape.heads
        spread = _spread_of(q, shape, table)
        d_out = d_out.contiguous()

        def run(low: int, block: int, count: int) -> None:
            items = count * shape.heads
            launch(
                kernels.attention_backward_kernel, (items + (0 if low else CLEARING),),
                q, k, v, q if table is None else table, weights, d_out, d_q, d_k, d_v, spread,
                *shape.sides(), seed, shape.site, items, len(q), len(k), q.stride(0),
                k.stride(0), d_out.stride(0), width**-0.5, *threshold_of(shape.dropout),
                **constants(shape, width, low, block, table), QUERY_COLUMNS=query.shape[1],
                num_warps=BACKWARD_WARPS[block], num_stages=1,
            )  # fmt: skip

        shape.side_by_side([partial(run, *tile) for tile in shape.tiles()])
        d_table = None
        if table is not None:
            with beside(shape.aside, q, d_out, spread_weights, spread):
                d_table = _table_gradient(table, q, d_out, spread_weights, spread, shape)
        return d_query, d_memory, d_table, None, None


def _spread_of(q: Tensor, shape: FusedAttention, table: Tensor | None) -> Tensor:
    """Return room for the weights of every row and head, by relative position."""
    return q.new_empty(0 if table is None else len(q), shape.heads, _spread(shape, table))


def _spread(shape: FusedAttention, table: Tensor | None) -> int:
    """Return how many places weights by relative position have; none is after a causal query."""
    clip = _clip(table)
    return max(16, power_of_two(clip + 1 if shape.causal else 2 * clip + 1))


def _clip(table: Tensor | None) -> int:
    return 0 if table is None else (len(table) - 1) // 2


def _table_gradient(
    table: Tensor, q: Tensor, d_out: Tensor, weights: Tensor, scores: Tensor, shape: FusedAttention
) -> Tensor:
    starts, lengths, *_ = shape.sides()
    size, width = table.shape
    room = weights.shape[-1]
    programs = max(1, min(TABLE_PROGRAMS, -(-len(q) * shape.heads // TABLE_ROWS)))
    # Zeros, because a causal query does not reach the upper half of the table.
    sums = torch.zeros(programs, size, width, device=q.device)
    launch(
        kernels.table_backward_kernel, (programs,),
        q, d_out, weights, scores, sums, starts, lengths, len(starts), q.stride(0),
        d_out.stride(0), HEADS=shape.heads, WIDTH=width, SPREAD=room, SIZE=size, ROWS=TABLE_ROWS,
        num_warps=4, num_stages=1,
    )  # fmt: skip
    return column_sum(sums.flatten(1), table.dtype).view_as(table)


def _columns(query: Tensor, memory: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    if memory is None:
        q, k, v = query.chunk(3, dim=-1)
        return q, k, v
    k, v = memory.chunk(2, dim=-1)
    return query, k, v


def constants(
    shape: FusedAttention, width: int, low: int, block: int, table: Tensor | None
) -> dict[str, Any]:
    """What a kernel is compiled for: of tiles of `block` rows, for sentences longer than `low`."""
    clip = _clip(table)
    window = min(clip, block - 1)
    highest = 0 if shape.causal else window
    return {
        "HEADS": shape.heads, "WIDTH": width, "BLOCK": block, "LOW": low, "CAUSAL": shape.causal,
        "RELATIVE": table is not None, "CLIP": clip, "WINDOW": window, "HIGHEST": highest,
        "OFFSETS": max(FEWEST_OFFSETS[block], power_of_two(window + highest + 1)),
        "SPREAD": _spread(shape, table), "KEPT": shape.kept(), "DROP": shape.dropout > 0,
    }  # fmt: skip
