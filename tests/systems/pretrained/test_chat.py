"""A chat model is asked in turns, ends with its turn, and its answer is taken out of its talk."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path

import pytest

from recombine.errors import ConfigError
from recombine.systems.pretrained import Llm
from recombine.systems.pretrained.chat import ChatPrompt, system_line
from recombine.systems.pretrained.generation import Continuation
from recombine.systems.pretrained.prompt import Prompt
from recombine.systems.pretrained.weights import end_ids

TURNS = (
    "{% for one in messages %}<s>{{ one['role'] }}: {{ one['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant: {% endif %}"
)
NO_SYSTEM = (
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system turn') }}{% endif %}"
    + TURNS
)


@pytest.fixture(scope="module")
def chat_model(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model with a chat template whose turns end in a token that is not its end."""
    import transformers

    folder = tmp_path_factory.mktemp("chat") / "model"
    shutil.copytree(tiny_model, folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|end|>"]})
    tokenizer.chat_template = TURNS
    tokenizer.save_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    model.resize_token_embeddings(len(tokenizer))
    model.save_pretrained(folder)
    return folder


OPTIONS = {"method": "prompt", "device": "cpu", "max_new_tokens": 4}


def test_examples_are_turns_below_a_system_line(chat_model, tmp_path, data, sources):
    """Shots are what user and assistant said before; the paper's frame is for continuing text."""
    system = Llm(model=str(chat_model), shots=1, **OPTIONS)
    system.source_language, system.target_language = "en", "ja"
    system.train(data, tmp_path / "model", seed=1)
    ((shot, answer),) = json.loads((tmp_path / "model" / "llm.json").read_text())["shots"]
    translator = system.load(tmp_path / "model")._translator
    line = system_line("en", "ja")
    assert "from English to Japanese" in line
    assert translator.prompt.render("the cat ran") == (
        f"<s>system: {line}<|end|>\n<s>user: {shot}<|end|>\n<s>assistant: {answer}<|end|>\n"
        "<s>user: the cat ran<|end|>\n<s>assistant: "
    )
    assert len(list(system.translate(sources))) == len(sources)
    assert system.describe()["chat"] == line


def test_an_answer_ends_with_its_turn(chat_model):
    """The template's own end of a turn stops the model, whatever its configuration calls end."""
    system = Llm(model=str(chat_model), **OPTIONS)
    list(system.translate(["the dog ran"]))
    weights = system._translator.weights
    assert weights.tokenizer.convert_tokens_to_ids("<|end|>") in end_ids(weights)
    assert system._translator.stops == ()
    assert Llm(model="x", method="prompt", stop=("!",)).stop == ("!",)


def test_what_was_cleaned_is_on_record(chat_model, monkeypatch):
    """run.json says how many answers had what around them, and shows one."""
    system = Llm(model=str(chat_model), **OPTIONS)
    list(system.translate(["the dog ran"]))
    translator = system._translator
    said = 'Here is the translation:\n"hund"'
    tokens = translator.weights.tokenizer(said, add_special_tokens=False)["input_ids"]
    monkeypatch.setattr(
        translator.generation,
        "generate",
        lambda prompts, limits, leave=0: [Continuation(tokens, True) for _ in prompts],
    )
    translator.cleaner.recall({})
    assert list(system.translate(["a dog", "the dog"])) == ["hund", "hund"]
    shown = {"answers": 2, "first": said}
    assert system.describe()["cleaned"] == {"preamble": shown, "quotes": shown}


def test_chat_can_be_switched_off(chat_model, tiny_model, tmp_path, data):
    """Without it, without a template and in runs made before, prompts are what they were."""
    plain = "### Input: the cat ran ### Output:"
    off = Llm(model=str(chat_model), chat=False, **OPTIONS)
    off.train(data, tmp_path / "off", seed=1)
    assert off.load(tmp_path / "off")._translator.prompt.render("the cat ran") == plain
    (tmp_path / "before").mkdir()
    (tmp_path / "before" / "llm.json").write_text('{"method": "prompt", "shots": []}')
    for model in (chat_model, tiny_model):
        before = Llm(model=str(model), **OPTIONS).load(tmp_path / "before")._translator
        assert before.prompt.render("the cat ran") == plain
        assert before.stops == ("\n", "###")
    bare = Llm(model=str(tiny_model), **OPTIONS)
    list(bare.translate(["the cat ran"]))
    assert bare._translator.prompt.render("the cat ran") == plain
    assert "cleaned" not in bare.describe()


def test_chat_is_refused_where_it_cannot_be(tiny_model):
    """A model without a template holds no conversation, and adapters were trained on text."""
    with pytest.raises(ConfigError, match="no template"):
        list(Llm(model=str(tiny_model), chat=True, **OPTIONS).translate(["a"]))
    with pytest.raises(ConfigError, match="chat"):
        Llm(model="x", chat=True)


def test_templates_without_a_system_turn_get_the_line_before_the_source(chat_model):
    """Gemma's template refuses the role; the model is told all the same."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(chat_model)
    tokenizer.chat_template = NO_SYSTEM
    prompt = ChatPrompt(
        tokenizer=tokenizer,
        prompt=Prompt(template="{source} ->", shots=(("a", "b"),)),
        system_line="Translate.",
    )
    assert prompt.render("c") == (
        "<s>user: Translate.\n\na -><|end|>\n<s>assistant: b<|end|>\n<s>user: c -><|end|>\n"
        "<s>assistant: "
    )


def test_progress_is_told_while_a_window_is_decoded(chat_model, monkeypatch):
    """Answers are given back in order, long after the first of them are finished."""
    told = []

    class Bar:
        def advance(self, count: int = 1) -> None:
            told.append(count)

    monkeypatch.setattr(
        "recombine.systems.pretrained.translator.progress",
        lambda _, total: contextlib.nullcontext(Bar()),
    )
    system = Llm(model=str(chat_model), decode_batch=2, **OPTIONS)
    assert len(list(system.translate(["the dog ran", "a cat", "the cat ran", "a dog", "dog"]))) == 5
    assert sum(told) == 5
    assert len(told) >= 3
