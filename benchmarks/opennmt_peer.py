"""OpenNMT-py's Transformer on the same pairs: the peer of training.py.

Its modules (encoder, decoder, embeddings, relative positions) train on batches as its own iterator
makes them: a pool sorted by length, cut and shuffled, padded. Micro-batches of 256 as released for
SGET, Adam, and on a GPU autocast to bfloat16. Tokenising and loading are left out, in
the peer's favour.
"""

from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from recombine.systems.seq2seq.corpus import BatchPlan, Numbers, Prepared, Side
from recombine.systems.seq2seq.options import TransformerOptions
from recombine.systems.seq2seq.vocabulary import BEGIN, PAD

MICRO_BATCH = 256


def peer_rate(
    prepared: Prepared,
    options: TransformerOptions,
    batch: int,
    device: torch.device,
    steps: int = 20,
) -> float:
    """Return the pairs per second of OpenNMT-py."""
    model, generator = _model(prepared, options)
    model.to(device).train()
    generator.to(device)
    adam = torch.optim.Adam([*model.parameters(), *generator.parameters()], lr=1e-4)
    parts = max(1, batch // MICRO_BATCH)
    plan = BatchPlan(prepared.corpus, 1, batch // parts, by_length=True)
    batches = [
        _padded(prepared, chosen, device)
        for chosen in itertools.islice(plan.batches(), (steps + 2) * parts)
    ]
    began = 0.0
    for number in range(steps + 2):
        if number == 2:  # two steps to warm up
            _synchronise(device)
            began = time.perf_counter()
        adam.zero_grad()
        chosen = batches[number * parts : (number + 1) * parts]
        pieces = sum(count for *_, count in chosen)
        for source, lengths, target, _ in chosen:
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                output, _ = model(source, target, lengths)
                logits = generator(output)
            loss = functional.cross_entropy(
                logits.float().flatten(0, 1),
                target[:, 1:, 0].flatten(),
                ignore_index=PAD,
                reduction="sum",
            )
            (loss / pieces).backward()
        adam.step()
    _synchronise(device)
    return steps * batch / (time.perf_counter() - began)


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


def _padded(prepared: Prepared, chosen: Numbers, device: torch.device) -> tuple[Any, ...]:
    def rows(side: Side, begin: list[int]) -> torch.Tensor:
        length = int(side.lengths[chosen].max()) + len(begin)
        values = np.full((len(chosen), length), PAD, dtype=np.int64)
        for row, number in enumerate(chosen):
            sentence = [*begin, *side.sentence(int(number))]
            values[row, : len(sentence)] = sentence
        return torch.from_numpy(values)[:, :, None].to(device)

    corpus = prepared.corpus
    lengths = torch.from_numpy(corpus.source.lengths[chosen]).to(device)
    pieces = int(corpus.target.lengths[chosen].sum())
    return rows(corpus.source, []), lengths, rows(corpus.target, [BEGIN]), pieces


def _synchronise(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()
