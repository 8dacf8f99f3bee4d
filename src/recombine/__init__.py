"""Recombine: does a translation system compose, or does it only remember?

Six nouns and the stage functions are the public API; each is imported when first used, so that
`import recombine` stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_PUBLIC = {
    "Benchmark": "recombine.benchmark",
    "Evaluation": "recombine.evaluation",
    "Example": "recombine.benchmark",
    "Focus": "recombine.benchmark",
    "Experiment": "recombine.experiment.experiment",
    "Grammar": "recombine.grammar",
    "Metric": "recombine.metrics.base",
    "RecombineError": "recombine.errors",
    "Run": "recombine.experiment.run",
    "System": "recombine.systems.base",
    "augment": "recombine.augment.methods",
    "build": "recombine.builders.recipe",
    "evaluate": "recombine.evaluation",
    "read_experiment": "recombine.experiment.experiment",
    "score": "recombine.evaluation",
    "score_run": "recombine.experiment.scoring",
    "train": "recombine.experiment.training",
    "translate": "recombine.experiment.translating",
    "write_report": "recombine.report",
}

__all__ = [
    "Benchmark",
    "Evaluation",
    "Example",
    "Experiment",
    "Focus",
    "Grammar",
    "Metric",
    "RecombineError",
    "Run",
    "System",
    "__version__",
    "augment",
    "build",
    "evaluate",
    "read_experiment",
    "score",
    "score_run",
    "train",
    "translate",
    "write_report",
]

if TYPE_CHECKING:
    from recombine.augment.methods import augment
    from recombine.benchmark import Benchmark, Example, Focus
    from recombine.builders.recipe import build
    from recombine.errors import RecombineError
    from recombine.evaluation import Evaluation, evaluate, score
    from recombine.experiment.experiment import Experiment, read_experiment
    from recombine.experiment.run import Run
    from recombine.experiment.scoring import score_run
    from recombine.experiment.training import train
    from recombine.experiment.translating import translate
    from recombine.grammar import Grammar
    from recombine.metrics.base import Metric
    from recombine.report import write_report
    from recombine.systems.base import System


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'recombine' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
