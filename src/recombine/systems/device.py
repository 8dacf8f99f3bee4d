"""Where and in which numbers a model computes; learning in narrow numbers with wide ones behind.

A step of Adam is often smaller than the spacing of bfloat16 (2**-8 of a weight): added to such a
weight it is lost. So the optimiser steps on float32 *master* weights, the layers compute with a
narrow *copy*, gradients go from copy to master and the copy follows. Where a weight is float32
already, master and copy are one.
"""

# torch types its in-place list operations too narrowly.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import os
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from recombine.errors import ConfigError


def choose_device(name: str) -> torch.device:
    """Return the device an option names; "auto" takes the GPU if there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
        if name == "cuda" and "LOCAL_RANK" in os.environ:
            name = f"cuda:{os.environ['LOCAL_RANK']}"
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise ConfigError(f"unknown device '{name}'", hint="auto, cpu, cuda or cuda:N") from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ConfigError(f"device '{name}' asked for, but torch sees no GPU")
    return device


def choose_dtype(name: str, device: torch.device) -> torch.dtype:
    """Return the number format of the layers; "auto" is bfloat16 on a GPU that has it."""
    if name != "auto":
        dtype: torch.dtype = getattr(torch, name)
        return dtype
    # GPUs before Ampere only emulate bfloat16.
    if device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False):
        return torch.bfloat16
    return torch.float32


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
