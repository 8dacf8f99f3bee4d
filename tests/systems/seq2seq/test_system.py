"""System: what is trained is what is loaded, and what is missing is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from recombine.benchmark import Example
from recombine.errors import DataError
from recombine.files import read_json, write_json
from recombine.systems.base import TrainingData
from recombine.systems.neural.checkpoint import read_tensors, write_tensors
from recombine.systems.seq2seq.system import LstmSystem, TransformerSystem

SMALL: dict[str, Any] = {
    "preset": "tiny", "steps": 4, "evaluate_every": 2, "checkpoint_every": 4, "log_every": 4,
    "keep_checkpoints": True, "positions": "sinusoidal", "max_length": 30, "max_output_extra": 2,
}  # fmt: skip


@pytest.fixture
def model_dir(data: TrainingData, tmp_path: Path) -> Path:
    """A tiny model after four steps, with the weights of steps 2 and 4 kept."""
    TransformerSystem(**SMALL).train(data, tmp_path / "model", seed=1)
    return tmp_path / "model"


@pytest.mark.parametrize("kind", [TransformerSystem, LstmSystem])
def test_an_untrained_system_says_so(kind: Any, tmp_path: Path) -> None:
    """Neither a fresh system nor an empty folder translates."""
    with pytest.raises(DataError, match="not trained yet"):
        kind().translate(["a"])
    with pytest.raises(DataError, match="holds no trained model"):
        kind().load(tmp_path)


def test_the_stored_shape_wins_and_decoding_is_the_caller_s(
    model_dir: Path, pairs: list[Example]
) -> None:
    """A system with other model options loads the trained model and keeps its own beam."""
    system = TransformerSystem(beam=3, max_output_extra=2).load(model_dir)
    assert (system.positions, system.max_length, system.beam) == ("sinusoidal", 30, 3)
    assert system.describe()["beam"] == 3
    translations = list(system.translate([pair.source for pair in pairs[:3]]))
    assert len(translations) == 3
    system.close()
    with pytest.raises(DataError, match="not trained yet"):
        system.translate(["a"])


def test_kept_checkpoints_load_by_name(model_dir: Path) -> None:
    """Each name gives the weights of its step."""
    system = TransformerSystem()
    assert system.checkpoints(model_dir) == ["step-2", "step-4"]
    for name in ("step-2", "step-4"):
        loaded = system.load(model_dir, checkpoint=name)
        stored = read_tensors(model_dir / f"{name}.safetensors")
        found = loaded._decoder.model.state_dict()
        assert all(torch.equal(found[key], tensor) for key, tensor in stored.items())
    with pytest.raises(DataError, match="no checkpoint 'step-3'"):
        system.load(model_dir, checkpoint="step-3")


def test_weights_that_do_not_fit_are_refused(model_dir: Path) -> None:
    """Options changed by hand are found when loading."""
    stored = read_json(model_dir / "options.json")
    stored["options"]["feed_forward"] = 80
    write_json(model_dir / "options.json", stored)
    with pytest.raises(DataError, match="does not fit the options beside it"):
        TransformerSystem().load(model_dir)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda good: {"other.weight": torch.zeros(3, 4)}, "does not fit the options beside it"),
        (lambda good: {name: one.new_zeros(2, 2) for name, one in good.items()}, "does not fit"),
        (lambda good: {name: tensor * float("nan") for name, tensor in good.items()}, "not finite"),
        (lambda good: {name: tensor.to(torch.int8) for name, tensor in good.items()}, "not finite"),
    ],
    ids=["other tensors", "other shapes", "not a number", "integers"],
)
def test_weights_of_another_model_are_refused(
    spoil: Any, words: str, data: TrainingData, model_dir: Path
) -> None:
    """Foreign safetensors neither translate nor go on training; the file is named, with a hint."""
    for file in model_dir.glob("*.safetensors"):
        write_tensors(file, spoil(read_tensors(file)))
    for act in (
        lambda: TransformerSystem().load(model_dir),
        lambda: TransformerSystem(**{**SMALL, "steps": 6}).train(data, model_dir, seed=1),
    ):
        with pytest.raises(DataError, match=words) as told:
            act()
        assert ".safetensors" in told.value.message
        assert "train again" in (told.value.hint or "")


def test_numbered_pairs_that_are_cut_are_named(data: TrainingData, model_dir: Path) -> None:
    """Half a file of pairs is an error with its name, not the library's own."""
    pairs = model_dir / "data" / "pairs.safetensors"
    pairs.write_bytes(pairs.read_bytes()[:100])
    with pytest.raises(DataError, match=r"pairs\.safetensors cannot be read"):
        TransformerSystem(**{**SMALL, "steps": 6}).train(data, model_dir, seed=1)


def test_what_a_killed_library_left_of_the_pairs_is_removed(
    data: TrainingData, tmp_path: Path
) -> None:
    """It writes under a name of its own first."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / ".tmpqNaJyW").write_bytes(b"half")
    TransformerSystem(**SMALL).prepare(data, tmp_path)
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == [
        "pairs.safetensors", "source.json", "target.json"
    ]  # fmt: skip
