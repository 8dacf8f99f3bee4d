"""Dropout: a mask keeps its share, keeps the mean, and is decided by torch's seed."""

from __future__ import annotations

import pytest
import torch

from recombine.systems.seq2seq.dropout import keep_mask


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_a_mask_keeps_its_share_and_the_mean(rate: float) -> None:
    """A share of 1 - rate is scaled up so that the mean stays."""
    torch.manual_seed(1)
    mask = keep_mask(torch.empty(500, 401), rate)
    assert mask.unique().tolist() == pytest.approx([0.0, 1 / (1 - rate)])
    assert float(mask.mean()) == pytest.approx(1.0, abs=0.01)
    # Rows and columns are no more alike than chance has it.
    assert float(mask.mean(0).std()) == pytest.approx((rate / (1 - rate) / 500) ** 0.5, rel=0.15)
    assert float(mask.mean(1).std()) == pytest.approx((rate / (1 - rate) / 401) ** 0.5, rel=0.15)


def test_the_seed_decides() -> None:
    """The same seed gives the same masks one after another; each is another."""
    drawn = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        drawn.append([keep_mask(torch.empty(7, 33), 0.5) for _ in range(2)])
    assert all(torch.equal(*pair) for pair in zip(drawn[0], drawn[1], strict=True))
    assert not torch.equal(drawn[0][0], drawn[0][1])
    assert not torch.equal(drawn[0][0], drawn[2][0])


def test_a_mask_is_of_the_kind_of_its_rows() -> None:
    """Shape and number format follow, whatever the number of elements."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        for shape in ((0,), (1,), (5, 3, 1)):
            mask = keep_mask(torch.empty(shape, dtype=dtype), 0.25)
            assert (mask.shape, mask.dtype) == (torch.Size(shape), dtype)
