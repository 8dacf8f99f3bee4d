"""Batch: some pairs side by side, each side padded to its longest sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from recombine.systems.seq2seq.corpus import NumberedSide, Numbers, ParallelCorpus
from recombine.systems.seq2seq.vocabulary import BEGIN, PAD


@dataclass
class Sentences:
    """One side of a batch: piece numbers [sentences, pieces], and how many of them are no padding.

    Fast batches lay out their sentences in other ways; to everything but attention and recurrent
    layers that is all the same.
    """

    pieces: Tensor
    positions: Tensor  # of the pieces in their sentences
    lengths: Tensor

    @classmethod
    def padded(cls, pieces: Tensor, lengths: Tensor) -> Sentences:
        """Return sentences that are padded to [sentences, pieces]."""
        return cls(pieces, torch.arange(pieces.shape[1], device=pieces.device), lengths)

    def padding(self) -> Tensor:
        """Return [sentences, pieces]: whether there is no piece."""
        return self.positions >= self.lengths.to(self.pieces.device)[:, None]


@dataclass
class Batch:
    """What the encoder reads, what the decoder reads, and what it should say."""

    source: Sentences
    target: Sentences  # the begin mark, then all pieces but the last
    expected: Tensor  # all pieces, the end mark last; PAD does not count
    # Where every pair stands twice, one copy beside the other: for each piece of `expected` (as if
    # flat) where the same piece of the other copy is.
    twins: Tensor | None = None


def pad_batch(
    corpus: ParallelCorpus, chosen: Numbers, device: torch.device, *, twice: bool = False
) -> Batch:
    """Return the chosen pairs, each once or twice."""
    if twice:
        chosen = np.repeat(chosen, 2)
    source, source_lengths = _padded(corpus.source, chosen)
    expected, target_lengths = _padded(corpus.target, chosen)
    target = np.roll(expected, 1, axis=1)
    target[:, 0] = BEGIN
    pieces = torch.from_numpy(expected).to(device)
    # Lengths stay on the host: recurrent layers want to know them there.
    return Batch(
        Sentences.padded(torch.from_numpy(source).to(device), torch.from_numpy(source_lengths)),
        Sentences.padded(torch.from_numpy(target).to(device), torch.from_numpy(target_lengths)),
        pieces,
        padded_twins(pieces) if twice else None,
    )


def padded_twins(expected: Tensor) -> Tensor:
    """Return `Batch.twins` where sentences 2k and 2k + 1 are copies, side by side."""
    places = torch.arange(expected.numel(), device=expected.device)
    return places.view(-1, 2, expected.shape[1]).flip(1).flatten()


def _padded(side: NumberedSide, chosen: Numbers) -> tuple[Numbers, Numbers]:
    lengths = side.lengths[chosen]
    position = np.arange(lengths.max())
    inside = position < lengths[:, None]
    place = np.where(inside, side.starts[chosen][:, None] + position, 0)
    return np.where(inside, side.pieces[place], PAD), lengths
