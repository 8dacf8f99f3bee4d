"""Checkpoint: one complete set of files at every instant, and no other model's."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from recombine.errors import DataError, StaleOutput
from recombine.systems.base import TrainingData
from recombine.systems.seq2seq import checkpoint
from recombine.systems.seq2seq.checkpoint import (
    TrainingCheckpoint,
    checkpoints,
    claim,
    fitting,
    read_state,
    read_tensors,
    weights_file,
    write_state,
    write_tensors,
)
from recombine.systems.seq2seq.options import LstmOptions, TransformerOptions
from recombine.systems.seq2seq.system import TransformerSystem

TENSORS = {"model.weight": torch.arange(6.0).view(2, 3)}


def names(folder: Path) -> list[str]:
    """Return the names of the files of tensors."""
    return sorted(path.name for path in folder.glob("*.safetensors*"))


def test_a_new_state_replaces_the_old_one(tmp_path: Path) -> None:
    """Old states and half-written files go; the best weights and kept steps stay."""
    for name in ("best-10", "best-5", "step-5"):
        write_tensors(tmp_path / f"{name}.safetensors", TENSORS)
    (tmp_path / "state-15.safetensors.partial").write_bytes(b"half")
    (tmp_path / ".tmpqNaJyW").write_bytes(b"what a killed safetensors leaves")
    for step in (10, 20):
        write_state(
            tmp_path, TrainingCheckpoint(step=step, seed=3, best_step=10, best_score=0.5), TENSORS
        )
    assert names(tmp_path) == [
        "best-10.safetensors", "state-20.safetensors", "step-5.safetensors"
    ]  # fmt: skip
    assert not (tmp_path / ".tmpqNaJyW").exists()
    state = read_state(tmp_path)
    assert state == TrainingCheckpoint(step=20, seed=3, best_step=10, best_score=0.5)
    assert torch.equal(read_tensors(tmp_path / state.file)["model.weight"], TENSORS["model.weight"])


def test_a_kill_before_the_rename_leaves_the_old_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until state.json is renamed, the old set is complete."""
    write_state(tmp_path, TrainingCheckpoint(step=10), TENSORS)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(checkpoint, "write_json", killed)
    with pytest.raises(KeyboardInterrupt):
        write_state(tmp_path, TrainingCheckpoint(step=20), TENSORS)
    state = read_state(tmp_path)
    assert state is not None
    assert state.step == 10
    assert read_tensors(tmp_path / state.file).keys() == TENSORS.keys()


def test_a_file_that_is_not_whole_is_named(tmp_path: Path) -> None:
    """A cut file is a DataError with its name, not a model."""
    path = tmp_path / "state-1.safetensors"
    write_tensors(path, TENSORS)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(DataError, match=r"state-1\.safetensors is not a readable checkpoint"):
        read_tensors(path)
    with pytest.raises(DataError, match="no such checkpoint"):
        read_tensors(tmp_path / "state-2.safetensors")


def test_the_best_weights_are_decoded(tmp_path: Path) -> None:
    """The named step's if one is named, else the best, else the last."""
    with pytest.raises(DataError, match="holds no trained model"):
        weights_file(tmp_path, None)
    write_state(tmp_path, TrainingCheckpoint(step=20), TENSORS)
    assert weights_file(tmp_path, None).name == "state-20.safetensors"
    for name in ("best-10", "step-10", "step-5"):
        write_tensors(tmp_path / f"{name}.safetensors", TENSORS)
    write_state(tmp_path, TrainingCheckpoint(step=20, best_step=10), TENSORS)
    assert weights_file(tmp_path, None).name == "best-10.safetensors"
    assert checkpoints(tmp_path) == ["step-5", "step-10"]
    assert weights_file(tmp_path, "step-5").name == "step-5.safetensors"
    with pytest.raises(DataError) as caught:
        weights_file(tmp_path, "step-7")
    assert "known: step-5, step-10" in caught.value.render()


def test_a_folder_belongs_to_one_model(tmp_path: Path) -> None:
    """Another system is refused; options that do not change the weights are not."""
    claim(tmp_path, "transformer", TransformerOptions(steps=5), "d")
    claim(tmp_path, "transformer", TransformerOptions(steps=9, beam=4, log_every=2), "d")
    with pytest.raises(StaleOutput, match="another 'system': transformer then, lstm now"):
        claim(tmp_path, "lstm", LstmOptions(), "d")
    with pytest.raises(StaleOutput, match=r"another 'dropout': 0\.1 then, 0\.3 now"):
        claim(tmp_path, "transformer", TransformerOptions(dropout=0.3), "d")


def test_another_configuration_is_refused(data: TrainingData, tmp_path: Path) -> None:
    """A model directory goes on only with the options it was begun with."""
    TransformerSystem(preset="tiny", steps=2, checkpoint_every=2).train(data, tmp_path, seed=1)
    with pytest.raises(StaleOutput, match="another 'feed_forward': 64 then, 80 now"):
        TransformerSystem(preset="tiny", steps=4, feed_forward=80).train(data, tmp_path, seed=1)
    smaller = TrainingData(train=data.train[:9], dev=(), source="en", target="ja")
    with pytest.raises(StaleOutput, match="another 'data'"):
        TransformerSystem(preset="tiny", steps=4).train(smaller, tmp_path, seed=1)


def test_a_state_is_named_after_its_tensors_are_there(tmp_path, monkeypatch):
    """Killed between the two files, the former state is still the one to go on from."""
    write_state(tmp_path, TrainingCheckpoint(step=1), {"w": torch.zeros(2)})

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    for name in ("write_tensors", "write_json"):
        with monkeypatch.context() as patch:
            patch.setattr(checkpoint, name, killed)
            with pytest.raises(KeyboardInterrupt):
                write_state(tmp_path, TrainingCheckpoint(step=2), {"w": torch.ones(2)})
        state = read_state(tmp_path)
        assert state is not None
        assert state.step == 1
        assert read_tensors(tmp_path / state.file)["w"].tolist() == [0.0, 0.0]


def test_weights_of_another_model_are_named_by_the_first() -> None:
    """In the order of their names, whichever of the two has them."""
    one, two = torch.zeros(1), torch.zeros(2)
    with pytest.raises(DataError, match=r"3 tensors, the first 'a' \(none there, \[1\] wanted\)"):
        fitting(Path("x"), {"b": one, "c": one}, {"a": one, "b": two})
