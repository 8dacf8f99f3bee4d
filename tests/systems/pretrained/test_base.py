"""What fine-tunable models share: options, pairs, adapters."""

from __future__ import annotations

import pytest

from recombine.benchmark import Example
from recombine.config import parse_config
from recombine.errors import ConfigError, DataError
from recombine.systems.base import TrainingData
from recombine.systems.pretrained.base import (
    TuningRecipe,
    learnable_pairs,
    merge_adapter,
    save_adapter,
)
from recombine.systems.pretrained.causal import Llm
from recombine.systems.pretrained.seq2seq import HfSeq2Seq


@pytest.mark.parametrize("system", [Llm, HfSeq2Seq])
def test_shared_options_make_one_recipe(system):
    """What is shared is read from a file, checked and handed to the training as it stands."""
    given = {"learning_rate": 0.5, "batch_size": 3, "epochs": 2, "max_steps": 7, "warmup_steps": 1}
    made = parse_config(system, {"model": "x", "save_every": 9, **given})
    assert isinstance(made, TuningRecipe)
    assert {name: getattr(made, name) for name in given} == given
    assert made.save_every == 9
    with pytest.raises(ConfigError, match="'epochs' must be at least 1"):
        system(model="x", epochs=0)


def test_examples_without_a_reference_are_not_learned():
    """Pairs come from examples with references; none at all is the user's mistake."""
    some = [Example.make(source="a", references=["b", "c"]), Example.make(source="d")]
    assert learnable_pairs(TrainingData(train=some, dev=[], source="x", target="y")) == [("a", "b")]
    with pytest.raises(DataError, match="no training example has a reference"):
        learnable_pairs(TrainingData(train=some[1:], dev=[], source="x", target="y"))


def test_an_adapter_comes_back_without_asking_anyone(tiny_model, tmp_path, monkeypatch):
    """Saving and merging stay on this machine, even for weights without a configuration file."""
    import torch
    from peft.utils import save_and_load

    def asked(*_values, **_options):
        raise AssertionError("the hub was asked")

    monkeypatch.setattr(save_and_load, "check_file_exists_on_hf_hub", asked)
    system = Llm(model=str(tiny_model), device="cpu")
    model = system._read_weights("causal").model
    model.name_or_path = model.config._name_or_path = "weights/without-configuration"
    adapted = system._adapted(model, "CAUSAL_LM")
    for name, value in adapted.named_parameters():
        if "lora_B" in name:
            torch.nn.init.ones_(value)
    tokens = torch.tensor([[1, 40, 50]])
    with torch.no_grad():
        wanted = adapted.eval()(input_ids=tokens).logits
        save_adapter(adapted, tmp_path / "adapter")
        fresh = system._read_weights("causal").model
        found = merge_adapter(fresh, tmp_path / "adapter")(input_ids=tokens).logits
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)
    with pytest.raises(DataError, match="no adapter"):
        merge_adapter(fresh, tmp_path)


def test_layers_that_are_not_there_are_the_users_mistake(tiny_model):
    """A name in `target_modules` that no layer has is refused with what to do."""
    system = Llm(model=str(tiny_model), device="cpu", target_modules=("attention",))
    with pytest.raises(ConfigError, match="no layer of this model is called attention"):
        system._adapted(system._read_weights("causal").model, "CAUSAL_LM")
