"""A checkpoint is whole or not there, and going on from it changes nothing."""

from __future__ import annotations

import pytest

from recombine.systems.pretrained.checkpoint import Checkpoint

torch = pytest.importorskip("torch")


def training():
    """Return one parameter with its optimiser."""
    parameter = torch.nn.Parameter(torch.tensor([1.0, -2.0, 3.0]))
    return {"weight": parameter}, torch.optim.AdamW([parameter], lr=0.1)


def take_steps(parameters, optimizer, numbers):
    """Go on with gradients that depend on the step."""
    for number in numbers:
        parameters["weight"].grad = torch.tensor([1.0, 0.5, -1.0]) * (number + 1)
        optimizer.step()


def test_going_on_gives_what_one_go_gives(tmp_path):
    """Weights, moments and the step count are all restored: later steps are the same."""
    whole, optimizer = training()
    take_steps(whole, optimizer, range(6))
    early, optimizer = training()
    take_steps(early, optimizer, range(3))
    Checkpoint(tmp_path / "c").write(early, optimizer, {"step": 3})
    late, optimizer = training()
    assert Checkpoint(tmp_path / "c").read(late, optimizer) == {"step": 3}
    take_steps(late, optimizer, range(3, 6))
    assert torch.equal(late["weight"], whole["weight"])


def test_a_death_between_the_two_renames_loses_nothing(tmp_path):
    """With only the former folder left, under its other name, that one is the checkpoint."""
    parameters, optimizer = training()
    checkpoint = Checkpoint(tmp_path / "c")
    checkpoint.write(parameters, optimizer, {"step": 1})
    (tmp_path / "c").rename(tmp_path / "c.old")
    (tmp_path / "c.new").mkdir()
    assert checkpoint.exists()
    assert checkpoint.read(parameters, optimizer) == {"step": 1}


def test_a_half_written_one_does_not_count(tmp_path):
    """A death while writing leaves the former checkpoint, or none."""
    parameters, optimizer = training()
    checkpoint = Checkpoint(tmp_path / "c")
    (tmp_path / "c.new").mkdir()
    assert not checkpoint.exists()
    checkpoint.write(parameters, optimizer, {"step": 1})
    with pytest.raises(TypeError):
        checkpoint.write(parameters, optimizer, {"step": object()})
    assert checkpoint.read(parameters, optimizer) == {"step": 1}


def test_the_latest_replaces_the_former(tmp_path):
    """One folder is kept, and none after the training."""
    parameters, optimizer = training()
    checkpoint = Checkpoint(tmp_path / "c")
    for step in (1, 2):
        checkpoint.write(parameters, optimizer, {"step": step})
    assert checkpoint.read(parameters, optimizer) == {"step": 2}
    assert [path.name for path in tmp_path.iterdir()] == ["c"]
    checkpoint.remove()
    assert not checkpoint.exists()
