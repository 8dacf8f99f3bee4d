"""Scored runs for tests: a benchmark of given examples, and what systems made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from recombine.benchmark import Benchmark, Example
from recombine.draft import Draft
from recombine.experiment.run import Run
from recombine.experiment.scoring import write_observations
from recombine.files import write_json, write_jsonl
from recombine.metrics.scoring import score

# What a system makes of a split with a seed: a translation for each example's id.
Outputs = Callable[[str, int], Mapping[str, str]]


def small_benchmark(path: Path, splits: Mapping[str, Iterable[Example]], **head: Any) -> Benchmark:
    """A benchmark with these splits; `head` are fields of its manifest."""
    draft = Draft(path, seed=0)
    for split, examples in splits.items():
        draft.write(split, examples)
    draft.set_card("Made for tests.")
    return draft.finish(
        {
            "format": 1, "name": "small", "version": "1", "source": "en", "target": "de",
            "builder": "imported", "seed": 0, "licence": "MIT", "citation": "none",
            "metrics": [], "recombine": "0", "recipe": {}, **head,
        }
    )  # fmt: skip


def scored_run(
    path: Path,
    benchmark: Benchmark,
    systems: Mapping[str, Outputs],
    *,
    metrics: Sequence[str] = (),
    splits: Sequence[str] | None = None,
    seeds: Sequence[int] = (1,),
    use: str = "toy",
    trained_on: str = "train",
    checkpoints: Sequence[str | None] = (None,),
) -> Path:
    """A run with translations of every system and seed, scored where metrics are named.

    A system is asked per split and seed, or, where there are checkpoints, per split and number
    of the checkpoint.
    """
    run = Run(path)
    for system, outputs in systems.items():
        for seed in seeds:
            cell = run.cell(system, seed)
            cell.update_record(
                system=system, seed=seed, benchmark=str(benchmark.path),
                benchmark_hash=benchmark.hash, options={"use": use}, trained_on=trained_on,
            )  # fmt: skip
            made: dict[str, str] = {}
            for number, checkpoint in enumerate(checkpoints):
                for split in splits or benchmark.splits:
                    found = outputs(split, number if len(checkpoints) > 1 else seed)
                    rows = ({"id": name, "hyp": text} for name, text in found.items())
                    write_jsonl(cell.translations(split, checkpoint), rows)
                    made.update(found)
            for table in score(benchmark, made, metrics) if metrics else ():
                write_observations(cell.scores(table.metric, table.split), table)
    write_json(run.path / "experiment.json", {"benchmark": str(benchmark.path)})
    return run.path
