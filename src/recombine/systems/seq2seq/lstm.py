"""The LSTM encoder-decoder with global dot attention (Luong et al. 2015, section 3.1).

The decoder starts from the encoder's last states; attention reads the top layer, and the
attentional state tanh(W [context; state]) of equation 5 goes to the output layer. Without input
feeding, so that a whole target is one call.
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from recombine.systems.seq2seq.attention import MASKED, weights_of
from recombine.systems.seq2seq.batch import Batch, Grouped, Padded, RowBlock
from recombine.systems.seq2seq.fast.recurrence import Recurrence
from recombine.systems.seq2seq.fast.waves import count_waves
from recombine.systems.seq2seq.operations import Operations
from recombine.systems.seq2seq.options import LstmOptions
from recombine.systems.seq2seq.vocabulary import PAD

# torch (2.11, 2.13) lays out no bfloat16 weights for cuDNN in advance: 7% of a step without graphs.
warnings.filterwarnings("ignore", message="RNN module weights are not part of single contiguous")

States = tuple[Tensor, Tensor]


@dataclass
class LstmCache:
    """What decoding remembers: the encoder's output and the decoder's states."""

    memory: Tensor
    hidden: Tensor
    states: States

    def select(self, index: Tensor) -> LstmCache:
        """Return the cache of the chosen sentences (or beams), in that order."""
        states = tuple(state.index_select(1, index) for state in self.states)
        return LstmCache(
            self.memory.index_select(0, index),
            self.hidden.index_select(0, index),
            (states[0], states[1]),
        )

    def reorder(self, index: Tensor, length: int) -> None:
        """Exchange beams of the same sentence; what they have in common stays where it is."""
        state, cell = self.states
        self.states = state.index_select(1, index), cell.index_select(1, index)


class Lstm(nn.Module):
    """Encoder, decoder, attention, embeddings and output layer."""

    def __init__(self, options: LstmOptions, source_size: int, target_size: int) -> None:
        super().__init__()
        self.options = options
        self.operations = Operations()
        width = options.width
        self.source_embedding = nn.Parameter(torch.randn(source_size, width) * width**-0.5)
        self.target_embedding = nn.Parameter(torch.randn(target_size, width) * width**-0.5)
        self.encoder = nn.LSTM(
            width,
            width // (2 if options.bidirectional else 1),
            options.encoder_layers,
            dropout=options.dropout if options.encoder_layers > 1 else 0.0,
            bidirectional=options.bidirectional,
            batch_first=True,
        )
        self.decoder = nn.LSTM(
            width,
            width,
            options.decoder_layers,
            dropout=options.dropout if options.decoder_layers > 1 else 0.0,
            batch_first=True,
        )
        bound = math.sqrt(6 / (3 * width))
        self.mix = nn.Parameter(torch.empty(width, 2 * width).uniform_(-bound, bound))
        self.output: nn.Parameter | None = None
        if not options.tie_embeddings:
            bound = math.sqrt(6 / (width + target_size))
            self.output = nn.Parameter(torch.empty(target_size, width).uniform_(-bound, bound))
        self.output_bias = nn.Parameter(torch.zeros(target_size))

    def forward(self, batch: Batch) -> Tensor:
        """Return the summed cross-entropy of a batch over its target pieces."""
        if isinstance(batch.layout, Padded):
            return self._padded_loss(batch, batch.layout)
        assert isinstance(batch.layout, Grouped)
        source = self._embed(self.source_embedding, batch.source)
        target = self._embed(self.target_embedding, batch.target_input)
        rows = []
        for group in batch.layout.groups:
            memory, states = self._encode(_padded(source, group.source), group.host_lengths)
            output, _ = self.decoder(_padded(target, group.target), states)
            mixed = self._attend(output, memory, ~group.source.inside())
            rows.append(mixed.flatten(0, 1).index_select(0, group.target.places))
        return self._loss(torch.cat(rows), batch.target_output)

    def _loss(self, rows: Tensor, expected: Tensor) -> Tensor:
        return functional.cross_entropy(
            self._score(rows).float(),
            expected,
            ignore_index=PAD,
            reduction="sum",
            label_smoothing=self.options.label_smoothing,
        )

    # A whole step on a GPU

    def _padded_loss(self, batch: Batch, layout: Padded) -> Tensor:
        """Return the loss of time-major sentences, with nothing that the host must know."""
        assert not self.options.bidirectional
        first = self.mix.new_zeros(
            self.options.encoder_layers, batch.source.shape[1], self.options.width
        )
        memory, states = self._recur(
            self.encoder, self.source_embedding, batch.source, (first, first), layout.source_lengths
        )
        states = self._fit(states[0]), self._fit(states[1])
        output, _ = self._recur(
            self.decoder, self.target_embedding, batch.target_input, states, layout.target_lengths
        )
        length = torch.arange(len(memory), device=memory.device)
        hidden = length >= layout.source_lengths[:, None]
        mixed = self._mix(output.transpose(0, 1), memory.transpose(0, 1), hidden)
        return self._loss(self._drop(mixed).flatten(0, 1), batch.target_output.t().flatten())

    def _recur(
        self, module: nn.LSTM, table: Tensor, pieces: Tensor, states: States, lengths: Tensor
    ) -> tuple[Tensor, States]:
        embedded = self.operations.embed(table, pieces.flatten()) * math.sqrt(self.options.width)
        x = self._drop(embedded).view(*pieces.shape, -1)
        layers = range(module.num_layers)
        into, again, bias, other = (
            torch.stack([getattr(module, f"{name}_l{number}") for number in layers])
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        output, *last = Recurrence.apply(
            x, *states, torch.cat((into, again), dim=-1), bias + other, self._keep(x, len(layers)),
            lengths, self.operations,
        )  # fmt: skip
        return output, (last[0], last[1])

    def _keep(self, x: Tensor, layers: int) -> Tensor | None:
        """Return the factors of dropout between the layers, as nn.LSTM has it, or None."""
        if layers == 1 or not (self.training and self.options.dropout):
            return None
        pieces, *rest = x.shape
        return self._drop(x.new_ones(layers - 1, count_waves(pieces, layers), *rest))

    def _drop(self, x: Tensor) -> Tensor:
        dropout = self.options.dropout
        return self.operations.drop(x, dropout) if self.training and dropout else x

    # Decoding, one piece at a time

    def start(self, pieces: Tensor, lengths: Tensor, room: int) -> LstmCache:
        """Encode padded sources [count, length]; `room` is of no concern to an LSTM."""
        embedded = self._embed(self.source_embedding, pieces)
        memory, states = self._encode(embedded, lengths.cpu(), in_order=False)
        hidden = torch.arange(pieces.shape[1], device=pieces.device) >= lengths[:, None]
        return LstmCache(memory, hidden, states)

    def step(self, cache: LstmCache, pieces: Tensor, position: int) -> Tensor:
        """Return the logits after one more target piece of every sentence."""
        embedded = self._embed(self.target_embedding, pieces[:, None])
        output, cache.states = self.decoder(embedded, cache.states)
        return self._score(self._attend(output, cache.memory, cache.hidden))[:, 0]

    def _encode(
        self, embedded: Tensor, host_lengths: Tensor, *, in_order: bool = True
    ) -> tuple[Tensor, States]:
        # Longest first, as the groups of a training batch are: sorting would wait for the GPU.
        packed = pack_padded_sequence(
            embedded, host_lengths, batch_first=True, enforce_sorted=in_order
        )
        output, (state, cell) = self.encoder(packed)
        length = embedded.shape[1]
        memory, _ = pad_packed_sequence(output, batch_first=True, total_length=length)
        return memory, (self._fit(state), self._fit(cell))

    def _fit(self, states: Tensor) -> Tensor:
        """Join directions and give the decoder as many layers as it has."""
        if self.options.bidirectional:
            forward, backward = states.unflatten(0, (-1, 2)).unbind(1)
            states = torch.cat((forward, backward), dim=-1)
        missing = self.options.decoder_layers - len(states)
        if missing > 0:
            states = torch.cat((states, states[-1:].expand(missing, -1, -1)))
        return states[: self.options.decoder_layers].contiguous()

    def _attend(self, output: Tensor, memory: Tensor, hidden: Tensor) -> Tensor:
        mixed = self._mix(output, memory, hidden)
        return functional.dropout(mixed, self.options.dropout) if self.training else mixed

    def _mix(self, output: Tensor, memory: Tensor, hidden: Tensor) -> Tensor:
        scores = (output @ memory.transpose(1, 2)).masked_fill(hidden[:, None], MASKED)
        context = weights_of(scores) @ memory
        return torch.tanh(functional.linear(torch.cat((context, output), dim=-1), self.mix))

    def _score(self, state: Tensor) -> Tensor:
        weight = self.target_embedding if self.output is None else self.output
        return functional.linear(state, weight, self.output_bias)

    def _embed(self, table: Tensor, pieces: Tensor) -> Tensor:
        embedded = functional.embedding(pieces, table) * math.sqrt(self.options.width)
        return functional.dropout(embedded, self.options.dropout) if self.training else embedded


def _padded(rows: Tensor, block: RowBlock) -> Tensor:
    """Return [count, length, width]; what stands in the padding does not matter."""
    return rows[block.rows].index_select(0, block.spread).view(block.count, block.length, -1)
