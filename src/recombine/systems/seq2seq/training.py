"""Training: prepare the data, build one trainer per model, and take turns until all are done."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from recombine.errors import ConfigError, DataError, RecombineError, SystemFailure
from recombine.systems.base import TrainingData, TrainingsFailed
from recombine.systems.device import choose_device, choose_dtype
from recombine.systems.seq2seq.checkpoint import claim, read_state
from recombine.systems.seq2seq.corpus import NumberedSide, ParallelCorpus, Prepared, prepare
from recombine.systems.seq2seq.distributed import World, join_world
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
            claim(job.model_dir, kind_of(job.options), job.options, fingerprint(pairs))
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


def kind_of(options: Options) -> str:
    """Return the name of the system these options are for."""
    return "lstm" if isinstance(options, LstmOptions) else "transformer"


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
    """Train to the end, without those that diverge; return their failures."""
    from recombine.progress import progress

    if not trainers:
        return {}
    for trainer in trainers:
        _hasten(trainer)
        trainer.load_weights()
    label = ", ".join(f"{kind_of(trainer.options)} seed {trainer.seed}" for trainer in trainers)
    going = trainers
    failures: dict[Path, RecombineError] = {}
    total = sum(trainer.options.steps - trainer.state.step for trainer in trainers)
    try:
        with progress(label, total) as bar:
            while going:
                moving = [(trainer, trainer.next_boundary()) for trainer in going]
                while moving:
                    for trainer, _ in moving:
                        trainer.take_step()
                    bar.advance(len(moving))
                    moving = [
                        (trainer, until) for trainer, until in moving if trainer.state.step < until
                    ]
                sound = []
                for trainer in going:
                    try:
                        trainer.at_boundary()
                        sound.append(trainer)
                    except SystemFailure as error:
                        failures[trainer.model_dir] = error
                lead = going[0]
                bar.note(
                    loss=lead.loss,
                    dev=lead.state.best_score if lead.state.best_step is not None else "-",
                    pairs_s=sum(trainer.rate for trainer in going),
                    **({"slow": "(train_log.jsonl says why)"} if lead.slowed else {}),
                )
                going = [trainer for trainer in sound if not trainer.done]
                _stop_in_time(going, started)
    finally:
        for trainer in trainers:
            trainer.close()
    return failures


def _stop_in_time(trainers: list[Trainer], started: float) -> None:
    minutes = (time.monotonic() - started) / 60
    limit = trainers[0].options.max_minutes if trainers else 0
    if not limit or minutes < limit:
        return
    for trainer in trainers:
        trainer.save()
    where = ", ".join(f"{trainer.state.step} of {trainer.options.steps}" for trainer in trainers)
    raise SystemFailure(
        f"stopped at step {where} after {minutes:.1f} minutes", hint="run again to continue"
    )


def _hasten(trainer: Trainer) -> None:
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
