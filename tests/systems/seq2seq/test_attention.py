"""Attention: skewing agrees with looking every offset up, and gradients with differences."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from recombine.systems.seq2seq.attention import attend, by_offset, offsets_of, skewed
from recombine.systems.seq2seq.batch import Group, Grouped, padded_block

LENGTHS = torch.tensor([6, 4])
HEADS, LENGTH, WIDTH = 3, 6, 4


@pytest.fixture
def layout() -> Grouped:
    """Two sentences in rows that are padded already."""
    block = padded_block(2, LENGTH, LENGTHS)
    return Grouped((Group(block, block, LENGTHS),))


def heads_of(rows: Tensor, parts: int) -> list[Tensor]:
    """Return the parts of padded rows, each [sentence, head, position, number]."""
    split = rows.view(2, LENGTH, parts, HEADS, WIDTH)
    return [split[:, :, part].transpose(1, 2) for part in range(parts)]


@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_skewing_moves_offsets_to_keys(length: int) -> None:
    """Entry (i, j) of the result is entry (i, j - i + T - 1) of the argument."""
    offsets = torch.arange(2 * length * (2 * length - 1)).view(2, length, -1)
    rows = torch.arange(length)
    index = (rows[None, :] - rows[:, None] + length - 1).expand(2, -1, -1)
    assert torch.equal(offsets.gather(2, index), skewed(offsets))


@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_weights_by_offset_are_the_inverse(length: int) -> None:
    """Offsets that no key has are zero; skewing gives the keys back."""
    by_key = torch.rand(2, length, length)
    spread = by_offset(by_key)
    assert spread.shape == (2, length, 2 * length - 1)
    assert torch.equal(skewed(spread), by_key)
    assert torch.isclose(spread.sum(), by_key.sum())


@pytest.mark.parametrize("causal", [False, True])
def test_relative_attention_is_shaw_s(layout: Grouped, causal: bool) -> None:
    """Equations 3 and 4 of Shaw et al. 2018, written out with one vector per pair of positions."""
    torch.manual_seed(0)
    projected = torch.randn(2 * LENGTH, 3 * HEADS * WIDTH, requires_grad=True)
    table = torch.randn(5, WIDTH, requires_grad=True)
    found = attend(
        projected, None, table, layout, HEADS, queries="source", keys="source", causal=causal,
        dropout=0.0,
    )  # fmt: skip
    query, key, value = heads_of(projected, 3)
    rows = torch.arange(LENGTH)
    vectors = table[(rows[None, :] - rows[:, None]).clamp(-2, 2) + 2]
    scores = torch.einsum("bhid,bhijd->bhij", query, key[:, :, None] + vectors) / 2
    hidden = rows[None, None, None, :] >= LENGTHS[:, None, None, None]
    if causal:
        hidden = hidden | (rows[None, :] > rows[:, None])
    weights = scores.masked_fill(hidden, -torch.inf).softmax(-1)
    expected = torch.einsum("bhij,bhijd->bhid", weights, value[:, :, None] + vectors)
    inside = (rows < LENGTHS[:, None]).flatten()
    expected = expected.transpose(1, 2).reshape(found.shape)
    torch.testing.assert_close(found, expected)
    # Only what a sentence owns has a gradient: the rest is padding.
    probe = torch.randn_like(found) * inside[:, None]
    inputs = (projected, table)
    for mine, theirs in zip(
        torch.autograd.grad((found * probe).sum(), inputs),
        torch.autograd.grad((expected * probe).sum(), inputs),
        strict=True,
    ):
        torch.testing.assert_close(mine, theirs)


@pytest.mark.parametrize("kind", ["self", "causal", "cross"])
def test_gradients_are_those_of_differences(layout: Grouped, kind: str) -> None:
    """With dropout, whose mask is drawn anew from the same seed, and with relative positions."""
    torch.manual_seed(0)
    table = torch.randn(5, WIDTH, dtype=torch.float64) if kind != "cross" else None
    width = HEADS * WIDTH
    shapes = [(12, width), (12, 2 * width)] if kind == "cross" else [(12, 3 * width)]
    inputs = [torch.randn(*shape, dtype=torch.float64) for shape in shapes]
    inside = (torch.arange(LENGTH) < LENGTHS[:, None]).flatten()[:, None]

    def run(query: Tensor, second: Tensor | None = None) -> Tensor:
        torch.manual_seed(3)
        memory, own = (second, None) if kind == "cross" else (None, second)
        found = attend(
            query, memory, own, layout, HEADS, queries="target", keys="source",
            causal=kind == "causal", dropout=0.3,
        )  # fmt: skip
        return found * inside

    if table is not None:
        inputs.append(table)
    leaves = tuple(one.requires_grad_() for one in inputs)
    assert torch.autograd.gradcheck(run, leaves)


def test_the_table_is_clipped() -> None:
    """Offsets beyond the table use its last rows."""
    assert offsets_of(4, 1, torch.device("cpu")).tolist() == [0, 0, 0, 1, 2, 2, 2]
