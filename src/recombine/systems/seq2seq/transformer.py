"""The Transformer (Vaswani et al. 2017), pre-norm or post-norm, over rows of tokens.

Each sublayer is followed by `add_norm`: pre-norm keeps the sum as the residual stream and feeds its
norm to the next sublayer, post-norm keeps the norm for both. So both arrangements are the same code
and have one norm per sublayer (pre-norm one more, before the first).
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from recombine.systems.seq2seq.attention import MASKED, weights_of
from recombine.systems.seq2seq.batch import (
    Batch,
    Group,
    Grouped,
    PackedRows,
    Padded,
    padded_block,
)
from recombine.systems.seq2seq.operations import NORM_EPSILON, Operations
from recombine.systems.seq2seq.options import TransformerOptions
from recombine.systems.seq2seq.vocabulary import PAD


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
        found = self.layers[number % len(self.layers)]
        assert isinstance(found, Layer)
        return found


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
        """Return the summed cross-entropy of a batch over its target pieces."""
        layout = batch.layout
        assert not isinstance(layout, Padded)
        memory = self.encode(batch.source, batch.source_positions, layout)
        state = self.decode(batch, memory, layout)
        return self.loss(state, batch.target_output)

    def loss(self, state: Tensor, expected: Tensor) -> Tensor:
        """Return the summed cross-entropy of decoder states."""
        return functional.cross_entropy(
            self.score(state).float(),
            expected,
            ignore_index=PAD,
            reduction="sum",
            label_smoothing=self.options.label_smoothing,
        )

    def encode(self, pieces: Tensor, positions: Tensor, layout: Grouped | PackedRows) -> Tensor:
        """Return the encoder output, in rows."""
        x = self._embed(self.source_embedding, self.source_position, pieces, positions)
        rotation = self._rotation(positions)
        x, n = self._enter(self.encoder, x)
        for number in range(self.encoder.count):
            layer = self.encoder.layer(number)
            h = self._self_attention(layer.attention, n, layout, "source", False, rotation)
            x, n = self._add_norm(self.encoder, 2 * number, x, h)
            h, bias = self._feed_forward(layer.feed_forward, n)
            x, n = self._add_norm(self.encoder, 2 * number + 1, x, h, bias)
        return n

    def decode(self, batch: Batch, memory: Tensor, layout: Grouped | PackedRows) -> Tensor:
        """Return the decoder output for a whole target, in rows."""
        positions = batch.target_positions
        x = self._embed(self.target_embedding, self.target_position, batch.target_input, positions)
        rotation = self._rotation(positions)
        x, n = self._enter(self.decoder, x)
        for number in range(self.decoder.count):
            layer = self.decoder.layer(number)
            h = self._self_attention(layer.attention, n, layout, "target", True, rotation)
            x, n = self._add_norm(self.decoder, 3 * number, x, h)
            h = self._cross_attention(layer, n, memory, layout)
            x, n = self._add_norm(self.decoder, 3 * number + 1, x, h)
            h, bias = self._feed_forward(layer.feed_forward, n)
            x, n = self._add_norm(self.decoder, 3 * number + 2, x, h, bias)
        return n

    def score(self, state: Tensor) -> Tensor:
        """Return the logits of decoder states."""
        weight = self.target_embedding if self.output is None else self.output
        return functional.linear(state, weight, self.output_bias)

    def _embed(
        self, table: Tensor, learned: Tensor | None, pieces: Tensor, positions: Tensor
    ) -> Tensor:
        x = self.operations.embed(table, pieces) * math.sqrt(self.options.width)
        if learned is not None:
            x = x + learned[positions] * math.sqrt(self.options.width)
        if self.options.positions == "sinusoidal":
            x = x + sinusoids(positions, self.options.width).to(x.dtype)
        if self.training and self.options.dropout:
            return self.operations.drop(x, self.options.dropout)
        return x

    def _enter(self, stack: Stack, x: Tensor) -> tuple[Tensor, Tensor]:
        return (x, x) if stack.first is None else (x, stack.first(x))

    def _add_norm(
        self, stack: Stack, number: int, x: Tensor, h: Tensor, bias: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        norm = stack.norms[number]
        dropout = self.options.dropout if self.training else 0.0
        y, n = self.operations.add_norm(x, h, bias, norm.gain, norm.shift, dropout)  # type: ignore[arg-type]
        return (y, n) if self.options.norm == "pre" else (n, n)

    def _self_attention(
        self,
        attention: SelfAttention,
        n: Tensor,
        layout: Grouped | PackedRows,
        side: str,
        causal: bool,
        rotation: tuple[Tensor, Tensor] | None,
    ) -> Tensor:
        projected = self.operations.linear(n, attention.into)
        if rotation is not None:
            query, key, value = projected.chunk(3, dim=-1)
            query, key = (rotate(rows, rotation, self.heads) for rows in (query, key))
            projected = torch.cat((query, key, value), dim=-1)
        mixed = self.operations.attend_self(
            projected, layout, self.heads, side, causal=causal, table=attention.table,
            dropout=self.options.attention_dropout if self.training else 0.0,
        )  # fmt: skip
        return self.operations.linear(mixed, attention.out)

    def _cross_attention(
        self, layer: Layer, n: Tensor, memory: Tensor, layout: Grouped | PackedRows
    ) -> Tensor:
        assert layer.cross is not None
        mixed = self.operations.attend_cross(
            self.operations.linear(n, layer.cross.query),
            self.operations.linear(memory, layer.cross.memory),
            layout,
            self.heads,
            self.options.attention_dropout if self.training else 0.0,
        )
        return self.operations.linear(mixed, layer.cross.out)

    def _feed_forward(self, layer: FeedForward, n: Tensor) -> tuple[Tensor, Tensor]:
        dropout = self.options.activation_dropout if self.training else 0.0
        activated = self.operations.activate(
            self.operations.linear(n, layer.up), layer.up_bias, dropout
        )
        return self.operations.linear(activated, layer.down), layer.down_bias

    def _rotation(self, positions: Tensor) -> tuple[Tensor, Tensor] | None:
        if self.options.positions != "rope":
            return None
        return rotation_of(positions, self.options.width // self.heads)

    # Decoding, one piece at a time

    def start(self, pieces: Tensor, lengths: Tensor, room: int) -> TransformerCache:
        """Encode padded sources [count, length] and make room for `room` target pieces."""
        count, length = pieces.shape
        block = padded_block(count, length, lengths)
        layout = Grouped((Group(block, block, lengths),))
        positions = torch.arange(length, device=pieces.device).expand(count, length).flatten()
        memory = self.encode(pieces.flatten(), positions, layout)
        cached = []
        for number in range(self.decoder.count):
            cross = self.decoder.layer(number).cross
            assert cross is not None
            key, value = functional.linear(memory, cross.memory).chunk(2, dim=-1)
            cached.append((self._heads(key, count), self._heads(value, count)))
        shape = (count, self.heads, room, self.options.width // self.heads)
        past = [
            (memory.new_zeros(shape), memory.new_zeros(shape)) for _ in range(self.decoder.count)
        ]
        hidden = torch.arange(length, device=pieces.device)[None, :] >= lengths[:, None]
        return TransformerCache(cached, past, hidden)

    def step(self, cache: TransformerCache, pieces: Tensor, position: int) -> Tensor:
        """Return the logits after one more target piece of every sentence."""
        positions = torch.full_like(pieces, position)
        x = self._embed(self.target_embedding, self.target_position, pieces, positions)
        rotation = self._rotation(positions)
        x, n = self._enter(self.decoder, x)
        for number in range(self.decoder.count):
            layer = self.decoder.layer(number)
            h = self._self_step(layer.attention, n, cache.past[number], position, rotation)
            x, n = self._add_norm(self.decoder, 3 * number, x, h)
            h = self._cross_step(layer, n, cache, number)
            x, n = self._add_norm(self.decoder, 3 * number + 1, x, h)
            h, bias = self._feed_forward(layer.feed_forward, n)
            x, n = self._add_norm(self.decoder, 3 * number + 2, x, h, bias)
        return self.score(n)

    def _self_step(
        self,
        attention: SelfAttention,
        n: Tensor,
        past: tuple[Tensor, Tensor],
        position: int,
        rotation: tuple[Tensor, Tensor] | None,
    ) -> Tensor:
        query, key, value = functional.linear(n, attention.into).chunk(3, dim=-1)
        if rotation is not None:
            query = rotate(query, rotation, self.heads)
            key = rotate(key, rotation, self.heads)
        keys, values = past
        keys[:, :, position] = key.unflatten(-1, (self.heads, -1))
        values[:, :, position] = value.unflatten(-1, (self.heads, -1))
        keys, values = keys[:, :, : position + 1], values[:, :, : position + 1]
        query = query.unflatten(-1, (self.heads, 1, -1))
        scores = query @ keys.transpose(-2, -1)
        if attention.table is not None:
            clip = self.options.max_relative
            offsets = torch.arange(-position, 1, device=n.device).clamp(min=-clip) + clip
            spread = attention.table[offsets]
            scores = scores + query @ spread.t()
        weights = weights_of(scores * (query.shape[-1] ** -0.5))
        mixed = weights @ values
        if attention.table is not None:
            mixed = mixed + weights @ spread
        return functional.linear(mixed.flatten(1), attention.out)

    def _cross_step(self, layer: Layer, n: Tensor, cache: TransformerCache, number: int) -> Tensor:
        assert layer.cross is not None
        keys, values = cache.memory[number]
        query = functional.linear(n, layer.cross.query).unflatten(-1, (self.heads, 1, -1))
        scores = (query @ keys.transpose(-2, -1)) * (query.shape[-1] ** -0.5)
        scores = scores.masked_fill(cache.hidden[:, None, None, :], MASKED)
        mixed = weights_of(scores) @ values
        return functional.linear(mixed.flatten(1), layer.cross.out)

    def _heads(self, rows: Tensor, count: int) -> Tensor:
        return (
            rows.view(count, -1, self.heads, rows.shape[-1] // self.heads)
            .transpose(1, 2)
            .contiguous()
        )


def sinusoids(positions: Tensor, width: int) -> Tensor:
    """Return the fixed position vectors of Vaswani et al. 2017, section 3.5."""
    half = torch.arange(0, width, 2, device=positions.device)
    rates = torch.exp(half * (-math.log(10_000.0) / width))
    angles = positions[:, None] * rates
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)


def rotation_of(positions: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Return cosines and sines of the rotary embedding (Su et al. 2021, equation 15)."""
    half = torch.arange(0, width, 2, device=positions.device)
    rates = torch.exp(half * (-math.log(10_000.0) / width))
    angles = positions[:, None] * rates
    return angles.cos(), angles.sin()


def rotate(rows: Tensor, rotation: tuple[Tensor, Tensor], heads: int) -> Tensor:
    """Rotate each pair of coordinates of every head by its position's angle."""
    cosine, sine = (part[:, None, :].to(rows.dtype) for part in rotation)
    even, odd = rows.unflatten(-1, (heads, -1, 2)).unbind(-1)
    turned = torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), dim=-1)
    return turned.flatten(1)


def _matrix(out: int, into: int, fan_out: int | None = None) -> Tensor:
    """Glorot uniform (Glorot and Bengio 2010, equation 16); stacked projections count as one."""
    bound = math.sqrt(6 / (into + (fan_out or out)))
    return torch.empty(out, into).uniform_(-bound, bound)
