"""The operations between matrix products, in plain PyTorch.

This is the seam between the models and what makes them faster: a model calls nothing else, so the
same model computes with these or with those of fast/ (written-out gradients on a CPU, fused kernels
on a GPU), and does not know which.
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from recombine.systems.seq2seq.attention import attend, join_heads, relative_vectors, split_heads
from recombine.systems.seq2seq.batch import Sentences

NORM_EPSILON = 1e-6

States = tuple[Tensor, Tensor]


class Operations:
    """What lies between two matrix products, as PyTorch offers it."""

    @contextmanager
    def within(self, model: Any) -> Iterator[None]:
        """Let a model compute with these operations, forwards and backwards, for a while."""
        before, model.operations = model.operations, self
        try:
            yield
        finally:
            model.operations = before

    def linear(self, x: Tensor, weight: Tensor) -> Tensor:
        """Return x times the transposed weight."""
        return functional.linear(x, weight)

    def embed(self, table: Tensor, pieces: Tensor) -> Tensor:
        """Return the rows of an embedding table."""
        return functional.embedding(pieces, table)

    def drop(self, x: Tensor, dropout: float) -> Tensor:
        """Return dropout(x)."""
        return functional.dropout(x, dropout) if dropout else x

    def add_norm(
        self, x: Tensor, h: Tensor, bias: Tensor | None, gain: Tensor, shift: Tensor, dropout: float
    ) -> tuple[Tensor, Tensor]:
        """Return y = x + dropout(h + bias) and the layer norm of y."""
        y = x + self.drop(h if bias is None else h + bias, dropout)
        return y, functional.layer_norm(y, y.shape[-1:], gain, shift, NORM_EPSILON)

    def activate(self, u: Tensor, bias: Tensor, dropout: float) -> Tensor:
        """Return dropout(relu(u + bias))."""
        return self.drop((u + bias).relu_(), dropout)

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
        """Return self-attention of rows [query | key | value]; `causal`: to no later piece."""
        query, key, value = (split_heads(part, heads) for part in projected.chunk(3, dim=-1))
        positions = sentences.positions
        hidden = sentences.padding()[:, None, None, :]
        if causal:
            hidden = hidden | (positions[None, :] > positions[:, None])
        relative = None if table is None else relative_vectors(table, positions, positions)
        return join_heads(
            attend(query, key, value, hidden=hidden, relative=relative, dropout=dropout)
        )

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
        key, value = (split_heads(part, heads) for part in memory.chunk(2, dim=-1))
        hidden = source.padding()[:, None, None, :]
        mixed = attend(split_heads(query, heads), key, value, hidden=hidden, dropout=dropout)
        return join_heads(mixed)

    def recur(
        self, layers: nn.LSTM, x: Tensor, lengths: Tensor, states: States | None
    ) -> tuple[Tensor, States]:
        """Return the outputs [sentences, pieces, width] of LSTM layers and their last states."""
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        output, last = layers(packed, states)
        return pad_packed_sequence(output, batch_first=True, total_length=x.shape[1])[0], last
