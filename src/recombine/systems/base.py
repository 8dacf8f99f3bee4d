"""What a translation system is: sources in, translations out, same length, same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self, runtime_checkable

from recombine.benchmark import Example


@dataclass(frozen=True)
class Failure:
    """Stands in place of one translation that could not be had; the others go on."""

    reason: str


@dataclass(frozen=True)
class TrainingData:
    """What a trainable system may see."""

    train: Sequence[Example]
    dev: Sequence[Example]
    source: str
    target: str


@runtime_checkable
class System(Protocol):
    """Options are the dataclass fields of the implementing class.

    Optional: ``describe() -> dict`` (versions, device, kept in run.json) and ``close()``; for
    --dry-run ``translation_cost(sources, sentences) -> Cost`` (some sources, the number of all),
    or a class attribute ``cheap = True`` when a few sentences may be translated to time it.
    """

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        """Yield one translation per source, in order, as they are produced."""
        ...


@runtime_checkable
class TrainableSystem(System, Protocol):
    """A system that learns from the benchmark's training split.

    Optional: ``train_many(data, model_dirs)`` for several seeds at once,
    ``checkpoints(model_dir)`` and ``load(model_dir, checkpoint=...)``; for --dry-run
    ``training_cost(examples, pairs) -> Cost`` (some examples, the number of all).
    """

    def train(self, data: TrainingData, model_dir: Path, seed: int) -> None:
        """Train into `model_dir`, going on from what an interrupted call left there."""
        ...

    def load(self, model_dir: Path) -> Self:
        """Return the trained system, ready to translate."""
        ...


def one_line(text: str) -> str:
    """Return text without line breaks: a hypothesis is one line."""
    return text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ")
