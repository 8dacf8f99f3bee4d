"""Is the system deterministic? The same sentences again, alone and in a shuffled batch.

A real engine changed up to 6% of its outputs with the other sentences of the batch, which moved a
consistency score by several points. A consistency metric must not blame composition for that, so
the flip rate is stored beside the translations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from recombine.systems.base import Failure, System, one_line

_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class Flip:
    """A sentence whose translation changed."""

    source: str
    first: str
    again: str


@dataclass(frozen=True, kw_only=True)
class Flips:
    """How many of the sentences compared were translated differently, and a few of them."""

    sentences: int
    flipped: int
    failed: int
    rate: float
    shown: tuple[Flip, ...]


@dataclass(frozen=True, kw_only=True)
class Repeatability:
    """Flips with each sentence in a call of its own, and with all in one shuffled call."""

    alone: Flips
    shuffled: Flips


def flip_rate(
    system: System, sources: Sequence[str], hypotheses: Sequence[str], *, seed: int = 0
) -> Repeatability:
    """Translate the sources again and compare with the hypotheses of the run."""
    if len(sources) != len(hypotheses):
        raise ValueError(f"{len(sources)} sources but {len(hypotheses)} hypotheses")
    alone = chain.from_iterable(system.translate([source]) for source in sources)
    compared_alone = _compare(sources, hypotheses, alone)
    order = np.random.Generator(np.random.PCG64(seed)).permutation(len(sources)).tolist()
    shuffled = system.translate([sources[place] for place in order]) if sources else iter(())
    return Repeatability(
        alone=compared_alone,
        shuffled=_compare(
            [sources[place] for place in order], [hypotheses[place] for place in order], shuffled
        ),
    )


def _compare(
    sources: Sequence[str], hypotheses: Iterable[str], again: Iterator[str | Failure]
) -> Flips:
    flips: list[Flip] = []
    compared = failed = 0
    for source, first, second in zip(sources, hypotheses, again, strict=True):
        if isinstance(second, Failure):
            failed += 1
            continue
        compared += 1
        if one_line(second) != first:
            flips.append(Flip(source=source, first=first, again=one_line(second)))
    return Flips(
        sentences=compared,
        flipped=len(flips),
        failed=failed,
        rate=len(flips) / compared if compared else 0.0,
        shown=tuple(flips[:_SHOWN]),
    )
