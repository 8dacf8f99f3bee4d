"""Several processes are started with the whole job and fail with a reason."""

from __future__ import annotations

import json
import subprocess

import pytest

from recombine.config import parse_config, to_plain
from recombine.errors import SystemFailure
from recombine.systems.pretrained import Llm
from recombine.systems.pretrained import processes as launch

torch = pytest.importorskip("torch")


@pytest.mark.slow
def test_two_processes_train_like_one(tmp_path, quick, data):
    """Under torchrun the gradients of the shares add up to those of the whole batch."""
    from safetensors.torch import load_file

    options = {"max_steps": 4, "learning_rate": 1e-3}
    quick(**options).train(data, tmp_path / "one", seed=2)
    quick(processes=2, **options).train(data, tmp_path / "two", seed=2)
    one = load_file(tmp_path / "one" / "adapter" / "adapter_model.safetensors")
    two = load_file(tmp_path / "two" / "adapter" / "adapter_model.safetensors")
    assert all(torch.allclose(one[name], two[name], atol=1e-4) for name in one)


def test_the_job_names_everything_a_process_needs(tmp_path, monkeypatch):
    """Options, pairs and seed reach the processes through one file, which is gone afterwards."""
    seen = {}

    def run(line, **_):
        seen.update(json.loads((tmp_path / "job.json").read_text(encoding="utf-8")), line=line)
        return subprocess.CompletedProcess(line, 0, "", "")

    monkeypatch.setattr(launch.subprocess, "run", run)
    system = Llm(model="x", processes=3, target_modules=("q_proj",), max_steps=7)
    launch.train_in_processes(to_plain(system), [("the king", "der König")], tmp_path, 5)
    assert "--nproc-per-node=3" in seen["line"]
    assert seen["line"][-1] == str(tmp_path)
    assert (seen["pairs"], seen["seed"]) == ([["the king", "der König"]], 5)
    assert parse_config(Llm, seen["options"]) == system
    assert not (tmp_path / "job.json").exists()


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [("Traceback\nValueError: too few\nbye\n", "ValueError: too few"), ("", "exit status 9")],
)
def test_a_failed_process_is_reported_with_its_error(tmp_path, monkeypatch, stderr, reason):
    """The last error line of the processes is the reason, and the job file does not stay."""
    monkeypatch.setattr(
        launch.subprocess, "run", lambda line, **_: subprocess.CompletedProcess(line, 9, "", stderr)
    )
    with pytest.raises(SystemFailure, match=f"2 processes failed: {reason}"):
        launch.train_in_processes({"processes": 2}, [("a", "b")], tmp_path, 1)
    assert not (tmp_path / "job.json").exists()
