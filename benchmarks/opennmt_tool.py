"""OpenNMT-py as its users run it, on the same pairs: the program behind opennmt_peer.py.

The pairs are written as text, one token per piece, and `python -m onmt.bin.train` reads them with
the configuration released for SGET: micro-batches of 256 sentences, Adam at 1e-4, fp16 on a GPU.
Loading, batching and logging count, as they do in a user's training, and are OpenNMT-py's defaults
(its bucket of 262,144 sentences and two loading processes). Time is that between its first and its
last report, so that starting and filling the first bucket do not count. What a short training draws
from its buckets may be shorter than the data is on average, as few sentences are long, so target
pieces are counted and turned into pairs of average length.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from opennmt_peer import MICRO_BATCH

from recombine.systems.seq2seq.corpus import NumberedSide, Prepared
from recombine.systems.seq2seq.options import TransformerOptions
from recombine.systems.seq2seq.vocabulary import SPECIAL

REPORTS = 20
# "[2024-05-01 12:00:00,123 INFO] Step 50/  600; ...; sents:   12800; bsz: 2048/4531/256; ...":
# sentences since the last report, and pieces and sentences of its average batch.
REPORT = re.compile(
    r"^\[(\S+ \S+) INFO\] Step.*; sents: +(\d+); bsz: *\d+/ *(\d+)/ *(\d+);", re.MULTILINE
)


class ToolFailure(Exception):
    """OpenNMT-py ended without the reports of a training; the text is the end of its log."""


class Report(NamedTuple):
    """One line of OpenNMT-py's log: when, and target pieces since the last."""

    time: datetime
    pieces: float


def pairs_per_second(
    prepared: Prepared, options: TransformerOptions, on_gpu: bool, steps: int
) -> float:
    """Train for the given steps in a process of its own and return its rate."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = folder / "train.yaml"
        # JSON is YAML, and needs no library to write.
        config.write_text(json.dumps(write_setup(prepared, options, on_gpu, steps, folder)))
        environment = dict(os.environ)
        if options.threads:
            environment["OMP_NUM_THREADS"] = str(options.threads)
        done = subprocess.run(
            [sys.executable, "-m", "onmt.bin.train", "-config", str(config)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            env=environment,
        )  # fmt: skip
    reports = read_reports(done.stdout)
    if done.returncode or len(reports) < 2:
        raise ToolFailure(done.stdout[-3000:])
    return rate(reports) / float(prepared.corpus.target.lengths.mean())


def read_reports(log: str) -> list[Report]:
    """Return the reports in a log."""
    return [
        Report(
            datetime.strptime(time, "%Y-%m-%d %H:%M:%S,%f"),
            int(sentences) * int(pieces) / int(size),
        )
        for time, sentences, pieces, size in REPORT.findall(log)
    ]


def rate(reports: list[Report]) -> float:
    """Return target pieces per second from the first report to the last."""
    seconds = (reports[-1].time - reports[0].time).total_seconds()
    return sum(report.pieces for report in reports[1:]) / seconds


def write_setup(
    prepared: Prepared, options: TransformerOptions, on_gpu: bool, steps: int, folder: Path
) -> dict[str, Any]:
    """Write text and vocabularies into a folder and return the configuration."""
    paths = {
        f"{kind}_{side}": str(folder / f"{kind}.{side}")
        for kind in ("path", "vocabulary")
        for side in ("src", "tgt")
    }
    corpus = prepared.corpus
    for side, text, vocabulary in (
        ("src", corpus.source, prepared.source_vocabulary),
        ("tgt", corpus.target, prepared.target_vocabulary),
    ):
        write_text(text, Path(paths[f"path_{side}"]))
        pieces = (f"{piece}\n" for piece in range(len(SPECIAL), len(vocabulary)))
        Path(paths[f"vocabulary_{side}"]).write_text("".join(pieces))
    parts = max(1, options.sentences_per_step // MICRO_BATCH)
    relative = options.positions == "relative"
    return {
        "data": {
            "train": {
                "path_src": paths["path_src"], "path_tgt": paths["path_tgt"], "transforms": [],
                "weight": 1,
            }
        },
        "src_vocab": paths["vocabulary_src"], "tgt_vocab": paths["vocabulary_tgt"],
        "src_vocab_size": len(prepared.source_vocabulary),
        "tgt_vocab_size": len(prepared.target_vocabulary),
        "save_model": str(folder / "model"), "keep_checkpoint": 0,
        "encoder_type": "transformer", "decoder_type": "transformer",
        "enc_layers": options.encoder_layers, "dec_layers": options.decoder_layers,
        "hidden_size": options.width, "word_vec_size": options.width,
        "transformer_ff": options.feed_forward, "heads": options.heads,
        "max_relative_positions": options.max_relative if relative else 0,
        "position_encoding": "false" if relative else "true",
        "dropout": [options.dropout], "attention_dropout": [options.attention_dropout],
        "optim": "adam", "learning_rate": 1e-4, "decay_method": "none",
        "batch_type": "sents", "batch_size": options.sentences_per_step // parts,
        "accum_count": [parts], "model_dtype": "fp16" if on_gpu else "fp32",
        "train_steps": steps, "valid_steps": 10**9, "report_every": max(1, steps // REPORTS),
        **({"world_size": 1, "gpu_ranks": [0]} if on_gpu else {}),
    }  # fmt: skip


def write_text(side: NumberedSide, path: Path) -> None:
    """Write one sentence per line, its pieces as numbers and without the end mark."""
    with path.open("w") as stream:
        for number in range(len(side)):
            stream.write(" ".join(str(piece) for piece in side.sentence(number)[:-1]) + "\n")
