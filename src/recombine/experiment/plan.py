"""Plan: what the stages of an experiment would do, and how much of it (--dry-run).

A plan trains nothing, starts no program and asks no service.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recombine.benchmark import Benchmark, Example, stratified_sample
from recombine.experiment.experiment import (
    Experiment,
    augmentation,
    chosen_splits,
    create_system,
    outside_of,
    require_training_text,
    system_cells,
    trained_split,
)
from recombine.experiment.fingerprint import training_fingerprint, translation_fingerprint
from recombine.experiment.run import Cell
from recombine.experiment.scoring import unscored
from recombine.experiment.translating import asked_checkpoints
from recombine.experiment.translations import answered, is_translated
from recombine.stage import Meta
from recombine.systems.base import is_trainable

# What each stage counts.
UNITS = {"train": "pairs", "translate": "sentences", "score": "hypotheses"}
# How many there will be is known when a model is trained.
ALL_CHECKPOINTS = "all; those of models that are not trained yet are not counted"

Examples = Mapping[str, Sequence[Example]]


def plan_experiment(
    experiment: Experiment,
    stages: Sequence[str] = tuple(UNITS),
    *,
    force: bool = False,
    sample: int = 0,
) -> dict[str, Any]:
    """Count what the stages of an experiment would do; `sample` is that of the stage `score`.

    Each cell has a number for each stage, 0 where it is up to date. What is stale is raised.
    """
    benchmark = Benchmark.open(experiment.benchmark)
    examples = {
        split: stratified_sample(benchmark.read(split), experiment.sample, experiment.sample_seed)
        for split in chosen_splits(experiment, benchmark)
    }
    cells = []
    for name in experiment.system:
        system = create_system(experiment, name, benchmark)
        for seed, cell in system_cells(experiment, name, system).items():
            row: dict[str, Any] = {"system": name, "seed": seed}
            if "train" in stages and is_trainable(system):
                row["train"] = _pairs(experiment, benchmark, system, cell, force)
            if "translate" in stages:
                row["translate"] = _sentences(experiment, benchmark, system, cell, examples, force)
            if "score" in stages:
                row["score"] = _hypotheses(experiment, benchmark, cell, examples, force, sample)
            cells.append(row)
    return {
        "benchmark": benchmark.manifest.name,
        "run": str(experiment.run),
        "splits": {split: len(rows) for split, rows in examples.items()},
        "sentences": sum(map(len, examples.values())),
        "outside": outside_of(experiment),
        **({"checkpoints": ALL_CHECKPOINTS} if "all" in experiment.checkpoints else {}),
        "cells": cells,
    }


def _pairs(
    experiment: Experiment, benchmark: Benchmark, system: Any, cell: Cell, force: bool
) -> int:
    """The training pairs of a model that is still to be trained."""
    made_from = training_fingerprint(experiment, cell, system, benchmark)
    if not force and Meta(cell.model).is_current(made_from):
        return 0
    require_training_text(experiment, cell.system, benchmark)
    given = experiment.system[cell.system]
    pairs = int(given.get("train_size") or benchmark.manifest.splits[trained_split(given)])
    added = augmentation(experiment, cell.system)
    return pairs if added is None else added.mixture.copies * pairs + added.number(pairs)


def _sentences(
    experiment: Experiment,
    benchmark: Benchmark,
    system: Any,
    cell: Cell,
    examples: Examples,
    force: bool,
) -> int:
    """The sentences that have no translation yet, by the model and its checkpoints."""
    made_from = translation_fingerprint(experiment, cell, system, benchmark)
    missing = 0
    for checkpoint in (None, *asked_checkpoints(experiment, system, cell)):
        for split, rows in examples.items():
            path = cell.translations(split, checkpoint)
            if force or not is_translated(path, made_from):
                done = set() if force else answered(path)
                missing += sum(example.id not in done for example in rows)
    return missing


def _hypotheses(
    experiment: Experiment,
    benchmark: Benchmark,
    cell: Cell,
    examples: Examples,
    force: bool,
    sample: int,
) -> int:
    """The hypotheses that are not scored yet."""
    begun = any((cell.path / "translations").glob("*.jsonl"))
    work = unscored(experiment, benchmark, cell, force=force, sample=sample)
    if begun and next(work, None) is None:
        return 0
    return sum(min(len(rows), sample) if sample else len(rows) for rows in examples.values())
