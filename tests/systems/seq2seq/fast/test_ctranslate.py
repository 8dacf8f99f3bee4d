"""CTranslate2: another engine, the same strings."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.benchmark import Example
from recombine.errors import ConfigError
from recombine.systems.base import TrainingData
from recombine.systems.seq2seq.system import LstmSystem, TransformerSystem


def test_both_engines_translate_alike(
    data: TrainingData, pairs: list[Example], tmp_path: Path
) -> None:
    """A trained model says the same in CTranslate2."""
    pytest.importorskip("ctranslate2")
    TransformerSystem(preset="tiny", steps=60).train(data, tmp_path, seed=1)
    sources = [pair.source for pair in pairs]
    ours, theirs = (
        list(TransformerSystem(engine=engine).load(tmp_path).translate(sources))
        for engine in ("torch", "ctranslate2")
    )
    assert ours == theirs


def test_other_models_are_refused(data: TrainingData, tmp_path: Path) -> None:
    """What CTranslate2 cannot decode is said when loading."""
    pytest.importorskip("ctranslate2")
    options = {"preset": "tiny", "steps": 1, "positions": "rope"}
    TransformerSystem(**options).train(data, tmp_path / "rope", seed=1)
    with pytest.raises(ConfigError, match="relative positions only"):
        TransformerSystem(engine="ctranslate2").load(tmp_path / "rope")
    small = {"width": 8, "encoder_layers": 1, "decoder_layers": 1, "steps": 1, "batch_size": 4}
    LstmSystem(**small).train(data, tmp_path / "lstm", seed=1)
    with pytest.raises(ConfigError, match="Transformers only"):
        LstmSystem(engine="ctranslate2").load(tmp_path / "lstm")
