"""The operations of operations.Operations on rows (rows.py), with their gradients written out.

On a CPU what autograd would do between the products takes as long as the products: here nothing is
computed twice, and rows are padded in attention only. Any device can run it.

Relative positions (Shaw et al. 2018) are not looked up for every pair of positions, which would be
T x T vectors. Because the vector depends on j - i alone, one product of the queries with the table
gives the scores of all 2T - 1 offsets, and a skew (Huang et al. 2018, section 3.4.1) views them by
key: in row i of a matrix of width 2T - 1 the offset of key j stands at j - i + T - 1, so the same
memory read in rows of width 2T - 2 has key j of every row in one column. The values go the other
way: the weights are spread by offset, and one product with the table mixes its vectors.
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from recombine.systems.seq2seq.attention import MASKED, softmax
from recombine.systems.seq2seq.batch import Sentences
from recombine.systems.seq2seq.fast.rows import GroupedRows, RowBlock
from recombine.systems.seq2seq.operations import NORM_EPSILON, Operations, States

MASK_BITS = 16


class RowOperations(Operations):
    """Dropout, norms, activations and attention of rows; the rest is plain."""

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
        sentences: Sentences,
        heads: int,
        *,
        causal: bool,
        table: Tensor | None,
        dropout: float,
    ) -> Tensor:
        """Return self-attention of rows [query | key | value]."""
        assert isinstance(sentences, GroupedRows)
        how = _Attention(sentences, sentences, heads, causal, dropout)
        return _Attend.apply(projected, None, table, how)

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
        assert isinstance(target, GroupedRows)
        assert isinstance(source, GroupedRows)
        return _Attend.apply(query, memory, None, _Attention(target, source, heads, False, dropout))

    def recur(
        self, layers: nn.LSTM, x: Tensor, lengths: Tensor, states: States | None
    ) -> tuple[Tensor, States]:
        """Return the outputs [sentences, pieces, width] of LSTM layers and their last states.

        A decoder (it has first states) goes on past the ends, where nobody looks: sentences of
        similar length take less time so than packed. Its last states mean nothing.
        """
        return super().recur(layers, x, lengths, None) if states is None else layers(x, states)


def keep_mask(like: Tensor, rate: float) -> Tensor:
    """Return 1 / (1 - rate) where dropout keeps an element and 0 elsewhere.

    On a CPU torch draws one element after another, which takes as long as a matrix product. There
    the mask compares 16-bit pieces of a SFC64 stream, seeded by torch, with a threshold.
    """
    if like.device.type != "cpu":
        return torch.empty_like(like).bernoulli_(1 - rate).div_(1 - rate)
    seed = int(torch.randint(2**62, ()))
    words = np.random.SFC64(seed).random_raw(-(-like.numel() * MASK_BITS // 64))
    drawn = torch.from_numpy(words.view(np.int16))[: like.numel()].view(like.shape)
    threshold = round(rate * 2**MASK_BITS) - 2 ** (MASK_BITS - 1)
    mask = torch.ge(drawn, threshold, out=torch.empty_like(like))
    return mask.mul_(1 / (1 - rate))


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


# Attention


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


@dataclass(frozen=True)
class _Attention:
    """Who attends to whom."""

    queries: GroupedRows
    keys: GroupedRows
    heads: int
    causal: bool
    dropout: float

    def groups(self) -> zip[tuple[RowBlock, RowBlock]]:
        """Return the blocks of queries and keys, group by group."""
        return zip(self.queries.blocks, self.keys.blocks, strict=True)

    def hidden(self, block: RowBlock) -> Tensor | None:
        """Return [count x heads, queries or 1, keys]: what to add to the scores, or None."""
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
        mask = block.cache[key]
        return mask if mask.numel() else None


class _Attend(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, query: Tensor, memory: Tensor | None, table: Tensor | None, how: _Attention
    ) -> Tensor:
        width = query.shape[1] // (3 if memory is None else 1)
        out = query.new_empty(len(query), width)
        kept = []
        for asking, asked in how.groups():
            q, k, v = _heads(query, memory, asking, asked, how.heads)
            scale = q.shape[-1] ** -0.5
            bias = how.hidden(asked)
            if bias is None:
                scores = torch.bmm(q, k.transpose(1, 2)).mul_(scale)
            else:
                scores = torch.baddbmm(bias.to(q.dtype), q, k.transpose(1, 2), alpha=scale)
            if table is not None:
                spread = table[offsets_of(q.shape[1], len(table) // 2, table.device)]
                scores.add_(skewed(torch.matmul(q, spread.t())), alpha=scale)
            weights = softmax(scores)
            mask = keep_mask(weights, how.dropout) if how.dropout else None
            used = weights if mask is None else weights * mask
            mixed = torch.bmm(used, v)
            offset = None
            if table is not None:
                offset = by_offset(used)
                mixed.view(-1, mixed.shape[-1]).addmm_(offset.view(-1, offset.shape[-1]), spread)
            _rows_of(mixed, asking, 1, how.heads, out)
            kept += [q, k, v, weights, mask, used, offset]
        ctx.save_for_backward(query, memory, table, *kept)
        ctx.how = how
        return out

    @staticmethod
    def backward(ctx: Any, d_out: Tensor) -> tuple[Tensor | None, ...]:
        query, memory, table, *kept = ctx.saved_tensors
        how: _Attention = ctx.how
        d_out = d_out.contiguous()
        d_query = torch.empty_like(query)
        d_memory = None if memory is None else torch.empty_like(memory)
        d_table = None if table is None else torch.zeros_like(table)
        for number, (asking, asked) in enumerate(how.groups()):
            q, k, v, weights, mask, used, offset = kept[7 * number : 7 * number + 7]
            scale = q.shape[-1] ** -0.5
            d_mixed = _block_of(d_out, asking, 1, how.heads)[0]
            if asking.padded:
                inside = asking.inside()[:, None, :, None].to(d_mixed.dtype)
                d_mixed.unflatten(0, (asking.count, how.heads)).mul_(inside)
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
                _rows_of(d_heads, asked, 3, how.heads, d_query)
            else:
                _rows_of(d_q, asking, 1, how.heads, d_query)
                _rows_of(d_heads, asked, 2, how.heads, d_memory)
        return d_query, d_memory, d_table, None


def _heads(
    query: Tensor, memory: Tensor | None, asking: RowBlock, asked: RowBlock, heads: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Return queries, keys and values of a group, each [count x heads, length, width of a head]."""
    if memory is None:
        q, k, v = _block_of(query, asked, 3, heads).unbind()
        return q, k, v
    k, v = _block_of(memory, asked, 2, heads).unbind()
    return _block_of(query, asking, 1, heads)[0], k, v


def _block_of(rows: Tensor, block: RowBlock, parts: int, heads: int) -> Tensor:
    width = rows.shape[1] // (parts * heads)
    cells = rows[block.rows].reshape(-1, width)
    heads_of_rows = cells.index_select(0, block.into_heads(parts, heads))
    return heads_of_rows.view(parts, block.count * heads, block.length, width)


def _rows_of(padded: Tensor, block: RowBlock, parts: int, heads: int, out: Tensor) -> None:
    width = padded.shape[-1]
    cells = padded.view(-1, width).index_select(0, block.out_of_heads(parts, heads))
    out[block.rows] = cells.view(-1, parts * heads * width)
