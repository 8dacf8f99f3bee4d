"""The loop can be killed, learns the answers, and lets its rate fall."""

from __future__ import annotations

import os
import signal
import time

import pytest

from recombine.errors import SystemFailure
from recombine.files import read_jsonl
from recombine.systems.pretrained.base import TuningRecipe
from recombine.systems.pretrained.batches import Learned
from recombine.systems.pretrained.weights import load_weights

torch = pytest.importorskip("torch")

from recombine.systems.neural.distributed import World  # noqa: E402
from recombine.systems.pretrained.training import (  # noqa: E402
    CausalRunner,
    fine_tune,
    learned_sequences,
)


def test_a_killed_training_goes_on_to_the_same_adapter(tmp_path, quick, data):
    """Kill -9 in mid-training, train again: the very same adapter as without the kill."""
    from safetensors.torch import load_file

    folder = tmp_path / "killed"
    options = {"dropout": 0.1, "epochs": 20, "save_every": 5}
    child = os.fork()
    if child == 0:
        quick(**options).train(data, folder, seed=3)
        os._exit(0)
    while not (folder / "state.json").exists():
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert not (folder / "llm.json").exists()
    quick(**options).train(data, folder, seed=3)
    quick(**options).train(data, tmp_path / "whole", seed=3)
    one = load_file(folder / "adapter" / "adapter_model.safetensors")
    two = load_file(tmp_path / "whole" / "adapter" / "adapter_model.safetensors")
    assert one.keys() == two.keys()
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert not list(folder.glob("state*"))


class ConstantGradients:
    """Every weight is pulled down by the same force; the loss is one."""

    path = "constant"

    def __init__(self, parameters):
        self.parameters, self.total, self.batches = parameters, torch.zeros(()), 0

    def run(self, chosen):
        self.batches += 1
        for parameter in self.parameters:
            parameter.grad = torch.ones_like(parameter)
        self.total += 1


def tuned(folder, steps, stop=None, loss=1.0, **options):
    """Train ones in bfloat16 at a rate far below their spacing; `stop`: die after so many."""
    model = torch.nn.Linear(3, 3).to(torch.bfloat16)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(1.0)
    options = {"learning_rate": 2e-4, "save_every": 50, **options}
    recipe = TuningRecipe(batch_size=4, max_steps=steps, **options)

    class Dying(ConstantGradients):
        def run(self, chosen):
            if self.batches == stop:
                raise KeyboardInterrupt
            super().run(chosen)
            self.total += loss - 1

    made = fine_tune(
        model, [2, 3, 4, 5, 6], lambda parameters, _world: Dying(parameters), recipe,
        seed=1, device="cpu", model_dir=folder,
    )  # fmt: skip
    return model, made


def test_small_steps_move_weights_of_bfloat16(tmp_path):
    """Two hundred steps of 1e-4 are 2% of a weight, though one alone is less than its spacing."""
    model, _ = tuned(tmp_path, 200)
    for parameter in model.parameters():
        assert parameter.dtype == torch.bfloat16
        assert parameter.float().sub(1).add(0.02).abs().max() < 0.004


def test_a_training_that_goes_on_counts_all_it_has_seen(tmp_path):
    """Sequences, tokens and steps of both calls; batches are of four and of one in turn."""
    whole, once = tuned(tmp_path / "whole", 200)
    with pytest.raises(KeyboardInterrupt):
        tuned(tmp_path / "cut", 200, stop=130)
    again, twice = tuned(tmp_path / "cut", 200)
    assert (once["steps"], once["sequences"], once["tokens"]) == (200, 500, 2000)
    assert (twice["steps"], twice["sequences"], twice["tokens"]) == (200, 500, 2000)
    assert torch.equal(whole.weight, again.weight)


def test_the_answer_is_learned_after_a_prompt_as_it_will_stand(tiny_model):
    """Prompt tokens are those of the prompt alone; answer and end follow and are learned."""
    tokenizer = load_weights(
        str(tiny_model), kind="causal", allow_hub=False, device="cpu"
    ).tokenizer
    asked = tokenizer("### Input: the dog ### Output:")["input_ids"]
    (one,) = learned_sequences(
        tokenizer, ["### Input: the dog ### Output:"], [" der hund"], whole=False
    )
    assert list(one.tokens[: one.learn_from]) == asked
    assert one.tokens[-1] == tokenizer.eos_token_id
    assert tokenizer.decode(one.tokens[one.learn_from : -1]) == " der hund"
    (all_of_it,) = learned_sequences(tokenizer, ["a"], [" b"], whole=True)
    assert all_of_it.learn_from == 1


def test_the_rate_rises_and_falls_in_lines(tmp_path):
    """Warm-up from zero to the full rate, then down towards zero at the end."""
    tuned(tmp_path, 10, learning_rate=1.0, warmup_steps=2, save_every=1)
    rates = [row["learning_rate"] for row in read_jsonl(tmp_path / "train_log.jsonl")]
    assert rates == [0.0, 0.5, *(left / 8 for left in range(8, 0, -1))]


def test_a_diverging_loss_stops_and_says_so(tmp_path):
    """Weights without a meaning are not stored; the last state is."""
    with pytest.raises(SystemFailure, match="the loss is nan before step 2:") as caught:
        tuned(tmp_path, 200, loss=float("nan"))
    assert "nothing was saved yet" in caught.value.render()
    assert not list(tmp_path.glob("*.safetensors"))


def test_processes_share_a_batch_and_an_idle_one_adds_nothing(monkeypatch):
    """Each example is in one share; who has none sends zeros."""
    parameter = torch.nn.Parameter(torch.zeros(2))
    seen = []

    class Recorded:
        total, parameters, capture = torch.zeros(()), [parameter], True

        def run(self, batch, learned):
            parameter.grad = torch.ones(2)
            seen.append((batch.tokens[:, 0].tolist(), learned))

    monkeypatch.setattr(torch.distributed, "all_reduce", lambda flat: None)
    sequences = [Learned((number, 1, 2), 1) for number in (5, 6, 7)]
    gradients = []
    for chosen in ([0, 1, 2], [2]):
        for rank in (0, 1):
            world = World(rank, 2)
            CausalRunner(Recorded(), sequences, batch_size=3, pad_id=0, world=world).run(chosen)
            gradients.append(parameter.grad.tolist())
    assert seen == [([5, 7], 6), ([6, 0], 6), ([7, 0], 2)]
    assert gradients == [[1, 1], [1, 1], [1, 1], [0, 0]]
