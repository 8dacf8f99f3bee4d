"""Attention over padded sentences, with Shaw's relative positions by skewing.

Relative positions (Shaw et al. 2018, equations 3 and 4; offsets clipped as in equation 5): a
learned vector a[j - i] is added to key j and to value j as query i sees them. One table serves
keys and values and all heads of a layer, as in OpenNMT-py, the toolkit of Kumon et al. 2024.
Because the vector depends on j - i alone, a product with the table followed by a skew (Huang et al.
2018, section 3.4.1) replaces a gather of T x T vectors.
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from recombine.systems.seq2seq.layout import Grouped, Packed

MASKED = -1e9


def spread_table(table: Tensor, length: int) -> Tensor:
    """Return the 2T - 1 rows for the offsets -(T-1) ... T-1, clipped to the table's range."""
    clip = (table.shape[0] - 1) // 2
    offsets = torch.arange(-(length - 1), length, device=table.device)
    return table[offsets.clamp(-clip, clip) + clip]


def skew(by_offset: Tensor) -> Tensor:
    """Turn [..., T, 2T-1] indexed by offset into [..., T, T] indexed by key."""
    length = by_offset.shape[-2]
    if length == 1:
        return by_offset
    flat = by_offset.flatten(-2)[..., length - 1 : length - 1 + length * (2 * length - 2)]
    return flat.unflatten(-1, (length, 2 * length - 2))[..., :length]


def unskew(by_key: Tensor) -> Tensor:
    """Turn [..., T, T] indexed by key into [..., T, 2T-1] indexed by offset, zero elsewhere."""
    length = by_key.shape[-1]
    if length == 1:
        return by_key
    flat = functional.pad(by_key, (0, length - 2)).flatten(-2)
    return functional.pad(flat, (length - 1, 1)).unflatten(-1, (length, 2 * length - 1))


def padded_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    key_lengths: Tensor,
    *,
    causal: bool,
    table: Tensor | None,
    dropout: float,
) -> Tensor:
    """Attend within padded sentences; [count, heads, length, width of a head] in and out."""
    query_length, key_length = query.shape[2], key.shape[2]
    scores = query @ key.transpose(-2, -1)
    if table is not None:
        spread = spread_table(table, query_length)
        scores = scores + skew(query @ spread.t())
    scores = scores * (1 / math.sqrt(query.shape[-1]))
    positions = torch.arange(key_length, device=query.device)
    hidden = positions[None, None, None, :] >= key_lengths[:, None, None, None]
    if causal:
        later = positions[None, :] > torch.arange(query_length, device=query.device)[:, None]
        hidden = hidden | later
    weights = scores.float().masked_fill(hidden, MASKED).softmax(-1).to(value.dtype)
    if dropout:
        weights = functional.dropout(weights, dropout)
    mixed = weights @ value
    if table is not None:
        mixed = mixed + unskew(weights) @ spread
    return mixed


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    layout: Grouped | Packed,
    heads: int,
    *,
    queries: str,
    keys: str,
    causal: bool,
    table: Tensor | None,
    dropout: float,
) -> Tensor:
    """Attend in rows: `queries` and `keys` say whose rows they are, "source" or "target"."""
    over = _over_groups if isinstance(layout, Grouped) else _over_packed
    return over(query, key, value, layout, heads, queries, keys, causal, table, dropout)  # type: ignore[arg-type]


def _over_groups(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    layout: Grouped,
    heads: int,
    queries: str,
    keys: str,
    causal: bool,
    table: Tensor | None,
    dropout: float,
) -> Tensor:
    lengths = layout.source_lengths if keys == "source" else layout.target_lengths
    mixed = []
    query_row = key_row = first = 0
    for group in layout.groups:
        query_length = group.source_length if queries == "source" else group.target_length
        key_length = group.source_length if keys == "source" else group.target_length
        query_end = query_row + group.count * query_length
        key_end = key_row + group.count * key_length
        rows = padded_attention(
            _split(query[query_row:query_end], group.count, heads),
            _split(key[key_row:key_end], group.count, heads),
            _split(value[key_row:key_end], group.count, heads),
            lengths[first : first + group.count],
            causal=causal,
            table=table,
            dropout=dropout,
        )
        mixed.append(rows.transpose(1, 2).reshape(query_end - query_row, -1))
        query_row, key_row, first = query_end, key_end, first + group.count
    return torch.cat(mixed) if len(mixed) > 1 else mixed[0]


def _over_packed(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    layout: Packed,
    heads: int,
    queries: str,
    keys: str,
    causal: bool,
    table: Tensor | None,
    dropout: float,
) -> Tensor:
    """Pad, attend, take the padding out again: plain and right, but most of it is padding."""
    query_starts, query_lengths, query_max = _side(layout, queries)
    key_starts, key_lengths, key_max = _side(layout, keys)
    query_index, query_inside = _index(query_starts, query_lengths, query_max, len(query))
    key_index, _ = _index(key_starts, key_lengths, key_max, len(key))
    mixed = padded_attention(
        query[query_index].unflatten(-1, (heads, -1)).transpose(1, 2),
        key[key_index].unflatten(-1, (heads, -1)).transpose(1, 2),
        value[key_index].unflatten(-1, (heads, -1)).transpose(1, 2),
        key_lengths,
        causal=causal,
        table=table,
        dropout=dropout,
    )
    rows = mixed.transpose(1, 2).flatten(2) * query_inside[..., None]
    # Padding repeats row indices with zeros added, so the sum puts every row in its place.
    return torch.zeros_like(query).index_add(0, query_index.flatten(), rows.flatten(0, 1))


def _side(layout: Packed, side: str) -> tuple[Tensor, Tensor, int]:
    if side == "source":
        return layout.source_starts, layout.source_lengths, layout.max_source_length
    return layout.target_starts, layout.target_lengths, layout.max_target_length


def _index(starts: Tensor, lengths: Tensor, longest: int, rows: int) -> tuple[Tensor, Tensor]:
    positions = torch.arange(longest, device=starts.device)
    inside = positions[None, :] < lengths[:, None]
    return (starts[:, None] + positions).clamp(max=rows - 1), inside


def _split(rows: Tensor, count: int, heads: int) -> Tensor:
    return rows.view(count, rows.shape[0] // count, heads, -1).transpose(1, 2)
