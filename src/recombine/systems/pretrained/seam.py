"""The seam between the plain path and `fast/`, which only makes it faster.

Everything works without `fast/`: sequences are continued by the library's loop and a training step
is one ordinary forward and backward pass. Where a fast part fits a model it takes the place of the
plain one, after its answers were compared.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recombine.systems.pretrained.generation import Generation, LibraryGeneration
from recombine.systems.pretrained.weights import Weights

if TYPE_CHECKING:
    from recombine.systems.pretrained.training import TrainingStep


def choose_generation(
    weights: Weights, probes: Sequence[Sequence[int]], stops: Sequence[str], *, fast: bool
) -> Generation:
    """Return the fast generation if this model says the same with it after the probes."""
    if not fast:
        return LibraryGeneration(weights)
    try:
        from recombine.systems.pretrained.fast.greedy import fast_generation

        generation: Generation | str = fast_generation(weights, probes, stops)
    except ImportError as error:
        generation = str(error)
    if isinstance(generation, str):
        # Never silently: it may be ten times slower.
        warnings.warn(f"decoding with the library's `generate`: {generation}", stacklevel=2)
        return LibraryGeneration(weights, generation)
    return generation


def choose_step(adapted: Any, parameters: list[Any], device: str, *, capture: bool) -> TrainingStep:
    """Return the fast training step of a model with an adapter, or the plain one."""
    try:
        from recombine.systems.pretrained.fast.step import fast_step
    except ImportError as error:
        from recombine.systems.pretrained.training import TrainingStep

        return TrainingStep(adapted.get_base_model(), parameters, device, problem=str(error))
    return fast_step(adapted, parameters, device, capture=capture)
