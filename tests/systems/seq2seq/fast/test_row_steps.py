"""Fast steps are used only where they agree with the plain ones."""

from __future__ import annotations

import pytest
import torch

from recombine.errors import SystemFailure
from recombine.systems.seq2seq.fast.row_steps import require_agreement

GRADIENT = torch.tensor([3.0, 4.0])


def off_by(share: float) -> torch.Tensor:
    """Return the gradient with an error of this share of its length, across it."""
    return GRADIENT + share * torch.tensor([-4.0, 3.0])


def test_rounding_is_no_disagreement() -> None:
    """Of a loss of some size the gradient may be off by a tenth, as bfloat16 makes it."""
    assert require_agreement((2.0, GRADIENT), (2.01, off_by(0.05))) == pytest.approx(0.05)
    for loss, error in ((2.1, 0.01), (2.0, 0.2)):
        with pytest.raises(SystemFailure, match="fast and plain PyTorch disagree"):
            require_agreement((2.0, GRADIENT), (loss, off_by(error)))
