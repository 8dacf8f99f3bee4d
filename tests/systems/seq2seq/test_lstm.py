"""LSTM: the equations of Luong et al. 2015, whatever the padding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from recombine.systems.seq2seq.batch import pad_batch
from recombine.systems.seq2seq.corpus import NumberedSide, ParallelCorpus
from recombine.systems.seq2seq.fast.packing import Resident
from recombine.systems.seq2seq.fast.row_operations import RowOperations
from recombine.systems.seq2seq.lstm import Lstm
from recombine.systems.seq2seq.operations import Operations
from recombine.systems.seq2seq.options import LstmOptions
from recombine.systems.seq2seq.vocabulary import BEGIN

CPU = torch.device("cpu")


def model(**options: Any) -> Lstm:
    """Return a small untrained LSTM without dropout."""
    torch.manual_seed(4)
    shape = {"width": 16, "encoder_layers": 2, "decoder_layers": 2, "dropout": 0.0}
    return Lstm(LstmOptions(**{**shape, **options}), 20, 20)


@pytest.fixture
def corpus() -> ParallelCorpus:
    """Six pairs, some empty, some long."""
    stream = np.random.default_rng(5)
    sides = [
        NumberedSide.of([stream.integers(4, 20, n).tolist() for n in lengths])
        for lengths in ([3, 9, 0, 24, 5, 1], [4, 7, 2, 29, 6, 0])
    ]
    return ParallelCorpus(*sides)


@pytest.mark.parametrize("options", [{}, {"bidirectional": True}, {"input_feeding": True}], ids=str)
def test_padding_changes_nothing(corpus: ParallelCorpus, options: dict[str, Any]) -> None:
    """One batch, with more room than needed, and single sentences have the same gradients."""
    one = model(**options)
    batch = pad_batch(corpus, np.arange(6), CPU)
    losses = [
        one(batch),
        one(Resident(corpus, CPU).pad(torch.arange(6), 27, 30)[0]),
        sum(one(pad_batch(corpus, np.array([number]), CPU)) for number in range(6)),
    ]
    with RowOperations().within(one):
        losses.append(one(batch))
    gradients = [torch.autograd.grad(loss, list(one.parameters())) for loss in losses]
    for loss, found in zip(losses[1:], gradients[1:], strict=True):
        torch.testing.assert_close(loss, losses[0])
        for mine, theirs in zip(found, gradients[0], strict=True):
            torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)


def test_attention_is_luong_s(corpus: ParallelCorpus) -> None:
    """Dot scores, their softmax, a context, and tanh(W [context; state]) to the output layer."""
    one = model()
    source, target = (torch.from_numpy(side.sentence(1)) for side in (corpus.source, corpus.target))
    memory, states = one.encoder(one.source_embedding[source] * 4)
    fed = torch.cat((torch.tensor([BEGIN]), target[:-1]))
    output, _ = one.decoder(one.target_embedding[fed] * 4, states)
    rows = []
    for state in output:
        weights = (memory @ state).softmax(0)
        context = (weights[:, None] * memory).sum(0)
        rows.append(torch.tanh(one.mix @ torch.cat((context, state))))
    assert one.output is not None
    logits = torch.stack(rows) @ one.output.T + one.output_bias
    expected = functional.cross_entropy(logits, target, reduction="sum")
    torch.testing.assert_close(one(pad_batch(corpus, np.array([1]), CPU)), expected)


def test_input_feeding_is_luong_s(corpus: ParallelCorpus) -> None:
    """Section 3.3: the first layer reads [piece; attentional state before], at first zeros."""
    one = model(input_feeding=True)
    source, target = (torch.from_numpy(side.sentence(1)) for side in (corpus.source, corpus.target))
    memory, states = one.encoder(one.source_embedding[source] * 4)
    fed, rows = torch.zeros(16), []
    for piece in [BEGIN, *target[:-1].tolist()]:
        x = torch.cat((one.target_embedding[piece] * 4, fed))
        output, states = one.decoder(x[None], states)
        weights = (memory @ output[0]).softmax(0)
        fed = torch.tanh(one.mix @ torch.cat(((weights[:, None] * memory).sum(0), output[0])))
        rows.append(fed)
    assert one.output is not None
    logits = torch.stack(rows) @ one.output.T + one.output_bias
    expected = functional.cross_entropy(logits, target, reduction="sum")
    found = one(pad_batch(corpus, np.array([1]), CPU))
    torch.testing.assert_close(found, expected)
    wanted = torch.autograd.grad(expected, list(one.parameters()))
    for mine, theirs in zip(
        torch.autograd.grad(found, list(one.parameters())), wanted, strict=True
    ):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)


def test_dropout_stands_where_opennmt_py_has_it(corpus: ParallelCorpus) -> None:
    """On embeddings, between the layers and on the attentional state, which is fed dropped."""
    one = model(input_feeding=True, dropout=0.5, decoder_layers=3).train()
    batch = pad_batch(corpus, np.array([1]), CPU)
    dropped: list[torch.Tensor] = []

    class Watched(Operations):
        """Operations that keep what dropout was asked for."""

        def drop(self, x: torch.Tensor, dropout: float) -> torch.Tensor:
            """Drop nothing, but for the attentional states: all of them."""
            dropped.append(x)
            return x * 0 if len(dropped) > 2 and len(dropped) % 3 == 2 else x

    with Watched().within(one):
        found = one(batch)
    pieces = batch.target.pieces.shape[1]
    assert len(dropped) == 2 + 3 * pieces  # two tables; two gaps and the attentional state
    # Without attentional states every piece is as likely at first and nothing is fed.
    expected = functional.cross_entropy(
        one.output_bias.expand(pieces, -1), batch.expected[0], reduction="sum"
    )
    torch.testing.assert_close(found, expected)


def test_input_feeding_widens_the_decoder() -> None:
    """The attentional state goes in beside the piece."""
    plain, fed = model(), model(input_feeding=True)
    assert plain.decoder.weight_ih_l0.shape == (64, 16)
    assert fed.decoder.weight_ih_l0.shape == (64, 32)


@pytest.mark.parametrize(("encoder", "decoder"), [(2, 4), (3, 1), (2, 2)])
def test_every_decoder_layer_gets_a_state(encoder: int, decoder: int) -> None:
    """Layers that the encoder has not start from its last one; spare ones are left."""
    one = model(encoder_layers=encoder, decoder_layers=decoder)
    pieces, lengths = torch.tensor([[5, 6, 7], [8, 9, 0]]), torch.tensor([3, 2])
    state, cell = one.start(pieces, lengths, 9).states
    assert state.shape == cell.shape == (decoder, 2, 16)
    _, (wanted, _) = one.encoder(one.source_embedding[pieces[:1]] * 4)
    for layer in range(decoder):
        torch.testing.assert_close(state[layer, 0], wanted[min(layer, encoder - 1), 0])


@pytest.mark.parametrize("feeding", [False, True])
def test_a_selected_cache_decodes_alike(feeding: bool) -> None:
    """Beams taken out of a cache in another order go on as they would have."""
    one = model(input_feeding=feeding).eval()
    cache = one.start(torch.tensor([[5, 6, 7], [8, 9, 0]]), torch.tensor([3, 2]), 9)
    one.step(cache, torch.tensor([BEGIN, BEGIN]), 0)
    chosen = torch.tensor([1, 0, 1])
    selected = cache.select(chosen)
    expected = one.step(cache, torch.tensor([4, 11]), 0)
    found = one.step(selected, torch.tensor([11, 4, 11]), 0)
    torch.testing.assert_close(found, expected[chosen])
    assert not torch.allclose(expected[0], expected[1])
