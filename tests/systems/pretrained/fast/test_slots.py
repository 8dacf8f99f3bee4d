"""Every row of the fixed memory has its own next slot."""

from __future__ import annotations

import pytest

from recombine.systems.pretrained.fast.generation import Slots

torch = pytest.importorskip("torch")


def test_prompts_fill_the_first_slots():
    """While filling, attention sees the prompt itself and memory keeps it."""
    slots = Slots(2, 6)
    key, value = torch.randn(2, 2, 3, 4, 5).unbind(0)
    seen = slots.update(key, value, 0)
    assert seen[0] is key
    assert seen[1] is value
    slots.filling = False
    slots.position.fill_(5)
    keys, values = slots.update(torch.ones(2, 3, 1, 5), torch.ones(2, 3, 1, 5), 0)
    assert torch.equal(keys[:, :, :4], key)
    assert torch.equal(values[:, :, :4], value)


def test_a_new_token_goes_to_its_rows_own_slot():
    """Rows of unequal length write to unequal places and nowhere else."""
    slots = Slots(2, 4)
    slots.update(torch.zeros(2, 1, 2, 3), torch.zeros(2, 1, 2, 3), 0)
    slots.filling = False
    slots.position.copy_(torch.tensor([1, 3]))
    keys, values = slots.update(torch.full((2, 1, 1, 3), 7.0), torch.full((2, 1, 1, 3), 8.0), 0)
    assert keys[:, 0, :, 0].tolist() == [[0, 7, 0, 0], [0, 0, 0, 7]]
    assert values[:, 0, :, 2].tolist() == [[0, 8, 0, 0], [0, 0, 0, 8]]


def test_memory_never_moves():
    """A captured graph reads fixed addresses, and layers do not share them."""
    slots = Slots(1, 4)
    token = torch.ones(1, 1, 1, 2)
    slots.filling = False
    first = slots.update(token, token, 0)[0].data_ptr()
    other = slots.update(token, token, 1)[0].data_ptr()
    slots.position.add_(1)
    assert slots.update(token, token, 0)[0].data_ptr() == first
    assert other != first
