"""Data-parallel training through torchrun: each process takes its share of every batch.

Gradients are summed, the loss is divided by the pieces of the whole batch, so the loss curve is
that of one process (up to the order of float additions; dropout masks differ).
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor


@dataclass(frozen=True)
class World:
    """The processes that train together."""

    rank: int = 0
    size: int = 1

    @property
    def leads(self) -> bool:
        """Whether this process writes files and evaluates."""
        return self.rank == 0

    def sum_gradients(self, parameters: list[torch.nn.Parameter]) -> None:
        """Add up gradients over all processes, as one message."""
        if self.size == 1:
            return
        gradients = [
            torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
            for parameter in parameters
        ]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        dist.all_reduce(flat)
        offset = 0
        for parameter, gradient in zip(parameters, gradients, strict=True):
            size = gradient.numel()
            parameter.grad = flat[offset : offset + size].view_as(gradient)
            offset += size

    def sum(self, value: Tensor) -> Tensor:
        """Add up a value over all processes."""
        if self.size > 1:
            value = value.clone()
            dist.all_reduce(value)
        return value

    def wait(self) -> None:
        """Wait for all processes."""
        if self.size > 1:
            dist.barrier()


def join_world(device: torch.device) -> World:
    """Join the processes torchrun started; alone when it started none."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        return World()
    if not dist.is_initialized():
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    return World(dist.get_rank(), size)
