"""Checkpoint: one complete set of files at every instant, and no other model's."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.errors import DataError

torch = pytest.importorskip("torch")

from recombine.systems.neural import checkpoint  # noqa: E402
from recombine.systems.neural.checkpoint import (  # noqa: E402
    TrainingCheckpoint,
    fitting,
    read_state,
    read_tensors,
    remove_state,
    write_state,
    write_tensors,
)

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


def test_a_file_that_is_not_whole_is_named(tmp_path: Path) -> None:
    """A cut file is a DataError with its name, not a model."""
    path = tmp_path / "state-1.safetensors"
    write_tensors(path, TENSORS)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(DataError, match=r"state-1\.safetensors is not a readable checkpoint"):
        read_tensors(path)
    with pytest.raises(DataError, match="no such checkpoint"):
        read_tensors(tmp_path / "state-2.safetensors")


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


def test_a_complete_training_leaves_its_log(tmp_path: Path) -> None:
    """What a kill would need goes; the learning curve and the model stay."""
    write_state(tmp_path, TrainingCheckpoint(step=1), TENSORS)
    for name in ("train_log.jsonl", "model.safetensors"):
        (tmp_path / name).write_text("")
    remove_state(tmp_path)
    remove_state(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "model.safetensors", "train_log.jsonl"
    ]  # fmt: skip
