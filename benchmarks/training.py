"""How fast the published Transformer trains: pairs/s, TFLOP/s, where the time goes, and a peer.

    python benchmarks/training.py                          # the device torch finds
    python benchmarks/training.py --batch 256 --seeds 3    # three seeds side by side
    python benchmarks/training.py --profile                # kernels by time
    python benchmarks/training.py --peer-tool              # and OpenNMT-py as its users run it
    python benchmarks/training.py --preset small --batch 64 --threads 1 --device cpu --cpu-seconds

Without --benchmark the data is made up: 44,100 pairs with the piece lengths of SGET. Warm-up
(compiling kernels, capturing graphs) is printed apart. The peer is OpenNMT-py or JoeyNMT, when
importable; on a CPU it takes turns with ours, step by step, so that both meet the same machine.
Both drop activations and attention at the rate of `dropout`, so ours do here, too.

`peer_pairs_per_s` and `ratio` are about the peer's modules alone, fed with batches that already lie
on the device. --peer-tool adds `tool_pairs_per_s` and `tool_ratio`: OpenNMT-py's own training
program in a process of its own, loading, batching and reports included (opennmt_tool.py). Its rate
is by the clock, start-up left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from recombine.systems.neural.device import choose_device, choose_dtype
from recombine.systems.neural.distributed import World
from recombine.systems.seq2seq.corpus import (
    BatchPlan,
    NumberedSide,
    Numbers,
    ParallelCorpus,
    Prepared,
    prepare,
)
from recombine.systems.seq2seq.fast.row_steps import RowStepper
from recombine.systems.seq2seq.options import LstmOptions, Options, TransformerOptions
from recombine.systems.seq2seq.trainer import Trainer, seed_streams
from recombine.systems.seq2seq.training import (
    build_model,
    configure,
)
from recombine.systems.seq2seq.vocabulary import SPECIAL, Vocabulary

PEER_STEPS = 20
# Enough for both loading processes of OpenNMT-py to fill their bucket of 262,144 a second time;
# a shorter training is in its favour.
TOOL_PAIRS = 600 * 1024


def made_up(pairs: int, source_size: int, target_size: int) -> Prepared:
    """Return pairs whose lengths are distributed like SGET's; the target is a shuffled source."""
    stream = np.random.Generator(np.random.PCG64(7))
    base = np.exp(stream.normal(2.2, 0.42, pairs)).astype(int).clip(1, 34)
    # One in 44 is a concatenation of sentences, one in 110 nested four deep.
    long = stream.random(pairs) < 0.026
    base = np.where(long, stream.integers(35, 110, pairs), base)
    source = [stream.integers(4, source_size, n).tolist() for n in base]
    target = [
        [4 + piece * 7 % (target_size - 4) for piece in (sentence + sentence)[: max(1, int(n))]]
        for sentence, n in zip(
            source, np.minimum(120, base * stream.normal(1.25, 0.15, pairs)), strict=True
        )
    ]
    words = [
        Vocabulary("word", [*SPECIAL, *(f"w{n}" for n in range(size - len(SPECIAL)))])
        for size in (source_size, target_size)
    ]
    return Prepared(
        *words, ParallelCorpus(NumberedSide.of(source), NumberedSide.of(target)), [], []
    )


def flops_per_pair(prepared: Prepared, options: Options) -> float:
    """Return the multiply-adds x 2 of forward and backward, attention and output included."""
    width = options.width
    s = prepared.corpus.source.lengths.astype(float)
    t = prepared.corpus.target.lengths.astype(float)
    if isinstance(options, TransformerOptions):
        inner = options.feed_forward
        encoder = options.encoder_layers * (
            s * (4 * width**2 + 2 * width * inner) + 2 * s**2 * width
        )
        decoder = options.decoder_layers * (
            t * (6 * width**2 + 2 * width * inner)
            + s * 2 * width**2
            + 2 * t**2 * width
            + 2 * s * t * width
        )
    else:
        # Four gates over input and state; then attention and the product that mixes its context.
        encoder = options.encoder_layers * s * 8 * width**2
        decoder = t * (options.decoder_layers * 8 * width**2 + 2 * s * width + 2 * width**2)
    output = t * width * len(prepared.target_vocabulary)
    return float(3 * 2 * (encoder + decoder + output).mean())


def matmul_rate(device: torch.device, dtype: torch.dtype) -> float:
    """Return the FLOP/s of a large product on random data."""
    size = 8192 if device.type == "cuda" else 1024
    a, b = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
    repeats = 10 if device.type == "cuda" else 3
    times = []
    for _ in range(repeats):
        synchronise(device)
        began = time.perf_counter()
        a @ b
        synchronise(device)
        times.append(time.perf_counter() - began)
    return 2 * size**3 / sorted(times)[len(times) // 2]


def synchronise(device: torch.device) -> None:
    """Wait for the device."""
    if device.type == "cuda":
        torch.cuda.synchronize()


def trainer_of(
    prepared: Prepared, options: Options, folder: Path, seed: int, device: torch.device
) -> Trainer:
    """Return a model in training."""
    seed_streams(seed, 2**31 - 1)
    model = build_model(options, len(prepared.source_vocabulary), len(prepared.target_vocabulary))
    return Trainer(
        model=model, prepared=prepared, options=options, model_dir=folder / f"seed-{seed}",
        seed=seed, device=device, dtype=choose_dtype(options.precision, device), world=World(),
    )  # fmt: skip


def measure(
    prepared: Prepared, options: Options, given: argparse.Namespace, seeds: int, steps: int
) -> dict[str, Any]:
    """Train `seeds` trainers side by side for `steps` steps and return what was seen."""
    device = choose_device(options.device)
    configure(options, device)
    began = time.perf_counter()
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        trainers = [
            trainer_of(prepared, options, Path(folder), seed, device)
            for seed in range(1, seeds + 1)
        ]
        for trainer in trainers:
            notes += use_fast_steps(trainer)

        def step() -> None:
            for trainer in trainers:
                trainer.take_step()

        peer_steps = PEER_STEPS if device.type == "cuda" else steps
        peer = peer_of(given.peer, prepared, options, device, peer_steps)
        if options.batch_by_length:
            for trainer in trainers:
                trainer._batches = itertools.cycle(
                    spread_batches(prepared, options.sentences_per_step, steps)
                )
        for _ in range(3):
            step()
        synchronise(device)
        warm_up = time.perf_counter() - began
        losses = [trainer.stepper.read_loss() for trainer in trainers]
        clock = time.process_time if given.cpu_seconds else time.perf_counter
        if device.type == "cuda":
            seconds = timed([step], steps, device, clock)[0]
            peer_seconds = timed([peer], peer_steps, device, clock)[0] if peer else 0.0
        else:
            seconds, *more = timed([step, peer] if peer else [step], steps, device, clock)
            peer_seconds = more[0] if more else 0.0
        after = [trainer.stepper.read_loss() for trainer in trainers]
        if given.profile:
            kernel_table(trainers, device)
        memory = torch.cuda.max_memory_allocated() / 2**30 if device.type == "cuda" else 0.0
        for trainer in trainers:
            trainer.close()
    pairs = seeds * options.sentences_per_step / seconds
    row = {
        "batch": options.sentences_per_step, "seeds": seeds, "steps": steps,
        "warm_up_s": round(warm_up, 1), "ms_per_step": round(1000 * seconds, 3),
        "pairs_per_s": round(pairs), "flops": pairs * flops_per_pair(prepared, options),
        "minutes_for_70000": round(seconds * 70_000 / 60, 1), "gib": round(memory, 1),
        "loss": [round(losses[0], 3), round(after[0], 3)], "notes": notes[:2],
    }  # fmt: skip
    if peer_seconds:
        rate = options.sentences_per_step / peer_seconds
        row.update(peer=given.peer, peer_pairs_per_s=round(rate), ratio=round(pairs / rate, 2))
    return row


def timed(
    runs: list[Callable[[], None]],
    steps: int,
    device: torch.device,
    clock: Callable[[], float],
) -> list[float]:
    """Return the seconds a step of each takes; two take turns (on a CPU, where nothing is late)."""
    for run in runs:
        run()  # to warm up
    synchronise(device)
    ticks = [clock()]
    for _ in range(steps):
        for run in runs:
            run()
            ticks.append(clock())
    synchronise(device)
    ticks[-1] = clock()
    turns = np.diff(ticks).reshape(steps, len(runs))
    return [float(seconds) for seconds in turns.mean(0)]


def use_fast_steps(trainer: Trainer) -> list[str]:
    """Let a training take fast steps and return what there is to say about it."""
    options = trainer.options
    if trainer.device.type != "cuda" or not options.graphs:
        stepper = RowStepper(trainer)
        trainer.stepper = stepper
        return [f"rows agree with plain steps within {stepper.agreement:.2g}"]
    from recombine.systems.seq2seq.fast.graphs import GraphStepper

    try:
        graphs = GraphStepper(trainer)
    except Exception as error:
        traceback.print_exc()
        return [f"EAGER: {error!r}"]
    trainer.stepper = graphs
    sizes = " ".join(f"{size.source}+{size.target}" for size in graphs.shapes.sizes)
    return [f"kernels agree with PyTorch within {graphs.agreement:.2g}", f"sizes {sizes}"]


def spread_batches(prepared: Prepared, size: int, count: int) -> list[Numbers]:
    """Return batches of one length each, as many short and long ones as an epoch has of each."""
    plan = BatchPlan(prepared.corpus, 1, size, by_length=True)
    per_epoch = -(-len(prepared.corpus) // size)
    epoch = list(itertools.islice(plan.batches(), per_epoch))
    lengths = [int(prepared.corpus.target.lengths[chosen].max()) for chosen in epoch]
    by_length = np.argsort(lengths, kind="stable")
    return [epoch[by_length[int((n + 0.5) / count * per_epoch)]] for n in range(count)]


def peer_of(
    name: str, prepared: Prepared, options: Options, device: torch.device, steps: int
) -> Callable[[], None] | None:
    """Return a step of another toolkit on the same pairs, or None where it is not installed."""
    module = {"opennmt": "onmt", "joeynmt": "joeynmt"}[name]
    if not isinstance(options, TransformerOptions) or importlib.util.find_spec(module) is None:
        return None
    size = options.sentences_per_step
    if name == "joeynmt":
        import joeynmt_peer

        plan = BatchPlan(prepared.corpus, 1, size)
        batches = list(itertools.islice(plan.batches(), steps))
        return joeynmt_peer.Peer(prepared, options, batches).step
    import opennmt_peer

    parts = max(1, size // opennmt_peer.MICRO_BATCH)
    batches = spread_batches(prepared, size // parts, steps * parts)
    return opennmt_peer.Peer(prepared, options, batches, parts, device).step


def tool_rate(
    prepared: Prepared, options: Options, device: torch.device, pairs: int
) -> float | None:
    """Return the pairs/s of OpenNMT-py's training program, or None and say why."""
    if not isinstance(options, TransformerOptions) or importlib.util.find_spec("onmt") is None:
        print("--peer-tool needs a Transformer and OpenNMT-py", file=sys.stderr)
        return None
    import opennmt_tool

    steps = -(-pairs // options.sentences_per_step)
    try:
        return opennmt_tool.pairs_per_second(prepared, options, device.type == "cuda", steps)
    except opennmt_tool.ToolFailure as failure:
        print(f"OpenNMT-py's program failed:\n{failure}", file=sys.stderr)
        return None


def kernel_table(trainers: list[Trainer], device: torch.device) -> None:
    """Print where the time of ten steps goes, kernel by kernel."""
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as profiled

    kinds = [ProfilerActivity.CPU, ProfilerActivity.CUDA][: 2 if device.type == "cuda" else 1]
    with profiled(activities=kinds) as result:
        for _ in range(10):
            for trainer in trainers:
                trainer.take_step()
        synchronise(device)
    field = "self_device_time_total" if device.type == "cuda" else "self_cpu_time_total"
    rows = sorted(result.key_averages(), key=lambda row: -getattr(row, field))
    total = sum(getattr(row, field) for row in rows)
    print(f"  device time of 10 steps: {total / 1000:.2f} ms")
    for row in rows[:32]:
        spent = getattr(row, field)
        if spent > 0.004 * total:
            print(
                f"  {spent / total:6.1%} {spent / 10:9.0f} us/step "
                f"{row.count / 10:7.1f} calls  {row.key[:88]}"
            )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--benchmark", type=Path, help="a benchmark directory instead of made-up data"
    )
    parser.add_argument("--preset", default="paper-transformer")
    parser.add_argument("--batch", type=int, nargs="+", default=[1024, 256])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--positions", help="other positions than the preset's")
    parser.add_argument(
        "--rdrop", type=float, default=0.0, metavar="WEIGHT",
        help="with R-Drop; its fair rival is twice the batch",
    )  # fmt: skip
    parser.add_argument("--eager", action="store_true", help="also without graphs and own kernels")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument(
        "--peer", choices=["opennmt", "joeynmt"], default="opennmt", help="joeynmt: on a CPU only"
    )
    parser.add_argument(
        "--peer-tool", type=int, nargs="?", const=TOOL_PAIRS, default=0, metavar="PAIRS",
        help="also train with OpenNMT-py's own program, for so many pairs (else %(const)s)",
    )  # fmt: skip
    parser.add_argument(
        "--by-length", action="store_true", help="batches of one length, as OpenNMT-py makes them"
    )
    parser.add_argument(
        "--cpu-seconds", action="store_true", help="time by CPU seconds, for a busy machine"
    )
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    common = {
        "preset": given.preset, "device": given.device, "threads": given.threads,
        "precision": given.precision, "target_segmenter": "none", "steps": 10**9, "accumulate": 1,
        "batch_by_length": given.by_length or "lstm" in given.preset,
        "rdrop_weight": given.rdrop,
    }  # fmt: skip
    if given.positions:
        common["positions"] = given.positions
    kind: Any = LstmOptions if "lstm" in given.preset else TransformerOptions
    options = kind(**common)
    if kind is TransformerOptions:
        common["activation_dropout"] = common["attention_dropout"] = options.dropout
        if given.peer == "joeynmt":
            common["positions"] = "sinusoidal"
    if given.benchmark:
        from recombine.benchmark import Benchmark

        with tempfile.TemporaryDirectory() as folder:
            train = Benchmark.open(given.benchmark).read("train")
            prepared = prepare(train, [], options, Path(folder))
    else:
        sizes = options.source_vocabulary_size, options.target_vocabulary_size
        prepared = made_up(44_100, *sizes)
    device = choose_device(given.device)
    corpus = prepared.corpus
    name = torch.cuda.get_device_name() if device.type == "cuda" else "cpu"
    source, target = corpus.source.lengths.mean(), corpus.target.lengths.mean()
    print(
        f"torch {torch.__version__}, {name}; {len(corpus)} pairs, {source:.1f} + {target:.1f} "
        f"pieces (longest {corpus.source.lengths.max()}, {corpus.target.lengths.max()}), "
        f"{flops_per_pair(prepared, options) / 1e9:.2f} GFLOP a pair"
    )
    configure(options, device)
    rate = matmul_rate(device, choose_dtype(options.precision, device))
    print(f"measured matmul rate: {rate / 1e12:.2f} TFLOP/s")
    rows = []
    for batch in given.batch:
        tool = None
        if given.peer_tool:
            chosen = kind(**common, batch_size=batch)
            tool = tool_rate(prepared, chosen, device, given.peer_tool)
        for seeds in given.seeds:
            for graphs in (True, False) if given.eager and device.type == "cuda" else (True,):
                chosen = kind(**common, batch_size=batch, graphs=graphs)
                row = measure(prepared, chosen, given, seeds, given.steps if graphs else 20)
                row["graphs"] = graphs
                row["tflops"] = round(row.pop("flops") / 1e12, 3)
                row["of_matmul"] = round(row["tflops"] * 1e12 / rate, 3)
                if tool:
                    row["tool_pairs_per_s"] = round(tool)
                    row["tool_ratio"] = round(row["pairs_per_s"] / tool, 2)
                rows.append(row)
                print(json.dumps(row), flush=True)
    if not any("peer" in row for row in rows):
        print(f"{given.peer} is not importable: no peer measured", file=sys.stderr)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
