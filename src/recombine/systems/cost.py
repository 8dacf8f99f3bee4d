"""Cost: how long a piece of work may take, and where that number comes from.

A first run has no measured times. So systems and builders declare their cost, and cheap work is
tried on a few examples. An estimate always names its basis.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recombine.registry import require

# Without any knowledge: a neural system on a CPU translates a few sentences a second
# (docs/how-to/real-systems.md), and learning from a pair takes about as long.
ASSUMED_SECONDS = 0.1
# Long enough to see a rate, short enough for a dry run.
PATIENCE = 0.5


class Cost(NamedTuple):
    """An estimate in seconds and its basis, for people."""

    seconds: float
    basis: str

    def row(self) -> dict[str, Any]:
        """Return the estimate as a plan shows it."""
        digits = 1 if self.seconds < 100 else None
        return {"estimated_seconds": round(self.seconds, digits), "estimated_from": self.basis}


NOTHING = Cost(0.0, "up to date")


def assumed(count: int, what: str) -> Cost:
    """Return an assumed cost, where nothing was measured or declared."""
    return Cost(
        count * ASSUMED_SECONDS,
        f"assumed: {ASSUMED_SECONDS} s for each of {count:,} {what}; no cost is declared",
    )


def from_record(count: int, done: int, seconds: float, what: str, where: str) -> Cost:
    """Return the cost at the rate that was measured before."""
    return Cost(
        count * seconds / done, f"measured {where}: {done:,} {what} in {round(seconds, 1)} s"
    )


def time_some(steps: Iterable[int], count: int, what: str, *, patience: float = PATIENCE) -> Cost:
    """Run the first steps, which return how many items each did, and extrapolate to the rest.

    The first step includes what is paid once (loading, learning). So its rate is used only where it
    is the only step; otherwise a second step is run, however long the first took.
    """
    started = last = time.perf_counter()
    first, done, after = 0, 0, 0.0
    for size in steps:
        last = time.perf_counter()
        if not first:
            first, after = size, last
        else:
            done += size
        if done and last - started > patience:
            break
    if not first:
        return Cost(0.0, f"no {what}")
    rate = (last - after) / done if done else (last - started) / first
    seconds = (after - started) + rate * max(0, count - first)
    return Cost(seconds, f"timed now on {first + done:,} of {count:,} {what}")


# Operations for each weight and token: forward, and forward with backward.
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
# Rows of the matrices that are multiplied to time a device, and how often.
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
    size = sum(file.stat().st_size for file in files)
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
