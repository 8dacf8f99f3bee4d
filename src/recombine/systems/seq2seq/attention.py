"""Attention over padded sentences, with Shaw's relative positions by skewing.

Relative positions (Shaw et al. 2018, equations 3 and 4; offsets clipped as in equation 5): a
learned vector a[j - i] is added to key j and to value j as query i sees them. One table serves
keys and values and all heads of a layer, as in OpenNMT-py, the toolkit of Kumon et al. 2024.
Because the vector depends on j - i alone, a product with the table followed by a skew (Huang et al.
2018, section 3.4.1) replaces a gather of T x T vectors.

The gradients are written out: on a CPU what autograd would do between the products takes as long
as the products.
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from recombine.systems.seq2seq.batch import Group, Grouped, PackedRows, RowBlock
from recombine.systems.seq2seq.dropout import keep_mask

MASKED = -1e9


def offsets_of(length: int, clip: int, device: torch.device) -> Tensor:
    """Return the rows of a table for the offsets -(T-1) ... T-1, clipped to its range."""
    offsets = torch.arange(-(length - 1), length, device=device)
    return offsets.clamp(-clip, clip) + clip


def skewed(by_offset: Tensor) -> Tensor:
    """View [batch, T, 2T-1], indexed by offset, as [batch, T, T], indexed by key."""
    count, length, width = by_offset.shape
    start = by_offset.storage_offset() + length - 1
    return by_offset.as_strided((count, length, length), (length * width, width - 1 or 1, 1), start)


def by_offset(by_key: Tensor) -> Tensor:
    """Turn [batch, T, T], indexed by key, into [batch, T, 2T-1], indexed by offset."""
    count, length, _ = by_key.shape
    spread = by_key.new_zeros(count, length, 2 * length - 1)
    skewed(spread).copy_(by_key)
    return spread


def weights_of(scores: Tensor) -> Tensor:
    """Return the softmax, computed in float32 at least."""
    wide = torch.promote_types(scores.dtype, torch.float32)
    return scores.softmax(-1, dtype=wide).to(scores.dtype)


@dataclass(frozen=True)
class Plan:
    """Who attends to whom: the sides of the queries and of the keys, and how."""

    layout: Grouped
    heads: int
    queries: str
    keys: str
    causal: bool
    dropout: float

    def hidden(self, group: Group) -> Tensor | None:
        """Return [count x heads, queries or 1, keys]: what to add to the scores, or None."""
        block = group.side(self.keys)
        key = ("hidden", self.heads, int(self.causal))
        if key not in block.cache:
            bias = None
            if block.padded:
                bias = torch.zeros(block.count, 1, block.length, device=block.lengths.device)
                bias = bias.masked_fill_(~block.inside()[:, None], MASKED)
            if self.causal:
                shape = (block.length, block.length)
                later = torch.full(shape, MASKED, device=block.lengths.device).triu_(1)
                bias = later[None] if bias is None else bias + later
            if bias is not None:
                bias = bias.repeat_interleave(self.heads if len(bias) > 1 else 1, 0)
            block.cache[key] = torch.empty(0) if bias is None else bias
        found = block.cache[key]
        return found if found.numel() else None


def attend(
    query: Tensor, memory: Tensor | None, table: Tensor | None, layout: Grouped | PackedRows,
    heads: int, *, queries: str, keys: str, causal: bool, dropout: float,
) -> Tensor:  # fmt: skip
    """Attend in rows [query | key | value], or in rows of queries to rows [key | value]."""
    grouped = layout if isinstance(layout, Grouped) else layout.grouped()
    plan = Plan(grouped, heads, queries, keys, causal, dropout)
    return _Attend.apply(query, memory, table, plan)


class _Attend(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, query: Tensor, memory: Tensor | None, table: Tensor | None, plan: Plan
    ) -> Tensor:
        width = query.shape[1] // (3 if memory is None else 1)
        out = query.new_empty(len(query), width)
        kept = []
        for group in plan.layout.groups:
            q, k, v = _heads(query, memory, group, plan)
            scale = q.shape[-1] ** -0.5
            bias = plan.hidden(group)
            if bias is None:
                scores = torch.bmm(q, k.transpose(1, 2)).mul_(scale)
            else:
                scores = torch.baddbmm(bias.to(q.dtype), q, k.transpose(1, 2), alpha=scale)
            if table is not None:
                spread = table[offsets_of(q.shape[1], len(table) // 2, table.device)]
                scores.add_(skewed(torch.matmul(q, spread.t())), alpha=scale)
            weights = weights_of(scores)
            mask = keep_mask(weights, plan.dropout) if plan.dropout else None
            used = weights if mask is None else weights * mask
            mixed = torch.bmm(used, v)
            offset = None
            if table is not None:
                offset = by_offset(used)
                mixed.view(-1, mixed.shape[-1]).addmm_(offset.view(-1, offset.shape[-1]), spread)
            block = group.side(plan.queries)
            _rows_of(mixed, block, 1, plan.heads, out)
            kept += [q, k, v, weights, mask, used, offset]
        ctx.save_for_backward(query, memory, table, *kept)
        ctx.plan = plan
        return out

    @staticmethod
    def backward(ctx: Any, d_out: Tensor) -> tuple[Tensor | None, ...]:
        query, memory, table, *kept = ctx.saved_tensors
        plan: Plan = ctx.plan
        d_out = d_out.contiguous()
        d_query = torch.empty_like(query)
        d_memory = None if memory is None else torch.empty_like(memory)
        d_table = None if table is None else torch.zeros_like(table)
        for number, group in enumerate(plan.layout.groups):
            q, k, v, weights, mask, used, offset = kept[7 * number : 7 * number + 7]
            scale = q.shape[-1] ** -0.5
            asking, asked = group.side(plan.queries), group.side(plan.keys)
            d_mixed = _block_of(d_out, asking, 1, plan.heads)[0]
            if asking.padded:
                inside = asking.inside()[:, None, :, None].to(d_mixed.dtype)
                d_mixed.unflatten(0, (asking.count, plan.heads)).mul_(inside)
            # In self-attention the three gradients lie together, as the rows do.
            d_heads = q.new_empty(3 if memory is None else 2, *k.shape)
            d_q = d_heads[0] if memory is None else torch.empty_like(q)
            d_k, d_v = d_heads[-2], d_heads[-1]
            torch.bmm(used.transpose(1, 2), d_mixed, out=d_v)
            d_weights = torch.bmm(d_mixed, v.transpose(1, 2))
            if table is not None:
                rows = offsets_of(q.shape[1], len(table) // 2, table.device)
                spread = table[rows]
                d_weights.add_(skewed(torch.matmul(d_mixed, spread.t())))
            if mask is not None:
                d_weights.mul_(mask)
            d_scores = torch._softmax_backward_data(d_weights, weights, -1, weights.dtype)
            d_scores.mul_(scale)
            torch.bmm(d_scores, k, out=d_q)
            torch.bmm(d_scores.transpose(1, 2), q, out=d_k)
            if d_table is not None:
                d_offset = by_offset(d_scores).flatten(0, 1)
                d_q.view(-1, d_q.shape[-1]).addmm_(d_offset, spread)
                d_spread = torch.mm(d_offset.t(), q.flatten(0, 1))
                d_spread.addmm_(offset.flatten(0, 1).t(), d_mixed.flatten(0, 1))
                d_table.index_add_(0, rows, d_spread)
            if d_memory is None:
                _rows_of(d_heads, asked, 3, plan.heads, d_query)
            else:
                _rows_of(d_q, asking, 1, plan.heads, d_query)
                _rows_of(d_heads, asked, 2, plan.heads, d_memory)
        return d_query, d_memory, d_table, None


def _heads(
    query: Tensor, memory: Tensor | None, group: Group, plan: Plan
) -> tuple[Tensor, Tensor, Tensor]:
    """Return queries, keys and values of a group, each [count x heads, length, width of a head]."""
    if memory is None:
        q, k, v = _block_of(query, group.side(plan.keys), 3, plan.heads).unbind()
        return q, k, v
    k, v = _block_of(memory, group.side(plan.keys), 2, plan.heads).unbind()
    return _block_of(query, group.side(plan.queries), 1, plan.heads)[0], k, v


def _block_of(rows: Tensor, block: RowBlock, parts: int, heads: int) -> Tensor:
    width = rows.shape[1] // (parts * heads)
    cells = rows[block.rows].reshape(-1, width)
    found = cells.index_select(0, block.into_heads(parts, heads))
    return found.view(parts, block.count * heads, block.length, width)


def _rows_of(padded: Tensor, block: RowBlock, parts: int, heads: int, out: Tensor) -> None:
    width = padded.shape[-1]
    cells = padded.view(-1, width).index_select(0, block.out_of_heads(parts, heads))
    out[block.rows] = cells.view(-1, parts * heads * width)
