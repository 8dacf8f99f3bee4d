"""What a system is, and what is done where it says nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from recombine.registry import create
from recombine.systems.base import Hooks, System, TrainableSystem, hook, uses_seed
from recombine.systems.toy import Copy


class Bare:
    """A system with nothing but what it must have."""

    def translate(self, sources: Sequence[str]) -> Iterator[str]:
        """Yield the sources."""
        return iter(sources)


@dataclass(kw_only=True)
class Learner(Bare):
    """A system that learns nothing, and says whether that takes luck."""

    lucky: bool = True

    @property
    def uses_seed(self) -> bool:
        """As told."""
        return self.lucky

    def train(self, data, model_dir, seed):
        """Learn nothing."""


def test_a_system_needs_no_base_class():
    """Copy translates, but cannot be trained."""
    assert isinstance(Copy(), System)
    assert not isinstance(Copy(), TrainableSystem)


def test_every_hook_has_a_default():
    """A class that declares nothing can be asked for everything."""
    for name in [name for name in {**vars(Hooks), **Hooks.__annotations__} if name[0] != "_"]:
        hook(Bare(), name)
    assert hook(Bare(), "describe")() == {}
    assert hook(Bare(), "checkpoints")(Path("model")) == ()
    with pytest.raises(AttributeError):
        hook(Bare(), "no_such_hook")


def test_a_system_declares_whether_it_uses_a_seed():
    """Learning does, unless the system knows better; nothing else does."""
    assert not uses_seed(Bare())
    assert uses_seed(Learner())
    assert not uses_seed(Learner(lucky=False))
    url = {"url": "http://localhost/", "body": {"q": "{source}"}, "answer": "text"}
    assert not uses_seed(create("system", "http", url))
    assert uses_seed(create("system", "transformer", {"preset": "tiny"}))
    assert uses_seed(create("system", "llm", {"model": "m"}))
    assert not uses_seed(create("system", "llm", {"model": "m", "method": "prompt"}))
    assert uses_seed(create("system", "llm", {"model": "m", "method": "prompt", "shots": 2}))
    assert not uses_seed(create("system", "hf-seq2seq", {"model": "m"}))
    assert uses_seed(create("system", "hf-seq2seq", {"model": "m", "fine_tune": "lora"}))
