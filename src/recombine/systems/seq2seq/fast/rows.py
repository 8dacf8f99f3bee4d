"""Rows: the pieces of a batch end to end, without padding, in a few groups of similar length.

Every layer but attention works on single pieces, so a batch can be one tall matrix of rows without
a sentence axis. Only attention needs to know whose they are: it pads inside a group, and sentences
of similar length need little of that. With SGET's lengths a padded batch of 256 has eight times as
many places as pieces, four groups have 1.4 times as many.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from recombine.systems.seq2seq.batch import Batch, Sentences
from recombine.systems.seq2seq.corpus import NumberedSide, Numbers, ParallelCorpus
from recombine.systems.seq2seq.vocabulary import BEGIN


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
class GroupedRows(Sentences):
    """One side of a batch: pieces [rows]; those of a block are one group's."""

    blocks: tuple[RowBlock, ...]


def group_batch(
    corpus: ParallelCorpus,
    chosen: Numbers,
    device: torch.device,
    groups: int = 4,
    *,
    twice: bool = False,
) -> Batch:
    """Lay out the chosen pairs, each once or twice, in at most `groups` of similar length."""
    chosen, edges = _in_groups(corpus, chosen, groups)
    if twice:
        chosen, edges = np.repeat(chosen, 2), [(2 * start, 2 * stop) for start, stop in edges]
    source, source_positions = _laid_out(corpus.source, chosen)
    output, target_positions = _laid_out(corpus.target, chosen)
    shifted = np.roll(output, 1)
    shifted[target_positions == 0] = BEGIN
    arrays = [source, source_positions, shifted, output, target_positions]
    for side in (corpus.source, corpus.target):
        for start, stop in edges:
            lengths = side.lengths[chosen[start:stop]]
            places = np.flatnonzero(np.arange(lengths.max()) < lengths[:, None])
            spread = np.zeros(len(lengths) * lengths.max(), dtype=np.int64)
            spread[places] = np.arange(len(places))
            arrays += [lengths, spread, places]
    # One transfer that waits for nothing: a GPU may still be busy with the step before.
    flat = torch.from_numpy(np.concatenate(arrays)).to(device, non_blocking=True)
    parts = iter(torch.split(flat, [len(array) for array in arrays]))
    pieces, positions, fed, expected, fed_positions = itertools.islice(parts, 5)
    sides = []
    for numbers, at in ((pieces, positions), (fed, fed_positions)):
        blocks = tuple(_blocks(parts, len(edges)))
        ordered = torch.cat([block.lengths for block in blocks])
        sides.append(GroupedRows(numbers, at, ordered, blocks))
    twins = None
    if twice:
        # The second copy of a sentence follows the first.
        lengths = corpus.target.lengths[chosen]
        step = np.repeat(lengths * np.resize([1, -1], len(lengths)), lengths)
        twins = torch.from_numpy(np.arange(len(step)) + step).to(device, non_blocking=True)
    return Batch(sides[0], sides[1], expected, twins)


def _blocks(parts: Iterator[Tensor], count: int) -> Iterator[RowBlock]:
    first = 0
    for lengths, spread, places in itertools.islice(zip(*[parts] * 3, strict=False), count):
        rows = slice(first, first + len(places))
        first = rows.stop
        shape = len(lengths), len(spread) // len(lengths)
        yield RowBlock(*shape, rows, lengths, spread, places, len(spread) > len(places))


def similar_lengths(corpus: ParallelCorpus, chosen: Numbers, groups: int) -> list[Numbers]:
    """Return the chosen pairs in at most `groups` groups of similar length."""
    chosen, edges = _in_groups(corpus, chosen, groups)
    return [chosen[start:stop] for start, stop in edges]


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
