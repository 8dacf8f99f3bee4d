"""What else costs nothing: other positions, shared layers, a consistency loss, deeper pairs, fresh
pairs for every epoch, each tried with preset `small` on recombined pairs and scored on test and gen
(held out from training instead: `examples/recombine-sget/held-out.toml`).

`draw BENCHMARK DIR` draws the pairs (BENCHMARK is a built `sget-mini`) and writes texts;
`train DIR OUT` trains every cell with seed 1, then with seed 2 and so on, and appends a line of
scores for each to OUT/scores.jsonl; it stops before `--minutes` are over. `table OUT` prints means
and deviations. Same steps, same pairs a step and same vocabulary for all.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import torch

from recombine.benchmark import Benchmark
from recombine.systems.neural.distributed import join_world
from recombine.systems.seq2seq import training
from recombine.systems.seq2seq.corpus import (
    BatchPlan,
    NumberedSide,
    Numbers,
    ParallelCorpus,
    Prepared,
)
from recombine.systems.seq2seq.search import Decoder
from recombine.systems.seq2seq.system import TransformerSystem
from recombine.systems.seq2seq.trainer import Trainer, seed_streams
from recombine.systems.seq2seq.vocabulary import Vocabulary

STEPS = 600
COPIES = 2
# Name of a draw: its options and how many pairs for each training pair.
DRAWS: dict[str, tuple[dict[str, Any], float]] = {
    "drawn": ({"longest": 30}, 5),
    "long": ({"longest": 45}, 5),
    "deep": ({"longest": 45, "depth": 8}, 5),
    "few-1": ({"longest": 30, "seed": 1}, 2),
    "few-2": ({"longest": 30, "seed": 2}, 2),
    "few-3": ({"longest": 30, "seed": 3}, 2),
}


class Cell(NamedTuple):
    """One way to train: options of the system, the draws of each epoch, copies of the pairs."""

    options: dict[str, Any] = {}
    draws: tuple[str, ...] = ("drawn",)
    copies: int = COPIES


CELLS = {
    "as it is": Cell(),
    "plain": Cell(draws=()),
    "positions = rope": Cell({"positions": "rope"}),
    "positions = sinusoidal": Cell({"positions": "sinusoidal"}),
    "positions = learned": Cell({"positions": "learned"}),
    "positions = none": Cell({"positions": "none"}),
    "shared_layers": Cell({"shared_layers": True}),
    "shared_layers, 4 + 4": Cell({"shared_layers": True, "encoder_layers": 4, "decoder_layers": 4}),
    "4 + 4 layers": Cell({"encoder_layers": 4, "decoder_layers": 4}),
    "consistency 1": Cell({"rdrop_weight": 1.0}),
    "consistency 5": Cell({"rdrop_weight": 5.0}),
    "longest = 45": Cell(draws=("long",)),
    "longest = 45, depth = 8": Cell(draws=("deep",)),
    "ratio = 2": Cell(draws=("few-1",)),
    "ratio = 2, fresh for every epoch": Cell(draws=("few-1", "few-2", "few-3")),
    "copies = 0": Cell(copies=0),
    "copies = 1": Cell(copies=1),
    "copies = 5": Cell(copies=5),
}


def draw(benchmark: Benchmark, folder: Path) -> None:
    """Write what training needs as text: no segmenter is asked for after this."""
    from recombine.augment import AugmentOptions, Pair, Recombiner, composer

    # Depths beyond six, as likely as six.
    composer.PHRASE_DEPTHS += (0.025, 0.025)
    composer.CLAUSE_DEPTHS += (0.04, 0.04)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {split: list(benchmark.read(split)) for split in ("train", "dev", "test", "gen")}
    taken = {one.source for split in ("dev", "test", "gen") for one in texts[split]}
    for split, rows in texts.items():
        _write(folder / split, [(one.source, *one.references) for one in rows])
    pairs = [Pair(one.source, one.references[0], one.id) for one in texts["train"]]
    for name, (said, ratio) in DRAWS.items():
        options = AugmentOptions(n=round(ratio * len(pairs)), rare=True, **said)
        drawn = [(row.source, row.target) for row in Recombiner.learn(pairs, options).draw()]
        _write(folder / name, [row for row in drawn if row[0] not in taken])


def _write(path: Path, rows: list[tuple[str, ...]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    path.with_suffix(".jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _read(folder: Path, name: str) -> list[list[str]]:
    lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def train(folder: Path, out: Path, name: str, seed: int, steps: int) -> dict[str, Any]:
    """Train one cell and return its scores."""
    torch.set_num_threads(1)
    began = time.process_time()
    cell = CELLS[name]
    options = TransformerSystem(
        preset="small", steps=steps, batch_by_length=True, evaluate_every=steps,
        checkpoint_every=steps, device="cpu", threads=1, **cell.options,
    )  # fmt: skip
    plain = _read(folder, "train")
    shown = [
        [*plain * (cell.copies if cell.draws else 1), *(_read(folder, one) if one else ())]
        for one in cell.draws or ("",)
    ]
    known = [*plain, *_read(folder, "drawn")]
    vocabularies = [
        Vocabulary.learn([row[side] for row in known], subwords, size, segmenter="none")
        for side, subwords, size in (
            (0, options.source_subwords, options.source_vocabulary_size),
            (1, options.target_subwords, options.target_vocabulary_size),
        )
    ]
    corpora = [_corpus(vocabularies, rows) for rows in shown]
    every = _corpus(vocabularies, [row for rows in shown for row in rows])
    model_dir = out / "models" / f"{name.replace(' ', '-').replace(',', '')}-{seed}"
    model_dir.mkdir(parents=True)
    device = torch.device("cpu")
    training.configure(options, device)
    seed_streams(seed, 2**31 - 1)
    trainer = Trainer(
        model=training.build_model(options, *map(len, vocabularies)),
        prepared=Prepared(*vocabularies, every, [], []),
        options=options,
        model_dir=model_dir,
        seed=seed,
        device=device,
        dtype=torch.float32,
        world=join_world(device),
    )
    trainer._batches = _epochs(corpora, seed, options.sentences_per_step)
    training._hasten(trainer)
    while not trainer.done:
        trainer.take_step()
    trained = time.process_time() - began
    trainer.model.eval()
    decoder = Decoder(trainer.model, *vocabularies, options, device)
    scores: dict[str, Any] = {}
    for split in ("test", "gen"):
        rows = _read(folder, split)
        said = decoder.translate([row[0] for row in rows], exact=False)
        hits = [str(one) in row[1:] for one, row in zip(said, rows, strict=True)]
        scores[split] = round(100 * sum(hits) / len(hits), 2)
    loss = round(trainer.stepper.read_loss(), 4)
    return {"cell": name, "seed": seed, **scores, "loss": loss, "cpu": round(trained, 1)}


def _corpus(vocabularies: list[Vocabulary], rows: list[list[str]]) -> ParallelCorpus:
    return ParallelCorpus(
        *(
            NumberedSide.of(vocabulary.encode([row[side] for row in rows]))
            for side, vocabulary in enumerate(vocabularies)
        )
    )


def _epochs(corpora: list[ParallelCorpus], seed: int, size: int) -> Iterator[Numbers]:
    """Yield the batches of every epoch; where there are several corpora, each epoch has its own."""
    epoch = 0
    starts = [sum(len(one) for one in corpora[:number]) for number in range(len(corpora))]
    while True:
        own = epoch % len(corpora)
        count = -(-len(corpora[own]) // size)
        batches = BatchPlan(corpora[own], seed, size, by_length=True).batches(epoch * count)
        for _ in range(count):
            yield next(batches) + starts[own]
        epoch += 1


def main() -> None:
    """Draw, train or print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("draw", "train", "table"))
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=600)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=STEPS)
    arguments = parser.parse_args()
    if arguments.what == "draw":
        draw(Benchmark.open(arguments.paths[0]), arguments.paths[1])
    elif arguments.what == "train":
        folder, out = arguments.paths
        out.mkdir(parents=True, exist_ok=True)
        until = time.monotonic() + 60 * arguments.minutes
        with ProcessPoolExecutor(arguments.workers) as pool:
            jobs = [
                pool.submit(train, folder, out, name, seed, arguments.steps)
                for seed in range(1, arguments.seeds + 1)
                for name in CELLS
            ]
            try:
                for job in as_completed(jobs, timeout=max(1.0, until - time.monotonic())):
                    if error := job.exception():
                        print(repr(error), file=sys.stderr)
                        continue
                    with (out / "scores.jsonl").open("a", encoding="utf-8") as stream:
                        stream.write(json.dumps(job.result()) + "\n")
            except TimeoutError:
                pool.shutdown(wait=False, cancel_futures=True)
                print("the time is over", file=sys.stderr)
    else:
        rows = [json.loads(line) for line in arguments.paths[0].open(encoding="utf-8")]
        for name in CELLS:
            own = [row for row in rows if row["cell"] == name]
            if not own:
                continue
            cells = [name, str(len(own))]
            for split in ("test", "gen"):
                values = [row[split] for row in own]
                spread = statistics.stdev(values) if len(values) > 1 else 0.0
                cells.append(f"{statistics.mean(values):.1f} ± {spread:.1f}")
            print("| " + " | ".join([*cells, f"{own[0]['cpu']:.0f}"]) + " |")


if __name__ == "__main__":
    main()
