"""Optimiser: Adam with its schedule, float32 master weights and a compute copy of the model.

In bfloat16 the layers work on a copy of the weights; gradients go to the float32 master, Adam steps
there, and the copy follows. In float32 master and copy are one. Weight decay is decoupled, as in
fairseq's Adam (and absent by default).
"""

# torch types its in-place list operations too narrowly, and some of its methods not at all.
# mypy: disable-error-code="arg-type, no-untyped-call"

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from recombine.systems.device import follow, gather_gradients
from recombine.systems.seq2seq.options import Options


class Optimiser:
    """Adam over a model's parameters."""

    def __init__(self, master: nn.Module, options: Options, dtype: torch.dtype) -> None:
        self.options = options
        self.master = master
        self.names = [name for name, _ in master.named_parameters()]
        self.parameters = list(master.parameters())
        self.compute: Any = master if dtype == torch.float32 else copy.deepcopy(master).to(dtype)
        self.copies: list[nn.Parameter] = list(self.compute.parameters())
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
        options = self.options
        return torch.optim.AdamW(
            parameters,
            lr=self.rate,
            betas=(options.adam_beta1, options.adam_beta2),
            eps=options.adam_epsilon,
            weight_decay=options.weight_decay,
            fused=True,
            capturable=self.on_gpu,
        )

    def set_rate(self, step: int) -> float:
        """Set the learning rate of a step (0-based) and return it."""
        rate = learning_rate(self.options, step)
        if self.on_gpu:
            self.rate.fill_(rate)
        else:
            self.adam.param_groups[0]["lr"] = rate
        return rate

    def clear(self) -> None:
        """Forget gradients."""
        for parameter in self.copies:
            parameter.grad = None

    def step(self) -> None:
        """Take one step with the gradients of the compute copy."""
        gather_gradients(self.parameters, self.copies)
        if self.options.clip_norm:
            torch.nn.utils.clip_grad_norm_(self.parameters, self.options.clip_norm, foreach=True)
        self.adam.step()
        follow(self.copies, self.parameters)

    def tensors(self) -> dict[str, Tensor]:
        """Return weights and moments by name, for a checkpoint."""
        tensors: dict[str, Tensor] = {}
        for name, parameter in zip(self.names, self.parameters, strict=True):
            tensors[f"model.{name}"] = parameter.detach()
            for part in ("exp_avg", "exp_avg_sq", "step"):
                tensors[f"adam.{part}.{name}"] = self.adam.state[parameter][part]
        return tensors

    @torch.no_grad()
    def load(self, tensors: dict[str, Tensor]) -> None:
        """Take weights and moments from a checkpoint, in place."""
        for name, parameter in zip(self.names, self.parameters, strict=True):
            parameter.copy_(tensors[f"model.{name}"])
            for part in ("exp_avg", "exp_avg_sq", "step"):
                self.adam.state[parameter][part].copy_(tensors[f"adam.{part}.{name}"])
        follow(self.copies, self.parameters)


def learning_rate(options: Options, step: int) -> float:
    """Return the learning rate of a step (0-based).

    Halving is that of OpenNMT-py 3.4.3 (`exponential_decay` of its optimizers.py): once at
    `halve_from`, its `start_decay_steps`, and again every `halve_every`, its `decay_steps`.
    """
    number = step + 1
    rate = _scheduled_rate(options, step)
    if options.halve_from and number >= options.halve_from:
        rate *= 0.5 ** (1 + (number - options.halve_from) // options.halve_every)
    return rate


def _scheduled_rate(options: Options, step: int) -> float:
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
