"""The LSTM encoder-decoder with global dot attention (Luong et al. 2015, section 3.1).

The decoder starts from the encoder's last states; attention reads the top layer, and the
attentional state tanh(W [context; state]) of equation 5 goes to the output layer. Without input
feeding a whole target is one call of the layers. With it (section 3.3, and the default of
OpenNMT-py) the attentional state goes into the first layer again, beside the next piece, so that
the decoder knows what it has attended to and takes one piece after another.
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

from recombine.systems.seq2seq.attention import MASKED, softmax
from recombine.systems.seq2seq.batch import Batch, Sentences
from recombine.systems.seq2seq.operations import Operations, States
from recombine.systems.seq2seq.options import LstmOptions

# torch (2.11, 2.13) lays out no bfloat16 weights for cuDNN in advance: 7% of a step without graphs.
warnings.filterwarnings("ignore", message="RNN module weights are not part of single contiguous")


@dataclass
class LstmCache:
    """What decoding remembers: the encoder's output and the decoder's states."""

    memory: Tensor
    states: States
    hidden: Tensor  # True where a source position is padding
    fed: Tensor  # the attentional state of the piece before, where there is input feeding

    def select(self, index: Tensor) -> LstmCache:
        """Return the cache of the chosen sentences (or beams), in that order."""
        states = tuple(state.index_select(1, index) for state in self.states)
        return LstmCache(
            self.memory.index_select(0, index),
            (states[0], states[1]),
            self.hidden.index_select(0, index),
            self.fed.index_select(0, index),
        )

    def reorder(self, index: Tensor, length: int) -> None:
        """Exchange beams of the same sentence; what they have in common stays where it is."""
        state, cell = self.states
        self.states = state.index_select(1, index), cell.index_select(1, index)
        self.fed = self.fed.index_select(0, index)


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
            2 * width if options.input_feeding else width,
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
        """Return the loss of a batch, summed over its target pieces."""
        memory, states = self._encode(batch.source)
        target = self._embed(self.target_embedding, batch.target.pieces)
        hidden = batch.source.padding()
        if self.options.input_feeding:
            cache, mixed = LstmCache(memory, states, hidden, self._nothing(memory)), []
            for piece in target.unbind(1):
                mixed.append(self._feed(cache, piece))
            attended = torch.stack(mixed, dim=1)
        else:
            output, _ = self.operations.recur(self.decoder, target, batch.target.lengths, states)
            attended = self._attend(output, memory, hidden)
        options = self.options
        return self.operations.loss(
            self._score(attended), batch, options.label_smoothing, options.rdrop_weight
        )

    # Decoding, one piece at a time

    def start(self, pieces: Tensor, lengths: Tensor, room: int) -> LstmCache:
        """Encode padded sources [sentences, pieces]; `room` is of no concern to an LSTM."""
        source = Sentences.padded(pieces, lengths)
        memory, states = self._encode(source)
        return LstmCache(memory, states, source.padding(), self._nothing(memory))

    def step(self, cache: LstmCache, pieces: Tensor, position: int) -> Tensor:
        """Return the logits after one more target piece of every sentence."""
        embedded = self._embed(self.target_embedding, pieces)
        if self.options.input_feeding:
            return self._score(self._feed(cache, embedded))
        output, cache.states = self.decoder(embedded[:, None], cache.states)
        return self._score(self._attend(output, cache.memory, cache.hidden))[:, 0]

    # Input feeding

    def _feed(self, cache: LstmCache, x: Tensor) -> Tensor:
        """Take one piece of every sentence through the decoder; return its attentional state."""
        x = torch.cat((x, cache.fed), dim=-1)
        states, cells = [], []
        for number, (state, cell) in enumerate(zip(*cache.states, strict=True)):
            x = self._drop(x) if number else x
            x, cell = self._cell(number, x, state, cell)
            states.append(x)
            cells.append(cell)
        cache.states = torch.stack(states), torch.stack(cells)
        cache.fed = self._attend(x[:, None], cache.memory, cache.hidden)[:, 0]
        return cache.fed

    def _cell(self, layer: int, x: Tensor, state: Tensor, cell: Tensor) -> States:
        """Return the next state and cell of a layer, as nn.LSTM has them.

        The cell is float32 at least: bfloat16 could not add the small to the large.
        """
        into, again, bias, other = (
            getattr(self.decoder, f"{name}_l{layer}")
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        gates = functional.linear(x, into, bias) + functional.linear(state, again, other)
        gates = gates.to(torch.promote_types(gates.dtype, torch.float32))
        entry, forget, candidate, exit_ = gates.chunk(4, dim=-1)
        cell = forget.sigmoid() * cell + entry.sigmoid() * candidate.tanh()
        return (exit_.sigmoid() * cell.tanh()).to(x.dtype), cell

    def _nothing(self, memory: Tensor) -> Tensor:
        return memory.new_zeros(len(memory), self.options.width)

    # What lies between

    def _encode(self, source: Sentences) -> tuple[Tensor, States]:
        """Return the outputs of the last layer, and first states for every layer of the decoder."""
        embedded = self._embed(self.source_embedding, source.pieces)
        memory, (state, cell) = self.operations.recur(self.encoder, embedded, source.lengths, None)
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
        scores = output @ memory.transpose(1, 2)
        weights = softmax(scores.masked_fill(hidden[:, None], MASKED))
        context = weights @ memory
        return self._drop(
            torch.tanh(functional.linear(torch.cat((context, output), dim=-1), self.mix))
        )

    def _score(self, state: Tensor) -> Tensor:
        weight = self.target_embedding if self.output is None else self.output
        return functional.linear(state, weight, self.output_bias)

    def _embed(self, table: Tensor, pieces: Tensor) -> Tensor:
        embedded = self.operations.embed(table, pieces)
        if self.options.scale_embeddings:
            embedded = embedded * math.sqrt(self.options.width)
        return self._drop(embedded)

    def _drop(self, x: Tensor) -> Tensor:
        dropout = self.options.dropout
        return self.operations.drop(x, dropout) if self.training and dropout else x
