"""Transformer: whole targets, step by step and one sentence spelled out agree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from recombine.systems.seq2seq.batch import pad_batch
from recombine.systems.seq2seq.corpus import NumberedSide, ParallelCorpus
from recombine.systems.seq2seq.fast.row_operations import RowOperations
from recombine.systems.seq2seq.fast.rows import group_batch
from recombine.systems.seq2seq.lstm import Lstm
from recombine.systems.seq2seq.options import LstmOptions, TransformerOptions
from recombine.systems.seq2seq.training import build_model
from recombine.systems.seq2seq.transformer import Transformer
from recombine.systems.seq2seq.vocabulary import BEGIN, PAD

CPU = torch.device("cpu")
SHAPE: dict[str, Any] = {
    "encoder_layers": 2, "decoder_layers": 2, "width": 32, "feed_forward": 48, "heads": 2,
    "dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0, "max_relative": 3,
    "max_length": 40,
}  # fmt: skip


@pytest.fixture
def corpus() -> ParallelCorpus:
    """Nine pairs, some empty, some long."""
    stream = np.random.default_rng(5)
    sides = [
        NumberedSide.of([stream.integers(4, 20, n).tolist() for n in lengths])
        for lengths in ([3, 9, 0, 14, 5, 5, 22, 1, 8], [4, 7, 2, 19, 6, 3, 11, 0, 9])
    ]
    return ParallelCorpus(*sides)


def gradients(model: torch.nn.Module, loss: Tensor) -> list[Tensor]:
    """Return the gradients of all parameters."""
    return list(torch.autograd.grad(loss, list(model.parameters()), allow_unused=True))  # type: ignore[arg-type]


POSITIONS = ["relative", "sinusoidal", "learned", "rope", "none"]


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_rows_without_padding_give_the_same_gradients(
    corpus: ParallelCorpus, positions: str, norm: str
) -> None:
    """How sentences lie in a batch changes neither the loss nor any gradient."""
    torch.manual_seed(1)
    model = Transformer(TransformerOptions(**SHAPE, positions=positions, norm=norm), 20, 20)
    numbers = np.arange(9)
    padded = model(pad_batch(corpus, numbers, CPU))
    expected = gradients(model, padded)
    for groups in (1, 4):
        with RowOperations().within(model):
            loss = model(group_batch(corpus, numbers, CPU, groups))
        torch.testing.assert_close(loss, padded)
        for mine, theirs in zip(gradients(model, loss), expected, strict=True):
            torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("kind", "options"), [(Transformer, TransformerOptions), (Lstm, LstmOptions)]
)
def test_embeddings_may_go_in_as_they_are(corpus: ParallelCorpus, kind: Any, options: Any) -> None:
    """A model that multiplies them by sqrt(width) is one that does not, with larger tables."""
    shape = {"width": 16, "encoder_layers": 2, "decoder_layers": 2, "dropout": 0.0}
    scaled = kind(options(**shape), 20, 20).eval()
    plain = kind(options(**shape, scale_embeddings=False), 20, 20).eval()
    plain.load_state_dict(scaled.state_dict())
    batch = pad_batch(corpus, np.arange(9), CPU)
    assert not torch.isclose(plain(batch), scaled(batch))
    with torch.no_grad():
        for name, parameter in plain.named_parameters():
            if name in ("source_embedding", "target_embedding"):
                parameter.mul_(16**0.5)
    torch.testing.assert_close(plain(batch), scaled(batch))


def reference_loss(model: Transformer, source: list[int], target: list[int]) -> Tensor:
    """The Transformer of one sentence, spelled out with loops over heads."""

    def attention(x: Tensor, y: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor,
                  table: Tensor | None, causal: bool) -> Tensor:  # fmt: skip
        width = x.shape[1] // model.heads
        outputs = []
        for head in range(model.heads):
            part = slice(head * width, (head + 1) * width)
            query, key, value = x @ q[part].T, y @ k[part].T, y @ v[part].T
            offsets = torch.arange(len(y))[None, :] - torch.arange(len(x))[:, None]
            shift = 0.0 if table is None else table[offsets.clamp(-3, 3) + 3]
            scores = (query[:, None] * (key[None] + shift)).sum(-1) / math.sqrt(width)
            if causal:
                scores = scores.masked_fill(offsets > 0, -torch.inf)
            outputs.append((scores.softmax(-1)[..., None] * (value[None] + shift)).sum(1))
        return torch.cat(outputs, 1) @ o.T

    def norm(module: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return the residual and what the next sublayer reads."""
        n = functional.layer_norm(x, x.shape[-1:], module.gain, module.shift, 1e-6)
        return (x if model.options.norm == "pre" else n), n

    def feed(layer: Any, n: Tensor) -> Tensor:
        part = layer.feed_forward
        return torch.relu(n @ part.up.T + part.up_bias) @ part.down.T + part.down_bias

    x = model.source_embedding[source] * math.sqrt(32)
    x, n = (x, x) if model.encoder.first is None else norm(model.encoder.first, x)
    for number in range(2):
        layer = model.encoder.layer(number)
        q, k, v = layer.attention.into.chunk(3)
        x = x + attention(n, n, q, k, v, layer.attention.out, layer.attention.table, False)
        x, n = norm(model.encoder.norms[2 * number], x)
        x = x + feed(layer, n)
        x, n = norm(model.encoder.norms[2 * number + 1], x)
    memory = n
    x = model.target_embedding[[BEGIN, *target[:-1]]] * math.sqrt(32)
    x, n = (x, x) if model.decoder.first is None else norm(model.decoder.first, x)
    for number in range(2):
        layer = model.decoder.layer(number)
        assert layer.cross is not None
        q, k, v = layer.attention.into.chunk(3)
        x = x + attention(n, n, q, k, v, layer.attention.out, layer.attention.table, True)
        x, n = norm(model.decoder.norms[3 * number], x)
        k, v = layer.cross.memory.chunk(2)
        x = x + attention(n, memory, layer.cross.query, k, v, layer.cross.out, None, False)
        x, n = norm(model.decoder.norms[3 * number + 1], x)
        x = x + feed(layer, n)
        x, n = norm(model.decoder.norms[3 * number + 2], x)
    logits = n @ model.output.T + model.output_bias  # type: ignore[union-attr]
    return functional.cross_entropy(logits, torch.tensor(target), reduction="sum")


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_gradients_agree_with_a_plain_reference(corpus: ParallelCorpus, norm: str) -> None:
    """The batched model is the textbook Transformer, sentence by sentence."""
    torch.manual_seed(2)
    model = Transformer(TransformerOptions(**SHAPE, norm=norm), 20, 20)
    loss = model(pad_batch(corpus, np.arange(9), CPU))
    expected = sum(
        reference_loss(
            model, *(side.sentence(n).tolist() for side in (corpus.source, corpus.target))
        )
        for n in range(9)
    )
    assert isinstance(expected, Tensor)
    torch.testing.assert_close(loss, expected)
    for found, wanted in zip(gradients(model, loss), gradients(model, expected), strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


MODELS: list[Any] = [
    *(TransformerOptions(**SHAPE, positions=positions) for positions in POSITIONS),
    TransformerOptions(**SHAPE, norm="post", shared_layers=True, tie_embeddings=True),
    LstmOptions(width=32, encoder_layers=2, decoder_layers=2, dropout=0.0),
    LstmOptions(width=32, encoder_layers=1, decoder_layers=2, dropout=0.0, bidirectional=True),
    LstmOptions(width=32, encoder_layers=1, decoder_layers=2, dropout=0.0, input_feeding=True),
]


@pytest.mark.parametrize("options", MODELS)
def test_step_by_step_decoding_gives_the_training_loss(
    corpus: ParallelCorpus, options: Any
) -> None:
    """Feeding the reference piece by piece through the cache scores it as training does."""
    torch.manual_seed(3)
    model = build_model(options, 20, 20).eval()
    numbers = np.array([3, 1, 6])
    expected = model(pad_batch(corpus, numbers, CPU))
    lengths = torch.from_numpy(corpus.source.lengths[numbers])
    sources = torch.full((3, int(lengths.max())), PAD)
    targets = torch.full((3, 20), PAD)
    for row, number in enumerate(numbers):
        sources[row, : lengths[row]] = torch.from_numpy(corpus.source.sentence(number))
        target = torch.from_numpy(corpus.target.sentence(number))
        targets[row, : len(target)] = target
    cache = model.start(sources, lengths, 20)
    pieces = torch.full((3,), BEGIN)
    loss = torch.zeros(())
    for position in range(20):
        logits = model.step(cache, pieces, position)
        pieces = targets[:, position]
        loss = loss + functional.cross_entropy(logits, pieces, ignore_index=PAD, reduction="sum")
    torch.testing.assert_close(loss, expected, rtol=1e-4, atol=1e-4)
