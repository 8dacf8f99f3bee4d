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

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from recombine.systems.seq2seq.attention import (
    attend,
    join_heads,
    relative_vectors,
    rotate,
    split_heads,
)
from recombine.systems.seq2seq.batch import Batch, Sentences
from recombine.systems.seq2seq.vocabulary import PAD

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

    def rotate(self, projected: Tensor, rotation: tuple[Tensor, Tensor], heads: int) -> Tensor:
        """Return rows [query | key | value] with queries and keys turned by their positions."""
        query, key, value = projected.chunk(3, dim=-1)
        query, key = (rotate(rows, rotation, heads) for rows in (query, key))
        return torch.cat((query, key, value), dim=-1)

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

    def loss(
        self, logits: Tensor, batch: Batch, label_smoothing: float, rdrop_weight: float
    ) -> Tensor:
        """Return the loss of a batch, summed over its target pieces (batch_loss)."""
        return batch_loss(logits, batch, label_smoothing, rdrop_weight)

    def recur(
        self, layers: nn.LSTM, x: Tensor, lengths: Tensor, states: States | None
    ) -> tuple[Tensor, States]:
        """Return the outputs [sentences, pieces, width] of LSTM layers and their last states."""
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        output, last = layers(packed, states)
        return pad_packed_sequence(output, batch_first=True, total_length=x.shape[1])[0], last


def batch_loss(logits: Tensor, batch: Batch, label_smoothing: float, rdrop_weight: float) -> Tensor:
    """Return cross-entropy and R-Drop's consistency of a batch, summed over its target pieces.

    R-Drop (Liang et al. 2021, equations 1 to 4) shows every pair twice, under two dropout masks,
    and minimises -log P1 - log P2 + weight * (KL(P1 || P2) + KL(P2 || P1)) / 2. Here the two passes
    are one batch in which every pair stands twice, and the loss is a mean over the pieces of both:
    half of theirs, with the same balance of its two parts.
    """
    logits = logits.flatten(0, -2)
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    expected = batch.expected.flatten()
    loss = functional.cross_entropy(
        logits, expected, ignore_index=PAD, reduction="sum", label_smoothing=label_smoothing
    )
    if batch.twins is None:
        return loss
    divergence = twin_divergence(logits, batch.twins).masked_fill(expected == PAD, 0.0)
    return loss + rdrop_weight / 2 * divergence.sum()


def twin_divergence(logits: Tensor, twins: Tensor) -> Tensor:
    """Return KL(P_row || P_twin) of every row of logits.

    A row and its twin are each other's twins, so the sum over all rows has both directions.
    """
    log_p = logits.log_softmax(-1)
    return (log_p.exp() * (log_p - log_p[twins])).sum(-1)
