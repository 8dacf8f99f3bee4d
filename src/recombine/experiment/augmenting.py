"""Augmenting: the text of a system with `augment = { ... }`, kept in the run.

Recombined pairs lie in `run/_augmented/KEY`, where KEY is a hash of all they depend on: systems
that ask for the same pairs share them, and pairs of other options or text are never used again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from recombine.augment.files.certificate import identity
from recombine.augment.files.folder import write_augmented
from recombine.augment.files.inputs import benchmark_pairs
from recombine.augment.methods import read_options
from recombine.augment.mixture import AugmentedTraining, as_examples, hold_out
from recombine.benchmark import Benchmark
from recombine.experiment.experiment import Experiment, augmentation
from recombine.stage import identity_of
from recombine.systems.base import TrainingData

# No name of a system begins so.
FOLDER = "_augmented"


def augmenter(
    experiment: Experiment, name: str, benchmark: Benchmark, *, force: bool = False
) -> Callable[[TrainingData], TrainingData] | None:
    """Return what makes the training text of a system, where the experiment says so."""
    asked = augmentation(experiment, name)
    if asked is None:
        return None

    def augment(text: TrainingData) -> TrainingData:
        count = asked.number(len(text.train))
        whole = benchmark.manifest.splits["train"]
        if experiment.sample and not asked.mixture.ratio:
            # A first look at a part of the text recombines a part as well.
            count = max(1, count * len(text.train) // whole)
        return augmented_text(text, asked, count, benchmark, experiment.run / FOLDER, force=force)

    return augment


def augmented_text(
    text: TrainingData,
    asked: AugmentedTraining,
    wanted: int,
    benchmark: Benchmark,
    folder: Path,
    *,
    force: bool = False,
) -> TrainingData:
    """Return training pairs with recombined ones, and the dev set that chooses the weights."""
    source = benchmark_pairs(benchmark, text.train)
    options = read_options({**asked.options, "n": wanted}, source)
    key = identity_of(identity(source, options))[:16]
    pairs = list(write_augmented(source, options, folder / key, force=force).pairs())
    mixture, dev = asked.mixture, text.dev
    if mixture.choose == "last":
        dev = []  # a system that has no dev set keeps its last weights
    elif mixture.choose == "held-out":
        trained = [pair.source for pair in source.pairs]
        parts = hold_out(pairs, trained, mixture.held_out, options.seed)
        pairs, dev = parts.train, as_examples(parts.held_out)
    train = [*(list(text.train) * mixture.copies), *as_examples(pairs)]
    return TrainingData(train, dev, text.source, text.target)
