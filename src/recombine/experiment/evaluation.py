"""Evaluation in one call: any object or function that translates, on any benchmark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from recombine.benchmark import Benchmark, stratified_sample
from recombine.errors import SystemFailure
from recombine.metrics.score import Score, scores_of
from recombine.metrics.scoring import MissingOutputs, score
from recombine.systems.base import Failure, answers, hook

Translate = Callable[[Sequence[str]], Iterable[str | Failure]]


def evaluate(
    system: Any,
    benchmark: Benchmark | Path | str,
    *,
    splits: Sequence[str] | str | None = None,
    metrics: Sequence[str] | str | None = None,
    sample: int = 0,
    seed: int = 0,
    missing: MissingOutputs = "count",
) -> list[Score]:
    """Translate and score; `system` has a `translate` method or is such a function itself.

    A sentence that fails counts as the metric declares, unless `missing` is "skip". For results on
    disk, resuming and several seeds, write an experiment file instead.
    """
    if not isinstance(benchmark, Benchmark):
        benchmark = Benchmark.open(benchmark)
    if isinstance(splits, str):
        splits = [splits]
    chosen = splits or [name for name in benchmark.splits if name not in ("train", "dev")]
    hypotheses: dict[str, str] = {}
    asked: set[str] = set()
    for split in chosen:
        examples = stratified_sample(benchmark.read(split), sample, seed)
        given = answers(_Given(system), [example.source for example in examples])
        for example, answer in zip(examples, given, strict=True):
            asked.add(example.id)
            if not isinstance(answer, Failure):
                hypotheses[example.id] = answer
    if asked and not hypotheses:
        raise SystemFailure(f"none of {len(asked):,} sentences could be translated")
    results = score(benchmark, hypotheses, metrics, splits=chosen, missing=missing, asked=asked)
    return scores_of(results)


class _Given:
    """The system that was given: an object that translates, or a function that does."""

    def __init__(self, system: Any) -> None:
        self._translate: Translate = getattr(system, "translate", system)
        # A service that is gone is given up; a function costs nothing to ask.
        self.give_up_after = hook(system, "give_up_after")

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        given = self._translate(sources)
        # A mapping would be read as its keys, and a set has no order.
        unordered = isinstance(given, (Mapping, Set)) and not isinstance(given, Sequence)
        if isinstance(given, str) or unordered or not isinstance(given, Iterable):
            raise SystemFailure(
                f"the translate function returned {type(given).__name__} instead of translations",
                hint="return one text for each source, in their order",
            )
        return iter(given)
