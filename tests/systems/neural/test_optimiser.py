"""Optimiser: narrow weights learn behind float32 masters."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from recombine.systems.neural.optimiser import (  # noqa: E402
    AdamSettings,
    Optimiser,
    follow,
    gather_gradients,
    master_of,
)


def test_only_narrow_weights_have_masters() -> None:
    """Gradients go to the master and the copy follows; a float32 weight is its own master."""
    narrow = torch.nn.Parameter(torch.tensor([1.0, 2.0], dtype=torch.bfloat16))
    unused = torch.nn.Parameter(torch.tensor([4.0], dtype=torch.bfloat16))
    wide = torch.nn.Parameter(torch.tensor([3.0]))
    copies = [narrow, unused, wide]
    masters = master_of(copies)
    assert masters[2] is wide
    assert [master.dtype for master in masters] == [torch.float32] * 3
    narrow.grad, wide.grad = torch.ones(2, dtype=torch.bfloat16), torch.tensor([5.0])
    gather_gradients(masters, copies)
    assert [master.grad.tolist() for master in masters] == [[1.0, 1.0], [0.0], [5.0]]
    with torch.no_grad():
        masters[0] += 0.5
    follow(copies, masters)
    assert narrow.tolist() == [1.5, 2.5]
    assert wide.tolist() == [3.0]


def optimiser():
    """Return Adam over one weight."""
    parameter = torch.nn.Parameter(torch.tensor([1.0, -2.0, 3.0]))
    return Optimiser(["weight"], [parameter], [parameter], AdamSettings(rate=lambda step: 0.1))


def take_steps(adam, numbers):
    """Go on with gradients that depend on the step."""
    for number in numbers:
        adam.copies[0].grad = torch.tensor([1.0, 0.5, -1.0]) * (number + 1)
        adam.set_rate(number)
        adam.step()


def test_going_on_gives_what_one_go_gives():
    """Weights, moments and the step count are all restored: later steps are the same."""
    whole, early, late = optimiser(), optimiser(), optimiser()
    take_steps(whole, range(6))
    take_steps(early, range(3))
    late.load({name: tensor.clone() for name, tensor in early.tensors().items()})
    take_steps(late, range(3, 6))
    assert torch.equal(late.parameters[0], whole.parameters[0])
