"""Shapes: the few fixed sizes of captured graphs, and how batches are laid out in them.

A Transformer's sentences lie end to end, so a size is a number of rows; an LSTM's lie side by side,
so it is a length. The sizes are chosen from the first batches so that little of a batch is padding.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from recombine.systems.seq2seq.batch import Batch
from recombine.systems.seq2seq.corpus import BatchPlan, Numbers, ParallelCorpus
from recombine.systems.seq2seq.fast.packing import Resident
from recombine.systems.seq2seq.options import Options

SAMPLE = 1024  # steps looked at to choose the sizes
QUANTILES = (0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.95, 1.0)
ROW_MULTIPLE = 64
# A sentence is computed in the smallest tile that is as long.
LOWER_EDGES = (0, 16, 32, 64)
LONGEST = 128


@dataclass(frozen=True)
class FixedRows:
    """The size of packed sentences."""

    source: int
    target: int
    counts: tuple[int, ...]  # sentences that may be longer than each of LOWER_EDGES
    longest: int = LONGEST

    def holds(self, need: FixedRows) -> bool:
        """Whether a batch of that need fits."""
        return (
            need.longest <= self.longest
            and need.source <= self.source
            and need.target <= self.target
            and all(a <= b for a, b in zip(need.counts, self.counts, strict=True))
        )


@dataclass(frozen=True)
class Lengths:
    """The size of sentences side by side: the longest of either side."""

    source: int
    target: int

    def holds(self, need: Lengths) -> bool:
        """Whether a batch of that need fits."""
        return need.source <= self.source and need.target <= self.target


Size = FixedRows | Lengths


class Shapes(ABC):
    """What a graph has to know about the layout of its batches."""

    sizes: list[Size]  # from small to large
    sentences: int  # in a batch, copies not counted

    def __init__(self, corpus: ParallelCorpus, options: Options, device: torch.device) -> None:
        self.source_lengths = np.append(corpus.source.lengths, 0)
        self.target_lengths = np.append(corpus.target.lengths, 0)
        self.longest = np.maximum(self.source_lengths, self.target_lengths)
        self.shortest = int(np.argmin(self.longest[:-1]))  # a sentence that fits any size
        twice = options.rdrop_weight > 0
        self.copies = 1 + twice  # of every pair
        self.resident = Resident(corpus, device, twice=twice)

    @abstractmethod
    def need(self, chosen: Numbers) -> Size:
        """Return the size that the chosen pairs need at least."""

    @abstractmethod
    def lay(self, chosen: Tensor, size: Size) -> tuple[Batch, Tensor]:
        """Lay out the chosen pairs on the device; return the number of target pieces, too."""

    @abstractmethod
    def probe(self) -> tuple[Numbers, Size]:
        """Return some pairs of all lengths, and a size that holds them."""

    def filled(self, chosen: Numbers) -> Numbers:
        """Return the chosen pairs and empty ones, as many as a batch has."""
        empty = np.full(max(0, self.sentences - len(chosen)), self.resident.empty)
        return np.concatenate((chosen, empty))

    def in_order(self, chosen: Numbers) -> Numbers:
        """Longest first: a kernel for long sentences looks at the head of the batch only."""
        return chosen[np.lexsort((chosen, -self.longest[chosen]))]

    def fitting(self, need: Size) -> Size | None:
        """Return the smallest size that holds a batch, or None."""
        return next((size for size in self.sizes if size.holds(need)), None)  # type: ignore[arg-type]

    def _spread(self, limit: int) -> Numbers:
        """Return up to 32 pairs of every length up to `limit`, longest first."""
        fitting = np.flatnonzero((self.longest <= limit) & (self.longest > 0))
        ranks = np.linspace(0, len(fitting) - 1, min(32, len(fitting))).astype(int)
        spread: Numbers = self.in_order(fitting)[ranks]
        return spread


class PackedShapes(Shapes):
    """Sentences end to end."""

    def __init__(
        self, corpus: ParallelCorpus, plan: BatchPlan, options: Options, device: torch.device
    ) -> None:
        super().__init__(corpus, options, device)
        sample = [self.need(chosen) for chosen in itertools.islice(plan.batches(), SAMPLE)]
        most = np.array([need.counts for need in sample]).max(0)
        # A little more than ever seen: what is beyond runs without a graph.
        counts = [int(count) + (math.ceil(0.15 * count) + 2 if count else 0) for count in most]
        if options.batch_unit == "sentences":
            counts[0] = self.copies * options.sentences_per_step
        # Whole pairs of copies: a kernel reads the starts of as many sentences as a size has.
        counts = [self.copies * math.ceil(min(count, counts[0]) / self.copies) for count in counts]
        self.sentences = counts[0] // self.copies
        self.sizes = []
        for quantile in QUANTILES:
            extra = 1.02 if quantile == 1 else 1.0
            source, target = (
                _round(float(np.quantile(rows, quantile)) * extra, ROW_MULTIPLE)
                for rows in zip(*((need.source, need.target) for need in sample), strict=True)
            )
            size = FixedRows(source, target, tuple(counts))
            if size not in self.sizes:
                self.sizes.append(size)

    def need(self, chosen: Numbers) -> FixedRows:
        """Return the size that the chosen pairs need at least."""
        longest = self.longest[chosen]
        return FixedRows(
            self.copies * int(self.source_lengths[chosen].sum()),
            self.copies * int(self.target_lengths[chosen].sum()),
            tuple(self.copies * int((longest > edge).sum()) for edge in LOWER_EDGES),
            int(longest.max()),
        )

    def lay(self, chosen: Tensor, size: Size) -> tuple[Batch, Tensor]:
        """Pack the chosen pairs on the device."""
        return self.resident.pack(chosen, size.source, size.target)

    def probe(self) -> tuple[Numbers, FixedRows]:
        """Return some pairs of all lengths, the longest first, that the largest size holds."""
        largest = self.sizes[-1]
        assert isinstance(largest, FixedRows)
        spread = self._spread(LONGEST)
        chosen = np.zeros(0, np.int64)
        # Long and short in turn, as far as there is room.
        for pair in np.stack((spread, spread[::-1]), 1).flatten()[: len(spread)]:
            more = np.append(chosen, pair)
            if largest.holds(self.need(more)):
                chosen = more
        return self.in_order(chosen), largest


class PaddedShapes(Shapes):
    """Sentences side by side."""

    def __init__(
        self, corpus: ParallelCorpus, plan: BatchPlan, options: Options, device: torch.device
    ) -> None:
        super().__init__(corpus, options, device)
        self.sentences = options.sentences_per_step
        longest: dict[int, int] = {}
        for chosen in itertools.islice(plan.batches(), SAMPLE):
            need = self.need(chosen)
            # A step costs as much as its sentences are long: finer where most of them are.
            target = _round(need.target, 2 if need.target <= 32 else 8)
            longest[target] = max(longest.get(target, 0), _round(need.source, 2))
        self.sizes = sorted(
            (Lengths(source, target) for target, source in longest.items()),
            key=lambda size: size.source + size.target,
        )

    def need(self, chosen: Numbers) -> Lengths:
        """Return the size that the chosen pairs need at least."""
        return Lengths(
            int(self.source_lengths[chosen].max()), int(self.target_lengths[chosen].max())
        )

    def lay(self, chosen: Tensor, size: Size) -> tuple[Batch, Tensor]:
        """Pad the chosen pairs on the device."""
        return self.resident.pad(chosen, size.source, size.target)

    def probe(self) -> tuple[Numbers, Lengths]:
        """Return some pairs of all lengths, and their size."""
        chosen = self._spread(int(self.longest.max()))
        return chosen, self.need(chosen)


def _round(number: float, multiple: int) -> int:
    return math.ceil(number / multiple) * multiple
