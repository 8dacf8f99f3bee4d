"""Training: prepare the data, build one trainer per model, and take turns until all are done."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from recombine.errors import ConfigError, DataError, RecombineError
from recombine.systems.base import TrainingData, TrainingsFailed
from recombine.systems.neural.checkpoint import read_state
from recombine.systems.neural.device import choose_device, choose_dtype
from recombine.systems.neural.distributed import World, join_world
from recombine.systems.neural.loop import run
from recombine.systems.seq2seq.checkpoint import claim
from recombine.systems.seq2seq.corpus import NumberedSide, ParallelCorpus, Prepared, prepare
from recombine.systems.seq2seq.lstm import Lstm
from recombine.systems.seq2seq.options import (
    LstmOptions,
    Options,
    TransformerOptions,
    fingerprint,
)
from recombine.systems.seq2seq.trainer import Trainer, seed_streams
from recombine.systems.seq2seq.transformer import Transformer


@dataclass(frozen=True)
class Job:
    """One model to train."""

    data: TrainingData
    options: Options
    model_dir: Path
    seed: int


def train_many(data: TrainingData, model_dirs: Mapping[int, Path], options: Options) -> None:
    """Train several seeds, side by side on a GPU, one after another elsewhere."""
    train_jobs([Job(data, options, path, seed) for seed, path in sorted(model_dirs.items())])


def train_jobs(jobs: Sequence[Job]) -> None:
    """Train models of any kind, side by side on a GPU, else one after another."""
    options = jobs[0].options
    for name in ("device", "threads", "deterministic", "max_minutes"):
        if len({getattr(job.options, name) for job in jobs}) > 1:
            raise ConfigError(f"models that train together need the same '{name}'")
    device = choose_device(options.device)
    world = join_world(device)
    configure(options, device)
    todo = []
    for job in jobs:
        if world.leads:
            pairs = [[example.source, *example.references[:1]] for example in job.data.train]
            claim(job.model_dir, job.options.kind, job.options, fingerprint(pairs))
        world.wait()
        state = read_state(job.model_dir)
        if state is None or state.step < job.options.steps:
            todo.append(job)
    started = time.monotonic()
    failures: dict[Path, RecombineError] = {}
    groups = _groups(todo, device)
    for number, together in enumerate(groups):
        try:
            failures |= _run([_trainer(job, device, world) for job in together], started)
        except RecombineError as error:
            if number == 0:
                raise  # nothing is trained
            failures |= {job.model_dir: error for group in groups[number:] for job in group}
            break
    if failures:
        raise TrainingsFailed(failures, len(jobs))


def _groups(jobs: list[Job], device: torch.device) -> list[list[Job]]:
    """Return what is trained side by side: all on a GPU, which one model does not fill."""
    return [jobs] if device.type == "cuda" else [[job] for job in jobs]


def build_model(options: Options, source_size: int, target_size: int) -> Any:
    """Return an untrained model; its first weights depend on torch's seed."""
    if isinstance(options, LstmOptions):
        return Lstm(options, source_size, target_size)
    if isinstance(options, TransformerOptions):
        return Transformer(options, source_size, target_size)
    raise ConfigError(f"no model for options of type {type(options).__name__}")


def configure(options: Options, device: torch.device) -> None:
    """Set threads and determinism for this process."""
    if options.threads:
        torch.set_num_threads(options.threads)
    if options.deterministic:
        # cuBLAS needs its workspace fixed before the first call.
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        # Every kernel of ours writes all of what it allocates.
        torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    torch.use_deterministic_algorithms(options.deterministic)
    if device.type == "cuda":
        torch.cuda.set_device(device.index or 0)


def _trainer(job: Job, device: torch.device, world: World) -> Trainer:
    data, options = job.data, job.options
    if world.leads:
        prepare(data.train, data.dev, options, job.model_dir)
    world.wait()
    prepared, dropped = _fitting(prepare(data.train, data.dev, options, job.model_dir), options)
    # Step -1 is no step: the stream of the first weights.
    seed_streams(job.seed, 2**31 - 1)
    model = build_model(options, len(prepared.source_vocabulary), len(prepared.target_vocabulary))
    trainer = Trainer(
        model=model,
        prepared=prepared,
        options=options,
        model_dir=job.model_dir,
        seed=job.seed,
        device=device,
        dtype=choose_dtype(options.precision, device),
        world=world,
    )
    trainer.note(
        step=trainer.state.step,
        event="start",
        seed=job.seed,
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        pairs=len(prepared.corpus),
        dropped_as_too_long=dropped,
        device=_device_name(device),
        precision=str(choose_dtype(options.precision, device)).removeprefix("torch."),
        torch=str(torch.__version__),
    )
    return trainer


def _run(trainers: list[Trainer], started: float) -> dict[Path, RecombineError]:
    """Train to the end, as fast as agrees with plain steps; return the failures."""
    for trainer in trainers:
        _use_fast_stepper(trainer)
        trainer.load_weights()
    return run(trainers, started)


def _use_fast_stepper(trainer: Trainer) -> None:
    """Let a training take its steps faster, if it can and they agree with the plain ones."""
    try:
        # Inside: training needs nothing of it.
        from recombine.systems.seq2seq.fast import fast_stepper

        trainer.stepper = fast_stepper(trainer)
    except Exception as error:
        # Whatever is wrong with it, plain steps are right.
        trainer.slowed = True
        trainer.note(step=trainer.state.step, event="plain steps", reason=repr(error)[:500])


def _fitting(prepared: Prepared, options: Options) -> tuple[Prepared, int]:
    """Leave out pairs that are longer than `max_length` pieces."""
    corpus = prepared.corpus
    longest = corpus.source.lengths, corpus.target.lengths
    keep = (longest[0] <= options.max_length) & (longest[1] <= options.max_length)
    if keep.all():
        return prepared, 0
    if not keep.any():
        raise DataError(
            f"every training pair is longer than max_length = {options.max_length} pieces",
            hint="raise max_length",
        )
    numbers = keep.nonzero()[0]
    sides = [
        NumberedSide.of([side.sentence(int(number))[:-1].tolist() for number in numbers])
        for side in (corpus.source, corpus.target)
    ]
    kept = Prepared(
        prepared.source_vocabulary,
        prepared.target_vocabulary,
        ParallelCorpus(*sides),
        prepared.dev_sources,
        prepared.dev_references,
    )
    return kept, int((~keep).sum())


def _device_name(device: torch.device) -> str:
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"cpu, {torch.get_num_threads()} threads"
