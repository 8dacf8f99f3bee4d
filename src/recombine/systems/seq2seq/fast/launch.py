"""Launch: what all wrappers of kernels share, and compiling kernels before they are launched."""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar, copy_context
from typing import Any

import torch
from torch import Tensor

from recombine.systems.seq2seq.fast import kernels
from recombine.systems.seq2seq.fast.side_stream import Aside

KEEP_ALL = 1e-30
_only_compiling: ContextVar[bool] = ContextVar("_only_compiling", default=False)


def launch(kernel: Any, programs: tuple[int, ...], *given: Any, **constants: Any) -> None:
    """Run a kernel in so many programs, or compile it only."""
    if _only_compiling.get():
        kernel.warmup(*given, grid=programs, **constants)
    else:
        kernel[programs](*given, **constants)


def compile_only(run: Callable[[], None]) -> None:
    """Compile, side by side, what `run` would launch, and launch nothing of it.

    A model has some thirty kernels of a second each; one after another they are half a minute.
    """

    def compiling() -> None:
        _only_compiling.set(True)
        # A backward pass in a thread of its own would not know of either mode.
        with (
            ThreadPoolExecutor() as pool,
            kernels.triton.AsyncCompileMode(pool),  # type: ignore[attr-defined]
            torch.autograd.set_multithreading_enabled(False),
        ):
            run()

    # In a context of its own: where a kernel does not compile, Triton's mode stays on.
    copy_context().run(compiling)


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
    launch(
        kernels.column_sum_kernel, (-(-width // 16),),
        sums, out, rows, WIDTH=width, ROWS=256, COLUMNS=16, num_warps=8,
    )  # fmt: skip
    return out


def power_of_two(number: int) -> int:
    """Return the smallest power of two that is not smaller."""
    return 1 << (number - 1).bit_length()
