"""The operations between matrix products, in plain PyTorch.

kernels.py has the same ones as single GPU kernels; a Transformer is given one set
or the other and does not know which.
"""

from __future__ import annotations

from typing import Protocol

from torch import Tensor
from torch.nn import functional

from recombine.systems.seq2seq.attention import attend
from recombine.systems.seq2seq.layout import Grouped, Packed


class Operations(Protocol):
    """What lies between two matrix products."""

    def embed(self, table: Tensor, pieces: Tensor) -> Tensor:
        """Return the rows of an embedding table."""
        ...

    def drop(self, x: Tensor, dropout: float) -> Tensor:
        """Return dropout(x)."""
        ...

    def add_norm(
        self, x: Tensor, h: Tensor, bias: Tensor | None, gain: Tensor, shift: Tensor, dropout: float
    ) -> tuple[Tensor, Tensor]:
        """Return y = x + dropout(h + bias) and the layer norm of y."""
        ...

    def activate(self, u: Tensor, bias: Tensor, dropout: float) -> Tensor:
        """Return dropout(relu(u + bias))."""
        ...

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
        ...

    def attend_cross(
        self, query: Tensor, memory: Tensor, layout: Grouped | Packed, heads: int, dropout: float
    ) -> Tensor:
        """Return attention of target rows to source rows [key | value]."""
        ...


class PlainOperations:
    """Every operation as PyTorch offers it; runs anywhere."""

    def embed(self, table: Tensor, pieces: Tensor) -> Tensor:
        """Return the rows of an embedding table."""
        return functional.embedding(pieces, table)

    def drop(self, x: Tensor, dropout: float) -> Tensor:
        """Return dropout(x)."""
        return functional.dropout(x, dropout)

    def add_norm(
        self, x: Tensor, h: Tensor, bias: Tensor | None, gain: Tensor, shift: Tensor, dropout: float
    ) -> tuple[Tensor, Tensor]:
        """Return y = x + dropout(h + bias) and the layer norm of y."""
        if bias is not None:
            h = h + bias
        if dropout:
            h = functional.dropout(h, dropout)
        y = x + h
        return y, functional.layer_norm(y, y.shape[-1:], gain, shift, NORM_EPSILON)

    def activate(self, u: Tensor, bias: Tensor, dropout: float) -> Tensor:
        """Return dropout(relu(u + bias))."""
        activated = functional.relu(u + bias)
        return functional.dropout(activated, dropout) if dropout else activated

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
        query, key, value = projected.chunk(3, dim=-1)
        return attend(
            query, key, value, layout, heads, queries=side, keys=side, causal=causal, table=table,
            dropout=dropout,
        )  # fmt: skip

    def attend_cross(
        self, query: Tensor, memory: Tensor, layout: Grouped | Packed, heads: int, dropout: float
    ) -> Tensor:
        """Return attention of target rows to source rows [key | value]."""
        key, value = memory.chunk(2, dim=-1)
        return attend(
            query, key, value, layout, heads, queries="target", keys="source", causal=False,
            table=None, dropout=dropout,
        )  # fmt: skip


NORM_EPSILON = 1e-6
