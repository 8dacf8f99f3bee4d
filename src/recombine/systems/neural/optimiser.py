"""Adam on float32 weights, for layers that may compute in narrower numbers.

A step of Adam is often smaller than the spacing of bfloat16 (2**-8 of a weight): added to such a
weight it is lost. So the optimiser steps on float32 *master* weights, the layers compute with a
narrow *copy*, gradients go from copy to master and the copy follows. Where a weight is float32
already, master and copy are one. Weight decay is decoupled (Loshchilov and Hutter 2019).
"""

# torch types its in-place list operations too narrowly, and some of its methods not at all.
# mypy: disable-error-code="arg-type, no-untyped-call"

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

_MOMENTS = ("exp_avg", "exp_avg_sq", "step")


@dataclass(frozen=True, kw_only=True)
class AdamSettings:
    """`rate` is the learning rate of a step (0-based); a `clip_norm` of 0 clips nothing."""

    rate: Callable[[int], float]
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.0
    clip_norm: float = 0.0


class Optimiser:
    """Adam over named float32 weights and the copies that compute."""

    def __init__(
        self,
        names: Sequence[str],
        masters: Sequence[nn.Parameter],
        copies: Sequence[nn.Parameter],
        settings: AdamSettings,
    ) -> None:
        self.names = list(names)
        self.parameters = list(masters)
        self.copies = list(copies)
        self.settings = settings
        device = self.parameters[0].device
        self.on_gpu = device.type == "cuda"
        # A tensor, so that a captured graph reads the rate of its step.
        self.rate: Any = torch.tensor(0.0, device=device) if self.on_gpu else 0.0
        self.adam = self.adam_of(self.parameters)
        for parameter in self.parameters:
            # Made before the first step, so that loading and graph capture find them.
            self.adam.state[parameter] = {
                "step": torch.zeros((), device=device if self.on_gpu else "cpu"),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }

    def adam_of(self, parameters: Sequence[nn.Parameter]) -> torch.optim.AdamW:
        """Return Adam, set up for some parameters."""
        settings = self.settings
        return torch.optim.AdamW(
            parameters,
            lr=self.rate,
            betas=(settings.beta1, settings.beta2),
            eps=settings.epsilon,
            weight_decay=settings.weight_decay,
            fused=True,
            capturable=self.on_gpu,
        )

    def set_rate(self, step: int) -> float:
        """Set the learning rate of a step (0-based) and return it."""
        rate = self.settings.rate(step)
        if self.on_gpu:
            self.rate.fill_(rate)
        else:
            self.adam.param_groups[0]["lr"] = rate
        return rate

    def clear(self) -> None:
        """Forget gradients."""
        for parameter in self.copies:
            parameter.grad = None

    def clip(self) -> None:
        """Shorten the gradients of all weights together where they are too long."""
        if self.settings.clip_norm:
            nn.utils.clip_grad_norm_(self.parameters, self.settings.clip_norm, foreach=True)

    def step(self) -> None:
        """Take one step with the gradients of the copies."""
        gather_gradients(self.parameters, self.copies)
        self.clip()
        self.adam.step()
        follow(self.copies, self.parameters)

    def tensors(self) -> dict[str, Tensor]:
        """Return weights and moments by name, for a checkpoint."""
        tensors: dict[str, Tensor] = {}
        for name, parameter in zip(self.names, self.parameters, strict=True):
            tensors[f"model.{name}"] = parameter.detach()
            for part in _MOMENTS:
                tensors[f"adam.{part}.{name}"] = self.adam.state[parameter][part]
        return tensors

    @torch.no_grad()
    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Take weights and moments from a checkpoint, in place."""
        for name, parameter in zip(self.names, self.parameters, strict=True):
            parameter.copy_(tensors[f"model.{name}"])
            for part in _MOMENTS:
                self.adam.state[parameter][part].copy_(tensors[f"adam.{part}.{name}"])
        follow(self.copies, self.parameters)


def master_of(copies: Sequence[nn.Parameter]) -> list[nn.Parameter]:
    """Return for every weight itself if it is float32, else a float32 master."""
    return [
        copy if copy.dtype == torch.float32 else nn.Parameter(copy.detach().float())
        for copy in copies
    ]


def gather_gradients(masters: Sequence[nn.Parameter], copies: Sequence[nn.Parameter]) -> None:
    """Bring the gradients of the copies to their masters."""
    pairs = _apart(masters, copies)
    if not pairs:
        return
    gradients = []
    for master, _ in pairs:
        if master.grad is None:
            master.grad = torch.empty_like(master)
        gradients.append(master.grad)
    torch._foreach_copy_(gradients, [gradient_of(copy) for _, copy in pairs])


@torch.no_grad()
def follow(copies: Sequence[nn.Parameter], masters: Sequence[nn.Parameter]) -> None:
    """Let the copies follow their masters."""
    if pairs := _apart(masters, copies):
        torch._foreach_copy_([copy for _, copy in pairs], [master for master, _ in pairs])


def gradient_of(parameter: nn.Parameter) -> Tensor:
    """Return the gradient; zeros where nothing depends on the parameter."""
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad


def _apart(
    masters: Sequence[nn.Parameter], copies: Sequence[nn.Parameter]
) -> list[tuple[nn.Parameter, nn.Parameter]]:
    return [pair for pair in zip(masters, copies, strict=True) if pair[0] is not pair[1]]
