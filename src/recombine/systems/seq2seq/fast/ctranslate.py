"""CTranslate2 as the decoding engine: the same weights, faster on a CPU.

`engine = "ctranslate2"` writes the model in CTranslate2's format and decodes in float32 there. The
strings are those of our own search but for near-ties, which it settles as rounding falls.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from recombine.errors import ConfigError
from recombine.registry import require
from recombine.systems.base import Failure
from recombine.systems.seq2seq.operations import NORM_EPSILON
from recombine.systems.seq2seq.options import Options
from recombine.systems.seq2seq.transformer import Transformer
from recombine.systems.seq2seq.vocabulary import Vocabulary


class CTranslateDecoder:
    """A trained Transformer inside CTranslate2."""

    def __init__(
        self,
        model: Any,
        source: Vocabulary,
        target: Vocabulary,
        options: Options,
        threads: int = 0,
    ) -> None:
        if not isinstance(model, Transformer):
            raise ConfigError("CTranslate2 decodes Transformers only", hint='use engine = "torch"')
        engine = require("ctranslate2", extra="fast", feature='engine = "ctranslate2"')
        self.source, self.target, self.options = source, target, options
        self.numbers = {piece: number for number, piece in enumerate(target.pieces)}
        with tempfile.TemporaryDirectory() as folder:
            write_ctranslate2(model, source.pieces, target.pieces, Path(folder) / "model")
            self.translator = engine.Translator(
                str(Path(folder) / "model"),
                device="cpu",
                compute_type="float32",
                inter_threads=1,
                intra_threads=threads or torch.get_num_threads(),
            )

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        """Yield one translation per source, in order."""
        batch = self.options.decode_batch or 512
        for start in range(0, len(sources), 16 * batch):
            numbers = self.source.encode(sources[start : start + 16 * batch])
            limit = max(len(sentence) + 1 for sentence in numbers) * self.options.max_output_ratio
            results = self.translator.translate_batch(
                [[self.source.pieces[number] for number in sentence] for sentence in numbers],
                beam_size=self.options.beam,
                length_penalty=self.options.length_penalty,
                max_decoding_length=int(limit) + self.options.max_output_extra,
                max_batch_size=batch,
                batch_type="examples",
            )
            for result in results:
                yield self.target.decode([self.numbers[piece] for piece in result.hypotheses[0]])

    def close(self) -> None:
        """Let go of the model."""
        self.translator.unload_model()


def write_ctranslate2(
    model: Transformer, source: list[str], target: list[str], folder: Path
) -> None:
    """Write a pre-norm Transformer with relative positions in CTranslate2's format."""
    specs = require("ctranslate2.specs", extra="fast", feature='engine = "ctranslate2"')
    options = model.options
    if options.positions != "relative" or options.norm != "pre":
        raise ConfigError(
            "CTranslate2 decodes pre-norm models with relative positions only",
            hint='use engine = "torch"',
        )
    spec = specs.transformer_spec.TransformerSpec.from_config(
        (options.encoder_layers, options.decoder_layers),
        options.heads,
        with_relative_position=True,
        pre_norm=True,
    )

    def linear(into: Any, weight: Any, bias: torch.Tensor | None = None) -> None:
        into.weight = weight.detach().numpy()
        if bias is not None:
            into.bias = bias.detach().numpy()

    def norm(into: Any, module: Any) -> None:
        into.gamma, into.beta = module.gain.detach().numpy(), module.shift.detach().numpy()

    for side, stack, sublayers in (
        (spec.encoder, model.encoder, 2),
        (spec.decoder, model.decoder, 3),
    ):
        norms = [stack.first, *stack.norms]
        side.scale_embeddings = options.scale_embeddings
        norm(side.layer_norm, norms[-1])
        for number, into in enumerate(side.layer):
            layer = stack.layer(number)
            before = norms[number * sublayers :]
            norm(into.self_attention.layer_norm, before[0])
            linear(into.self_attention.linear[0], layer.attention.into)
            linear(into.self_attention.linear[1], layer.attention.out)
            assert layer.attention.table is not None
            table = layer.attention.table.detach().numpy()
            into.self_attention.relative_position_keys = table
            into.self_attention.relative_position_values = table
            if layer.cross is not None:
                norm(into.attention.layer_norm, before[1])
                linear(into.attention.linear[0], layer.cross.query)
                linear(into.attention.linear[1], layer.cross.memory)
                linear(into.attention.linear[2], layer.cross.out)
            norm(into.ffn.layer_norm, before[sublayers - 1])
            part = layer.feed_forward
            linear(into.ffn.linear_0, part.up, part.up_bias)
            linear(into.ffn.linear_1, part.down, part.down_bias)
    spec.encoder.embeddings[0].weight = model.source_embedding.detach().numpy()
    spec.decoder.embeddings.weight = model.target_embedding.detach().numpy()
    weight = model.target_embedding if model.output is None else model.output
    linear(spec.decoder.projection, weight, model.output_bias)
    spec.register_source_vocabulary(source)
    spec.register_target_vocabulary(target)
    spec.config.add_source_eos = True
    spec.config.layer_norm_epsilon = NORM_EPSILON
    spec.validate()
    folder.mkdir()
    spec.save(str(folder))
