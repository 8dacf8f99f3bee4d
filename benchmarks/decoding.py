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
import time

import numpy as np
import torch

from recombine.systems.neural.device import choose_device
from recombine.systems.seq2seq.fast.ctranslate import CTranslateDecoder
from recombine.systems.seq2seq.options import TransformerOptions
from recombine.systems.seq2seq.search import Decoder
from recombine.systems.seq2seq.training import build_model
from recombine.systems.seq2seq.vocabulary import SPECIAL, WORD_START, Vocabulary

PIECES = 20


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
    peer = CTranslateDecoder(model, source, target, options, given.threads)
    list(peer.translate(sentences[:64]))
    began = time.perf_counter()
    theirs = list(peer.translate(sentences))
    seconds = time.perf_counter() - began
    peer.close()
    same = sum(a == b for a, b in zip(ours, theirs, strict=True)) / len(ours)
    print(f"CTranslate2 float32: {seconds:.2f} s, {len(theirs) / seconds:.0f} sentences/s")
    print(f"ours / CTranslate2 = {rate / (len(theirs) / seconds):.2f}; same strings: {same:.1%}")


if __name__ == "__main__":
    main()
