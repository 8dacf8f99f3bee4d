"""The loop can be killed, learns the answers, and lets its rate fall."""

from __future__ import annotations

import os
import signal
import time

import pytest

from recombine.systems.pretrained.batches import Learned
from recombine.systems.pretrained.training import (
    CausalRunner,
    _rate,
    add_up_gradients,
    learned_sequences,
)
from recombine.systems.pretrained.weights import load_weights

torch = pytest.importorskip("torch")


def test_a_killed_training_goes_on_to_the_same_adapter(tmp_path, quick, data):
    """Kill -9 in mid-training, train again: the very same adapter as without the kill."""
    from safetensors.torch import load_file

    folder = tmp_path / "killed"
    options = {"dropout": 0.1, "epochs": 20, "save_every": 5}
    child = os.fork()
    if child == 0:
        quick(**options).train(data, folder, seed=3)
        os._exit(0)
    while not (folder / "unfinished" / "state.json").exists():
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
    assert not (folder / "unfinished").exists()


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


def test_the_rate_rises_and_falls_in_lines():
    """Warm-up from zero to the full rate, then down to zero at the end."""
    assert [_rate(number, 10, 2) for number in (0, 1, 2, 6, 10)] == [0.0, 0.5, 1.0, 0.5, 0.0]
    assert _rate(0, 10, 0) == 1.0


def test_processes_share_a_batch_and_an_idle_one_adds_nothing(monkeypatch):
    """Each example is in one share; who has none computes something that does not count."""
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
            CausalRunner(Recorded(), sequences, batch_size=3, pad_id=0, rank=rank, world=2).run(
                chosen
            )
            gradients.append(parameter.grad.tolist())
    assert seen == [([5, 7], 6), ([6, 0], 6), ([7, 0], 2), ([7, 0], 2)]
    assert gradients == [[1, 1], [1, 1], [1, 1], [0, 0]]


def test_summed_gradients_return_to_their_parameters(monkeypatch):
    """The flat sum of all processes is cut up in the order it was put together."""
    parameters = [torch.nn.Parameter(torch.zeros(2, 2)), torch.nn.Parameter(torch.zeros(3))]
    parameters[0].grad = torch.arange(4.0).view(2, 2)
    parameters[1].grad = torch.arange(3.0)
    monkeypatch.setattr(torch.distributed, "all_reduce", lambda flat: flat.mul_(2))
    add_up_gradients(parameters, idle=False)
    assert parameters[0].grad.tolist() == [[0, 2], [4, 6]]
    assert parameters[1].grad.tolist() == [0, 2, 4]
