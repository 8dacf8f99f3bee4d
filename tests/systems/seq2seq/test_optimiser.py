"""Optimiser: Adam with its schedules, and a compute copy that follows the master."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from recombine.systems.seq2seq.optimiser import ModelOptimiser, learning_rate
from recombine.systems.seq2seq.options import TransformerOptions


def optimiser(dtype: torch.dtype = torch.float32, **options: Any) -> ModelOptimiser:
    """Return an optimiser of a few weights."""
    torch.manual_seed(1)
    return ModelOptimiser(nn.Linear(4, 3), TransformerOptions(**options), dtype)


def step(one: ModelOptimiser, number: int) -> None:
    """Take one step on a loss that depends on the step."""
    one.clear()
    x = torch.linspace(-1, 1, 4, dtype=one.copies[0].dtype) * (number + 1)
    one.compute(x).square().sum().backward()
    one.set_rate(number)
    one.step()


def test_a_step_is_adam_s() -> None:
    """Algorithm 1 of Kingma and Ba 2015 written out, with decoupled weight decay."""
    one = optimiser(learning_rate=0.1, weight_decay=0.01, adam_beta2=0.9)
    weight = one.parameters[0]
    expected = weight.detach().clone()
    first, second = torch.zeros_like(expected), torch.zeros_like(expected)
    for number in range(3):
        step(one, number)
        assert weight.grad is not None
        gradient = weight.grad
        first = 0.9 * first + 0.1 * gradient
        second = 0.9 * second + 0.1 * gradient**2
        expected = expected * (1 - 0.1 * 0.01)
        size = (second / (1 - 0.9 ** (number + 1))).sqrt() + 1e-8
        expected = expected - 0.1 * first / (1 - 0.9 ** (number + 1)) / size
        torch.testing.assert_close(weight.detach(), expected)


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        # Steps 1, 4 (the end of the warm-up), 16 and 20 (the last).
        ("constant", (0.5, 2.0, 2.0, 2.0)),
        ("inverse_sqrt", (0.5, 2.0, 1.0, 2.0 * (4 / 20) ** 0.5)),
        ("linear", (0.5, 2.0, 2.0 * 5 / 16, 2.0 / 16)),
        ("noam", (2 / 8 / 8, 2 / 8 / 2, 2 / 8 / 4, 2 / 8 / 20**0.5)),
    ],
)
def test_rates_rise_and_fall(schedule: Any, expected: tuple[float, ...]) -> None:
    """Each schedule warms up for 4 steps and then goes its way."""
    options = TransformerOptions(
        schedule=schedule, warmup=4, learning_rate=2.0, steps=20, width=64, heads=2
    )
    found = [learning_rate(options, number - 1) for number in (1, 4, 16, 20)]
    assert found == pytest.approx(expected)


def test_the_rate_is_halved_as_opennmt_does() -> None:
    """The released configuration of SGET: once at 50,000, and again every 10,000 steps."""
    options = TransformerOptions(preset="released-transformer")
    steps = (1, 49_999, 50_000, 59_999, 60_000, 70_000)
    found = [learning_rate(options, number - 1) for number in steps]
    assert found == pytest.approx([1e-4, 1e-4, 0.5e-4, 0.5e-4, 0.25e-4, 0.125e-4])


def test_the_master_keeps_what_bfloat16_cannot() -> None:
    """Steps too small for bfloat16 add up in float32, and the copy is the master rounded."""
    one = optimiser(torch.bfloat16, learning_rate=1e-4)
    before = [parameter.detach().clone() for parameter in one.parameters]
    for number in range(5):
        step(one, number)
    assert one.copies[0].dtype == torch.bfloat16
    for parameter, copied, old in zip(one.parameters, one.copies, before, strict=True):
        assert torch.equal(copied, parameter.to(torch.bfloat16))
        assert float((parameter.detach() - old).abs().max()) == pytest.approx(5e-4, rel=0.1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_loaded_state_takes_the_same_steps(dtype: torch.dtype) -> None:
    """Weights, moments and step count are all there is to know."""
    one, other = (optimiser(dtype, learning_rate=0.01) for _ in range(2))
    for number in range(3):
        step(one, number)
    other.load({name: tensor.clone() for name, tensor in one.tensors().items()})
    for each in (one, other):
        step(each, 3)
    assert all(torch.equal(one.tensors()[name], found) for name, found in other.tensors().items())


def test_long_gradients_are_clipped() -> None:
    """With clip_norm the gradients of all weights together are no longer than that."""
    one = optimiser(clip_norm=0.5)
    step(one, 100)
    gradients = torch.cat([each.grad.flatten() for each in one.parameters if each.grad is not None])
    assert float(gradients.norm()) == pytest.approx(0.5, rel=1e-3)
