"""JoeyNMT's Transformer on the same pairs: the other peer of training.py.

Its modules train on batches as its own samplers make them: shuffled sentences, each batch padded to
its longest (JoeyNMT sorts inside a batch and has no buckets). Positions are sinusoidal, the only
ones it has. Tokenising and loading are left out, in the peer's favour.
"""

from __future__ import annotations

import itertools
from typing import Any

import torch
from opennmt_peer import padded_rows
from torch.nn import functional

from recombine.systems.seq2seq.corpus import Numbers, Prepared
from recombine.systems.seq2seq.options import TransformerOptions
from recombine.systems.seq2seq.vocabulary import BEGIN, PAD


class Peer:
    """JoeyNMT in training."""

    def __init__(
        self, prepared: Prepared, options: TransformerOptions, batches: list[Numbers]
    ) -> None:
        from joeynmt.decoders import TransformerDecoder
        from joeynmt.embeddings import Embeddings
        from joeynmt.encoders import TransformerEncoder

        def embeddings(size: int) -> Any:
            return Embeddings(options.width, scale=True, vocab_size=size, padding_idx=PAD)

        shape = {
            "hidden_size": options.width, "ff_size": options.feed_forward,
            "num_heads": options.heads, "dropout": options.dropout,
            "emb_dropout": options.dropout, "layer_norm": options.norm,
        }  # fmt: skip
        target_size = len(prepared.target_vocabulary)
        self.parts: Any = torch.nn.ModuleDict({
            "source": embeddings(len(prepared.source_vocabulary)),
            "target": embeddings(target_size),
            "encoder": TransformerEncoder(num_layers=options.encoder_layers, **shape),
            "decoder": TransformerDecoder(
                num_layers=options.decoder_layers, vocab_size=target_size, **shape
            ),
        }).train()  # fmt: skip
        self.adam = torch.optim.Adam(self.parts.parameters(), lr=1e-4)
        corpus = prepared.corpus
        made = [
            (
                padded_rows(corpus.source, chosen, []),
                padded_rows(corpus.target, chosen, [BEGIN]),
                int(corpus.target.lengths[chosen].sum()),
            )
            for chosen in batches
        ]
        self.batches = itertools.cycle(made)

    def step(self) -> None:
        """Take one step."""
        source, target, pieces = next(self.batches)
        fed, expected = target[:, :-1], target[:, 1:]
        parts = self.parts
        source_mask, target_mask = (rows.ne(PAD)[:, None] for rows in (source, fed))
        self.adam.zero_grad()
        memory, _ = parts["encoder"](parts["source"](source), None, source_mask)
        logits, *_ = parts["decoder"](
            trg_embed=parts["target"](fed), encoder_output=memory, encoder_hidden=None,
            src_mask=source_mask, unroll_steps=None, hidden=None, trg_mask=target_mask,
        )  # fmt: skip
        loss = functional.cross_entropy(
            logits.flatten(0, 1), expected.flatten(), ignore_index=PAD, reduction="sum"
        )
        (loss / pieces).backward()
        self.adam.step()
