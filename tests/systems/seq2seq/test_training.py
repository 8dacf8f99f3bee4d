"""Training: it learns, goes on after a kill to the same weights, and fails in words."""

from __future__ import annotations

import json
import math
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from recombine.benchmark import Example
from recombine.errors import ConfigError, DataError, SystemFailure
from recombine.systems.base import TrainingData
from recombine.systems.neural.checkpoint import read_state, read_tensors
from recombine.systems.seq2seq import fast, training
from recombine.systems.seq2seq.fast import fast_stepper
from recombine.systems.seq2seq.system import LstmSystem, TransformerSystem
from recombine.systems.seq2seq.trainer import Stepper, Trainer
from recombine.systems.seq2seq.training import Job, train_jobs

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


@pytest.mark.usefixtures("fast_or_plain")
def test_two_layers_overfit_fifty_sentences(pairs: list[Example], tmp_path: Path) -> None:
    """A two-layer Transformer learns fifty sentences by heart."""
    data = TrainingData(train=pairs[:50], dev=pairs[:50], source="en", target="ja")
    system = TransformerSystem(preset="tiny", steps=120, batch_size=25, evaluate_every=120)
    system.train(data, tmp_path, seed=1)
    state = read_state(tmp_path)
    assert state is not None
    assert (state.finished, state.best_score) == (True, 1.0)
    translations = list(system.load(tmp_path).translate([pair.source for pair in pairs[:50]]))
    assert [pair.references[0] for pair in pairs[:50]] == translations


@pytest.mark.usefixtures("fast_or_plain")
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (TransformerSystem, {"preset": "tiny", "dropout": 0.1, "steps": 20, "checkpoint_every": 5}),
        (LstmSystem, TINY_LSTM),
        (LstmSystem, {**TINY_LSTM, "decoder_layers": 2, "input_feeding": True}),
    ],
)
def test_a_stopped_run_ends_like_an_unbroken_one(
    data: TrainingData, tmp_path: Path, kind: Any, options: dict[str, Any]
) -> None:
    """Stopping at any step and going on gives the same bits, dropout and all."""
    kind(**options, deterministic=True).train(data, tmp_path / "whole", seed=7)
    real, taken = Stepper.take, 0

    def fails(self: Stepper, step: int, chosen: Any) -> None:
        nonlocal taken
        taken += 1
        if taken == 13:
            raise KeyboardInterrupt
        real(self, step, chosen)

    Stepper.take = fails  # type: ignore[method-assign]
    try:
        with pytest.raises(KeyboardInterrupt):
            kind(**options, deterministic=True).train(data, tmp_path / "cut", seed=7)
    finally:
        Stepper.take = real  # type: ignore[method-assign]
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
from recombine.systems.seq2seq.fast import fast_stepper
from recombine.systems.seq2seq.system import TransformerSystem
import torch
torch.set_num_threads(1)
pairs = [Example.make(source=f"w{i % 7} w{i % 5} w{i % 3}", references=[f"x{i % 3} y{i % 7}"])
         for i in range(60)]
data = TrainingData(train=pairs, dev=pairs[:5], source="a", target="b")
TransformerSystem(preset="tiny", dropout=0.1, steps=60, batch_size=8, checkpoint_every=3,
                  log_every=3, evaluate_every=20, target_subwords="word").train(
    data, Path(sys.argv[1]), seed=3)
"""


def test_going_on_compares_fast_with_plain_on_the_first_weights(
    data: TrainingData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that knows its pairs has no gradient left to compare: going on must stay fast."""
    seen = []

    def watched(trainer: Trainer) -> Stepper:
        seen.append(next(trainer.model.parameters()).detach().clone())
        return fast_stepper(trainer)

    monkeypatch.setattr(fast, "fast_stepper", watched)
    for steps in (4, 8):
        system = TransformerSystem(preset="tiny", steps=steps, checkpoint_every=4)
        system.train(data, tmp_path, seed=1)
    first, again = seen
    assert torch.equal(first, again)
    rows = [json.loads(line) for line in (tmp_path / "train_log.jsonl").read_text().splitlines()]
    assert [row["event"] for row in rows if "event" in row] == ["start", "start"]


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


@pytest.mark.usefixtures("fast_or_plain")
def test_several_seeds_are_as_one_each(data: TrainingData, tmp_path: Path) -> None:
    """Seeds trained in one call, and gone on with in another, are those trained alone."""
    options: dict[str, Any] = {"preset": "tiny", "dropout": 0.1, "checkpoint_every": 3}
    folders = {seed: tmp_path / f"many-{seed}" for seed in (1, 2, 3)}
    TransformerSystem(**options, steps=3).train_many(data, {seed: folders[seed] for seed in (1, 2)})
    TransformerSystem(**options, steps=6).train_many(data, folders)
    TransformerSystem(**options, steps=6).train(data, tmp_path / "alone", seed=2)
    assert_same_weights(tmp_path / "alone", folders[2])
    states = [read_state(folder) for folder in folders.values()]
    assert [state and (state.seed, state.step, state.finished) for state in states] == [
        (seed, 6, True) for seed in folders
    ]
    embeddings = [weights(folder)["model.target_embedding"] for folder in folders.values()]
    assert not torch.equal(embeddings[0], embeddings[1])
    assert not torch.equal(embeddings[1], embeddings[2])


def test_different_models_are_as_one_each(data: TrainingData, tmp_path: Path) -> None:
    """Models of different kinds, with the same seed, end as they would alone."""
    systems = {
        "transformer": TransformerSystem(preset="tiny", steps=6),
        "lstm": LstmSystem(**TINY_LSTM),
    }
    train_jobs([Job(data, system, tmp_path / name, 1) for name, system in systems.items()])
    for name, system in systems.items():
        system.train(data, tmp_path / "alone" / name, seed=1)
        assert_same_weights(tmp_path / name, tmp_path / "alone" / name)


def test_models_that_train_together_agree_on_the_machine(
    data: TrainingData, tmp_path: Path
) -> None:
    """Determinism is set for the whole process."""
    systems = TransformerSystem(preset="tiny"), TransformerSystem(preset="tiny", deterministic=True)
    with pytest.raises(ConfigError, match="'deterministic'"):
        train_jobs([Job(data, one, tmp_path / str(n), n) for n, one in enumerate(systems)])
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("fast_or_plain")
@pytest.mark.parametrize("together", [False, True], ids=["one after another", "together"])
def test_a_seed_that_diverges_does_not_stop_the_others(
    data: TrainingData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: bool
) -> None:
    """The others are trained to the end, and the error says which one is not."""
    original = Stepper.read_loss

    def read_loss(self: Stepper) -> float:
        loss = original(self)
        return math.nan if (self.trainer.seed, self.trainer.state.step) == (2, 10) else loss

    monkeypatch.setattr(Stepper, "read_loss", read_loss)
    if together:
        monkeypatch.setattr(training, "_groups", lambda jobs, device: [jobs])
    system = TransformerSystem(preset="tiny", steps=20, log_every=5, checkpoint_every=5)
    folders = {seed: tmp_path / str(seed) for seed in (1, 2, 3)}
    expected = f"{folders[2]}: the loss is nan before step 10"
    with pytest.raises(SystemFailure, match=re.escape(expected)) as caught:
        system.train_many(data, folders)
    assert "step 5 is kept" in caught.value.render()
    assert "the other 2" in caught.value.render()
    states = [read_state(folder) for folder in folders.values()]
    assert [state and state.step for state in states] == [20, 5, 20]
    monkeypatch.undo()
    system.train_many(data, folders)
    state = read_state(folders[2])
    assert state is not None
    assert state.finished


def test_an_empty_training_set_is_named(tmp_path: Path) -> None:
    """Nothing to learn from is the user's error."""
    examples = [Example.make(source="a b")]
    with pytest.raises(DataError, match="training set is empty"):
        TransformerSystem(preset="tiny").train(
            TrainingData(train=examples, dev=[], source="en", target="ja"), tmp_path, seed=1
        )


@pytest.mark.usefixtures("fast_or_plain")
def test_long_pairs_are_left_out_and_counted(data: TrainingData, tmp_path: Path) -> None:
    """A pair longer than max_length is dropped from training, with a count in the log."""
    long = Example.make(source="the cat " * 60, references=["猫" * 60])
    more = TrainingData(train=[*data.train, long], dev=(), source="en", target="ja")
    system = TransformerSystem(preset="tiny", steps=2, max_length=50, positions="learned")
    system.train(more, tmp_path, seed=1)
    first = json.loads((tmp_path / "train_log.jsonl").read_text().splitlines()[0])
    assert (first["pairs"], first["dropped_as_too_long"]) == (50, 1)
    with pytest.raises(DataError, match="longer than max_length"):
        TransformerSystem(preset="tiny", steps=2, max_length=3).train(
            more, tmp_path / "short", seed=1
        )


@pytest.mark.usefixtures("fast_or_plain")
def test_a_time_limit_saves_and_says_how_to_go_on(data: TrainingData, tmp_path: Path) -> None:
    """max_minutes stops at a log line with a saved state."""
    with pytest.raises(SystemFailure, match="stopped at step 10 of 60") as caught:
        TransformerSystem(preset="tiny", max_minutes=1e-6).train(data, tmp_path, seed=1)
    assert "run again to continue" in caught.value.render()
    state = read_state(tmp_path)
    assert state is not None
    assert state.step == 10
