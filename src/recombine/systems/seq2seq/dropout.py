"""Dropout masks for rows of float numbers."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

BITS = 16


def keep_mask(like: Tensor, rate: float) -> Tensor:
    """Return 1 / (1 - rate) where dropout keeps an element and 0 elsewhere.

    On a CPU torch draws one element after another, which takes as long as a matrix product. There
    the mask compares 16-bit pieces of a SFC64 stream, seeded by torch, with a threshold.
    """
    if like.device.type != "cpu":
        return torch.empty_like(like).bernoulli_(1 - rate).div_(1 - rate)
    seed = int(torch.randint(2**62, ()))
    words = np.random.SFC64(seed).random_raw(-(-like.numel() * BITS // 64))
    drawn = torch.from_numpy(words.view(np.int16))[: like.numel()].view(like.shape)
    threshold = round(rate * 2**BITS) - 2 ** (BITS - 1)
    mask = torch.ge(drawn, threshold, out=torch.empty_like(like))
    return mask.mul_(1 / (1 - rate))
