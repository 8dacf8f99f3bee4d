"""The plain path stands alone: what is in `fast/` only makes it faster."""

from __future__ import annotations

import json
import sys

import pytest

FAST = "recombine.systems.pretrained.fast"


@pytest.fixture
def no_fast(monkeypatch):
    """Make `fast/` unimportable."""
    for name in ("", ".attention", ".fused_layers", ".greedy", ".step"):
        monkeypatch.setitem(sys.modules, FAST + name, None)


def test_training_and_decoding_work_without_fast(no_fast, tmp_path, quick, data, sources, wanted):
    """A tiny model learns its corpus and translates it, one ordinary pass after the other."""
    quick().train(data, tmp_path / "model", seed=1)
    made = json.loads((tmp_path / "model" / "llm.json").read_text())
    assert made["training"]["path"].startswith("eager (")
    with pytest.warns(UserWarning, match="decoding with the library's `generate`"):
        system = quick().load(tmp_path / "model")
    assert list(system.translate(sources)) == wanted
    assert system.describe()["decoder"].startswith("generate (")


def test_plain_and_fast_training_agree(tmp_path, monkeypatch, quick, data):
    """The same steps with and without `fast/` end at the same loss."""
    losses = []
    for name in ("fast", "plain"):
        if name == "plain":
            monkeypatch.setitem(sys.modules, f"{FAST}.step", None)
        quick(epochs=3).train(data, tmp_path / name, seed=2)
        losses.append(json.loads((tmp_path / name / "llm.json").read_text())["training"]["loss"])
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
