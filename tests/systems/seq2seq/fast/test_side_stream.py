"""Aside: what runs beside the current stream is there after `join`, and its operands until then."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
import torch

from recombine.systems.seq2seq.fast.side_stream import Aside


class Stream:
    """A stream that writes down whom it waited for."""

    def __init__(self, *_: Any) -> None:
        self.waited: list[Stream] = []

    def wait_stream(self, other: Stream) -> None:
        """Remember."""
        self.waited.append(other)


def test_both_streams_wait_for_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work aside starts after the current stream's, which goes on after it; operands are held."""
    current = Stream()
    monkeypatch.setattr(torch.cuda, "Stream", Stream)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: current)
    monkeypatch.setattr(torch.cuda, "stream", nullcontext)
    aside = Aside(torch.device("cpu"))
    x = torch.arange(3.0)
    with aside.beside(x):
        assert current.waited == []
    assert aside.stream.waited == [current]
    assert [one is x for one in aside.held] == [True]
    aside.join()
    assert current.waited == [aside.stream]
    assert aside.held == []


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_memory_in_use_aside_is_not_given_away() -> None:
    """A long sum aside sees its operand as it was, though nobody else holds on to it."""
    aside = Aside(torch.device("cuda"))
    found = []
    for number in range(50):
        x = torch.full((1 << 22,), float(number), device="cuda")
        with aside.beside(x):
            found.append(x.double().sum())
        del x
        torch.full((1 << 22,), -1.0, device="cuda")
    aside.join()
    assert [float(one) for one in found] == [number * 2.0**22 for number in range(50)]
