"""Weights are read from where the user says, and nothing in them is executed."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from recombine.errors import ConfigError
from recombine.systems.pretrained import Llm
from recombine.systems.pretrained.weights import (
    Weights,
    end_ids,
    load_weights,
)

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


def test_code_in_a_model_folder_is_not_run(tiny_model, tmp_path):
    """A folder that brings its own modelling code is refused or ignored, never executed."""
    import shutil

    folder = tmp_path / "evil"
    shutil.copytree(tiny_model, folder)
    config = json.loads((folder / "config.json").read_text())
    config["model_type"] = "evil"
    config["auto_map"] = {"AutoModelForCausalLM": "evil.Evil", "AutoConfig": "evil.Config"}
    (folder / "config.json").write_text(json.dumps(config))
    mark = tmp_path / "executed"
    (folder / "evil.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    with pytest.raises(ConfigError):
        list(Llm(model=str(folder), method="prompt", device="cpu").translate(["a"]))
    assert not mark.exists()


def test_the_hub_is_not_asked_unless_told():
    """A name that is no local path is refused with the way to allow it."""
    with pytest.raises(ConfigError, match="no model folder") as error:
        list(Llm(model="someone/some-model", method="prompt").translate(["a"]))
    assert "allow_hub" in str(error.value.hint)


@pytest.fixture
def pickled(tiny_model, tmp_path):
    """The tiny model as older releases are: with pytorch_model.bin alone."""
    import shutil

    from safetensors.torch import load_file

    folder = tmp_path / "pickled"
    shutil.copytree(tiny_model, folder)
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    return folder


def test_tensors_are_read_from_a_pickle(pickled, tiny_model):
    """A folder with pytorch_model.bin translates as the same model in safetensors does."""
    said = [
        list(Llm(model=str(one), method="prompt", max_new_tokens=4).translate(["a dog"]))
        for one in (pickled, tiny_model)
    ]
    assert said[0] == said[1]


class Evil:
    """Writes a file when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return open, (str(self.mark), "w")


def test_a_pickle_runs_nothing(pickled, tmp_path):
    """What else than tensors a pickle holds is refused, and not executed."""
    mark = tmp_path / "executed"
    torch.save({"model.norm.weight": Evil(mark)}, pickled / "pytorch_model.bin")
    with pytest.raises(ConfigError, match="more than tensors"):
        list(Llm(model=str(pickled), method="prompt").translate(["a"]))
    assert not mark.exists()


@pytest.mark.parametrize(("generation", "ends"), [(None, (2,)), (7, (2, 7)), ([9, 7], (2, 7, 9))])
def test_every_end_token_counts(generation, ends):
    """Ends named by the tokeniser and by the generation settings are both ends."""
    model = SimpleNamespace(generation_config=SimpleNamespace(eos_token_id=generation))
    assert end_ids(Weights(model, SimpleNamespace(eos_token_id=2), "cpu")) == ends


def test_a_tokeniser_without_padding_gets_one(tiny_model):
    """Batches need a padding token; the end token serves where there is none."""
    weights = load_weights(str(tiny_model), kind="causal", allow_hub=False, device="cpu")
    assert weights.tokenizer.pad_token_id == weights.tokenizer.eos_token_id
    assert not weights.model.training
