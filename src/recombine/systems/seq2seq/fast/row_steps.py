"""Row steps: eager steps on rows without padding, and what every fast step must agree with.

They are for CPUs: there a Transformer's step on mixed lengths takes 0.36 of the time of a plain one
(64 pairs of SGET, width 128), 0.78 where batches are of one length, and an LSTM's 0.87. On a GPU
captured graphs take their place; what no graph fits is taken so, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from recombine.errors import SystemFailure
from recombine.systems.neural.optimiser import gradient_of
from recombine.systems.seq2seq.batch import Batch, pad_batch
from recombine.systems.seq2seq.corpus import Numbers, ParallelCorpus
from recombine.systems.seq2seq.fast.row_operations import RowOperations
from recombine.systems.seq2seq.fast.rows import group_batch, similar_lengths
from recombine.systems.seq2seq.operations import Operations
from recombine.systems.seq2seq.optimiser import ModelOptimiser
from recombine.systems.seq2seq.options import LstmOptions
from recombine.systems.seq2seq.trainer import Stepper, Trainer

PROBE = 8  # pairs on which fast and plain are compared


class RowStepper(Stepper):
    """Steps in PyTorch with as little padding and as few passes over the rows as can be."""

    def __init__(self, trainer: Trainer) -> None:
        super().__init__(trainer, RowOperations())
        self.groups = 1 if trainer.options.batch_by_length else 4
        self.agreement = self._agreement()

    def batches(self, chosen: Numbers) -> Iterator[Batch]:
        """Return the chosen pairs; a recurrent net takes groups of similar length one by one."""
        corpus, device = self.trainer.prepared.corpus, self.trainer.device
        if isinstance(self.trainer.options, LstmOptions):
            for group in similar_lengths(corpus, chosen, self.groups):
                yield pad_batch(corpus, group, device, twice=self.twice)
        else:
            yield group_batch(corpus, chosen, device, self.groups, twice=self.twice)

    def _agreement(self) -> float:
        corpus, optimiser = self.trainer.prepared.corpus, self.trainer.optimiser
        chosen = some_of_all_lengths(corpus, PROBE)
        pieces = int(corpus.target.lengths[chosen].sum())
        optimiser.compute.eval()
        try:
            plain = [pad_batch(corpus, chosen, self.trainer.device, twice=self.twice)]
            expected = loss_and_gradient(optimiser, plain, Operations(), pieces)
            actual = loss_and_gradient(optimiser, self.batches(chosen), self.operations, pieces)
        finally:
            optimiser.compute.train()
        return require_agreement(expected, actual)


def some_of_all_lengths(corpus: ParallelCorpus, count: int) -> Numbers:
    """Return up to `count` pairs from the shortest to the longest."""
    longest = np.maximum(corpus.source.lengths, corpus.target.lengths)
    ranks = np.linspace(0, len(corpus) - 1, min(count, len(corpus))).astype(int)
    spread: Numbers = np.argsort(longest, kind="stable")[ranks]
    return spread


def loss_and_gradient(
    optimiser: ModelOptimiser,
    batches: Sequence[Batch] | Iterator[Batch],
    operations: Operations,
    pieces: int | Tensor,
) -> tuple[float, Tensor]:
    """Return the loss per piece, and its gradient by all weights as one vector."""
    model = optimiser.compute
    optimiser.clear()
    total = 0.0
    # cuDNN's LSTM layers have no gradient where dropout is off; PyTorch's own have.
    with torch.backends.cudnn.flags(enabled=model.training):
        for batch in batches:
            with operations.within(model):
                loss = model(batch) / pieces
                loss.backward()
            total += float(loss.detach())
    gradient = torch.cat([gradient_of(copy).float().flatten() for copy in optimiser.copies])
    optimiser.clear()
    return total, gradient


def require_agreement(plain: tuple[float, Tensor], fast: tuple[float, Tensor]) -> float:
    """Return the relative error of the fast gradient; raise where it is not that of rounding."""
    (expected_loss, expected), (loss, gradient) = plain, fast
    error = float((gradient - expected).norm() / expected.norm())
    # bfloat16 keeps 8 bits; a wrong kernel is off by far more than its rounding.
    if not (abs(expected_loss - loss) <= 0.02 * abs(expected_loss) and error <= 0.1):
        raise SystemFailure(
            f"fast and plain PyTorch disagree: loss {loss} against {expected_loss}, "
            f"relative error of the gradient {error:.3g}"
        )
    return error
