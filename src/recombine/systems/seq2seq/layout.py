"""Layout: how the sentences of a batch lie in the rows that the layers work on.

Every layer but attention works on single tokens, so a batch is one tall matrix of rows without a
sentence axis. Two layouts know where the sentences are. `Grouped` (any device) sorts the batch by
length into a few groups and pads inside a group only, so attention sees plain views. `Packed` (a
GPU) has no padding at all but a tail up to a fixed number of rows: fixed shapes are what a CUDA
graph needs.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from recombine.systems.seq2seq.corpus import Corpus, Numbers, Side
from recombine.systems.seq2seq.vocabulary import BEGIN, PAD


@dataclass(frozen=True)
class Group:
    """Sentences padded to common lengths: `count` blocks of rows on each side."""

    count: int
    source_length: int
    target_length: int


@dataclass
class Grouped:
    """The sentences of a batch in a few groups of similar length, padded inside each group."""

    groups: tuple[Group, ...]
    source_lengths: Tensor
    target_lengths: Tensor
    host_lengths: Tensor | None = None  # the source lengths, readable without stopping a GPU


@dataclass
class Packed:
    """Sentences laid end to end: sentence b has rows starts[b] ... starts[b] + lengths[b] - 1."""

    source_starts: Tensor
    source_lengths: Tensor
    target_starts: Tensor
    target_lengths: Tensor
    max_source_length: int
    max_target_length: int


@dataclass
class Batch:
    """Rows of piece numbers and positions, and the layout that says which row is whose."""

    source: Tensor
    source_positions: Tensor
    target_input: Tensor
    target_output: Tensor
    target_positions: Tensor
    layout: Grouped | Packed


def group_batch(corpus: Corpus, chosen: Numbers, device: torch.device, groups: int = 4) -> Batch:
    """Lay out the chosen pairs in at most `groups` groups of similar length."""
    source_lengths = corpus.source.lengths[chosen]
    target_lengths = corpus.target.lengths[chosen]
    # A stable order, so that the same sentences always lie in the same rows.
    by_length = np.lexsort((chosen, source_lengths, target_lengths))
    chosen = chosen[by_length]
    source_lengths, target_lengths = source_lengths[by_length], target_lengths[by_length]
    edges = _cut(source_lengths + target_lengths, groups)
    # Longest source first inside a group: so cuDNN wants it.
    inside = np.concatenate([np.full(stop - start, start) for start, stop in edges])
    by_source = np.lexsort((chosen, -target_lengths, -source_lengths, inside))
    chosen = chosen[by_source]
    source_lengths, target_lengths = source_lengths[by_source], target_lengths[by_source]
    shapes = []
    columns: list[list[Numbers]] = [[], [], [], [], []]
    for start, stop in edges:
        count = stop - start
        source, source_positions = _padded(corpus.source, chosen[start:stop])
        output, target_positions = _padded(corpus.target, chosen[start:stop])
        begin = np.full((count, 1), BEGIN, dtype=np.int64)
        shifted = np.concatenate((begin, output[:, :-1]), axis=1)
        for column, values in zip(
            columns, (source, source_positions, shifted, output, target_positions), strict=True
        ):
            column.append(values.reshape(-1))
        shapes.append(Group(count, source.shape[1], output.shape[1]))
    parts = [*(np.concatenate(column) for column in columns), source_lengths, target_lengths]
    # One transfer that waits for nothing: a GPU may still be busy with the step before.
    flat = torch.from_numpy(np.concatenate(parts)).to(device, non_blocking=True)
    rows = torch.split(flat, [len(part) for part in parts])
    layout = Grouped(tuple(shapes), rows[5], rows[6], torch.from_numpy(source_lengths))
    return Batch(rows[0], rows[1], rows[2], rows[3], rows[4], layout)


def _padded(side: Side, chosen: Numbers) -> tuple[Numbers, Numbers]:
    lengths = side.lengths[chosen]
    positions = np.arange(int(lengths.max()), dtype=np.int64)[None, :]
    inside = positions < lengths[:, None]
    index = np.minimum(side.starts[chosen][:, None] + positions, len(side.pieces) - 1)
    return np.where(inside, side.pieces[index], PAD), np.broadcast_to(positions, index.shape)


def _cut(lengths: Numbers, groups: int) -> list[tuple[int, int]]:
    """Cut an ascending list of lengths where that saves most padding (greedily, group by group)."""
    cuts = {0, len(lengths)}
    for _ in range(groups - 1):
        best, gain = 0, 0
        edges = sorted(cuts)
        for start, stop in itertools.pairwise(edges):
            running = np.maximum.accumulate(lengths[start:stop])
            sizes = np.arange(1, stop - start)
            saved = sizes * (running[-1] - running[:-1])
            if len(saved) and int(saved.max()) > gain:
                gain, best = int(saved.max()), start + 1 + int(saved.argmax())
        # Below this the extra kernel launches cost more than the padding.
        if gain < 32:
            break
        cuts.add(best)
    edges = sorted(cuts)
    return list(itertools.pairwise(edges))


class Resident:
    """The whole corpus on the device; batches are packed there, without the host."""

    def __init__(self, corpus: Corpus, device: torch.device) -> None:
        # One empty sentence more: token batches of fewer sentences are filled up with it.
        self.empty = len(corpus)
        self.source, self.target = (
            tuple(
                torch.from_numpy(array).to(device)
                for array in (side.pieces, np.append(side.starts, 0), np.append(side.lengths, 0))
            )
            for side in (corpus.source, corpus.target)
        )
        self.longest = (int(corpus.source.lengths.max()), int(corpus.target.lengths.max()))

    def pack(self, chosen: Tensor, source_rows: int, target_rows: int) -> tuple[Batch, Tensor]:
        """Lay the chosen pairs end to end; return the batch and its number of target pieces."""
        source, source_positions, source_starts, source_lengths, _ = _laid(
            self.source, chosen, source_rows
        )
        output, target_positions, target_starts, target_lengths, pieces = _laid(
            self.target, chosen, target_rows
        )
        shifted = torch.roll(output, 1)
        shifted = torch.where(target_positions == 0, BEGIN, shifted)
        layout = Packed(source_starts, source_lengths, target_starts, target_lengths, *self.longest)
        return Batch(source, source_positions, shifted, output, target_positions, layout), pieces


def _laid(
    side: tuple[Tensor, ...], chosen: Tensor, rows: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    pieces, starts, lengths = side
    length = lengths[chosen]
    ends = length.cumsum(0)
    begins = ends - length
    row = torch.arange(rows, device=chosen.device)
    sentence = torch.searchsorted(ends, row, right=True).clamp_(max=len(chosen) - 1)
    inside = row < ends[-1]
    position = torch.where(inside, row - begins[sentence], 0)
    number = pieces[torch.where(inside, starts[chosen][sentence] + position, 0)]
    return torch.where(inside, number, PAD), position, begins, length, ends[-1]
