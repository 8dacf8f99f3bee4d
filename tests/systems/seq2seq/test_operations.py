"""Operations: each one is its formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from recombine.systems.seq2seq.batch import Batch, PackedRows, Resident
from recombine.systems.seq2seq.corpus import NumberedSide, ParallelCorpus
from recombine.systems.seq2seq.operations import Operations

PLAIN = Operations()
HEADS, WIDTH = 2, 8


@pytest.fixture
def batch() -> Batch:
    """Four pairs packed into rows, with a tail."""
    stream = np.random.default_rng(3)
    lengths = [4, 0, 7, 2], [1, 5, 3, 6]
    sides = [NumberedSide.of([stream.integers(4, 9, n).tolist() for n in side]) for side in lengths]
    return Resident(ParallelCorpus(*sides), torch.device("cpu")).pack(torch.arange(4), 20, 24)[0]


def attention(query: Tensor, key: Tensor, value: Tensor, causal: bool) -> Tensor:
    """Return attention within one sentence, head by head (Vaswani et al. 2017, equation 1)."""
    outputs = []
    for q, k, v in zip(*(one.chunk(HEADS, -1) for one in (query, key, value)), strict=True):
        scores = q @ k.T / q.shape[-1] ** 0.5
        if causal:
            later = torch.ones_like(scores).triu(1).bool()
            scores = scores.masked_fill(later, -torch.inf)
        outputs.append(scores.softmax(-1) @ v)
    return torch.cat(outputs, -1)


def test_a_sum_is_normed_after_its_bias() -> None:
    """The sum is x + h + bias, and its norm has mean 0 and variance 1 before gain and shift."""
    torch.manual_seed(1)
    x, h = torch.randn(2, 5, WIDTH)
    bias, gain, shift = torch.randn(3, WIDTH)
    y, n = PLAIN.add_norm(x, h, bias, gain, shift, 0.0)
    torch.testing.assert_close(y, x + h + bias)
    normal = (n - shift) / gain
    torch.testing.assert_close(normal.mean(-1), torch.zeros(5), atol=1e-5, rtol=0)
    torch.testing.assert_close(normal.square().mean(-1), torch.ones(5), atol=1e-4, rtol=0)


def test_dropout_keeps_the_mean() -> None:
    """Kept elements are scaled up, others are zero; without dropout it is plain relu."""
    torch.manual_seed(1)
    u, bias = torch.ones(100, 100), torch.ones(100)
    dropped = PLAIN.activate(u, bias, 0.25)
    assert dropped.unique().tolist() == pytest.approx([0.0, 2 / 0.75])
    assert float(dropped.mean()) == pytest.approx(2.0, abs=0.05)
    assert PLAIN.activate(-3 * u, bias, 0.0).eq(0).all()
    assert float(PLAIN.drop(u, 0.5).mean()) == pytest.approx(1.0, abs=0.05)


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
        assert torch.autograd.gradcheck(seeded(PLAIN.add_norm, chosen), (*rows, *vectors))
    no_bias = seeded(lambda x, h, *more: PLAIN.add_norm(x, h, None, *more))
    assert torch.autograd.gradcheck(no_bias, (*rows, *vectors[1:]))
    assert torch.autograd.gradcheck(seeded(PLAIN.activate), (rows[0], vectors[0]))


@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize("causal", [False, True])
def test_self_attention_stays_within_its_sentence(batch: Batch, side: str, causal: bool) -> None:
    """Sentences that lie end to end do not see one another."""
    layout = batch.layout
    assert isinstance(layout, PackedRows)
    rows = len(batch.source if side == "source" else batch.target_output)
    torch.manual_seed(1)
    projected = torch.randn(rows, 3 * WIDTH)
    found = PLAIN.attend_self(
        projected, layout, HEADS, side, causal=causal, table=None, dropout=0.0
    )
    starts, lengths = getattr(layout, f"{side}_starts"), getattr(layout, f"{side}_lengths")
    for start, length in zip(starts, lengths, strict=True):
        part = slice(int(start), int(start + length))
        expected = attention(*projected[part].chunk(3, -1), causal)
        torch.testing.assert_close(found[part], expected)


def test_cross_attention_looks_at_its_own_source(batch: Batch) -> None:
    """A target sentence attends to the source sentence of its pair."""
    layout = batch.layout
    assert isinstance(layout, PackedRows)
    torch.manual_seed(1)
    query = torch.randn(len(batch.target_output), WIDTH)
    memory = torch.randn(len(batch.source), 2 * WIDTH)
    found = PLAIN.attend_cross(query, memory, layout, HEADS, 0.0)
    for number in range(4):
        target, source = (
            slice(int(start[number]), int(start[number] + length[number]))
            for start, length in (
                (layout.target_starts, layout.target_lengths),
                (layout.source_starts, layout.source_lengths),
            )
        )
        expected = attention(query[target], *memory[source].chunk(2, -1), False)
        torch.testing.assert_close(found[target], expected)
