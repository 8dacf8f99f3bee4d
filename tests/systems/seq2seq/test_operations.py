"""Operations: each one is its formula, and padding is not seen."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from recombine.systems.seq2seq.batch import Batch, pad_batch
from recombine.systems.seq2seq.corpus import NumberedSide, ParallelCorpus
from recombine.systems.seq2seq.operations import Operations

PLAIN = Operations()
HEADS, WIDTH = 2, 8


@pytest.fixture
def batch() -> Batch:
    """Four pairs of different lengths."""
    stream = np.random.default_rng(3)
    lengths = [4, 0, 7, 2], [1, 5, 3, 6]
    sides = [NumberedSide.of([stream.integers(4, 9, n).tolist() for n in side]) for side in lengths]
    return pad_batch(ParallelCorpus(*sides), np.arange(4), torch.device("cpu"))


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


@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize("causal", [False, True])
def test_self_attention_stays_within_its_sentence(batch: Batch, side: str, causal: bool) -> None:
    """A sentence sees its own pieces, and no padding."""
    sentences = getattr(batch, side)
    torch.manual_seed(1)
    projected = torch.randn(*sentences.pieces.shape, 3 * WIDTH)
    found = PLAIN.attend_self(projected, sentences, HEADS, causal=causal, table=None, dropout=0.0)
    for row, length in enumerate(sentences.lengths.tolist()):
        expected = attention(*projected[row, :length].chunk(3, -1), causal)
        torch.testing.assert_close(found[row, :length], expected)


def test_cross_attention_looks_at_its_own_source(batch: Batch) -> None:
    """A target sentence attends to the source sentence of its pair."""
    torch.manual_seed(1)
    query = torch.randn(*batch.target.pieces.shape, WIDTH)
    memory = torch.randn(*batch.source.pieces.shape, 2 * WIDTH)
    found = PLAIN.attend_cross(query, memory, batch.target, batch.source, HEADS, 0.0)
    for row in range(4):
        source, target = int(batch.source.lengths[row]), int(batch.target.lengths[row])
        expected = attention(query[row, :target], *memory[row, :source].chunk(2, -1), False)
        torch.testing.assert_close(found[row, :target], expected)


@pytest.mark.parametrize("bidirectional", [False, True])
def test_recurrent_layers_end_where_their_sentence_does(bidirectional: bool) -> None:
    """Outputs and last states are those of every sentence alone."""
    torch.manual_seed(1)
    layers = nn.LSTM(WIDTH, WIDTH, 2, batch_first=True, bidirectional=bidirectional)
    x, lengths = torch.randn(3, 5, WIDTH), torch.tensor([2, 5, 1])
    first = torch.randn(2, layers.num_layers * (1 + bidirectional), 3, WIDTH)
    for states in (None, (first[0], first[1])):
        output, last = PLAIN.recur(layers, x, lengths, states)
        for row, length in enumerate(lengths.tolist()):
            own = states and tuple(one[:, row : row + 1].contiguous() for one in states)
            expected, ends = layers(x[row : row + 1, :length], own)
            torch.testing.assert_close(output[row, :length], expected[0])
            for mine, theirs in zip(last, ends, strict=True):
                torch.testing.assert_close(mine[:, row], theirs[:, 0])


def test_a_model_gets_its_operations_back() -> None:
    """Whatever happens within."""
    model = nn.Module()
    model.operations = PLAIN
    other = Operations()
    seen = []

    def fails() -> None:
        with other.within(model):
            seen.append(model.operations)
            raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        fails()
    assert seen == [other]
    assert model.operations is PLAIN
