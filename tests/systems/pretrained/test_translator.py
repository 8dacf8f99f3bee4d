"""Decoding is fast where it can be, and always what the library gives."""

from __future__ import annotations

import pytest

from recombine.systems.base import Failure
from recombine.systems.pretrained import Llm
from recombine.systems.pretrained.fast.greedy import Greedy
from recombine.systems.pretrained.translator import DecodingLimits, growth_of

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("rows", [1, 3, 16])
def test_fast_decoding_equals_the_librarys(tiny_model, rows, sources):
    """The fixed-memory decoder gives what `generate` gives, at any batch size."""
    sources += ["x", "a much longer source that no one has ever seen before today"]
    options = {"method": "prompt", "max_new_tokens": 20, "device": "cpu", "stop": ()}
    fast = Llm(model=str(tiny_model), decode_batch=rows, **options)
    plain = Llm(model=str(tiny_model), decode_batch=1, decoder="generate", **options)
    assert list(fast.translate(sources)) == list(plain.translate(sources))
    assert fast.describe()["decoder"] == "fast"
    assert plain.describe()["decoder"] == "generate"


def test_half_precision_decodes_fast_too(tiny_model, sources):
    """Rounding in bfloat16 is no reason to leave the fast path; a sliding window is."""
    options = {"model": str(tiny_model), "method": "prompt", "device": "cpu", "max_new_tokens": 4}
    system = Llm(dtype="bfloat16", **options)
    assert len(list(system.translate(sources))) == len(sources)
    assert system.describe()["decoder"] == "fast"
    windowed = Llm(**options)
    weights = windowed._read_weights("causal")
    weights.model.config.sliding_window = 8
    with pytest.warns(UserWarning, match="attends to less"):
        path = windowed._make_translator(weights, (), 2.0).generation.path
    assert path.startswith("generate (this architecture")


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_half_precision_on_a_gpu_is_captured(tiny_model, sources):
    """The default of a GPU, bfloat16, decodes from captured graphs, whatever the batch."""
    options = {"model": str(tiny_model), "method": "prompt", "device": "cuda"}
    system = Llm(max_new_tokens=40, decode_batch=4, **options)
    assert len(list(system.translate(sources))) == len(sources)
    assert system.describe()["decoder"] == "fast with CUDA graphs"
    assert system.describe()["dtype"] == "bfloat16"


@pytest.mark.parametrize("wrong", ["shifted", "broken"])
def test_other_answers_are_refused_aloud(tiny_model, monkeypatch, wrong):
    """A model that says something else on the fast path, or cannot take it, goes the slow way."""

    def first_logits(self, prompts):
        if wrong == "broken":
            raise RuntimeError("no such kernel\nat all")
        return original(self, [prompt[:-1] for prompt in prompts])

    original = Greedy.first_logits
    monkeypatch.setattr(Greedy, "first_logits", first_logits)
    system = Llm(model=str(tiny_model), method="prompt", device="cpu", max_new_tokens=4)
    expected = "logits differ" if wrong == "shifted" else "RuntimeError: no such kernel"
    with pytest.warns(UserWarning, match=expected):
        list(system.translate(["a"]))
    assert system.describe()["decoder"].startswith(f"generate ({expected}")


def test_limits_follow_the_training_text():
    """A short source with a long translation does not open the door for long ones."""
    assert growth_of(2, 18) == 3.0
    assert DecodingLimits(fixed=None, growth=3.0).of(20) == 88
    assert DecodingLimits(fixed=7, growth=3.0).of(20) == 7


def test_runaways_go_on_in_another_batch(tiny_model, sources):
    """Sequences handed back unfinished end as they would have in one go."""
    sources = [f"{source} {number}" for number in range(4) for source in sources]
    options = {"method": "prompt", "device": "cpu", "stop": (), "decode_batch": 16}
    together = Llm(model=str(tiny_model), decoder="generate", max_new_tokens=70, **options)
    expected = list(together.translate(sources))
    system = Llm(model=str(tiny_model), max_new_tokens=70, **options)
    next(system.translate(sources))
    translator = system._translator
    handed_back = []
    advance = translator._advance

    def watched(batch, leave):
        back = advance(batch, leave)
        handed_back.extend(back)
        return back

    translator._advance = watched
    growing = translator.generation._growing
    # Random weights rarely end a sentence; every batch is broken off once to have leftovers.
    translator.generation._growing = lambda session, done: (
        0 if done == 16 else growing(session, done)
    )
    assert list(system.translate(sources)) == expected
    assert handed_back


def test_a_cpu_gives_answers_as_it_goes(tiny_model):
    """By default the first answers of 200 are there, and kept, when few of them are decoded."""
    system = Llm(model=str(tiny_model), method="prompt", device="cpu", max_new_tokens=2)
    answers = system.translate(["the dog ran"] * 200)
    next(answers)
    translator = system._translator
    decoded = []
    advance = translator._advance
    translator._advance = lambda batch, leave: (decoded.append(len(batch)), advance(batch, leave))[
        1
    ]
    assert len(list(answers)) == 199
    assert sum(decoded) >= 100  # of the first quarter nothing was decoded again
    assert max(decoded) <= 16  # the steps in which the bar moves


def test_left_padded_generation(trained, quick, sources, wanted):
    """The library's own loop, padded on the left, translates batches too."""
    system = quick(decoder="generate", decode_batch=4).load(trained)
    assert list(system.translate(sources)) == wanted


def test_a_prompt_longer_than_the_model_fails_alone(tiny_model):
    """A source the model cannot read is one failure among the translations."""
    system = Llm(model=str(tiny_model), method="prompt", device="cpu", max_new_tokens=3)
    results = list(system.translate(["the dog ran", "dog " * 600, "the cat ran"]))
    assert [isinstance(result, Failure) for result in results] == [False, True, False]
