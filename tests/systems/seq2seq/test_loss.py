"""Loss: R-Drop's formula, and the same twins in every layout of a batch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch.nn import functional

from recombine.systems.seq2seq.batch import Batch, pad_batch
from recombine.systems.seq2seq.fast.packing import Resident
from recombine.systems.seq2seq.fast.rows import group_batch
from recombine.systems.seq2seq.operations import batch_loss
from recombine.systems.seq2seq.vocabulary import PAD
from systems.seq2seq.twelve_pairs import twelve_pairs

CPU = torch.device("cpu")
CHOSEN = np.array([7, 2, 11, 0, 5, 9])
SIZE = 30


def resident() -> Resident:
    """Return the corpus as it lies on a device."""
    return Resident(twelve_pairs(), CPU, twice=True)


LAYOUTS: dict[str, Callable[[], Batch]] = {
    "padded": lambda: pad_batch(twelve_pairs(), CHOSEN, CPU, twice=True),
    "one group": lambda: group_batch(twelve_pairs(), CHOSEN, CPU, 1, twice=True),
    "groups": lambda: group_batch(twelve_pairs(), CHOSEN, CPU, 4, twice=True),
    "packed": lambda: resident().pack(torch.tensor([*CHOSEN, 12]), 420, 420)[0],
    "side by side": lambda: resident().pad(torch.tensor([*CHOSEN, 12]), 50, 50)[0],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_piece_has_its_twin(layout: str) -> None:
    """The other copy of the same piece: the same target, the same position, another place."""
    batch = LAYOUTS[layout]()
    expected, twins = batch.expected.flatten(), batch.twins
    assert twins is not None
    places = torch.arange(len(expected))
    assert torch.equal(twins[twins], places)
    assert torch.equal(expected[twins], expected)
    pieces = expected != PAD
    assert (twins != places)[pieces].all()
    assert int(pieces.sum()) == 2 * twelve_pairs().target.lengths[CHOSEN].sum()
    positions = batch.target.positions.expand(batch.expected.shape).flatten()
    assert torch.equal(positions[twins], positions)


def test_the_loss_is_that_of_the_paper() -> None:
    """Liang et al. 2021, equations 2 to 4, pass by pass; padding counts for nothing."""
    torch.manual_seed(1)
    batch = pad_batch(twelve_pairs(), CHOSEN, CPU, twice=True)
    logits = torch.randn(*batch.expected.shape, SIZE, dtype=torch.float64)
    passes = [logits[first::2].flatten(0, 1).log_softmax(-1) for first in (0, 1)]
    expected = batch.expected[::2].flatten()
    likelihood = sum(
        functional.nll_loss(one, expected, ignore_index=PAD, reduction="sum") for one in passes
    )
    divergences = [
        functional.kl_div(other, one, log_target=True, reduction="none").sum(-1)[expected != PAD]
        for one, other in (passes, reversed(passes))
    ]
    wanted = likelihood + 5.0 * sum(one.sum() for one in divergences) / 2
    torch.testing.assert_close(batch_loss(logits, batch, 0.0, 5.0), wanted)
    alike = logits[::2].repeat_interleave(2, 0)
    torch.testing.assert_close(batch_loss(alike, batch, 0.1, 5.0), batch_loss(alike, batch, 0.1, 0))
