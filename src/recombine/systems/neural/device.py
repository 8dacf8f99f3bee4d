"""Where and in which numbers a model computes."""

from __future__ import annotations

import os

import torch

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
