"""Optimiser: Adam with its schedule, float32 master weights and a compute copy of the model.

In bfloat16 the layers work on a copy of the weights; gradients go to the float32 master, Adam steps
there, and the copy follows. In float32 master and copy are one. Weight decay is decoupled, as in
fairseq's Adam (and absent by default).
"""

# torch types its in-place list operations too narrowly, and some of its methods not at all.
# mypy: disable-error-code="arg-type, no-untyped-call"

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from recombine.systems.seq2seq.fast.side_stream import Aside
from recombine.systems.seq2seq.options import Options


class ParameterPart:
    """Adam over some of a model's parameters: a layer, or all that is in no layer."""

    def __init__(
        self,
        parameters: list[nn.Parameter],
        copies: list[nn.Parameter],
        rate: Any,
        options: Options,
    ) -> None:
        self.parameters = parameters
        self.copies = copies
        device = parameters[0].device
        on_gpu = device.type == "cuda"
        self.adam = torch.optim.AdamW(
            parameters,
            lr=rate,
            betas=(options.adam_beta1, options.adam_beta2),
            eps=options.adam_epsilon,
            weight_decay=options.weight_decay,
            fused=True,
            capturable=on_gpu,
        )
        for parameter in parameters:
            # Made before the first step, so that loading and graph capture find them.
            self.adam.state[parameter] = {
                "step": torch.zeros((), device=device if on_gpu else "cpu"),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }
        self.missing = len(parameters)  # gradients that have not arrived yet

    def gather(self) -> None:
        """Bring the gradients of the compute copy to the master."""
        if self.copies[0] is self.parameters[0]:
            return
        gradients = [parameter.grad for parameter in self.parameters]
        if gradients[0] is None:
            gradients = [torch.empty_like(parameter) for parameter in self.parameters]
            for parameter, gradient in zip(self.parameters, gradients, strict=True):
                parameter.grad = gradient
        torch._foreach_copy_(gradients, [_gradient(one) for one in self.copies])

    def step(self) -> None:
        """Take one step with the master's gradients, and let the copy follow."""
        self.adam.step()
        if self.copies[0] is not self.parameters[0]:
            with torch.no_grad():
                torch._foreach_copy_(self.copies, self.parameters)


class Optimiser:
    """Adam over a model's parameters."""

    def __init__(self, master: nn.Module, options: Options, dtype: torch.dtype) -> None:
        self.options = options
        self.master = master
        self.names = [name for name, _ in master.named_parameters()]
        self.parameters = list(master.parameters())
        device = self.parameters[0].device
        self.on_gpu = device.type == "cuda"
        self.compute: Any = master if dtype == torch.float32 else copy.deepcopy(master).to(dtype)
        self.copies: list[nn.Parameter] = list(self.compute.parameters())
        # A tensor, so that a captured graph reads the rate of its step.
        self.rate: Any = torch.tensor(0.0, device=device) if self.on_gpu else 0.0
        layers: dict[str, list[int]] = {}
        for number, name in enumerate(self.names):
            found = re.match(r"(?:.*\.)?layers\.\d+\.", name)
            layers.setdefault(found[0] if found else "", []).append(number)
        self.parts = [
            ParameterPart(
                [self.parameters[number] for number in numbers],
                [self.copies[number] for number in numbers],
                self.rate,
                options,
            )
            for numbers in layers.values()
        ]
        self.aside: Aside | None = None
        for part in self.parts:
            for parameter in part.copies:
                parameter.register_post_accumulate_grad_hook(
                    lambda _, part=part: self._arrived(part)
                )

    def set_rate(self, step: int) -> float:
        """Set the learning rate of a step (0-based) and return it."""
        rate = learning_rate(self.options, step)
        if self.on_gpu:
            self.rate.fill_(rate)
        else:
            for part in self.parts:
                part.adam.param_groups[0]["lr"] = rate
        return rate

    def clear(self) -> None:
        """Forget gradients."""
        for parameter in self.copies:
            parameter.grad = None
        for part in self.parts:
            part.missing = len(part.copies)

    @contextmanager
    def stepping(self, aside: Aside | None) -> Iterator[None]:
        """Step each layer as soon as a backward pass is through with it, aside.

        Clipping needs all gradients first, so with it everything is left to `step`.
        """
        self.aside = None if self.options.clip_norm else aside
        try:
            yield
        finally:
            self.aside = None

    def _arrived(self, part: ParameterPart) -> None:
        if self.aside is None:
            return
        part.missing -= 1
        if not part.missing:
            with self.aside.beside():
                part.gather()
                part.step()

    def step(self) -> None:
        """Take one step with the gradients of the compute copy, where it was not taken already."""
        left = [part for part in self.parts if part.missing]
        for part in left:
            part.gather()
        if self.options.clip_norm:
            torch.nn.utils.clip_grad_norm_(self.parameters, self.options.clip_norm, foreach=True)
        for part in left:
            part.step()

    def tensors(self) -> dict[str, Tensor]:
        """Return weights and moments by name, for a checkpoint."""
        found: dict[str, Tensor] = {}
        states = self._states()
        for name, parameter in zip(self.names, self.parameters, strict=True):
            state = states[parameter]
            found[f"model.{name}"] = parameter.detach()
            for part in ("exp_avg", "exp_avg_sq", "step"):
                found[f"adam.{part}.{name}"] = state[part]
        return found

    @torch.no_grad()
    def load(self, tensors: dict[str, Tensor]) -> None:
        """Take weights and moments from a checkpoint, in place."""
        states = self._states()
        for name, parameter in zip(self.names, self.parameters, strict=True):
            parameter.copy_(tensors[f"model.{name}"])
            state = states[parameter]
            for part in ("exp_avg", "exp_avg_sq", "step"):
                state[part].copy_(tensors[f"adam.{part}.{name}"])
        if self.compute is not self.master:
            torch._foreach_copy_(self.copies, self.parameters)

    def _states(self) -> dict[Tensor, dict[str, Tensor]]:
        return {key: state for part in self.parts for key, state in part.adam.state.items()}


def learning_rate(options: Options, step: int) -> float:
    """Return the learning rate of a step (0-based)."""
    number = step + 1
    if options.schedule == "constant":
        return options.learning_rate * min(1.0, number / options.warmup if options.warmup else 1.0)
    if options.schedule == "noam":
        # Vaswani et al. 2017, section 5.3, equation 3.
        shape = min(number**-0.5, number * options.warmup**-1.5)
        return float(options.learning_rate * options.width**-0.5 * shape)
    if number < options.warmup:
        return options.learning_rate * number / options.warmup
    if options.schedule == "inverse_sqrt":
        return float(options.learning_rate * (options.warmup / number) ** 0.5)
    left = (options.steps - step) / max(1, options.steps - options.warmup)
    return options.learning_rate * max(0.0, min(1.0, left))


def _gradient(parameter: nn.Parameter) -> Tensor:
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
