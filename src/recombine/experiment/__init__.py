"""Systems x seeds on one benchmark: the run directory and the stages that fill it.

The names below are loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PUBLIC = {
    "Experiment": "experiment",
    "read_experiment": "experiment",
    "score_run": "scoring",
    "train": "training",
    "trainings": "training",
    "translate": "translating",
}


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(f"recombine.experiment.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module 'recombine.experiment' has no attribute '{name}'")
