"""Layout: how the sentences of a batch lie in the rows that the layers work on.

Every layer but attention works on single tokens, so a batch is one tall matrix of rows without a
sentence axis and without padding. Two layouts know where the sentences are. `Grouped` (any device)
has the batch sorted by length into a few groups; attention pads inside a group only. `Packed` (a
GPU) has a tail of padding up to a fixed number of rows: fixed shapes are what a CUDA graph needs.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from recombine.systems.seq2seq.corpus import NumberedSide, Numbers, ParallelCorpus
from recombine.systems.seq2seq.vocabulary import BEGIN, PAD


@dataclass
class RowBlock:
    """Sentences of one side: some rows, and their places when padded to [count, length]."""

    count: int
    length: int
    rows: slice
    lengths: Tensor
    spread: Tensor  # the row (within `rows`) at each place; any row where there is no piece
    places: Tensor  # the place of each row
    padded: bool = True  # whether any sentence is shorter than `length`
    cache: dict[tuple[str, int, int], Tensor] = field(default_factory=dict)

    def inside(self) -> Tensor:
        """Return [count, length]: whether there is a piece."""
        positions = torch.arange(self.length, device=self.lengths.device)
        return positions[None, :] < self.lengths[:, None]

    def into_heads(self, parts: int, heads: int) -> Tensor:
        """Return which cell of [rows, parts, heads] goes into [parts, count, heads, length]."""
        key = ("into", parts, heads)
        if key not in self.cache:
            part = torch.arange(parts, device=self.spread.device)[:, None, None, None]
            head = torch.arange(heads, device=self.spread.device)[None, None, :, None]
            spread = self.spread.view(1, self.count, 1, self.length)
            self.cache[key] = ((spread * parts + part) * heads + head).flatten()
        return self.cache[key]

    def out_of_heads(self, parts: int, heads: int) -> Tensor:
        """Return the inverse of `into_heads`, leaving out what is padding."""
        key = ("out", parts, heads)
        if key not in self.cache:
            part = torch.arange(parts, device=self.places.device)[None, :, None]
            head = torch.arange(heads, device=self.places.device)[None, None, :]
            sentence = torch.div(self.places, self.length, rounding_mode="floor")
            position = (self.places - sentence * self.length)[:, None, None]
            sentence = sentence[:, None, None]
            place = ((part * self.count + sentence) * heads + head) * self.length + position
            self.cache[key] = place.flatten()
        return self.cache[key]


@dataclass
class Group:
    """Sentences of similar length."""

    source: RowBlock
    target: RowBlock
    host_lengths: Tensor  # the source lengths, readable without stopping a GPU

    def side(self, name: str) -> RowBlock:
        """Return the "source" or the "target"."""
        return self.source if name == "source" else self.target


@dataclass
class Grouped:
    """The sentences of a batch in a few groups of similar length, one after another."""

    groups: tuple[Group, ...]


@dataclass
class PackedRows:
    """Sentences laid end to end: sentence b has rows starts[b] ... starts[b] + lengths[b] - 1."""

    source_starts: Tensor
    source_lengths: Tensor
    target_starts: Tensor
    target_lengths: Tensor
    max_source_length: int
    max_target_length: int
    rows: tuple[int, int]

    def grouped(self) -> Grouped:
        """Return all sentences as one group: right, but most of it is padding."""
        source = _block(
            self.source_starts, self.source_lengths, self.max_source_length, self.rows[0]
        )
        target = _block(
            self.target_starts, self.target_lengths, self.max_target_length, self.rows[1]
        )
        return Grouped((Group(source, target, self.source_lengths),))


@dataclass
class Padded:
    """Time-major: piece t of sentence b at [t, b], for a recurrent net."""

    source_lengths: Tensor
    target_lengths: Tensor


@dataclass
class Batch:
    """Rows of piece numbers and positions, and the layout that says which row is whose."""

    source: Tensor
    source_positions: Tensor
    target_input: Tensor
    target_output: Tensor
    target_positions: Tensor
    layout: Grouped | PackedRows | Padded


def padded_block(count: int, length: int, lengths: Tensor) -> RowBlock:
    """Return a block whose rows are padded already, `length` of them a sentence."""
    places = torch.arange(count * length, device=lengths.device)
    return RowBlock(count, length, slice(0, count * length), lengths, places, places)


def _block(starts: Tensor, lengths: Tensor, length: int, rows: int) -> RowBlock:
    """Lay out a side of packed sentences; the tail lies in the padding of one empty sentence."""
    count = len(starts)
    ends = starts + lengths
    starts = torch.cat((starts, ends[-1:]))
    lengths = functional.pad(lengths, (0, 1))
    positions = torch.arange(length, device=starts.device)
    spread = (starts[:, None] + positions).clamp(max=rows - 1).flatten()
    row = torch.arange(rows, device=starts.device)
    sentence = torch.searchsorted(ends, row, right=True)
    places = sentence * length + torch.where(sentence < count, row - starts[sentence], 0)
    return RowBlock(count + 1, length, slice(0, rows), lengths, spread, places)


def group_batch(
    corpus: ParallelCorpus, chosen: Numbers, device: torch.device, groups: int = 4
) -> Batch:
    """Lay out the chosen pairs in at most `groups` groups of similar length."""
    chosen, edges = _in_groups(corpus, chosen, groups)
    source, source_positions = _laid_out(corpus.source, chosen)
    output, target_positions = _laid_out(corpus.target, chosen)
    shifted = np.roll(output, 1)
    shifted[target_positions == 0] = BEGIN
    arrays = [source, source_positions, shifted, output, target_positions]
    for start, stop in edges:
        for side in (corpus.source, corpus.target):
            lengths = side.lengths[chosen[start:stop]]
            places = np.flatnonzero(np.arange(lengths.max()) < lengths[:, None])
            spread = np.zeros(len(lengths) * lengths.max(), dtype=np.int64)
            spread[places] = np.arange(len(places))
            arrays += [lengths, spread, places]
    # One transfer that waits for nothing: a GPU may still be busy with the step before.
    flat = torch.from_numpy(np.concatenate(arrays)).to(device, non_blocking=True)
    parts = torch.split(flat, [len(array) for array in arrays])
    found = []
    first = [0, 0]
    for number, (start, stop) in enumerate(edges):
        blocks = []
        for side_number in range(2):
            own, places_of, rows_at = parts[5 + 6 * number + 3 * side_number :][:3]
            rows = slice(first[side_number], first[side_number] + len(rows_at))
            first[side_number] = rows.stop
            shape = (stop - start, len(places_of) // (stop - start), rows)
            padded = len(places_of) > len(rows_at)
            blocks.append(RowBlock(*shape, own, places_of, rows_at, padded))
        host = torch.from_numpy(corpus.source.lengths[chosen[start:stop]])
        found.append(Group(blocks[0], blocks[1], host))
    return Batch(parts[0], parts[1], parts[2], parts[3], parts[4], Grouped(tuple(found)))


def _in_groups(
    corpus: ParallelCorpus, chosen: Numbers, groups: int
) -> tuple[Numbers, list[tuple[int, int]]]:
    """Return the sentences in the order of their rows, and where each group begins and ends."""
    source, target = corpus.source.lengths[chosen], corpus.target.lengths[chosen]
    # A stable order, so that the same sentences always lie in the same rows.
    order = np.lexsort((chosen, source, target))
    edges = _cut((source + target)[order], groups)
    group = np.repeat(np.arange(len(edges)), [stop - start for start, stop in edges])
    chosen, source, target = chosen[order], source[order], target[order]
    # Longest source first inside a group: so cuDNN wants it.
    return chosen[np.lexsort((chosen, -target, -source, group))], edges


def _laid_out(side: NumberedSide, chosen: Numbers) -> tuple[Numbers, Numbers]:
    """Return the pieces of the chosen sentences end to end, and the position of each."""
    lengths = side.lengths[chosen]
    ends = np.cumsum(lengths)
    positions = np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)
    return side.pieces[np.repeat(side.starts[chosen], lengths) + positions], positions


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

    def __init__(self, corpus: ParallelCorpus, device: torch.device) -> None:
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
        layout = PackedRows(
            source_starts,
            source_lengths,
            target_starts,
            target_lengths,
            *self.longest,
            (source_rows, target_rows),
        )
        return Batch(source, source_positions, shifted, output, target_positions, layout), pieces

    def pad(self, chosen: Tensor, source_length: int, target_length: int) -> tuple[Batch, Tensor]:
        """Lay the chosen pairs side by side, time-major; return the batch and its target pieces."""
        source, source_positions, source_lengths = _padded(self.source, chosen, source_length)
        output, target_positions, target_lengths = _padded(self.target, chosen, target_length)
        shifted = torch.cat((torch.full_like(output[:1], BEGIN), output[:-1]))
        layout = Padded(source_lengths, target_lengths)
        batch = Batch(source, source_positions, shifted, output, target_positions, layout)
        return batch, target_lengths.sum()


def _padded(side: tuple[Tensor, ...], chosen: Tensor, length: int) -> tuple[Tensor, Tensor, Tensor]:
    pieces, starts, lengths = side
    own = lengths[chosen]
    position = torch.arange(length, device=chosen.device)[:, None].expand(-1, len(chosen))
    inside = position < own
    number = pieces[torch.where(inside, starts[chosen] + position, 0)]
    return torch.where(inside, number, PAD), position, own


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
