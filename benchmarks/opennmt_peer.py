"""OpenNMT-py's Transformer on the same pairs: the peer of training.py.

Its modules (encoder, decoder, embeddings, relative positions) train on batches as its own iterator
makes them: a pool sorted by length, cut and shuffled, padded. Micro-batches of 256 as released for
SGET, Adam, and on a GPU autocast to bfloat16. Tokenising and loading are left out, in
the peer's favour.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from recombine.systems.seq2seq.corpus import NumberedSide, Numbers, Prepared
from recombine.systems.seq2seq.options import TransformerOptions
from recombine.systems.seq2seq.vocabulary import BEGIN, PAD

MICRO_BATCH = 256


class Peer:
    """OpenNMT-py in training."""

    def __init__(
        self,
        prepared: Prepared,
        options: TransformerOptions,
        batches: list[Numbers],
        parts: int,
        device: torch.device,
    ) -> None:
        self.model, self.generator = _model(prepared, options)
        self.model.to(device).train()
        self.generator.to(device)
        self.device = device
        self.adam = torch.optim.Adam(
            [*self.model.parameters(), *self.generator.parameters()], lr=1e-4
        )
        self.parts = parts
        self.batches = itertools.cycle([_padded(prepared, chosen, device) for chosen in batches])

    def step(self) -> None:
        """Take one step."""
        self.adam.zero_grad()
        chosen = list(itertools.islice(self.batches, self.parts))
        pieces = sum(count for *_, count in chosen)
        for source, lengths, target, _ in chosen:
            on_gpu = self.device.type == "cuda"
            with torch.autocast(self.device.type, torch.bfloat16, enabled=on_gpu):
                output, _ = self.model(source, target, lengths)
                logits = self.generator(output)
            loss = functional.cross_entropy(
                logits.float().flatten(0, 1),
                target[:, 1:, 0].flatten(),
                ignore_index=PAD,
                reduction="sum",
            )
            (loss / pieces).backward()
        self.adam.step()


def _model(prepared: Prepared, options: TransformerOptions) -> tuple[Any, Any]:
    from onmt.decoders.transformer import TransformerDecoder
    from onmt.encoders.transformer import TransformerEncoder
    from onmt.models.model import NMTModel
    from onmt.modules.embeddings import Embeddings

    def embeddings(size: int) -> Any:
        return Embeddings(options.width, size, PAD, dropout=options.dropout)

    encoder = TransformerEncoder(
        options.encoder_layers, options.width, options.heads, options.feed_forward,
        options.dropout, options.attention_dropout,
        embeddings(len(prepared.source_vocabulary)), options.max_relative, 0,
    )  # fmt: skip
    decoder = TransformerDecoder(
        options.decoder_layers, options.width, options.heads, options.feed_forward, False,
        "scaled-dot", options.dropout, options.attention_dropout,
        embeddings(len(prepared.target_vocabulary)), options.max_relative, 0, False, False, 0, 0,
    )  # fmt: skip
    generator = torch.nn.Linear(options.width, len(prepared.target_vocabulary))
    return NMTModel(encoder, decoder), generator


def padded_rows(side: NumberedSide, chosen: Numbers, begin: list[int]) -> torch.Tensor:
    """Return the chosen sentences, padded to the longest."""
    length = int(side.lengths[chosen].max()) + len(begin)
    values = np.full((len(chosen), length), PAD, dtype=np.int64)
    for row, number in enumerate(chosen):
        sentence = [*begin, *side.sentence(int(number))]
        values[row, : len(sentence)] = sentence
    return torch.from_numpy(values)


def _padded(prepared: Prepared, chosen: Numbers, device: torch.device) -> tuple[Any, ...]:
    corpus = prepared.corpus
    lengths = torch.from_numpy(corpus.source.lengths[chosen]).to(device)
    pieces = int(corpus.target.lengths[chosen].sum())
    source, target = (
        padded_rows(side, chosen, begin)[:, :, None].to(device)
        for side, begin in ((corpus.source, []), (corpus.target, [BEGIN]))
    )
    return source, lengths, target, pieces
