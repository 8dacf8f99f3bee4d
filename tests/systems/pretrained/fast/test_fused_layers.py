"""The lean layers compute the sums of those they replace, or leave them alone."""

from __future__ import annotations

import pytest

from recombine.systems.pretrained.fast.fused_layers import use_fused_norms, use_lean_adapters
from recombine.systems.pretrained.weights import load_weights

torch = pytest.importorskip("torch")

TOKENS = [[1, 40, 50, 60, 70]]


@pytest.fixture
def model(tiny_model):
    """The tiny model."""
    return load_weights(str(tiny_model), kind="causal", allow_hub=False, device="cpu").model


def test_lean_adapters_equal_pefts(model):
    """Logits and gradients of the adapters are those of peft's own layers."""
    peft = pytest.importorskip("peft")  # it takes seconds, in each process that collects tests
    torch.manual_seed(0)
    adapted = peft.get_peft_model(
        model,
        peft.LoraConfig(r=4, lora_alpha=12, target_modules=["q_proj", "up_proj"], bias="none"),
    )
    trained = [one for one in adapted.parameters() if one.requires_grad]
    for parameter in trained:
        torch.nn.init.normal_(parameter, std=0.1)  # peft begins with B = 0, which hides A

    def logits_and_gradients():
        logits = adapted(input_ids=torch.tensor(TOKENS)).logits
        return logits.detach(), torch.autograd.grad(logits.square().mean(), trained)

    expected = logits_and_gradients()
    assert use_lean_adapters(adapted) == 4
    torch.testing.assert_close(logits_and_gradients(), expected, rtol=1e-4, atol=1e-5)


def test_fused_norms_equal_the_models(model):
    """All five norms of a two-layer Llama are replaced without changing a logit."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.uniform_(0.5, 1.5)  # weights of one would hide a forgotten weight
        expected = model(input_ids=torch.tensor(TOKENS)).logits
        assert use_fused_norms(model) == 5
        torch.testing.assert_close(model(input_ids=torch.tensor(TOKENS)).logits, expected)


def test_a_norm_that_computes_something_else_is_left_alone():
    """Gemma multiplies by 1 + weight under the same class name; its norm must stay."""

    class OtherRMSNorm(torch.nn.Module):
        variance_epsilon = 1e-6

        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(8))

        def forward(self, x):
            scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + self.variance_epsilon)
            return x * scale * (1 + self.weight)

    model = torch.nn.Sequential(OtherRMSNorm())
    sample = torch.randn(2, 8)
    expected = model(sample)
    assert use_fused_norms(model) == 0
    assert torch.equal(model(sample), expected)
