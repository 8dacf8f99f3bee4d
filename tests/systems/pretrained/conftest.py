"""A tiny language model made on the spot goes through everything a large one goes through."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from recombine.benchmark import Example
from recombine.systems.base import TrainingData
from recombine.systems.pretrained import Llm

WORDS = {"dog": "hund", "cat": "katze", "king": "könig", "saw": "sah", "the": "der", "ran": "lief"}
SOURCES = [
    *(f"the {one} saw the {two}" for one in ("dog", "cat", "king") for two in ("dog", "king")),
    *(f"the {one} ran" for one in ("dog", "cat", "king")),
]


def german(source: str) -> str:
    """Translate word by word."""
    return " ".join(WORDS[word] for word in source.split())


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Small matrices are slower on many threads, and one thread adds in one order."""
    pytest.importorskip("torch").set_num_threads(1)


@pytest.fixture
def sources() -> list[str]:
    """The sources of the toy corpus."""
    return list(SOURCES)


@pytest.fixture
def wanted() -> list[str]:
    """Their translations."""
    return [german(source) for source in SOURCES]


def toy_data() -> TrainingData:
    """Return the toy corpus as training data."""
    examples = [
        Example.make(
            source=source,
            references=[german(source)],
            tags={"pattern": "transitive" if "saw" in source else "plain"},
        )
        for source in SOURCES
    ]
    return TrainingData(train=examples, dev=[], source="en", target="de")


@pytest.fixture
def data() -> TrainingData:
    """The toy corpus as training data."""
    return toy_data()


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a random two-layer Llama with grouped heads and a byte-level tokeniser."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("peft")
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


@pytest.fixture(scope="session")
def quick(tiny_model: Path) -> Callable[..., Llm]:
    """Make systems with a LoRA strong enough to overfit the toy corpus in seconds."""

    def make(**options) -> Llm:
        values = {
            "rank": 32, "alpha": 64, "dropout": 0.0, "learning_rate": 0.003, "batch_size": 3,
            "epochs": 60, "device": "cpu", "max_new_tokens": 40,
            "target_modules": ("q_proj", "k_proj", "v_proj", "o_proj", "up_proj", "down_proj"),
            **options,
        }  # fmt: skip
        return Llm(model=str(tiny_model), **values)

    return make


@pytest.fixture(scope="session")
def trained(quick: Callable[..., Llm], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fine-tune once for the tests that only look."""
    folder = tmp_path_factory.mktemp("run") / "model"
    quick().train(toy_data(), folder, seed=1)
    return folder
