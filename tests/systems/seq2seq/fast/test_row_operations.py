"""Row operations: the plain operations under their own masks, and gradients by differences."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from recombine.systems.seq2seq.fast.row_operations import (
    RowOperations,
    by_offset,
    keep_mask,
    offsets_of,
    skewed,
)
from recombine.systems.seq2seq.fast.rows import GroupedRows, RowBlock
from recombine.systems.seq2seq.operations import Operations

ROWS, PLAIN = RowOperations(), Operations()
LENGTHS = torch.tensor([6, 4])
HEADS, LENGTH, WIDTH = 3, 6, 4


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_a_mask_keeps_its_share_and_the_mean(rate: float) -> None:
    """A share of 1 - rate is scaled up so that the mean stays."""
    torch.manual_seed(1)
    mask = keep_mask(torch.empty(500, 401), rate)
    assert mask.unique().tolist() == pytest.approx([0.0, 1 / (1 - rate)])
    assert float(mask.mean()) == pytest.approx(1.0, abs=0.01)
    # Rows and columns are no more alike than chance has it.
    assert float(mask.mean(0).std()) == pytest.approx((rate / (1 - rate) / 500) ** 0.5, rel=0.15)
    assert float(mask.mean(1).std()) == pytest.approx((rate / (1 - rate) / 401) ** 0.5, rel=0.15)


def test_the_seed_decides() -> None:
    """The same seed gives the same masks one after another; each is another."""
    drawn = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        drawn.append([keep_mask(torch.empty(7, 33), 0.5) for _ in range(2)])
    assert all(torch.equal(*pair) for pair in zip(drawn[0], drawn[1], strict=True))
    assert not torch.equal(drawn[0][0], drawn[0][1])
    assert not torch.equal(drawn[0][0], drawn[2][0])


def test_a_mask_is_of_the_kind_of_its_rows() -> None:
    """Shape and number format follow, whatever the number of elements."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        for shape in ((0,), (1,), (5, 3, 1)):
            mask = keep_mask(torch.empty(shape, dtype=dtype), 0.25)
            assert (mask.shape, mask.dtype) == (torch.Size(shape), dtype)


def test_without_dropout_they_are_the_plain_ones() -> None:
    """Sum, norm and activation."""
    torch.manual_seed(1)
    x, h = torch.randn(2, 5, WIDTH)
    bias, gain, shift = torch.randn(3, WIDTH)
    for found, expected in zip(
        (*ROWS.add_norm(x, h, bias, gain, shift, 0.0), ROWS.activate(x, bias, 0.0)),
        (*PLAIN.add_norm(x, h, bias, gain, shift, 0.0), PLAIN.activate(x, bias, 0.0)),
        strict=True,
    ):
        torch.testing.assert_close(found, expected)


def test_dropout_keeps_the_mean() -> None:
    """Kept elements are scaled up, others are zero."""
    torch.manual_seed(1)
    u, bias = torch.ones(100, 100), torch.ones(100)
    dropped = ROWS.activate(u, bias, 0.25)
    assert dropped.unique().tolist() == pytest.approx([0.0, 2 / 0.75])
    assert float(dropped.mean()) == pytest.approx(2.0, abs=0.05)
    assert float(ROWS.drop(u, 0.5).mean()) == pytest.approx(1.0, abs=0.05)


def test_gradients_are_those_of_differences() -> None:
    """Under a mask drawn anew from the same seed; a norm or a sum that nobody uses has none."""
    torch.manual_seed(2)
    rows = [torch.randn(5, WIDTH, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    vectors = [torch.randn(WIDTH, dtype=torch.float64, requires_grad=True) for _ in range(3)]

    def seeded(operation: Any, chosen: Any = lambda outputs: outputs) -> Any:
        def run(*inputs: Tensor) -> Any:
            torch.manual_seed(4)
            return chosen(operation(*inputs, 0.3))

        return run

    for chosen in (lambda both: both, lambda both: both[0], lambda both: both[1]):
        assert torch.autograd.gradcheck(seeded(ROWS.add_norm, chosen), (*rows, *vectors))
    no_bias = seeded(lambda x, h, *more: ROWS.add_norm(x, h, None, *more))
    assert torch.autograd.gradcheck(no_bias, (*rows, *vectors[1:]))
    assert torch.autograd.gradcheck(seeded(ROWS.activate), (rows[0], vectors[0]))


@pytest.fixture
def sentences() -> GroupedRows:
    """Two sentences in rows that are padded already."""
    places = torch.arange(2 * LENGTH)
    block = RowBlock(2, LENGTH, slice(0, 2 * LENGTH), LENGTHS, places, places)
    return GroupedRows(places, places % LENGTH, LENGTHS, (block,))


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
def test_relative_attention_is_shaw_s(sentences: GroupedRows, causal: bool) -> None:
    """Equations 3 and 4 of Shaw et al. 2018, written out with one vector per pair of positions."""
    torch.manual_seed(0)
    projected = torch.randn(2 * LENGTH, 3 * HEADS * WIDTH, requires_grad=True)
    table = torch.randn(5, WIDTH, requires_grad=True)
    found = ROWS.attend_self(projected, sentences, HEADS, causal=causal, table=table, dropout=0.0)
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
def test_gradients_of_attention_are_those_of_differences(sentences: GroupedRows, kind: str) -> None:
    """With dropout, whose mask is drawn anew from the same seed, and with relative positions."""
    torch.manual_seed(0)
    table = torch.randn(5, WIDTH, dtype=torch.float64) if kind != "cross" else None
    width = HEADS * WIDTH
    shapes = [(12, width), (12, 2 * width)] if kind == "cross" else [(12, 3 * width)]
    inputs = [torch.randn(*shape, dtype=torch.float64) for shape in shapes]
    inside = (torch.arange(LENGTH) < LENGTHS[:, None]).flatten()[:, None]

    def run(query: Tensor, second: Tensor | None = None) -> Tensor:
        torch.manual_seed(3)
        if kind == "cross":
            assert second is not None
            return inside * ROWS.attend_cross(query, second, sentences, sentences, HEADS, 0.3)
        return inside * ROWS.attend_self(
            query, sentences, HEADS, causal=kind == "causal", table=second, dropout=0.3
        )

    if table is not None:
        inputs.append(table)
    leaves = tuple(one.requires_grad_() for one in inputs)
    assert torch.autograd.gradcheck(run, leaves)


def test_the_table_is_clipped() -> None:
    """Offsets beyond the table use its last rows."""
    assert offsets_of(4, 1, torch.device("cpu")).tolist() == [0, 0, 0, 1, 2, 2, 2]
