"""Aside: a stream for what nothing waits for until the backward pass ends, the weights' gradients.

The chain of a backward pass goes through the rows; its many small kernels leave a GPU half idle.
Products and sums for the weights run beside it and fill the gaps.
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor


class Aside:
    """Work beside the current stream, until `join`."""

    def __init__(self, device: torch.device) -> None:
        self.stream = torch.cuda.Stream(device)
        # Freed memory goes to the current stream at once, so what is in use here is held on to.
        self.held: list[Tensor] = []

    @contextmanager
    def beside(self, *used: Tensor) -> Iterator[None]:
        """Launch after all that the current stream has been given; `used` is what is read."""
        self.held += used
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            yield

    def join(self) -> None:
        """Let the current stream wait for everything launched here."""
        torch.cuda.current_stream().wait_stream(self.stream)
        self.held.clear()
