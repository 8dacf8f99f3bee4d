"""Trainer: steps add up, boundaries fall where they should, and bad steps end in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from recombine.errors import SystemFailure
from recombine.systems.base import TrainingData
from recombine.systems.neural.checkpoint import TrainingCheckpoint, read_state, read_tensors
from recombine.systems.neural.distributed import World
from recombine.systems.seq2seq.batch import pad_batch
from recombine.systems.seq2seq.corpus import prepare
from recombine.systems.seq2seq.operations import twin_divergence
from recombine.systems.seq2seq.options import TransformerOptions
from recombine.systems.seq2seq.system import LstmSystem, TransformerSystem
from recombine.systems.seq2seq.trainer import Stepper, Trainer, seed_streams
from recombine.systems.seq2seq.training import build_model
from recombine.systems.seq2seq.vocabulary import PAD


def weights(folder: Path) -> dict[str, torch.Tensor]:
    """Return everything the last checkpoint holds."""
    state = read_state(folder)
    assert state is not None
    return read_tensors(folder / state.file)


def trainer(data: TrainingData, folder: Path, **options: Any) -> Trainer:
    """Return a tiny trainer that has taken no step."""
    chosen = TransformerOptions(preset="tiny", **options)
    prepared = prepare(data.train, data.dev, chosen, folder)
    model = build_model(chosen, len(prepared.source_vocabulary), len(prepared.target_vocabulary))
    return Trainer(
        model=model, prepared=prepared, options=chosen, model_dir=folder, seed=1,
        device=torch.device("cpu"), dtype=torch.float32, world=World(),
    )  # fmt: skip


def test_boundaries_are_where_something_is_due(data: TrainingData, tmp_path: Path) -> None:
    """The next log line, evaluation, checkpoint or end, whichever comes first."""
    one = trainer(data, tmp_path, steps=20, log_every=8, evaluate_every=6, checkpoint_every=10)
    found = []
    while not one.done:
        one.state.step = one.next_boundary()
        found.append(one.state.step)
    one.close()
    assert found == [6, 8, 10, 12, 16, 18, 20]


def test_of_equal_scores_the_earlier_stays(
    data: TrainingData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best checkpoint is the first with the best dev score."""
    scores = iter([0.25, 0.5, 0.5, 0.25])
    monkeypatch.setattr(Trainer, "dev_scores", lambda self: {"exact": next(scores)})
    options = {"steps": 4, "log_every": 4, "evaluate_every": 1, "checkpoint_every": 4}
    TransformerSystem(preset="tiny", **options).train(data, tmp_path, seed=1)
    state = read_state(tmp_path)
    assert state is not None
    assert (state.best_step, state.best_score, state.finished) == (2, 0.5, True)
    assert [path.name for path in tmp_path.glob("best-*")] == ["best-2.safetensors"]


def test_the_log_goes_on_where_the_state_is(data: TrainingData, tmp_path: Path) -> None:
    """Rows after the last saved step, and half a row, are cut before going on."""
    one = trainer(data, tmp_path)
    one.state = TrainingCheckpoint(step=2, seed=1)
    for step in (1, 2, 3):
        one.note(step=step, loss=1.0)
    one.save()
    one.close()
    log = tmp_path / "train_log.jsonl"
    with log.open("a") as stream:
        stream.write('{"step": 4, "lo')
    again = trainer(data, tmp_path)
    again.note(step=3, loss=2.0)
    again.close()
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(row["step"], row["loss"]) for row in rows] == [(1, 1.0), (2, 1.0), (3, 2.0)]


def test_what_a_step_draws_depends_on_seed_step_and_rank() -> None:
    """The same three numbers, the same masks; any other, others."""
    drawn = {}
    for place in [(1, 2, 0), (2, 1, 0), (1, 3, 0), (1, 2, 1), (1, 2, 0)]:
        seed_streams(*place)
        values = tuple(torch.rand(4).tolist())
        assert drawn.setdefault(place, values) == values
    assert len(set(drawn.values())) == 4


@pytest.mark.usefixtures("fast_or_plain")
def test_micro_batches_add_up(data: TrainingData, tmp_path: Path) -> None:
    """Accumulating 4 x 4 sentences is one step on 16."""
    options: dict[str, Any] = {"preset": "tiny", "steps": 3, "checkpoint_every": 3}
    TransformerSystem(**options, batch_size=16).train(data, tmp_path / "one", seed=1)
    TransformerSystem(**options, batch_size=4, accumulate=4).train(data, tmp_path / "four", seed=1)
    one, four = weights(tmp_path / "one"), weights(tmp_path / "four")
    # Adam divides by the size of a gradient, so its first moments are what to compare.
    for name in one:
        if name.startswith("adam.exp_avg."):
            torch.testing.assert_close(one[name], four[name], rtol=1e-3, atol=1e-6)


@pytest.mark.usefixtures("fast_or_plain")
@pytest.mark.parametrize("system", [TransformerSystem, LstmSystem])
def test_without_dropout_two_passes_are_one(
    data: TrainingData, tmp_path: Path, system: type[TransformerSystem]
) -> None:
    """Both agree whatever the weight, and the loss stays a mean per piece."""
    shape: dict[str, Any] = {} if system is LstmSystem else {"heads": 2, "feed_forward": 64}
    shape |= {
        "encoder_layers": 2, "decoder_layers": 2, "width": 32, "dropout": 0.0, "steps": 3,
        "batch_size": 4, "accumulate": 2, "log_every": 1, "source_subwords": "word",
        "target_subwords": "char", "precision": "float32",
    }  # fmt: skip
    if system is TransformerSystem:
        shape |= {"attention_dropout": 0.0, "activation_dropout": 0.0}
    losses = []
    for weight in (0.0, 5.0):
        folder = tmp_path / str(weight)
        system(**shape, rdrop_weight=weight).train(data, folder, seed=1)
        rows = [json.loads(line) for line in (folder / "train_log.jsonl").open()]
        losses.append([row["loss"] for row in rows if "loss" in row])
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)


@pytest.mark.usefixtures("fast_or_plain")
def test_rdrop_brings_two_passes_together(data: TrainingData, tmp_path: Path) -> None:
    """After as many steps, two dropout masks change far less of what the model predicts."""
    apart = {}
    for weight in (0.0, 5.0):
        folder = tmp_path / str(weight)
        options: dict[str, Any] = {"dropout": 0.3, "steps": 60, "rdrop_weight": weight}
        TransformerSystem(preset="tiny", **options).train(data, folder, seed=1)
        one = trainer(data, folder, **options)
        one.load_weights()
        one.close()
        model = one.optimiser.compute
        batch = pad_batch(one.prepared.corpus, np.arange(50), torch.device("cpu"), twice=True)
        assert batch.twins is not None
        seed_streams(1, 1)
        with torch.no_grad():
            memory = model.encode(batch.source)
            logits = model.score(model.decode(batch.target, memory, batch.source)).flatten(0, 1)
        divergence = twin_divergence(logits, batch.twins)[batch.expected.flatten() != PAD]
        apart[weight] = float(divergence.mean())
    assert apart[5.0] < 0.5 * apart[0.0], apart


@pytest.mark.usefixtures("fast_or_plain")
def test_memory_running_out_halves_the_micro_batch(
    data: TrainingData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that does not fit is taken in parts; the log says so."""
    failed: list[int] = []

    def small_memory(self: Stepper, step: int, chosen: Any, pieces: int) -> Any:
        if len(chosen) // self.parts > 4:
            failed.append(self.parts)
            raise torch.OutOfMemoryError("no memory")
        return original(self, step, chosen, pieces)

    original = Stepper._gradients
    monkeypatch.setattr(Stepper, "_gradients", small_memory)
    TransformerSystem(preset="tiny", steps=2, checkpoint_every=2).train(data, tmp_path, seed=1)
    assert failed == [1, 2]
    assert "out of memory" in (tmp_path / "train_log.jsonl").read_text()


@pytest.mark.usefixtures("fast_or_plain")
def test_a_diverging_loss_stops_and_keeps_the_last_state(
    data: TrainingData, tmp_path: Path
) -> None:
    """NaN is reported with what was kept, and is never saved."""
    options: dict[str, Any] = {
        "preset": "tiny", "steps": 40, "checkpoint_every": 10, "log_every": 5
    }  # fmt: skip
    TransformerSystem(**{**options, "steps": 10}).train(data, tmp_path, seed=1)
    state = read_state(tmp_path)
    assert state is not None
    path = tmp_path / state.file
    tensors = read_tensors(path)
    from safetensors.torch import save_file

    # Finite, as a state must be; the first loss is not.
    tensors["model.output_bias"][5] = torch.finfo(torch.float32).max
    save_file(tensors, path)
    with pytest.raises(SystemFailure, match="diverged") as caught:
        TransformerSystem(**options).train(data, tmp_path, seed=1)
    assert "step 10 is kept" in caught.value.render()
    after = read_state(tmp_path)
    assert after is not None
    assert after.step == 10
