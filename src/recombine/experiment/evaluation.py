"""Evaluation in one call: any object or function that translates, on any benchmark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from recombine.benchmark import Benchmark, stratified_sample
from recombine.errors import SystemFailure
from recombine.metrics.scores_table import ScoreRow, score_rows
from recombine.metrics.scoring import Result, score
from recombine.systems.base import Failure

Translate = Callable[[Sequence[str]], Iterable[str | Failure]]


def evaluate(
    system: Any,
    benchmark: Benchmark | Path | str,
    *,
    splits: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    sample: int = 0,
    seed: int = 0,
) -> list[ScoreRow]:
    """Translate and score; `system` has a `translate` method or is such a function itself.

    For results on disk, resuming and several seeds, write an experiment file instead.
    """
    if not isinstance(benchmark, Benchmark):
        benchmark = Benchmark.open(benchmark)
    translate: Translate = getattr(system, "translate", system)
    chosen = splits or [name for name in benchmark.splits if name not in ("train", "dev")]
    hypotheses: dict[str, str] = {}
    for split in chosen:
        examples = stratified_sample(benchmark.read(split), sample, seed)
        answers = list(translate([example.source for example in examples]))
        if len(answers) != len(examples):
            raise SystemFailure(
                f"the system returned {len(answers)} translations for {len(examples)} sentences"
            )
        for example, answer in zip(examples, answers, strict=True):
            if not isinstance(answer, Failure):
                hypotheses[example.id] = answer
    results: list[Result] = score(benchmark, hypotheses, metrics, splits=chosen)
    return score_rows(results)
