"""Attention: softmax(Q K' / sqrt(d)) V, head by head (Vaswani et al. 2017, equation 1).

Positions may enter here in two ways. Relative (Shaw et al. 2018, equations 3 and 4; offsets clipped
as in equation 5): a learned vector a[j - i] is added to key j and to value j as query i sees them.
One table serves keys and values and all heads of a layer, as in OpenNMT-py, the toolkit of Kumon et
al. 2024. Rotary (Su et al. 2021): queries and keys are turned by an angle for their position.
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

MASKED = -1e9


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    hidden: Tensor | None = None,
    relative: Tensor | None = None,
    dropout: float = 0.0,
) -> Tensor:
    """Return for every query the mean of the values, weighted by how well their keys match.

    query, key, value: [sentences, heads, pieces, numbers]; hidden: True where a query must not look
    at a key, broadcast to [sentences, heads, queries, keys]; relative: [queries, keys, numbers].
    """
    scores = query @ key.transpose(-2, -1)
    if relative is not None:
        scores += torch.einsum("shqd,qkd->shqk", query, relative)
    scores /= math.sqrt(query.shape[-1])
    if hidden is not None:
        scores.masked_fill_(hidden, MASKED)
    weights = softmax(scores)
    if dropout:
        weights = functional.dropout(weights, dropout)
    mixed = weights @ value
    if relative is not None:
        mixed += torch.einsum("shqk,qkd->shqd", weights, relative)
    return mixed


def softmax(scores: Tensor) -> Tensor:
    """Return weights that sum to one, computed in float32 at least."""
    wide = torch.promote_types(scores.dtype, torch.float32)
    return scores.softmax(-1, dtype=wide).to(scores.dtype)


def split_heads(rows: Tensor, heads: int) -> Tensor:
    """Return [sentences, heads, pieces, numbers] of [sentences, pieces, heads x numbers]."""
    return rows.unflatten(-1, (heads, -1)).transpose(1, 2)


def join_heads(mixed: Tensor) -> Tensor:
    """Return the inverse of `split_heads`."""
    return mixed.transpose(1, 2).flatten(2)


def relative_vectors(table: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
    """Return the table's vector for every pair of positions: [queries, keys, numbers]."""
    clip = len(table) // 2
    return table[(keys[None, :] - queries[:, None]).clamp(-clip, clip) + clip]


def rotation_of(positions: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Return cosines and sines of the rotary embedding (Su et al. 2021, equation 15)."""
    half = torch.arange(0, width, 2, device=positions.device)
    rates = torch.exp(half * (-math.log(10_000.0) / width))
    angles = positions[:, None] * rates
    return angles.cos(), angles.sin()


def rotate(rows: Tensor, rotation: tuple[Tensor, Tensor], heads: int) -> Tensor:
    """Turn each pair of coordinates of every head by its position's angle."""
    cosine, sine = (part[:, None, :].to(rows.dtype) for part in rotation)
    even, odd = rows.unflatten(-1, (heads, -1, 2)).unbind(-1)
    turned = torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), dim=-1)
    return turned.flatten(-3)
