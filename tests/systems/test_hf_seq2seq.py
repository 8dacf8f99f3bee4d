"""Tiny encoder-decoders made on the spot: translate, fine-tune, load, language codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.benchmark import Example
from recombine.config import parse_config
from recombine.errors import ConfigError, DataError
from recombine.systems.base import Failure, TrainingData
from recombine.systems.hf_seq2seq import HfSeq2Seq
from recombine.testing import check_system

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

WORDS = {"dog": "hund", "cat": "katze", "king": "könig", "saw": "sah", "the": "der"}
SOURCES = [f"the {one} saw the {two}" for one in ("dog", "cat") for two in ("dog", "cat", "king")]
TARGETS = [" ".join(WORDS[word] for word in source.split()) for source in SOURCES]
DATA = TrainingData(
    train=[
        Example.make(source=source, references=[target])
        for source, target in zip(SOURCES, TARGETS, strict=True)
    ],
    dev=[],
    source="en",
    target="de",
)


def tiny_tokenizer(codes: tuple[str, ...] = ()):
    """Return a word-level tokeniser that ends every sentence with </s>."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    words = ["<pad>", "</s>", "<unk>", *codes, *WORDS, *WORDS.values()]
    tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>",
        additional_special_tokens=list(codes),
    )  # fmt: skip


@pytest.fixture(scope="session")
def t5(tmp_path_factory) -> Path:
    """Write a random T5."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    tokenizer = tiny_tokenizer()
    config = transformers.T5Config(
        vocab_size=len(tokenizer), d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
        dropout_rate=0.0, decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("tiny-t5")
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def bart(tmp_path_factory) -> Path:
    """Write a random mBART that knows two language codes and few positions."""
    torch.manual_seed(0)
    tokenizer = tiny_tokenizer(("xx_AA", "yy_BB"))
    config = transformers.MBartConfig(
        vocab_size=len(tokenizer), d_model=32, encoder_layers=1, decoder_layers=1,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=32,
        decoder_ffn_dim=32, max_position_embeddings=16, pad_token_id=0, eos_token_id=1,
        bos_token_id=1, decoder_start_token_id=1, forced_eos_token_id=1,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("tiny-mbart")
    transformers.MBartForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def quick(model: Path, **options) -> HfSeq2Seq:
    """A system for the processor with short outputs."""
    values = {"device": "cpu", "max_new_tokens": 8, "beams": 1, "decode_batch": 4, **options}
    return HfSeq2Seq(model=str(model), **values)


def test_full_fine_tuning_overfits(t5, tmp_path):
    """Fine-tuning, saving, loading and decoding together reproduce the training pairs."""
    options = {"fine_tune": "full", "learning_rate": 0.01, "batch_size": 6, "epochs": 120}
    quick(t5, **options).train(DATA, tmp_path / "model", seed=1)
    system = quick(t5, **options).load(tmp_path / "model")
    assert list(system.translate(SOURCES)) == TARGETS
    assert system.describe()["architecture"] == "T5ForConditionalGeneration"
    assert (tmp_path / "model" / "full" / "model.safetensors").exists()


def test_lora_changes_the_model(t5, tmp_path):
    """A LoRA adapter is stored as safetensors and changes what is translated."""
    pytest.importorskip("peft")
    options = {"fine_tune": "lora", "learning_rate": 0.01, "batch_size": 6, "epochs": 60}
    quick(t5, **options).train(DATA, tmp_path / "model", seed=1)
    assert (tmp_path / "model" / "lora" / "adapter_model.safetensors").exists()
    adapted = list(quick(t5, **options).load(tmp_path / "model").translate(SOURCES))
    assert adapted != list(quick(t5).translate(SOURCES))


def test_untrained_use(t5, tmp_path):
    """Without fine-tuning, training only notes that the model is used as it is."""
    system = quick(t5)
    system.train(DATA, tmp_path / "model", seed=1)
    loaded = quick(t5).load(tmp_path / "model")
    assert list(loaded.translate(SOURCES)) == list(system.translate(SOURCES))


def test_it_keeps_the_contract(t5):
    """The suite every system must pass."""
    check_system(quick(t5, beams=2))


def test_language_codes_are_forced(bart):
    """The target code is the first token generated; an unknown code is the user's mistake."""
    system = quick(bart, source_code="xx_AA", target_code="yy_BB")
    assert len(list(system.translate(SOURCES))) == len(SOURCES)
    assert system._weights.tokenizer.src_lang == "xx_AA"
    with pytest.raises(ConfigError, match="zz_ZZ"):
        list(quick(bart, source_code="xx_AA", target_code="zz_ZZ").translate(SOURCES))


def test_a_source_too_long_fails_alone(bart):
    """A source with more tokens than the model has positions is one failure."""
    results = list(quick(bart).translate(["the dog", "the dog " * 20, "the cat"]))
    assert [isinstance(result, Failure) for result in results] == [False, True, False]


def test_mistakes_are_found_early(t5, tmp_path):
    """Wrong options and unusable folders are refused with what is wrong."""
    with pytest.raises(ConfigError, match="belong together"):
        parse_config(HfSeq2Seq, {"model": "x", "source_code": "eng_Latn"})
    with pytest.raises(ConfigError, match="'beams'"):
        HfSeq2Seq(model="x", beams=0)
    with pytest.raises(ConfigError, match="no model folder"):
        list(quick(Path("nowhere")).translate(["a"]))
    with pytest.raises(DataError, match="no finished training"):
        quick(t5).load(tmp_path)
