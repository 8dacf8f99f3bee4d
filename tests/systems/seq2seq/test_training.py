"""Training: it learns, goes on after a kill to the same weights, and fails in words."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from recombine.benchmark import Example
from recombine.errors import DataError, StaleOutput, SystemFailure
from recombine.systems.base import TrainingData
from recombine.systems.seq2seq.checkpoint import read_state, read_tensors
from recombine.systems.seq2seq.replica import EagerStepper, Replica
from recombine.systems.seq2seq.system import Lstm, Transformer

TINY_LSTM: dict[str, Any] = {
    "encoder_layers": 1, "decoder_layers": 1, "width": 32, "source_subwords": "word",
    "target_subwords": "char", "batch_size": 16, "learning_rate": 1e-2, "dropout": 0.1,
    "steps": 20, "evaluate_every": 10, "checkpoint_every": 5, "log_every": 5,
}  # fmt: skip


def weights(folder: Path) -> dict[str, torch.Tensor]:
    """Return everything the last checkpoint holds."""
    state = read_state(folder)
    assert state is not None
    return read_tensors(folder / state.file)


def assert_same_weights(first: Path, second: Path) -> None:
    """Fail unless two runs ended bit for bit alike."""
    one, two = weights(first), weights(second)
    assert one.keys() == two.keys()
    for name in one:
        assert torch.equal(one[name], two[name]), name


def test_two_layers_overfit_fifty_sentences(pairs: list[Example], tmp_path: Path) -> None:
    """A two-layer Transformer learns fifty sentences by heart."""
    data = TrainingData(train=pairs[:50], dev=pairs[:50], source="en", target="ja")
    system = Transformer(preset="tiny", steps=120, batch_size=25, evaluate_every=120)
    system.train(data, tmp_path, seed=1)
    state = read_state(tmp_path)
    assert state is not None
    assert (state.finished, state.best_score) == (True, 1.0)
    translations = list(system.load(tmp_path).translate([pair.source for pair in pairs[:50]]))
    assert [pair.references[0] for pair in pairs[:50]] == translations


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (Transformer, {"preset": "tiny", "dropout": 0.1, "steps": 20, "checkpoint_every": 5}),
        (Lstm, TINY_LSTM),
    ],
)
def test_a_stopped_run_ends_like_an_unbroken_one(
    data: TrainingData, tmp_path: Path, kind: Any, options: dict[str, Any]
) -> None:
    """Stopping at any step and going on gives the same bits, dropout and all."""
    kind(**options, deterministic=True).train(data, tmp_path / "whole", seed=7)
    real, taken = EagerStepper.take, 0

    def fails(self: EagerStepper, step: int, chosen: Any) -> None:
        nonlocal taken
        taken += 1
        if taken == 13:
            raise KeyboardInterrupt
        real(self, step, chosen)

    EagerStepper.take = fails  # type: ignore[method-assign]
    try:
        with pytest.raises(KeyboardInterrupt):
            kind(**options, deterministic=True).train(data, tmp_path / "cut", seed=7)
    finally:
        EagerStepper.take = real  # type: ignore[method-assign]
        torch.use_deterministic_algorithms(False)
    state = read_state(tmp_path / "cut")
    assert state is not None
    assert state.step == 10
    kind(**options).train(data, tmp_path / "cut", seed=7)
    assert_same_weights(tmp_path / "whole", tmp_path / "cut")
    logs = [
        [
            (row["step"], row["loss"])
            for row in map(json.loads, (tmp_path / name / "train_log.jsonl").open())
            if "loss" in row
        ]
        for name in ("whole", "cut")
    ]
    assert logs[0] == logs[1]


SCRIPT = """
import sys
from pathlib import Path
from recombine.benchmark import Example
from recombine.systems.base import TrainingData
from recombine.systems.seq2seq.system import Transformer
import torch
torch.set_num_threads(1)
pairs = [Example.make(source=f"w{i % 7} w{i % 5} w{i % 3}", references=[f"x{i % 3} y{i % 7}"])
         for i in range(60)]
data = TrainingData(train=pairs, dev=pairs[:5], source="a", target="b")
Transformer(preset="tiny", dropout=0.1, steps=60, batch_size=8, checkpoint_every=3, log_every=3,
            evaluate_every=20, target_subwords="word").train(data, Path(sys.argv[1]), seed=3)
"""


@pytest.mark.slow
def test_kill_9_loses_nothing(tmp_path: Path) -> None:
    """Killed again and again at arbitrary moments, a run ends as if nothing had happened."""
    command = [sys.executable, "-c", SCRIPT]
    subprocess.run([*command, str(tmp_path / "whole")], check=True)
    for patience in (0.05, 0.15, 0.3, 0.45):
        process = subprocess.Popen([*command, str(tmp_path / "cut")])
        while process.poll() is None and not (tmp_path / "cut" / "train_log.jsonl").exists():
            time.sleep(0.01)
        time.sleep(patience)
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run([*command, str(tmp_path / "cut")], check=True)
    assert_same_weights(tmp_path / "whole", tmp_path / "cut")
    assert not list((tmp_path / "cut").glob("*.partial"))


def test_several_seeds_are_as_one_each(data: TrainingData, tmp_path: Path) -> None:
    """Seeds trained in one call are those trained alone."""
    options: dict[str, Any] = {"preset": "tiny", "steps": 6, "checkpoint_every": 6}
    folders = {seed: tmp_path / f"many-{seed}" for seed in (1, 2)}
    Transformer(**options).train_many(data, folders)
    Transformer(**options).train(data, tmp_path / "alone", seed=2)
    assert_same_weights(tmp_path / "alone", folders[2])
    assert not torch.equal(
        weights(folders[1])["model.target_embedding"], weights(folders[2])["model.target_embedding"]
    )


def test_micro_batches_add_up(data: TrainingData, tmp_path: Path) -> None:
    """Accumulating 4 x 4 sentences is one step on 16."""
    options: dict[str, Any] = {"preset": "tiny", "steps": 3, "checkpoint_every": 3}
    Transformer(**options, batch_size=16).train(data, tmp_path / "one", seed=1)
    Transformer(**options, batch_size=4, accumulate=4).train(data, tmp_path / "four", seed=1)
    one, four = weights(tmp_path / "one"), weights(tmp_path / "four")
    # Adam divides by the size of a gradient, so its first moments are what to compare.
    for name in one:
        if name.startswith("adam.exp_avg."):
            torch.testing.assert_close(one[name], four[name], rtol=1e-3, atol=1e-6)


def test_memory_running_out_halves_the_micro_batch(
    data: TrainingData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that does not fit is taken in parts; the log says so."""
    real = Replica.take_step
    failed: list[int] = []

    def small_memory(self: EagerStepper, step: int, chosen: Any, pieces: int) -> Any:
        if len(chosen) // self.parts > 4:
            failed.append(self.parts)
            raise torch.OutOfMemoryError("no memory")
        return original(self, step, chosen, pieces)

    original = EagerStepper._gradients
    monkeypatch.setattr(EagerStepper, "_gradients", small_memory)
    Transformer(preset="tiny", steps=2, checkpoint_every=2).train(data, tmp_path, seed=1)
    assert failed == [1, 2]
    assert "out of memory" in (tmp_path / "train_log.jsonl").read_text()
    assert Replica.take_step is real


def test_a_diverging_loss_stops_and_keeps_the_last_state(
    data: TrainingData, tmp_path: Path
) -> None:
    """NaN is reported with what was kept, and is never saved."""
    options: dict[str, Any] = {
        "preset": "tiny", "steps": 40, "checkpoint_every": 10, "log_every": 5
    }  # fmt: skip
    Transformer(**{**options, "steps": 10}).train(data, tmp_path, seed=1)
    state = read_state(tmp_path)
    assert state is not None
    path = tmp_path / state.file
    tensors = read_tensors(path)
    from safetensors.torch import save_file

    tensors["model.output_bias"][5] = torch.nan
    save_file(tensors, path)
    with pytest.raises(SystemFailure, match="diverged") as caught:
        Transformer(**options).train(data, tmp_path, seed=1)
    assert "step 10 is kept" in caught.value.render()
    after = read_state(tmp_path)
    assert after is not None
    assert after.step == 10


def test_an_empty_training_set_is_named(tmp_path: Path) -> None:
    """Nothing to learn from is the user's error."""
    examples = [Example.make(source="a b")]
    with pytest.raises(DataError, match="training set is empty"):
        Transformer(preset="tiny").train(
            TrainingData(train=examples, dev=[], source="en", target="ja"), tmp_path, seed=1
        )


def test_another_configuration_is_refused(data: TrainingData, tmp_path: Path) -> None:
    """A model directory goes on only with the options it was begun with."""
    Transformer(preset="tiny", steps=2, checkpoint_every=2).train(data, tmp_path, seed=1)
    with pytest.raises(StaleOutput, match="another 'feed_forward': 64 then, 80 now"):
        Transformer(preset="tiny", steps=4, feed_forward=80).train(data, tmp_path, seed=1)
    smaller = TrainingData(train=data.train[:9], dev=(), source="en", target="ja")
    with pytest.raises(StaleOutput, match="another 'data'"):
        Transformer(preset="tiny", steps=4).train(smaller, tmp_path, seed=1)


def test_long_pairs_are_left_out_and_counted(data: TrainingData, tmp_path: Path) -> None:
    """A pair longer than max_length is dropped from training, with a count in the log."""
    long = Example.make(source="the cat " * 60, references=["猫" * 60])
    more = TrainingData(train=[*data.train, long], dev=(), source="en", target="ja")
    system = Transformer(preset="tiny", steps=2, max_length=50, positions="learned")
    system.train(more, tmp_path, seed=1)
    first = json.loads((tmp_path / "train_log.jsonl").read_text().splitlines()[0])
    assert (first["pairs"], first["dropped_as_too_long"]) == (50, 1)
    with pytest.raises(DataError, match="longer than max_length"):
        Transformer(preset="tiny", steps=2, max_length=3).train(more, tmp_path / "short", seed=1)


def test_a_time_limit_saves_and_says_how_to_go_on(data: TrainingData, tmp_path: Path) -> None:
    """max_minutes stops at a log line with a saved state."""
    with pytest.raises(SystemFailure, match="stopped at step 10 of 60") as caught:
        Transformer(preset="tiny", max_minutes=1e-6).train(data, tmp_path, seed=1)
    assert "run again to continue" in caught.value.render()
    state = read_state(tmp_path)
    assert state is not None
    assert state.step == 10


@pytest.mark.slow
def test_two_processes_have_the_loss_curve_of_one(tmp_path: Path) -> None:
    """Torchrun with gloo and two processes: the same losses."""
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.replace("dropout=0.1", "dropout=0.0"))
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
