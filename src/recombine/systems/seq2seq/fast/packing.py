"""Packing: batches that are laid out on the device itself, from a corpus that lies there.

A captured graph cannot wait for the host, and all its sizes are fixed. So the whole corpus is moved
to the GPU once, and a batch is a list of sentence numbers (a tensor of fixed length, filled up with
an empty sentence) from which every row computes what it is: a running sum of the lengths says where
each sentence ends, a binary search in it whose row this is, and the rest is one gather. A
Transformer's sentences are packed end to end, with a tail of padding up to a fixed number of rows;
an LSTM's lie side by side, padded to a fixed length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from recombine.systems.seq2seq.batch import Batch, Sentences, padded_twins
from recombine.systems.seq2seq.corpus import NumberedSide, ParallelCorpus
from recombine.systems.seq2seq.vocabulary import BEGIN, PAD


@dataclass
class PackedRows(Sentences):
    """Sentences end to end: sentence b has rows starts[b] ... starts[b] + lengths[b] - 1."""

    starts: Tensor


class ResidentSide:
    """One side of the corpus on the device."""

    def __init__(self, side: NumberedSide, device: torch.device) -> None:
        # One empty sentence more: token batches of fewer sentences are filled up with it.
        self.pieces, self.starts, self.lengths = (
            torch.from_numpy(array).to(device)
            for array in (side.pieces, np.append(side.starts, 0), np.append(side.lengths, 0))
        )

    def pack(self, chosen: Tensor, rows: int) -> tuple[PackedRows, Tensor]:
        """Lay the chosen sentences end to end in so many rows.

        Beside them is the row of the same piece in the sentence before or after, if that is a copy.
        """
        length = self.lengths[chosen]
        ends = length.cumsum(0)
        begins = ends - length
        row = torch.arange(rows, device=chosen.device)
        sentence = torch.searchsorted(ends, row, right=True).clamp_(max=len(chosen) - 1)
        inside = row < ends[-1]
        position = torch.where(inside, row - begins[sentence], 0)
        number = self.pieces[torch.where(inside, self.starts[chosen][sentence] + position, 0)]
        ahead = length * (1 - 2 * (torch.arange(len(chosen), device=chosen.device) % 2))
        twins = torch.where(inside, row + ahead[sentence], row)
        packed = PackedRows(torch.where(inside, number, PAD), position, length, begins)
        return packed, twins

    def pad(self, chosen: Tensor, length: int) -> Sentences:
        """Lay the chosen sentences side by side, padded to a length."""
        own = self.lengths[chosen]
        position = torch.arange(length, device=chosen.device)
        inside = position < own[:, None]
        number = self.pieces[torch.where(inside, self.starts[chosen][:, None] + position, 0)]
        return Sentences.padded(torch.where(inside, number, PAD), own)


class Resident:
    """The whole corpus on the device; batches are laid out there, without the host.

    `twice`: every pair stands twice in a batch, one copy after the other.
    """

    def __init__(
        self, corpus: ParallelCorpus, device: torch.device, *, twice: bool = False
    ) -> None:
        self.empty = len(corpus)
        self.twice = twice
        self.source = ResidentSide(corpus.source, device)
        self.target = ResidentSide(corpus.target, device)

    def pack(self, chosen: Tensor, source_rows: int, target_rows: int) -> tuple[Batch, Tensor]:
        """Lay the chosen pairs end to end; return the batch and its number of target pieces."""
        chosen = self._copied(chosen)
        source, _ = self.source.pack(chosen, source_rows)
        target, twins = self.target.pack(chosen, target_rows)
        expected = target.pieces
        shifted = torch.roll(expected, 1)
        target.pieces = torch.where(target.positions == 0, BEGIN, shifted)
        batch = Batch(source, target, expected, twins if self.twice else None)
        return batch, target.lengths.sum()

    def pad(self, chosen: Tensor, source_length: int, target_length: int) -> tuple[Batch, Tensor]:
        """Lay the chosen pairs side by side; return the batch and its number of target pieces."""
        chosen = self._copied(chosen)
        source = self.source.pad(chosen, source_length)
        target = self.target.pad(chosen, target_length)
        expected = target.pieces
        begin = torch.full_like(expected[:, :1], BEGIN)
        target.pieces = torch.cat((begin, expected[:, :-1]), dim=1)
        twins = padded_twins(expected) if self.twice else None
        return Batch(source, target, expected, twins), target.lengths.sum()

    def _copied(self, chosen: Tensor) -> Tensor:
        return chosen[:, None].expand(-1, 2).flatten() if self.twice else chosen
