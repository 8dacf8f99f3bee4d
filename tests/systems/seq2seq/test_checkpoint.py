"""Checkpoint: the weights that are decoded, and a folder that belongs to one model."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from recombine.errors import DataError, StaleOutput
from recombine.systems.base import TrainingData
from recombine.systems.neural.checkpoint import TrainingCheckpoint, write_state, write_tensors
from recombine.systems.seq2seq.checkpoint import checkpoints, claim, weights_file
from recombine.systems.seq2seq.options import LstmOptions, TransformerOptions
from recombine.systems.seq2seq.system import TransformerSystem

TENSORS = {"model.weight": torch.arange(6.0).view(2, 3)}


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
