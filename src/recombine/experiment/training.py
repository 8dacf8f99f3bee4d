"""Training: the stage from a benchmark to a model for each seed of each trainable system.

Models that are there are kept, interrupted ones continue, and those of other options are refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from recombine.benchmark import Benchmark, stratified_sample
from recombine.errors import RecombineError
from recombine.experiment.augmenting import augmenter
from recombine.experiment.experiment import (
    Experiment,
    alone_in_its_cells,
    begin_cell,
    create_system,
    require_training_text,
    system_cells,
    trained_split,
)
from recombine.experiment.failures import Failures
from recombine.experiment.fingerprint import train_size, training_fingerprint
from recombine.experiment.run import Cell
from recombine.progress import step
from recombine.stage import Meta, set_aside
from recombine.systems.base import TrainingData, TrainingsFailed, hook, is_trainable


@dataclass(frozen=True)
class Training:
    """The models of one system that are not trained yet, one for each seed."""

    system: Any
    text: TrainingData
    cells: dict[int, Cell]
    fingerprints: dict[int, dict[str, Any]]
    sample: int = 0
    # Makes more of the text, where the experiment says so; it may take a minute, or fail.
    augment: Callable[[TrainingData], TrainingData] | None = None

    @cached_property
    def data(self) -> TrainingData:
        """What the models learn from."""
        return self.text if self.augment is None else self.augment(self.text)

    def finish(self, seconds: float, seeds: Collection[int] | None = None) -> None:
        """Note that the models (of these seeds) are trained, in so many seconds each."""
        for seed in self.cells if seeds is None else seeds:
            made_from = self.fingerprints[seed]
            # Complete is said last: what a kill leaves unsaid before it is said by the next run.
            self.cells[seed].update_record(train_seconds=round(seconds, 1))
            Meta(self.cells[seed].model).write(made_from, complete=True, sample=self.sample)


def trainings(experiment: Experiment, *, force: bool = False) -> Iterator[Training]:
    """Yield what each trainable system of the experiment has still to learn."""
    benchmark = Benchmark.open(experiment.benchmark)
    pending: dict[str, tuple[Any, dict[int, Cell], dict[int, dict[str, Any]]]] = {}
    # All that is stale or impossible is found before any training begins.
    for name in experiment.system:
        system = create_system(experiment, name, benchmark)
        if not is_trainable(system):
            continue
        cells, made_from = {}, {}
        for seed, cell in system_cells(experiment, name, system).items():
            made_from[seed] = training_fingerprint(experiment, cell, system, benchmark)
            outgrown = _is_outgrown(cell, made_from[seed])
            anew = force or outgrown or not cell.model.exists()
            if anew or not Meta(cell.model).is_current(made_from[seed]):
                cells[seed] = cell
        if cells:
            require_training_text(experiment, name, benchmark)
            pending[name] = system, cells, made_from
    if not pending:
        return
    dev = benchmark.read("dev") if "dev" in benchmark.splits else []
    source, target = benchmark.manifest.source, benchmark.manifest.target
    for name, (system, cells, made_from) in pending.items():
        for seed, cell in cells.items():
            if force or _is_outgrown(cell, made_from[seed]):
                # A system would go on with the model that it finds; what the former one translated
                # is not the new one's.
                set_aside(cell.model)
                for path in cell.path.glob("translations/*.jsonl"):
                    set_aside(path)
            begin_cell(experiment, cell, benchmark)
            Meta(cell.model).write(made_from[seed], complete=False, sample=experiment.sample)
        size = train_size(experiment, name).get("train_size", 0)
        train = benchmark.read(trained_split(experiment.system[name]))
        learned = stratified_sample(train, size, experiment.sample_seed)
        data = TrainingData(learned, dev, source, target)
        more = augmenter(experiment, name, benchmark, force=force)
        yield Training(system, data, cells, made_from, experiment.sample, more)


@alone_in_its_cells
def train(experiment: Experiment, *, force: bool = False) -> int:
    """Train every trainable system with every seed; return how many models were trained now.

    A training that fails stops no other; SystemsFailed is raised when all the others are done.
    """
    trained = 0
    failures = Failures()
    for training in trainings(experiment, force=force):
        with step(f"train {next(iter(training.cells.values())).system}"):
            trained += _train(training, failures)
    failures.raise_any()
    return trained


def _train(training: Training, failures: Failures) -> int:
    """Train one system with every seed that is wanted; return how many models were trained."""
    trained = 0
    system, cells = training.system, training.cells
    together = hook(system, "train_many")
    if len(cells) > 1 and together is not None:
        with failures.apart(*cells.values()):
            data, started = training.data, time.time()
            lost: dict[Path, RecombineError] = {}
            try:
                together(data, {seed: cell.model for seed, cell in cells.items()})
            except TrainingsFailed as failed:
                lost = failed.failures
            done = [seed for seed, cell in cells.items() if cell.model not in lost]
            training.finish((time.time() - started) / len(cells), done)
            trained += len(done)
            for cell in cells.values():
                if cell.model in lost:
                    failures.add(lost[cell.model], cell)
        return trained
    for seed, cell in cells.items():
        with failures.apart(cell):
            data, started = training.data, time.time()
            system.train(data, cell.model, seed)
            training.finish(time.time() - started, [seed])
            trained += 1
    return trained


def _is_outgrown(cell: Cell, made_from: Mapping[str, Any]) -> bool:
    """Is the model there a first look (--sample), of which the whole is wanted now?

    It makes room, with what it translated; any other model of another size is refused as stale.
    """
    stored = Meta(cell.model).read() or {}
    if not stored.get("sample") or "train_size" not in stored["fingerprint"]:
        return False
    size = ("train_size", "sample_seed")
    now, then = made_from.get("train_size"), stored["fingerprint"]["train_size"]
    larger = now is None or now > then
    return larger and not Meta(cell.model).is_current(made_from, growing=size)
