"""Estimates of time and where they come from: what was timed, and what neural models declare."""

from __future__ import annotations

import pytest

from recombine.benchmark import Example
from recombine.registry import create
from recombine.systems import cost as costs
from recombine.systems.base import is_trainable
from recombine.systems.cost import (
    Cost,
    assumed,
    decoding_cost,
    from_record,
    learning_cost,
    mean_tokens,
    stored_parameters,
    time_some,
)

EXAMPLES = [Example.make(source="a dog ran", references=["ein Hund lief"])]


@pytest.fixture(autouse=True)
def speed(monkeypatch):
    """A device of a billion operations a second."""
    monkeypatch.setattr(costs, "_speed", lambda _device: ("a test", 1e9))


def test_a_measured_rate_is_scaled():
    """Twice the work takes twice the time, and the basis says what was measured."""
    cost = from_record(200, 100, 5.0, "sentences", "in this run")
    assert cost.seconds == 10
    assert cost.basis == "measured in this run: 100 sentences in 5.0 s"


class Stopwatch:
    """Time that goes on when it is told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    """The clock that costs are timed by."""
    clock = Stopwatch()
    monkeypatch.setattr(costs, "time", clock)
    return clock


def taking(clock, first, others, count=10_000):
    """Steps of one item: the first takes its time, the others theirs."""
    for seconds in [first] + [others] * (count - 1):
        clock.now += seconds
        yield 1


def test_what_is_paid_once_is_not_multiplied(clock):
    """The first step loads; only the others give the rate."""
    cost = time_some(taking(clock, 0.5, 0.0625, 11), 101, "sentences", patience=9)
    assert cost == Cost(0.5 + 100 * 0.0625, "timed now on 11 of 101 sentences")


def test_a_trial_is_cut_short(clock):
    """A dry run takes no longer than its patience, or two steps."""
    began = clock.now
    assert time_some(taking(clock, 0.25, 0.25), 10_000, "lines", patience=1).seconds == 2500
    assert clock.now - began == 1.25
    assert time_some(taking(clock, 8, 8), 10_000, "lines", patience=1).seconds == 80_000
    assert clock.now - began == 1.25 + 16


def test_what_is_paid_once_is_no_rate_however_long_it_took(clock):
    """A first step that outlasts the patience alone would promise days for minutes."""
    steps = taking(clock, 60, 0.03125, 10)
    assert time_some(steps, 100_001, "lines", patience=1).seconds == 60 + 100_000 * 0.03125


def test_nothing_to_do_takes_no_time():
    """No step, no division by zero."""
    assert time_some(iter(()), 0, "sentences") == Cost(0.0, "no sentences")


def test_an_assumption_calls_itself_one():
    """A number nobody measured is not shown as if somebody had."""
    assert assumed(20, "sentences").basis.startswith("assumed: ")


def test_a_row_is_short():
    """Seconds in tenths below a hundred, whole ones above."""
    assert Cost(1.234, "x").row() == {"estimated_seconds": 1.2, "estimated_from": "x"}
    assert Cost(1234.5678, "x").row()["estimated_seconds"] == 1235


def test_operations_over_speed():
    """Learning keeps a device busier than decoding; the basis shows the reckoning."""
    once = costs.START_SECONDS
    assert learning_cost(3e9, "cpu").seconds - once == pytest.approx(3 / costs.LEARNING_SHARE)
    assert learning_cost(3e9, "cpu", steps=10_000).seconds - once == pytest.approx(100)
    assert decoding_cost(3e9, "cpu").seconds > learning_cost(3e9, "cpu").seconds
    assert "1.0e+09 a second measured now on a test" in learning_cost(3e9, "cpu").basis


def test_weights_are_counted_on_disk(tmp_path):
    """Two bytes each; a model that is not here is taken for a large one."""
    (tmp_path / "model.safetensors").write_bytes(bytes(2_000))
    assert stored_parameters(str(tmp_path)) == 1_000
    assert stored_parameters("someone/else") == 1e9
    assert mean_tokens(["12345678", ""]) == 1.5


@pytest.mark.parametrize("name", ["transformer", "lstm"])
def test_a_wider_model_costs_more(name):
    """Also more steps and more sentences."""
    small = {"width": 64, "steps": 10}
    cost = create("system", name, small).training_cost(EXAMPLES, 100).seconds
    assert create("system", name, {**small, "width": 128}).training_cost(
        EXAMPLES, 100
    ).seconds > 1.5 * (cost - costs.START_SECONDS)
    assert create("system", name, {**small, "steps": 1_000}).training_cost(
        EXAMPLES, 100
    ).seconds > 10 * (cost - costs.START_SECONDS)
    system = create("system", name, small)
    few, many = (system.translation_cost(["a dog"], count).seconds for count in (1_000, 9_000))
    assert many > few


def test_a_time_limit_bounds_the_estimate():
    """`max_minutes` ends a training."""
    options = {"preset": "paper-transformer", "max_minutes": 1.0}
    cost = create("system", "transformer", options).training_cost(EXAMPLES, 100)
    assert cost.seconds == 60


def test_counted_weights_are_those_of_the_model():
    """Within a tenth: biases, norms and embeddings are left out of the reckoning."""
    torch = pytest.importorskip("torch")
    from recombine.systems.seq2seq.training import build_model

    for name in ("transformer", "lstm"):
        system = create("system", name, {"width": 128, "encoder_layers": 2, "decoder_layers": 2})
        with torch.device("meta"):
            model = build_model(system, 300, system.target_vocabulary_size)
        real = sum(one.numel() for one in model.parameters())
        embedded = system.width * (300 + system.target_vocabulary_size)
        assert sum(system.parameters()) == pytest.approx(real - embedded, rel=0.15)


@pytest.mark.parametrize(("name", "idle"), [("llm", "method"), ("hf-seq2seq", "fine_tune")])
def test_language_models_declare_their_cost(name, idle, tmp_path):
    """Prompting and using a model as it is train nothing."""
    (tmp_path / "model.safetensors").write_bytes(bytes(2_000))
    busy = {"llm": "lora", "hf-seq2seq": "full"}[name]
    unused = {"llm": "prompt", "hf-seq2seq": "no"}[name]
    system = create("system", name, {"model": str(tmp_path), idle: busy})
    assert system.training_cost(EXAMPLES, 1_000).seconds > 0
    assert system.translation_cost(["a dog"], 1_000).seconds > 0
    assert not is_trainable(create("system", name, {"model": str(tmp_path), idle: unused}))
