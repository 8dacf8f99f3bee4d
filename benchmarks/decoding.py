"""How fast we decode: sentences/s greedily, against CTranslate2 in float32 on the same weights.

    python benchmarks/decoding.py                       # a CPU, with CTranslate2 when importable
    python benchmarks/decoding.py --preset paper-transformer --sentences 76000 --device cuda

The model has random weights and writes exactly 20 pieces a sentence, so both engines do the same
work; that they choose the same pieces is checked. Random weights meet near-ties everywhere, trained
ones hardly ever, so settling them in float64 is left out here.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from recombine.systems.seq2seq.options import TransformerOptions
from recombine.systems.seq2seq.search import Decoder
from recombine.systems.seq2seq.training import build_model, choose_device
from recombine.systems.seq2seq.transformer import Transformer
from recombine.systems.seq2seq.vocabulary import SPECIAL, WORD_START, Vocabulary

PIECES = 20


def write_ctranslate2(
    model: Transformer, source: list[str], target: list[str], folder: Path
) -> None:
    """Write a pre-norm Transformer with relative positions in CTranslate2's format."""
    from ctranslate2.specs import transformer_spec

    options = model.options
    spec = transformer_spec.TransformerSpec.from_config(
        (options.encoder_layers, options.decoder_layers),
        options.heads,
        with_relative_position=True,
        pre_norm=True,
    )

    def linear(into: Any, weight: torch.Tensor, bias: torch.Tensor | None = None) -> None:
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
        side.scale_embeddings = True
        norm(side.layer_norm, norms[-1])
        for number, into in enumerate(side.layer):
            layer = stack.layer(number)
            before = norms[number * sublayers :]
            norm(into.self_attention.layer_norm, before[0])
            linear(into.self_attention.linear[0], layer.attention.into)
            linear(into.self_attention.linear[1], layer.attention.out)
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
    linear(spec.decoder.projection, model.output, model.output_bias)
    spec.register_source_vocabulary(source)
    spec.register_target_vocabulary(target)
    spec.config.add_source_eos = True
    spec.config.layer_norm_epsilon = 1e-6
    spec.validate()
    folder.mkdir()
    spec.save(str(folder))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--preset", default="small")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=0)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    options = TransformerOptions(
        preset=given.preset, positions="relative", norm="pre", tie_embeddings=False,
        shared_layers=False, device=given.device, decode_batch=given.batch, max_output_ratio=0.0,
        max_output_extra=PIECES,
    )  # fmt: skip
    words = [f"{WORD_START}w{number}" for number in range(options.source_vocabulary_size - 4)]
    outputs = [f"{WORD_START}t{number}" for number in range(options.target_vocabulary_size - 4)]
    source, target = (
        Vocabulary("word", [*SPECIAL, *words]),
        Vocabulary("word", [*SPECIAL, *outputs]),
    )
    torch.manual_seed(1)
    model = build_model(options, len(source), len(target)).eval()
    with torch.no_grad():
        model.output_bias[:4] = -1e4  # no sentence ends before its limit
    stream = np.random.Generator(np.random.PCG64(1))
    sentences = [
        " ".join(words[n][1:] for n in stream.integers(0, len(words), length))
        for length in np.exp(stream.normal(2.2, 0.42, given.sentences)).astype(int).clip(1, 40)
    ]
    device = choose_device(given.device)
    decoder = Decoder(model.to(device), source, target, options, device)
    list(decoder.translate(sentences[:64], exact=False))
    began = time.perf_counter()
    ours = list(decoder.translate(sentences, exact=False))
    seconds = time.perf_counter() - began
    rate = len(sentences) / seconds
    print(f"ours: {seconds:.2f} s, {rate:.0f} sentences/s ({given.preset}, {device})")
    if importlib.util.find_spec("ctranslate2") is None or device.type != "cpu":
        print("CTranslate2 is not importable (or not asked for): no peer measured")
        return
    import ctranslate2

    with tempfile.TemporaryDirectory() as folder:
        write_ctranslate2(model, source.pieces, target.pieces, Path(folder) / "model")
        peer = ctranslate2.Translator(
            str(Path(folder) / "model"), device="cpu", compute_type="float32", inter_threads=1,
            intra_threads=given.threads,
        )  # fmt: skip
        tokens = [[f"{WORD_START}{word}" for word in sentence.split()] for sentence in sentences]

        def run(batch: list[list[str]]) -> list[str]:
            results = peer.translate_batch(
                batch, beam_size=1, max_decoding_length=PIECES, max_batch_size=decoder.batch,
                batch_type="examples",
            )  # fmt: skip
            return [
                "".join(result.hypotheses[0]).replace(WORD_START, " ").strip() for result in results
            ]

        run(tokens[:64])
        began = time.perf_counter()
        theirs = run(tokens)
        seconds = time.perf_counter() - began
    same = sum(a == b for a, b in zip(ours, theirs, strict=True)) / len(ours)
    print(f"CTranslate2 float32: {seconds:.2f} s, {len(tokens) / seconds:.0f} sentences/s")
    print(f"ours / CTranslate2 = {rate / (len(tokens) / seconds):.2f}; same strings: {same:.1%}")


if __name__ == "__main__":
    main()
