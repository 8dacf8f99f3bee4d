"""The Transformer (Vaswani et al. 2017), pre-norm or post-norm.

Each sublayer is followed by `add_norm`: pre-norm keeps the sum as the residual stream and feeds its
norm to the next sublayer, post-norm keeps the norm for both. So both arrangements are the same code
and have one norm per sublayer (pre-norm one more, before the first).
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from recombine.systems.seq2seq.attention import (
    attend,
    join_heads,
    relative_vectors,
    rotation_of,
    split_heads,
)
from recombine.systems.seq2seq.batch import Batch, Sentences
from recombine.systems.seq2seq.operations import NORM_EPSILON, Operations
from recombine.systems.seq2seq.options import TransformerOptions


class Norm(nn.Module):
    """Gain and shift of a layer norm; add_norm applies them."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))
        self.shift = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise alone (before the first sublayer)."""
        return functional.layer_norm(x, x.shape[-1:], self.gain, self.shift, NORM_EPSILON)


class SelfAttention(nn.Module):
    """Projections of self-attention, without biases as in OpenNMT-py 3."""

    def __init__(self, options: TransformerOptions) -> None:
        super().__init__()
        width = options.width
        self.into = nn.Parameter(_matrix(3 * width, width, fan_out=width))
        self.out = nn.Parameter(_matrix(width, width))
        self.table: nn.Parameter | None = None
        if options.positions == "relative":
            size = 2 * options.max_relative + 1
            self.table = nn.Parameter(_matrix(size, width // options.heads))


class CrossAttention(nn.Module):
    """Projections of attention from the target to the source."""

    def __init__(self, options: TransformerOptions) -> None:
        super().__init__()
        width = options.width
        self.query = nn.Parameter(_matrix(width, width))
        self.memory = nn.Parameter(_matrix(2 * width, width, fan_out=width))
        self.out = nn.Parameter(_matrix(width, width))


class FeedForward(nn.Module):
    """The two products around the activation."""

    def __init__(self, options: TransformerOptions) -> None:
        super().__init__()
        self.up = nn.Parameter(_matrix(options.feed_forward, options.width))
        self.up_bias = nn.Parameter(torch.zeros(options.feed_forward))
        self.down = nn.Parameter(_matrix(options.width, options.feed_forward))
        self.down_bias = nn.Parameter(torch.zeros(options.width))


class Layer(nn.Module):
    """One encoder layer, or one decoder layer when it has cross-attention."""

    def __init__(self, options: TransformerOptions, *, decoder: bool) -> None:
        super().__init__()
        self.attention = SelfAttention(options)
        self.cross = CrossAttention(options) if decoder else None
        self.feed_forward = FeedForward(options)


class Stack(nn.Module):
    """The layers of one side and their norms."""

    def __init__(self, options: TransformerOptions, *, decoder: bool) -> None:
        super().__init__()
        count = options.decoder_layers if decoder else options.encoder_layers
        distinct = 1 if options.shared_layers else count
        self.layers = nn.ModuleList(Layer(options, decoder=decoder) for _ in range(distinct))
        self.count = count
        sublayers = 3 if decoder else 2
        self.first = Norm(options.width) if options.norm == "pre" else None
        self.norms = nn.ModuleList(Norm(options.width) for _ in range(count * sublayers))

    def layer(self, number: int) -> Layer:
        """Return the layer at a depth; shared layers are one and the same."""
        layer = self.layers[number % len(self.layers)]
        assert isinstance(layer, Layer)
        return layer


@dataclass
class TransformerCache:
    """What decoding remembers: keys and values of the source and of the target so far."""

    memory: list[tuple[Tensor, Tensor]]
    past: list[tuple[Tensor, Tensor]]
    hidden: Tensor  # True where a source position is padding

    def select(self, index: Tensor) -> TransformerCache:
        """Return the cache of the chosen sentences (or beams), in that order."""
        return TransformerCache(
            [(k.index_select(0, index), v.index_select(0, index)) for k, v in self.memory],
            [(k.index_select(0, index), v.index_select(0, index)) for k, v in self.past],
            self.hidden.index_select(0, index),
        )

    def reorder(self, index: Tensor, length: int) -> None:
        """Exchange beams of the same sentence; what they have in common stays where it is."""
        for pair in self.past:
            for tensor in pair:
                tensor[:, :, :length] = tensor[:, :, :length].index_select(0, index)


Attend = Callable[[Layer, Tensor, int], Tensor]


class Transformer(nn.Module):
    """Encoder, decoder, embeddings and output layer."""

    def __init__(self, options: TransformerOptions, source_size: int, target_size: int) -> None:
        super().__init__()
        self.options = options
        self.heads = options.heads
        self.operations = Operations()
        deviation = options.width**-0.5
        self.source_embedding = nn.Parameter(torch.randn(source_size, options.width) * deviation)
        self.target_embedding = nn.Parameter(torch.randn(target_size, options.width) * deviation)
        self.source_position: nn.Parameter | None = None
        self.target_position: nn.Parameter | None = None
        if options.positions == "learned":
            shape = (options.max_length, options.width)
            self.source_position = nn.Parameter(torch.randn(shape) * deviation)
            self.target_position = nn.Parameter(torch.randn(shape) * deviation)
        self.encoder = Stack(options, decoder=False)
        self.decoder = Stack(options, decoder=True)
        if options.tie_embeddings:
            self.output: nn.Parameter | None = None
        else:
            self.output = nn.Parameter(_matrix(target_size, options.width))
        self.output_bias = nn.Parameter(torch.zeros(target_size))

    # Training

    def forward(self, batch: Batch) -> Tensor:
        """Return the loss of a batch, summed over its target pieces."""
        memory = self.encode(batch.source)
        logits = self.score(self.decode(batch.target, memory, batch.source))
        options = self.options
        return self.operations.loss(logits, batch, options.label_smoothing, options.rdrop_weight)

    def encode(self, source: Sentences) -> Tensor:
        """Return the encoder output."""
        x = self._embed(self.source_embedding, self.source_position, source)
        rotation = self._rotation(source.positions)
        x, n = self._enter(self.encoder, x)
        for number in range(self.encoder.count):
            layer = self.encoder.layer(number)
            projected = self._project(layer.attention, n, rotation)
            h = self._attend_self(layer.attention, projected, source, causal=False)
            x, n = self._add_norm(self.encoder, 2 * number, x, h)
            h, bias = self._feed_forward(layer.feed_forward, n)
            x, n = self._add_norm(self.encoder, 2 * number + 1, x, h, bias)
        return n

    def decode(self, target: Sentences, memory: Tensor, source: Sentences) -> Tensor:
        """Return the decoder output for whole targets."""

        def attend_self(layer: Layer, projected: Tensor, _: int) -> Tensor:
            return self._attend_self(layer.attention, projected, target, causal=True)

        def attend_cross(layer: Layer, query: Tensor, _: int) -> Tensor:
            assert layer.cross is not None
            keys_values = self.operations.linear(memory, layer.cross.memory)
            dropout = self._rate(self.options.attention_dropout)
            return self.operations.attend_cross(
                query, keys_values, target, source, self.heads, dropout
            )

        return self._decoder_layers(target, attend_self, attend_cross)

    def score(self, state: Tensor) -> Tensor:
        """Return the logits of decoder states."""
        weight = self.target_embedding if self.output is None else self.output
        return functional.linear(state, weight, self.output_bias)

    def _decoder_layers(
        self, target: Sentences, attend_self: Attend, attend_cross: Attend
    ) -> Tensor:
        """Run the decoder; training and decoding differ in what there is to attend to."""
        x = self._embed(self.target_embedding, self.target_position, target)
        rotation = self._rotation(target.positions)
        x, n = self._enter(self.decoder, x)
        for number in range(self.decoder.count):
            layer = self.decoder.layer(number)
            assert layer.cross is not None
            projected = self._project(layer.attention, n, rotation)
            h = attend_self(layer, projected, number)
            x, n = self._add_norm(self.decoder, 3 * number, x, h)
            mixed = attend_cross(layer, self.operations.linear(n, layer.cross.query), number)
            h = self.operations.linear(mixed, layer.cross.out)
            x, n = self._add_norm(self.decoder, 3 * number + 1, x, h)
            h, bias = self._feed_forward(layer.feed_forward, n)
            x, n = self._add_norm(self.decoder, 3 * number + 2, x, h, bias)
        return n

    # What lies between

    def _rate(self, dropout: float) -> float:
        return dropout if self.training else 0.0

    def _embed(self, table: Tensor, learned: Tensor | None, sentences: Sentences) -> Tensor:
        width = self.options.width
        scale = math.sqrt(width) if self.options.scale_embeddings else 1.0
        x = self.operations.embed(table, sentences.pieces) * scale
        if learned is not None:
            x = x + learned[sentences.positions] * scale
        if self.options.positions == "sinusoidal":
            x = x + sinusoids(sentences.positions, width).to(x.dtype)
        dropout = self._rate(self.options.dropout)
        return self.operations.drop(x, dropout) if dropout else x

    def _enter(self, stack: Stack, x: Tensor) -> tuple[Tensor, Tensor]:
        return (x, x) if stack.first is None else (x, stack.first(x))

    def _add_norm(
        self, stack: Stack, number: int, x: Tensor, h: Tensor, bias: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        norm = stack.norms[number]
        dropout = self._rate(self.options.dropout)
        y, n = self.operations.add_norm(x, h, bias, norm.gain, norm.shift, dropout)  # type: ignore[arg-type]
        return (y, n) if self.options.norm == "pre" else (n, n)

    def _rotation(self, positions: Tensor) -> tuple[Tensor, Tensor] | None:
        if self.options.positions != "rope":
            return None
        return rotation_of(positions, self.options.width // self.heads)

    def _project(
        self, attention: SelfAttention, n: Tensor, rotation: tuple[Tensor, Tensor] | None
    ) -> Tensor:
        """Return [query | key | value]."""
        projected = self.operations.linear(n, attention.into)
        if rotation is None:
            return projected
        return self.operations.rotate(projected, rotation, self.heads)

    def _attend_self(
        self, attention: SelfAttention, projected: Tensor, sentences: Sentences, *, causal: bool
    ) -> Tensor:
        mixed = self.operations.attend_self(
            projected, sentences, self.heads, causal=causal, table=attention.table,
            dropout=self._rate(self.options.attention_dropout),
        )  # fmt: skip
        return self.operations.linear(mixed, attention.out)

    def _feed_forward(self, layer: FeedForward, n: Tensor) -> tuple[Tensor, Tensor]:
        activated = self.operations.activate(
            self.operations.linear(n, layer.up),
            layer.up_bias,
            self._rate(self.options.activation_dropout),
        )
        return self.operations.linear(activated, layer.down), layer.down_bias

    # Decoding, one piece at a time

    def start(self, pieces: Tensor, lengths: Tensor, room: int) -> TransformerCache:
        """Encode padded sources [sentences, pieces] and make room for `room` target pieces."""
        source = Sentences.padded(pieces, lengths)
        memory = self.encode(source)
        shape = (len(pieces), self.heads, room, memory.shape[-1] // self.heads)
        memories = []
        for number in range(self.decoder.count):
            cross = self.decoder.layer(number).cross
            assert cross is not None
            key, value = functional.linear(memory, cross.memory).chunk(2, dim=-1)
            key, value = (split_heads(rows, self.heads).contiguous() for rows in (key, value))
            memories.append((key, value))
        past = [(memory.new_zeros(shape), memory.new_zeros(shape)) for _ in memories]
        return TransformerCache(memories, past, source.padding())

    def step(self, cache: TransformerCache, pieces: Tensor, position: int) -> Tensor:
        """Return the logits after one more target piece of every sentence."""
        at = torch.full((1,), position, device=pieces.device)
        so_far = torch.arange(position + 1, device=pieces.device)

        def attend_self(layer: Layer, projected: Tensor, number: int) -> Tensor:
            query, key, value = (split_heads(part, self.heads) for part in projected.chunk(3, -1))
            keys, values = cache.past[number]
            keys[:, :, position], values[:, :, position] = key[:, :, 0], value[:, :, 0]
            table = layer.attention.table
            relative = None if table is None else relative_vectors(table, at, so_far)
            keys, values = keys[:, :, : position + 1], values[:, :, : position + 1]
            mixed = join_heads(attend(query, keys, values, relative=relative))
            return functional.linear(mixed, layer.attention.out)

        def attend_cross(_: Layer, query: Tensor, number: int) -> Tensor:
            hidden = cache.hidden[:, None, None, :]
            query = split_heads(query, self.heads)
            return join_heads(attend(query, *cache.memory[number], hidden=hidden))

        target = Sentences(pieces[:, None], at, torch.ones_like(pieces))
        return self.score(self._decoder_layers(target, attend_self, attend_cross))[:, 0]


def sinusoids(positions: Tensor, width: int) -> Tensor:
    """Return the fixed position vectors of Vaswani et al. 2017, section 3.5."""
    half = torch.arange(0, width, 2, device=positions.device)
    rates = torch.exp(half * (-math.log(10_000.0) / width))
    angles = positions[:, None] * rates
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)


def _matrix(out: int, into: int, fan_out: int | None = None) -> Tensor:
    """Glorot uniform (Glorot and Bengio 2010, equation 16); stacked projections count as one."""
    bound = math.sqrt(6 / (into + (fan_out or out)))
    return torch.empty(out, into).uniform_(-bound, bound)
