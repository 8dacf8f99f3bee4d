"""Side stream: what runs beside is there after `join`; layers stepped early take the same steps."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
import torch
from torch import nn

from recombine.systems.seq2seq.fast.side_stream import Aside, LayerSteps
from recombine.systems.seq2seq.optimiser import ModelOptimiser
from recombine.systems.seq2seq.options import TransformerOptions


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


class Beside:
    """Stands in for Aside: no stream, but it counts."""

    def __init__(self) -> None:
        self.used = 0

    def beside(self) -> AbstractContextManager[None]:
        """Count."""
        self.used += 1
        return nullcontext()


@pytest.mark.parametrize("clip", [0.0, 0.5])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_layers_stepped_in_the_backward_pass_take_the_same_steps(
    dtype: torch.dtype, clip: float
) -> None:
    """A layer is stepped when all its gradients are there, the rest at the end; once each."""
    results = []
    for early in (False, True):
        torch.manual_seed(1)
        model = nn.Module()
        model.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        model.outer = nn.Module()
        model.outer.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))
        model.last = nn.Linear(4, 2)
        one = ModelOptimiser(model, TransformerOptions(clip_norm=clip), dtype)
        aside = Beside()
        steps: Any = LayerSteps(one, aside) if early else one  # type: ignore[arg-type]
        for number in range(3):
            one.set_rate(number)
            steps.clear()
            x = torch.linspace(-1, 1, 4, dtype=dtype) * (number + 1)
            for layer in (*one.compute.outer.layers, *one.compute.layers, one.compute.last):
                x = layer(x)
            loss = x.square().sum()
            if early:
                steps.backward(loss)
            else:
                loss.backward()
            steps.step()
        # Three steps of five layers and the rest.
        assert aside.used == (3 * 6 if early and not clip else 0)
        results.append({name: tensor.clone() for name, tensor in one.tensors().items()})
    assert all(torch.equal(tensor, results[1][name]) for name, tensor in results[0].items())
