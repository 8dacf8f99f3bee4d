"""Tiny encoder-decoders made on the spot: translate, fine-tune, load, language codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recombine.benchmark import Example
from recombine.config import parse_config
from recombine.errors import ConfigError, DataError
from recombine.systems.base import Failure, TrainingData
from recombine.systems.pretrained.seq2seq import HfSeq2Seq
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


ALL_WORDS = [f"▁{word}" for word in (*WORDS, *WORDS.values())]
SIZES = {
    "d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
    "decoder_attention_heads": 2, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "dropout": 0.0,
    "attention_dropout": 0.0, "activation_dropout": 0.0, "encoder_layerdrop": 0.0,
    "decoder_layerdrop": 0.0, "init_std": 0.1,
}  # fmt: skip


def t5(folder: Path) -> dict[str, str]:
    """Write a random T5, which wants a prefix."""
    scores = [(word, -1.0) for word in [*ALL_WORDS, "▁to", "▁german:"]]
    tokenizer = transformers.T5Tokenizer(
        vocab=[("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *scores], extra_ids=0
    )
    config = transformers.T5Config(
        vocab_size=len(tokenizer), d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
        dropout_rate=0.0, decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    save(transformers.T5ForConditionalGeneration(config), tokenizer, folder)
    return {"prefix": "to german: "}


def marian(folder: Path) -> dict[str, str]:
    """Write a random Marian with a SentencePiece model per side and one vocabulary."""
    sentencepiece = pytest.importorskip("sentencepiece")
    pieces = {}
    folder.mkdir(exist_ok=True)
    for side, texts in (("source", SOURCES), ("target", TARGETS)):
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts * 20), model_prefix=str(folder / side), vocab_size=60,
            hard_vocab_limit=False, minloglevel=2,
        )  # fmt: skip
        (folder / f"{side}.model").rename(folder / f"{side}.spm")
        model = sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{side}.spm"))
        pieces |= dict.fromkeys(model.id_to_piece(number) for number in range(len(model)))
    words = ["</s>", "<unk>", *(one for one in pieces if one[0] != "<"), "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({word: n for n, word in enumerate(words)}))
    tokenizer = transformers.MarianTokenizer(
        source_spm=str(folder / "source.spm"), target_spm=str(folder / "target.spm"),
        vocab=str(folder / "vocab.json"),
    )  # fmt: skip
    pad = len(words) - 1
    config = transformers.MarianConfig(
        vocab_size=len(words), max_position_embeddings=32, pad_token_id=pad, eos_token_id=0,
        bos_token_id=0, decoder_start_token_id=pad, forced_eos_token_id=0, **SIZES,
    )  # fmt: skip
    save(transformers.MarianMTModel(config), tokenizer, folder)
    return {}


def nllb(folder: Path) -> dict[str, str]:
    """Write a random NLLB: codes before the text on both sides."""
    letters = sorted(set("".join(SOURCES + TARGETS)) - {" "})
    words = ["<s>", "<pad>", "</s>", "<unk>", "▁", *letters]
    codes = ["eng_Latn", "deu_Latn"]
    tokenizer = transformers.NllbTokenizer(
        vocab={word: n for n, word in enumerate(words)}, merges=[], extra_special_tokens=codes
    )
    config = transformers.M2M100Config(
        vocab_size=len(tokenizer), max_position_embeddings=64, pad_token_id=1, eos_token_id=2,
        bos_token_id=0, decoder_start_token_id=2, **SIZES,
    )  # fmt: skip
    save(transformers.M2M100ForConditionalGeneration(config), tokenizer, folder)
    return {"source_code": "eng_Latn", "target_code": "deu_Latn"}


def mbart(folder: Path) -> dict[str, str]:
    """Write a random mBART of the first kind: codes after the text."""
    from transformers.models.mbart.tokenization_mbart import FAIRSEQ_LANGUAGE_CODES

    names = ["<s>", "<pad>", "</s>", "<unk>", *ALL_WORDS, *FAIRSEQ_LANGUAGE_CODES, "<mask>"]
    tokenizer = transformers.MBartTokenizer(vocab=[(one, -1.0) for one in names])
    save_mbart(tokenizer, folder)
    return {"source_code": "en_XX", "target_code": "de_DE"}


def mbart50(folder: Path) -> dict[str, str]:
    """Write a random mBART-50: codes before the text."""
    names = ["<unk>", "<s>", "</s>", *ALL_WORDS]
    tokenizer = transformers.MBart50Tokenizer(vocab=[(one, -1.0) for one in names])
    save_mbart(tokenizer, folder)
    return {"source_code": "en_XX", "target_code": "de_DE"}


def save_mbart(tokenizer, folder: Path) -> None:
    """Write a random mBART with few positions."""
    config = transformers.MBartConfig(
        vocab_size=len(tokenizer), max_position_embeddings=16, pad_token_id=1, eos_token_id=2,
        bos_token_id=0, decoder_start_token_id=2, forced_eos_token_id=2, **SIZES,
    )  # fmt: skip
    save(transformers.MBartForConditionalGeneration(config), tokenizer, folder)


def save(model, tokenizer, folder: Path) -> None:
    """Write a model folder."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


FAMILIES = {one.__name__: one for one in (t5, marian, nllb, mbart, mbart50)}


@pytest.fixture(scope="session")
def families(tmp_path_factory) -> dict[str, tuple[Path, dict[str, str]]]:
    """Make every family once, with the options it needs."""
    torch.set_num_threads(1)
    made = {}
    for name, write in FAMILIES.items():
        torch.manual_seed(0)
        folder = tmp_path_factory.mktemp(f"tiny-{name}")
        made[name] = folder, write(folder)
    return made


def quick(family: tuple[Path, dict[str, str]], **options) -> HfSeq2Seq:
    """A system for the processor with short outputs."""
    folder, needed = family
    values = {"device": "cpu", "max_new_tokens": 30, "beams": 1, "decode_batch": 4, **options}
    return HfSeq2Seq(model=str(folder), **{**needed, **values})


OVERFIT = {"fine_tune": "full", "learning_rate": 0.01, "batch_size": 6, "epochs": 150}


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_learns_and_translates(families, tmp_path, name):
    """Fine-tuning, saving, loading and decoding together reproduce the training pairs."""
    untrained = quick(families[name], beams=2)
    assert len(list(untrained.translate(SOURCES))) == len(SOURCES)
    quick(families[name], **OVERFIT).train(DATA, tmp_path / "model", seed=1)
    system = quick(families[name], **OVERFIT, beams=2).load(tmp_path / "model")
    assert list(system.translate(SOURCES)) == TARGETS
    assert system.describe()["architecture"] == untrained.describe()["architecture"]
    assert (tmp_path / "model" / "full" / "model.safetensors").exists()


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_takes_an_adapter(families, tmp_path, name):
    """A LoRA adapter is stored as safetensors and changes what is translated."""
    pytest.importorskip("peft")
    options = {**OVERFIT, "fine_tune": "lora", "epochs": 40}
    left = tmp_path / "model" / "lora" / ".tmpqNaJyW"  # by a library that was killed
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    quick(families[name], **options).train(DATA, tmp_path / "model", seed=1)
    assert not left.exists()
    assert (tmp_path / "model" / "lora" / "adapter_model.safetensors").exists()
    adapted = list(quick(families[name], **options).load(tmp_path / "model").translate(SOURCES))
    assert adapted != list(quick(families[name]).translate(SOURCES))


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("nllb", "forced_bos_token_id"),
        ("mbart50", "forced_bos_token_id"),
        ("mbart", "decoder_start_token_id"),
    ],
)
def test_the_target_language_goes_where_the_family_wants_it(families, name, option):
    """A code before the text is forced as first token; one after it starts the decoder."""
    system = quick(families[name])
    weights = system._loaded(system.model)
    assert system._first_token(weights) == {option: system._code_id(weights, system.target_code)}
    written = weights.tokenizer(SOURCES[0])["input_ids"]
    place = -1 if name == "mbart" else 0
    assert written[place] == system._code_id(weights, system.source_code)


def test_an_unknown_language_code_is_the_users_mistake(families):
    """The model is asked before any work begins."""
    with pytest.raises(ConfigError, match="zz_ZZ"):
        list(quick(families["nllb"], target_code="zz_ZZ").translate(SOURCES))


def test_untrained_use(families, tmp_path):
    """Without fine-tuning, training only notes that the model is used as it is."""
    system = quick(families["t5"])
    system.train(DATA, tmp_path / "model", seed=1)
    loaded = quick(families["t5"]).load(tmp_path / "model")
    assert list(loaded.translate(SOURCES)) == list(system.translate(SOURCES))


def test_it_keeps_the_contract(families):
    """The suite every system must pass."""
    check_system(quick(families["t5"], beams=2))


def test_a_source_too_long_fails_alone(families):
    """A source with more tokens than the model has positions is one failure."""
    results = list(quick(families["mbart"]).translate(["the dog", "the dog " * 20, "the cat"]))
    assert [isinstance(result, Failure) for result in results] == [False, True, False]


def test_mistakes_are_found_early(families, tmp_path):
    """Wrong options and unusable folders are refused with what is wrong."""
    with pytest.raises(ConfigError, match="belong together"):
        parse_config(HfSeq2Seq, {"model": "x", "source_code": "eng_Latn"})
    with pytest.raises(ConfigError, match="'beams'"):
        HfSeq2Seq(model="x", beams=0)
    with pytest.raises(ConfigError, match="no model folder"):
        list(HfSeq2Seq(model="nowhere").translate(["a"]))
    with pytest.raises(DataError, match="no finished training"):
        quick(families["t5"]).load(tmp_path)
