"""Distributed: several processes are one, only faster."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from recombine.systems.neural import distributed
from recombine.systems.neural.distributed import World, join_world

SCRIPT = """
import sys
from pathlib import Path
from recombine.benchmark import Example
from recombine.systems.base import TrainingData
from recombine.systems.seq2seq.system import TransformerSystem
import torch
torch.set_num_threads(1)
pairs = [Example.make(source=f"w{i % 7} w{i % 5} w{i % 3}", references=[f"x{i % 3} y{i % 7}"])
         for i in range(60)]
data = TrainingData(train=pairs, dev=pairs[:5], source="a", target="b")
TransformerSystem(preset="tiny", steps=60, batch_size=8, checkpoint_every=3, log_every=3,
            evaluate_every=20, target_subwords="word").train(data, Path(sys.argv[1]), seed=3)
"""


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> list[torch.Tensor]:
    """Stand in for a second process that sends what this one sends, and keep what was sent."""
    sent: list[torch.Tensor] = []

    def all_reduce(tensor: torch.Tensor) -> None:
        sent.append(tensor.clone())
        tensor.mul_(2)

    monkeypatch.setattr(distributed.dist, "all_reduce", all_reduce)
    return sent


def test_alone_nothing_is_sent(
    messages: list[torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without torchrun a process leads, waits for nobody and keeps its gradients."""
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    world = join_world(torch.device("cpu"))
    assert (world.rank, world.size, world.leads) == (0, 1, True)
    parameter = torch.nn.Parameter(torch.zeros(2))
    parameter.grad = torch.ones(2)
    world.sum_gradients([parameter])
    world.wait()
    assert world.sum(torch.tensor(3.0)) == 3.0
    assert parameter.grad.tolist() == [1.0, 1.0]
    assert messages == []


def test_gradients_travel_together(messages: list[torch.Tensor]) -> None:
    """One message holds all gradients, zeros for missing ones, and each gets its own back."""
    shapes = [(2, 3), (4,), (1, 5)]
    parameters = [torch.nn.Parameter(torch.zeros(shape)) for shape in shapes]
    parameters[0].grad = torch.arange(6.0).view(2, 3)
    parameters[2].grad = torch.full((1, 5), 7.0)
    World(1, 2).sum_gradients(parameters)
    assert [message.tolist() for message in messages] == [[0, 1, 2, 3, 4, 5] + [0] * 4 + [7] * 5]
    found = [parameter.grad for parameter in parameters]
    assert all(one is not None for one in found)
    assert [one.tolist() for one in found if one is not None] == [
        [[0, 2, 4], [6, 8, 10]], [0] * 4, [[14] * 5]
    ]  # fmt: skip


def test_a_sum_leaves_its_argument(messages: list[torch.Tensor]) -> None:
    """The loss of this process stays what it was; only one process leads."""
    world, loss = World(1, 2), torch.tensor(3.0)
    assert not world.leads
    assert (world.sum(loss), loss) == (6.0, 3.0)
    assert len(messages) == 1


@pytest.mark.slow
def test_two_processes_have_the_loss_curve_of_one(tmp_path: Path) -> None:
    """Torchrun with gloo and two processes: the same losses."""
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    subprocess.run([sys.executable, script, tmp_path / "one"], check=True)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    subprocess.run([*torchrun, script, tmp_path / "two"], check=True, env=environment)
    curves = [
        [row["loss"] for row in map(json.loads, (path / "train_log.jsonl").open()) if "loss" in row]
        for path in (tmp_path / "one", tmp_path / "two")
    ]
    assert len(curves[0]) == len(curves[1]) >= 20
    assert curves[1] == pytest.approx(curves[0], rel=1e-3)
