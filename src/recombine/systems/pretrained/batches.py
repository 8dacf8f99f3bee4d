"""Which examples form a batch: like lengths together, in a seeded order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

_POOL = 50  # batches sorted by length together: little padding, and still a random mix
_WIDTH = 16  # widths are rounded up, so that few shapes exist
_IGNORED = -100  # the index torch's cross entropy leaves out


class Learned(NamedTuple):
    """A training sequence: its tokens, and where the part to learn begins."""

    tokens: tuple[int, ...]
    learn_from: int


class TuningBatch(NamedTuple):
    """Arrays of one batch, padded on the right.

    `places` are the flat positions whose next token is learned and `targets` those tokens.
    """

    tokens: np.ndarray
    places: np.ndarray
    targets: np.ndarray
    learned: int


def plan_epoch(
    lengths: Sequence[int], batch_size: int, *, seed: int, epoch: int
) -> list[list[int]]:
    """Return the batches of one epoch as lists of example numbers."""
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, epoch])))
    order = random.permutation(len(lengths))
    batches: list[list[int]] = []
    pool = _POOL * batch_size
    for start in range(0, len(order), pool):
        part = sorted(
            order[start : start + pool].tolist(), key=lambda place: (-lengths[place], place)
        )
        batches += [part[at : at + batch_size] for at in range(0, len(part), batch_size)]
    return [batches[number] for number in random.permutation(len(batches))]


class Collation:
    """Makes batches of a fixed set of sequences.

    With `few_shapes`, which captured graphs want, a batch has all its rows, filled or not, and
    `places` and `targets` a size that depends on the width alone.
    """

    def __init__(
        self, sequences: Sequence[Learned], batch_size: int, pad_id: int, *, few_shapes: bool
    ) -> None:
        self.sequences = sequences
        self.batch_size = batch_size
        self.pad_id = pad_id
        self.few_shapes = few_shapes
        self._most: dict[int, int] = {}
        learned: dict[int, list[int]] = {}
        for sequence in sequences:
            learned.setdefault(_rounded(len(sequence.tokens)), []).append(
                len(sequence.tokens) - sequence.learn_from
            )
        # A batch of this width holds at most batch_size sequences of this width or less.
        so_far: list[int] = []
        for width in sorted(learned):
            so_far = sorted([*so_far, *learned[width]], reverse=True)[:batch_size]
            self._most[width] = sum(so_far)

    def batch(self, chosen: Sequence[int]) -> TuningBatch:
        """Return the arrays of the chosen sequences."""
        rows = [self.sequences[place] for place in chosen]
        width = _rounded(max(len(row.tokens) for row in rows))
        height, most = len(rows), sum(len(row.tokens) - row.learn_from for row in rows)
        if self.few_shapes:
            height, most = self.batch_size, self._most[width]
        tokens = np.full((height, width), self.pad_id, dtype=np.int64)
        places = np.zeros(most, dtype=np.int64)
        targets = np.full(most, _IGNORED, dtype=np.int64)
        at = 0
        for number, row in enumerate(rows):
            size = len(row.tokens)
            tokens[number, :size] = row.tokens
            learned = np.arange(row.learn_from, size)
            places[at : at + len(learned)] = number * width + learned - 1
            targets[at : at + len(learned)] = row.tokens[row.learn_from :]
            at += len(learned)
        return TuningBatch(tokens, places, targets, at)


def _rounded(length: int) -> int:
    return -(-length // _WIDTH) * _WIDTH
