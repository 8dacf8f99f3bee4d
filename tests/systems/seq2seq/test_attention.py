"""Attention: skewing agrees with looking every offset up."""

from __future__ import annotations

import pytest
import torch

from recombine.systems.seq2seq.attention import padded_attention, skew, spread_table, unskew


@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_skew_moves_offsets_to_keys(length: int) -> None:
    """Entry (i, j) of the result is entry (i, j - i + T - 1) of the argument."""
    by_offset = torch.arange(length * (2 * length - 1)).view(length, -1)
    rows = torch.arange(length)
    expected = by_offset.gather(1, rows[None, :] - rows[:, None] + length - 1)
    assert torch.equal(expected, skew(by_offset))


@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_unskew_is_the_inverse(length: int) -> None:
    """Offsets that no key has are zero; skewing gives the keys back."""
    by_key = torch.rand(2, length, length)
    spread = unskew(by_key)
    assert spread.shape == (2, length, 2 * length - 1)
    assert torch.equal(skew(spread), by_key)
    assert torch.isclose(spread.sum(), by_key.sum())


@pytest.mark.parametrize("causal", [False, True])
def test_relative_attention_is_shaw_s(causal: bool) -> None:
    """Equations 3 and 4 of Shaw et al. 2018, written out with one vector per pair of positions."""
    torch.manual_seed(0)
    query, key, value = (torch.randn(2, 3, 6, 4, requires_grad=True) for _ in range(3))
    table = torch.randn(5, 4, requires_grad=True)
    lengths = torch.tensor([6, 4])
    found = padded_attention(query, key, value, lengths, causal=causal, table=table, dropout=0.0)
    rows = torch.arange(6)
    vectors = table[(rows[None, :] - rows[:, None]).clamp(-2, 2) + 2]
    scores = torch.einsum("bhid,bhijd->bhij", query, key[:, :, None] + vectors) / 2
    hidden = rows[None, None, None, :] >= lengths[:, None, None, None]
    if causal:
        hidden = hidden | (rows[None, :] > rows[:, None])
    weights = scores.masked_fill(hidden, -torch.inf).softmax(-1)
    expected = torch.einsum("bhij,bhijd->bhid", weights, value[:, :, None] + vectors)
    torch.testing.assert_close(found, expected)
    probe = torch.randn_like(found)
    inputs = (query, key, value, table)
    for mine, theirs in zip(
        torch.autograd.grad((found * probe).sum(), inputs),
        torch.autograd.grad((expected * probe).sum(), inputs),
        strict=True,
    ):
        torch.testing.assert_close(mine, theirs)


def test_the_table_is_clipped() -> None:
    """Offsets beyond the table use its last rows."""
    table = torch.arange(3.0)[:, None]
    assert spread_table(table, 4)[:, 0].tolist() == [0, 0, 0, 1, 2, 2, 2]
