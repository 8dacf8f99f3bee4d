"""A step computes the mean loss of the answer tokens, however it is computed."""

from __future__ import annotations

import json

import pytest

from recombine.systems.pretrained.batches import Collation, Learned
from recombine.systems.pretrained.fast.step import FastStep
from recombine.systems.pretrained.seam import choose_step
from recombine.systems.pretrained.training import TrainingStep
from recombine.systems.pretrained.weights import load_weights

torch = pytest.importorskip("torch")


@pytest.fixture
def model(tiny_model):
    """The tiny model, all its weights trainable and without dropout."""
    return load_weights(str(tiny_model), kind="causal", allow_hub=False, device="cpu").model


SEQUENCES = [Learned((1, 40, 50, 60, 2), 3), Learned((1, 70, 80, 90, 100, 110, 2), 2)]


def expected_loss(model):
    """Return the mean loss over the learned tokens, one sequence after the other."""
    losses = []
    for tokens, start in SEQUENCES:
        logits = model(input_ids=torch.tensor([tokens])).logits[0]
        wanted = torch.tensor(tokens[start:])
        losses.append(
            torch.nn.functional.cross_entropy(logits[start - 1 : -1], wanted, reduction="none")
        )
    return torch.cat(losses).mean()


@pytest.mark.parametrize("kind", [TrainingStep, FastStep, "whole head"])
@pytest.mark.parametrize("few_shapes", [True, False])
def test_gradients_are_those_of_the_mean_loss(model, kind, few_shapes):
    """Padding, prompts and the shortcut of the head change neither loss nor gradients."""
    parameters = list(model.parameters())
    expected_loss(model).backward()
    wanted = [parameter.grad.clone() for parameter in parameters]
    if kind is TrainingStep:
        step = TrainingStep(model, parameters, "cpu")
    else:
        step = FastStep(model, parameters, "cpu", capture=False)
        assert step._plain_head
        step._plain_head = kind is FastStep
    step.run(Collation(SEQUENCES, 4, pad_id=0, few_shapes=few_shapes).batch([1, 0]))
    assert step.total.item() == pytest.approx(expected_loss(model).item(), rel=1e-5)
    for parameter, gradient in zip(parameters, wanted, strict=True):
        torch.testing.assert_close(parameter.grad, gradient, rtol=1e-3, atol=1e-5)


def test_shares_of_a_batch_add_up(model):
    """Two halves, each divided by the tokens of the whole, give the whole batch's loss."""
    step = FastStep(model, list(model.parameters()), "cpu", capture=False)
    collation = Collation(SEQUENCES, 2, pad_id=0, few_shapes=False)
    step.run(collation.batch([0]), learned=7)
    step.run(collation.batch([1]), learned=7)
    assert step.total.item() == pytest.approx(expected_loss(model).item(), rel=1e-5)


def test_logits_that_are_more_than_the_head_are_not_cut_short(model):
    """A model that changes its logits after the output embedding takes the long way."""
    forward = model.forward

    def scaled(*values, **options):
        output = forward(*values, **options)
        output.logits = output.logits * 0.5
        return output

    model.forward = scaled
    assert not FastStep(model, list(model.parameters()), "cpu", capture=False)._plain_head


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_captured_graphs_equal_plain_steps(tmp_path, monkeypatch, quick, sources, data):
    """Training and decoding from CUDA graphs give what eager steps and `generate` give."""
    from recombine.systems.pretrained import causal as module

    options = {"device": "cuda", "dtype": "float32", "epochs": 20}
    quick(**options).train(data, tmp_path / "graphs", seed=1)
    monkeypatch.setattr(
        module, "choose_step", lambda *values, capture: choose_step(*values, capture=False)
    )
    quick(**options).train(data, tmp_path / "eager", seed=1)
    graphs, eager = (
        json.loads((tmp_path / name / "llm.json").read_text())["training"]
        for name in ("graphs", "eager")
    )
    assert graphs["path"] == "CUDA graphs"
    assert graphs["loss"] == pytest.approx(eager["loss"], rel=1e-3)
    fast = quick(**options).load(tmp_path / "graphs")
    plain = quick(decoder="generate", **options).load(tmp_path / "graphs")
    assert list(fast.translate(sources)) == list(plain.translate(sources))
    assert fast.describe()["decoder"] == "fast with CUDA graphs"
