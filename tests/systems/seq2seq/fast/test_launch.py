"""Launch: dropout as a threshold of hashes, where work aside goes, compiling without running."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
import torch


@pytest.mark.parametrize("dropout", [0.1, 0.3])
def test_a_rate_is_a_share_of_all_hashes(importable_kernels: None, dropout: float) -> None:
    """Hashes have 24 bits; what is kept is scaled so that the mean stays."""
    from recombine.systems.seq2seq.fast.launch import threshold_of

    threshold, scale = threshold_of(dropout)
    assert threshold / 2**24 == pytest.approx(dropout)
    assert (1 - dropout) * scale == pytest.approx(1)


def test_keeping_all_drops_nothing(importable_kernels: None) -> None:
    """For comparisons: the kernels of training, without their masks."""
    from recombine.systems.seq2seq.fast.launch import KEEP_ALL, threshold_of

    assert threshold_of(KEEP_ALL) == (0, 1.0)


@pytest.mark.parametrize(("number", "power"), [(1, 1), (2, 2), (3, 4), (41, 64), (64, 64)])
def test_sizes_are_powers_of_two(importable_kernels: None, number: int, power: int) -> None:
    """Triton knows no other."""
    from recombine.systems.seq2seq.fast.launch import power_of_two

    assert power_of_two(number) == power


def test_work_goes_aside_where_there_is_an_aside(importable_kernels: None) -> None:
    """With what it reads; without an aside it stays in the current stream."""
    from recombine.systems.seq2seq.fast.launch import beside

    class Entered:
        """Stands in for an Aside, and writes down what it is given."""

        def __init__(self) -> None:
            self.used: list[torch.Tensor] = []

        def beside(self, *used: torch.Tensor) -> AbstractContextManager[None]:
            self.used += used
            return nullcontext()

    aside, x = Entered(), torch.zeros(1)
    with beside(None, x):
        assert aside.used == []
    with beside(aside, x):  # type: ignore[arg-type]
        assert [one is x for one in aside.used] == [True]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize(("rows", "width"), [(1, 3), (700, 1536), (264, 41 * 64)])
def test_partial_sums_are_summed(rows: int, width: int) -> None:
    """Any number of rows and columns, in float32."""
    from recombine.systems.seq2seq.fast.launch import column_sum

    sums = torch.randn(rows, width, device="cuda")
    torch.testing.assert_close(column_sum(sums, torch.float32), sums.sum(0), rtol=1e-4, atol=1e-4)


class Kernel:
    """Writes down what is asked of it."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def __getitem__(self, programs: tuple[int, ...]) -> Any:
        """Launch."""
        return lambda *given, **constants: self.asked.append((programs, given, constants))

    def warmup(self, *given: Any, grid: tuple[int, ...], **constants: Any) -> None:
        """Compile."""
        self.asked.append(("compile", grid, given, constants))


def test_kernels_can_be_compiled_without_running(
    importable_kernels: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the forward pass and in the backward pass, which stays in the same thread."""
    from recombine.systems.seq2seq.fast import kernels
    from recombine.systems.seq2seq.fast.launch import compile_only, launch

    monkeypatch.setattr(kernels.triton, "AsyncCompileMode", lambda _: nullcontext(), raising=False)
    kernel = Kernel()

    class Twice(torch.autograd.Function):
        """Launches forwards and backwards."""

        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            launch(kernel, (2,), "forward", WIDTH=1)
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
            launch(kernel, (3, 4), "backward")
            return gradient * 2

    x = torch.ones(1, requires_grad=True)
    compile_only(lambda: Twice.apply(x).backward())  # type: ignore[no-untyped-call]
    assert kernel.asked == [
        ("compile", (2,), ("forward",), {"WIDTH": 1}),
        ("compile", (3, 4), ("backward",), {}),
    ]
    kernel.asked.clear()
    launch(kernel, (2,), "forward", WIDTH=1)
    assert kernel.asked == [((2,), ("forward",), {"WIDTH": 1})]
