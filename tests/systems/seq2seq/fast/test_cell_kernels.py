"""Cell kernels: an LSTM's cells on a GPU are those of plain PyTorch.

`make test-kernels` compares them in Triton's interpreter, too (kernel_agreement.py).
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
import torch


def test_the_tangent_holds_at_both_ends(numpy_cell_kernels: ModuleType) -> None:
    """It is made of an exponential, which overflows long before the tangent is 1."""
    x = np.array([-1e4, -100, -3, -1e-3, 0, 1e-3, 3, 100, 1e4], dtype=np.float32)
    with np.errstate(over="ignore"):
        assert numpy_cell_kernels.tanh(x) == pytest.approx(np.tanh(x), abs=1e-6)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_kernels_agree_with_plain_pytorch() -> None:
    """In float32, with real masks between the layers, and a whole model."""
    from systems.seq2seq.kernel_agreement import lstm_error, recurrence_error

    from recombine.systems.seq2seq.fast.fused_operations import FusedOperations

    seed = torch.zeros(1, dtype=torch.int64, device="cuda")
    lengths = [40, 18, 15, 9, 1, 0]
    assert recurrence_error(FusedOperations(seed), lengths, 4) <= 1e-4
    assert lstm_error(FusedOperations(seed, keep_all=True), lengths) <= 1e-4
