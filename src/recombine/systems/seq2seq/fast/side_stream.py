"""A stream beside the backward pass: for what nothing waits for until the pass ends.

The chain of a backward pass goes through the rows; its many small kernels leave a GPU half idle.
Products and sums for the weights' gradients run beside it and fill the gaps (`Aside`), and so do
Adam's steps of the layers that the pass is through with (`LayerSteps`).
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from recombine.systems.neural.optimiser import Optimiser, follow, gather_gradients


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


class LayerPart:
    """Adam over some of a model's parameters: a layer, or all that is in no layer."""

    def __init__(self, optimiser: Optimiser, numbers: list[int]) -> None:
        self.parameters: list[nn.Parameter] = [optimiser.parameters[number] for number in numbers]
        self.copies: list[nn.Parameter] = [optimiser.copies[number] for number in numbers]
        self.adam = optimiser.adam_of(self.parameters)
        # The moments are the optimiser's own, so that its checkpoints are right.
        for parameter in self.parameters:
            self.adam.state[parameter] = optimiser.adam.state[parameter]
        self.missing = len(numbers)  # gradients that have not arrived yet

    def gather(self) -> None:
        """Bring the gradients of the compute copy to the master."""
        gather_gradients(self.parameters, self.copies)

    def step(self) -> None:
        """Take one step with the master's gradients, and let the copy follow."""
        self.adam.step()
        follow(self.copies, self.parameters)


class LayerSteps:
    """The steps of an optimiser, each layer's as soon as a backward pass is through with it.

    Clipping needs all gradients first, so with it everything is left to `step`.
    """

    def __init__(self, optimiser: Optimiser, aside: Aside | None) -> None:
        self.optimiser = optimiser
        self.aside = None if optimiser.settings.clip_norm else aside
        self.stepping = False
        layers: dict[str, list[int]] = {}
        for number, name in enumerate(optimiser.names):
            prefix = re.match(r"(?:.*\.)?layers\.\d+\.", name)
            layers.setdefault(prefix[0] if prefix else "", []).append(number)
        self.parts = [LayerPart(optimiser, numbers) for numbers in layers.values()]
        for part in self.parts:
            for parameter in part.copies:
                parameter.register_post_accumulate_grad_hook(
                    lambda _, part=part: self._arrived(part)
                )

    def clear(self) -> None:
        """Forget gradients."""
        self.optimiser.clear()
        for part in self.parts:
            part.missing = len(part.copies)
            part.adam.param_groups[0]["lr"] = self.optimiser.adam.param_groups[0]["lr"]

    def backward(self, loss: Tensor) -> None:
        """Compute gradients, and step aside the layers that have theirs."""
        self.stepping = self.aside is not None
        try:
            loss.backward()
        finally:
            self.stepping = False

    def _arrived(self, part: LayerPart) -> None:
        if not self.stepping or self.aside is None:
            return
        part.missing -= 1
        if not part.missing:
            with self.aside.beside():
                part.gather()
                part.step()

    def step(self) -> None:
        """Step what is left."""
        left = [part for part in self.parts if part.missing]
        for part in left:
            part.gather()
        self.optimiser.clip()
        for part in left:
            part.step()
