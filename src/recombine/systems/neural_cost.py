"""What a neural model costs: its operations, over the speed this machine multiplies matrices at.

A parameter takes part in one multiplication and one addition per token going forward and in twice
as many going backward (Kaplan et al. 2020, section 2.1): 2 operations to decode, 6 to learn.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recombine.cost import Cost
from recombine.registry import require

FORWARD = 2
LEARN = 6
# Adapters leave the weights alone, so that a third of the operations of learning falls away.
LEARN_ADAPTER = 4
# Shares of the speed of one large multiplication that our training and our decoding reach: 0.19 and
# 0.17, measured with preset small on one CPU core. Another model or device may differ threefold.
LEARNING_SHARE = 0.2
DECODING_SHARE = 0.15
# To load PyTorch, the text and the weights.
START_SECONDS = 10.0
# What a step takes that has next to nothing to multiply.
STEP_SECONDS = 0.01
# A model that is not here yet is taken for one of a billion weights.
_UNKNOWN_PARAMETERS = 1e9
_SIZE = 1024
_TRIALS = 3


def learning_cost(operations: float, device: str, *, steps: int = 0) -> Cost:
    """Return the cost of learning; a small model waits for each of its steps."""
    return _cost(operations, LEARNING_SHARE, device, steps * STEP_SECONDS)


def decoding_cost(operations: float, device: str) -> Cost:
    """Return the cost of translating: token after token, which keeps a device less busy."""
    return _cost(operations, DECODING_SHARE, device)


def stored_parameters(model: str) -> float:
    """Return the number of weights in a local folder or file, from its size on disk."""
    path = Path(model)
    files = [path] if path.is_file() else sorted(path.glob("*.safetensors"))
    size = sum(one.stat().st_size for one in files)
    # Two bytes a weight, as language models are published.
    return size / 2 if size else _UNKNOWN_PARAMETERS


def mean_tokens(texts: Sequence[str]) -> float:
    """Return about how many tokens of a large vocabulary a text has: four letters each."""
    return sum(max(1.0, len(text) / 4) for text in texts) / max(1, len(texts))


def _cost(operations: float, share: float, device: str, least: float = 0.0) -> Cost:
    name, speed = _speed(device)
    return Cost(
        START_SECONDS + max(least, operations / (share * speed)),
        f"reckoned: {operations:.1e} operations at {share:.0%} of the {speed:.1e} a second "
        f"measured now on {name}, and {START_SECONDS:g} s to start",
    )


def _speed(device: str) -> tuple[str, float]:
    """Multiply two matrices; return the device's name and operations a second."""
    torch: Any = require("torch", extra="train", feature="training and decoding")
    cuda = device.startswith("cuda") or (device == "auto" and torch.cuda.is_available())
    place = torch.device("cuda" if cuda else "cpu")
    size = 8 * _SIZE if cuda else _SIZE
    kind = torch.bfloat16 if cuda else torch.float32
    matrix = torch.ones((size, size), device=place, dtype=kind)
    best = float("inf")
    for _ in range(_TRIALS):
        started = time.perf_counter()
        # Reading one number waits for the device.
        float((matrix @ matrix)[0, 0])
        best = min(best, time.perf_counter() - started)
    return (torch.cuda.get_device_name() if cuda else "this CPU"), FORWARD * size**3 / best
