"""Optimiser: Adam for a whole model, with the schedules that its options name.

In bfloat16 the layers work on a copy of the model; in float32 model and copy are one.
"""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import torch
from torch import nn

from recombine.systems.neural.optimiser import AdamSettings, Optimiser
from recombine.systems.seq2seq.options import Options


class ModelOptimiser(Optimiser):
    """Adam over all of a model's parameters; `compute` is the copy that takes the steps."""

    def __init__(self, master: nn.Module, options: Options, dtype: torch.dtype) -> None:
        self.compute: Any = master if dtype == torch.float32 else copy.deepcopy(master).to(dtype)
        super().__init__(
            [name for name, _ in master.named_parameters()],
            list(master.parameters()),
            list(self.compute.parameters()),
            AdamSettings(
                rate=partial(learning_rate, options),
                beta1=options.adam_beta1,
                beta2=options.adam_beta2,
                epsilon=options.adam_epsilon,
                weight_decay=options.weight_decay,
                clip_norm=options.clip_norm,
            ),
        )


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
