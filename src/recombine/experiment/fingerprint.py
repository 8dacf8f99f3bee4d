"""Fingerprints: everything that an output depends on.

Each stage stores the fingerprint of its inputs beside what it writes (run.py compares them), so
that an output is used again exactly as long as it would come out the same. Files that a system is
made of (a class of the user's own, a dictionary, a grammar, a program) count by what they say.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from recombine.benchmark import TRAIN, Benchmark
from recombine.config import to_plain
from recombine.experiment.experiment import SETTINGS, Experiment, augmentation, trained_split
from recombine.experiment.run import Cell
from recombine.registry import own_files
from recombine.stage import IDLE, Meta, code_version, content_of
from recombine.systems.base import hook

# Fields that say which text a model has learned from.
LEARNED_FROM = ("train", "train_size", "sample_seed", "augment")


def training_fingerprint(
    experiment: Experiment, cell: Cell, system: Any, benchmark: Benchmark
) -> dict[str, Any]:
    """Return everything a model depends on."""
    return {
        "benchmark": benchmark.hash,
        "options": _trained_options(experiment, cell.system, system),
        "seed": cell.seed,
        **code_of(experiment.system[cell.system]["use"], system),
        **code_version(system),
        **train_size(experiment, cell.system),
        **augmented(experiment, cell.system),
    }


def translation_fingerprint(
    experiment: Experiment, cell: Cell, system: Any, benchmark: Benchmark
) -> dict[str, Any]:
    """Return everything a translation depends on, with what the model there learned from."""
    learned = (Meta(cell.model).read() or {}).get("fingerprint", {})
    idle = list(hook(system, "idle_options"))
    return {
        **({IDLE: idle} if idle else {}),
        "benchmark": benchmark.hash,
        "options": options_of(system, experiment.system[cell.system]),
        "use": experiment.system[cell.system]["use"],
        "seed": cell.seed,
        **code_of(experiment.system[cell.system]["use"], system),
        **code_version(system),
        "sample": [experiment.sample, experiment.sample_seed],
        **{name: learned[name] for name in LEARNED_FROM if name in learned},
    }


def augmented(experiment: Experiment, name: str) -> dict[str, Any]:
    """Return what a fingerprint must know of a system that learns from recombined pairs, too."""
    added = augmentation(experiment, name)
    return {} if added is None else {"augment": added.fingerprint()}


def train_size(experiment: Experiment, name: str) -> dict[str, Any]:
    """Return what a fingerprint must know of a system that learns from other text than train."""
    split, size = trained_split(experiment.system[name]), experiment.system[name].get("train_size")
    trained_on: dict[str, Any] = {} if split == TRAIN else {"train": split}
    if size is not None:
        trained_on |= {"train_size": size, "sample_seed": experiment.sample_seed}
    return trained_on


def options_of(system: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a system; those of a plain class are what it was given."""
    if dataclasses.is_dataclass(system):
        options: dict[str, Any] = to_plain(system)
        idle = hook(system, "idle_options")
        return {name: value for name, value in options.items() if name not in idle}
    return {name: to_plain(option) for name, option in given.items() if name not in SETTINGS}


def _trained_options(experiment: Experiment, name: str, system: Any) -> dict[str, Any]:
    """Return the options that make a model; a system may name those that only matter later."""
    options = options_of(system, experiment.system[name])
    for later in hook(system, "decoding_options"):
        options.pop(later, None)
    return options


def code_of(use: str, system: Any) -> dict[str, dict[str, str]]:
    """Return the field `code` of a fingerprint: the files of a system, where it has any."""
    content = content_of([*own_files([use]), *hook(system, "depends_on")()])
    return {"code": content} if content else {}
