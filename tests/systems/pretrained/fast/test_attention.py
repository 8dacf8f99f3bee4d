"""Our attention equals the textbook's, and refuses what it cannot do."""

from __future__ import annotations

import pytest

from recombine.systems.pretrained.fast.attention import (
    NAME,
    Unsupported,
    attend,
    needs_library_attention,
    use_library_attention,
    use_plain_attention,
)
from recombine.systems.pretrained.weights import load_weights

torch = pytest.importorskip("torch")


def textbook(query, key, value, allowed, scale):
    """Return softmax(q k / scale) v with every key head repeated for its query heads."""
    groups = query.shape[1] // key.shape[1]
    key, value = (one.repeat_interleave(groups, dim=1) for one in (key, value))
    scores = (query @ key.transpose(-1, -2) * scale).masked_fill(~allowed, float("-inf"))
    return (scores.softmax(-1) @ value).transpose(1, 2)


@pytest.mark.parametrize("key_heads", [1, 2, 4])
def test_a_prompt_is_read_causally(key_heads):
    """Without a mask every token sees itself and what is before it, with shared heads too."""
    torch.manual_seed(0)
    query = torch.randn(2, 4, 5, 8)
    key, value = torch.randn(2, 2, key_heads, 5, 8).unbind(0)
    found, _ = attend(None, query, key, value, None, scaling=0.3)
    allowed = torch.ones(5, 5, dtype=torch.bool).tril()
    torch.testing.assert_close(found, textbook(query, key, value, allowed, 0.3))


@pytest.mark.parametrize("key_heads", [1, 2, 4])
def test_one_new_token_sees_its_own_slots(key_heads):
    """With a mask per row the shared heads of a single query give what repeated ones give."""
    torch.manual_seed(1)
    query = torch.randn(3, 4, 1, 8)
    key, value = torch.randn(2, 3, key_heads, 6, 8).unbind(0)
    allowed = (torch.arange(6) <= torch.tensor([[0], [3], [5]]))[:, None, None, :]
    found, _ = attend(None, query, key, value, allowed, scaling=0.5)
    torch.testing.assert_close(found, textbook(query, key, value, allowed, 0.5))


@pytest.mark.parametrize("name", ["softcap", "sliding_window", "s_aux"])
def test_what_plain_attention_cannot_do_is_refused(name):
    """An option that would change the sums is never ignored."""
    one = torch.randn(1, 1, 2, 4)
    with pytest.raises(Unsupported, match=name):
        attend(None, one, one, one, None, **{name: 3})


def test_a_model_is_switched_there_and_back(tiny_model):
    """Switched to plain attention a model gives the same logits, and can be switched back."""
    model = load_weights(str(tiny_model), kind="causal", allow_hub=False, device="cpu").model
    tokens = torch.tensor([[1, 40, 50, 60]])
    with torch.no_grad():
        expected = model(input_ids=tokens).logits
        use_plain_attention(model)
        assert model.config._attn_implementation == NAME
        torch.testing.assert_close(model(input_ids=tokens).logits, expected)
    use_library_attention(model)
    assert model.config._attn_implementation == "sdpa"
    assert not needs_library_attention(model)
    model.config.attn_logit_softcapping = 50.0
    assert needs_library_attention(model)
