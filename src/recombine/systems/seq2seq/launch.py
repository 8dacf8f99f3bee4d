"""What all wrappers of kernels share: dropout as a threshold, work aside, sums of partial sums."""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor

from recombine.systems.seq2seq import kernels
from recombine.systems.seq2seq.aside import Aside

KEEP_ALL = 1e-30


def threshold_of(dropout: float) -> tuple[int, float]:
    """Return the hash below which an element is dropped, and the scale of those kept."""
    if dropout == KEEP_ALL:
        return 0, 1.0
    return int(dropout * (1 << 24)), 1.0 / (1.0 - dropout)


def beside(aside: Aside | None, *used: Tensor) -> AbstractContextManager[None]:
    """Return where to launch what nothing waits for: aside, if there is an aside."""
    return nullcontext() if aside is None else aside.beside(*used)


def column_sum(sums: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the sum over the rows, each the sum of one program."""
    rows, width = sums.shape
    out = torch.empty(width, device=sums.device, dtype=dtype)
    kernels.column_sum_kernel[(-(-width // 16),)](
        sums, out, rows, WIDTH=width, ROWS=256, COLUMNS=16, num_warps=8
    )
    return out


def power_of_two(number: int) -> int:
    """Return the smallest power of two that is not smaller."""
    return 1 << (number - 1).bit_length()
