"""Fingerprints: everything that an output depends on.

Each stage stores the fingerprint of its inputs beside what it writes (run.py compares them), so
that an output is used again exactly as long as it would come out the same.
"""

from __future__ import annotations

from typing import Any

from recombine.benchmark import Benchmark
from recombine.config import to_plain
from recombine.experiment.experiment import Experiment
from recombine.experiment.run import Cell, Meta
from recombine.systems.base import hook


def training_fingerprint(
    experiment: Experiment, cell: Cell, system: Any, benchmark: Benchmark
) -> dict[str, Any]:
    """Return everything a model depends on."""
    return {
        "benchmark": benchmark.hash,
        "options": _trained_options(system),
        "seed": cell.seed,
        **train_size(experiment, cell.system),
    }


def translation_fingerprint(
    experiment: Experiment, cell: Cell, system: Any, benchmark: Benchmark
) -> dict[str, Any]:
    """Return everything a translation depends on, with what the model there learned from."""
    learned = (Meta(cell.model).read() or {}).get("fingerprint", {})
    return {
        "benchmark": benchmark.hash,
        "options": to_plain(system),
        "use": experiment.system[cell.system]["use"],
        "seed": cell.seed,
        "sample": [experiment.sample, experiment.sample_seed],
        **{name: learned[name] for name in ("train_size", "sample_seed") if name in learned},
    }


def train_size(experiment: Experiment, name: str) -> dict[str, int]:
    """Return what a fingerprint must know of a system that learns from a part of the text."""
    size = experiment.system[name].get("train_size")
    return {} if size is None else {"train_size": size, "sample_seed": experiment.sample_seed}


def _trained_options(system: Any) -> Any:
    """Return the options that make a model; a system may name those that only matter later."""
    options = to_plain(system)
    for name in hook(system, "decoding_options"):
        options.pop(name, None)
    return options
