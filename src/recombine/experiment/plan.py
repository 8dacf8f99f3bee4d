"""Plan: what a verb would do, how much of it, and how long that may take (--dry-run).

An estimate is taken from the best source there is, and says which: times this run has recorded, a
few examples tried now (by metrics, and by systems that call themselves cheap), the cost a system or
builder declares, an assumption. A plan trains nothing, starts no program and asks no service.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from recombine.benchmark import Benchmark, Example, stratified_sample
from recombine.builders.recipe import inputs_of
from recombine.errors import DataError
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
from recombine.experiment.run import Cell, Run
from recombine.experiment.scoring import unscored
from recombine.experiment.translating import asked_checkpoints
from recombine.experiment.translations import answered, is_translated
from recombine.metrics.base import Scored
from recombine.metrics.scoring import by_key, create_metrics, default_metrics
from recombine.stage import Meta
from recombine.systems.base import hook, is_trainable
from recombine.systems.cost import ASSUMED_SECONDS, NOTHING, Cost, assumed, from_record, time_some

STAGES = ("train", "translate", "score", "report")
# Enough to know a length or a rate.
A_FEW = 200
# A report of 3,520 observations took 10 CPU seconds, most of it to load and draw figures; one of
# 1,615,000 took 47.
REPORT_SECONDS = 10.0
OBSERVATIONS_A_SECOND = 40_000
# Text that each verb reads in a second, measured on one core; packed text is five times as long.
MEGABYTES_A_SECOND = {"build": 1.0, "clean": 1.0, "contamination": 2.0, "divergence": 8.0}
UNPACKED = 5
START_SECONDS = 1.0
# Splits are written as fast as JSON is read; parquet takes longer by loading its library.
EXPORT_SECONDS = 2.0
EXAMPLES_A_SECOND = 10_000


def total_of(parts: Sequence[Mapping[str, Any]]) -> float:
    """Return the sum of the estimates."""
    return round(sum(float(part["estimated_seconds"]) for part in parts), 1)


# How many there will be is known when a model is trained.
ALL_CHECKPOINTS = "all; those of models that are not trained yet are not counted"


def plan_experiment(
    experiment: Experiment, stages: Sequence[str] = STAGES, *, force: bool = False, sample: int = 0
) -> dict[str, Any]:
    """Say what the stages of an experiment would do; `sample` is that of the stage `score`."""
    benchmark = Benchmark.open(experiment.benchmark)
    examples = {
        split: stratified_sample(benchmark.read(split), experiment.sample, experiment.sample_seed)
        for split in chosen_splits(experiment, benchmark)
    }
    planner = _Planner(experiment, benchmark, examples, force, sample)
    cells = []
    for name in experiment.system:
        system = create_system(experiment, name, benchmark)
        for seed in system_cells(experiment, name, system):
            row: dict[str, Any] = {"system": name, "seed": seed}
            if "train" in stages and is_trainable(system):
                row["train"] = planner.training(system, name, seed)
            if "translate" in stages:
                row["translate"] = planner.translation(system, name, seed)
            if "score" in stages:
                row["score"] = planner.scoring(name, seed)
            cells.append(row)
    plan: dict[str, Any] = {
        "benchmark": benchmark.manifest.name,
        "run": str(experiment.run),
        "splits": {split: len(rows) for split, rows in examples.items()},
        "sentences": sum(map(len, examples.values())),
        "outside": outside_of(experiment),
        **({"checkpoints": ALL_CHECKPOINTS} if "all" in experiment.checkpoints else {}),
        "cells": cells,
    }
    parts = [part for row in cells for part in row.values() if isinstance(part, dict)]
    if "report" in stages:
        count = plan["sentences"] * len(planner.metrics) * len(cells)
        plan["report"] = report_cost(count).row()
        parts.append(plan["report"])
    return {**plan, "estimated_seconds": total_of(parts)}


class _Planner:
    """The work of each cell; what is timed once serves all."""

    def __init__(
        self,
        experiment: Experiment,
        benchmark: Benchmark,
        examples: Mapping[str, list[Example]],
        force: bool,
        sample: int,
    ) -> None:
        self.experiment = experiment
        self.benchmark = benchmark
        self.examples = examples
        self.force = force
        self.sample = sample
        self.metrics = tuple(experiment.metrics or default_metrics(benchmark))
        self._rates: dict[str, Cost] = {}

    def _records(self, name: str) -> Iterator[tuple[Cell, dict[str, Any]]]:
        """The records of a system, of every seed of the run."""
        for cell in Run(self.experiment.run).cells():
            if cell.system == name:
                yield cell, cell.record()

    def training(self, system: Any, name: str, seed: int) -> dict[str, Any]:
        cell = Run(self.experiment.run).cell(name, seed)
        made_from = training_fingerprint(self.experiment, cell, system, self.benchmark)
        if not self.force and Meta(cell.model).is_current(made_from):
            return {"pairs": 0, **NOTHING.row()}
        require_training_text(self.experiment, name, self.benchmark)
        split = trained_split(self.experiment.system[name])
        size = self.experiment.system[name].get("train_size")
        pairs = size or self.benchmark.manifest.splits.get(split, 0)
        added = augmentation(self.experiment, name)
        if added is not None:
            pairs = added.mixture.copies * pairs + added.number(pairs)
        for other, record in self._records(name):
            seconds = record.get("train_seconds")
            if seconds:
                where = f"in this run, seed {other.seed}"
                cost = from_record(pairs, pairs, seconds, "pairs", where)
                return {"pairs": pairs, **cost.row()}
        few = list(islice(self.benchmark.iterate(split), A_FEW)) if pairs else []
        declared: Cost | None = hook(system, "training_cost")(few, pairs)
        return {"pairs": pairs, **(declared or assumed(pairs, "pairs")).row()}

    def translation(self, system: Any, name: str, seed: int) -> dict[str, Any]:
        cell = Run(self.experiment.run).cell(name, seed)
        made_from = translation_fingerprint(self.experiment, cell, system, self.benchmark)
        missing = []
        for checkpoint in (None, *asked_checkpoints(self.experiment, system, cell)):
            for split, rows in self.examples.items():
                path = cell.translations(split, checkpoint)
                if not self.force and is_translated(path, made_from):
                    continue
                done = set() if self.force else answered(path)
                missing += [example.source for example in rows if example.id not in done]
        if not missing:
            return {"sentences": 0, **NOTHING.row()}
        return {"sentences": len(missing), **self._translation(system, name, missing).row()}

    def _translation(self, system: Any, name: str, sources: Sequence[str]) -> Cost:
        for cell, record in self._records(name):
            times = record.get("translate", {}).values()
            seconds = sum(time["seconds"] for time in times)
            done = sum(time["sentences"] for time in times)
            if done and seconds:
                where = f"in this run, seed {cell.seed}"
                return from_record(len(sources), done, seconds, "sentences", where)
        return translation_cost(system, sources)

    def scoring(self, name: str, seed: int) -> dict[str, Any]:
        cell = Run(self.experiment.run).cell(name, seed)
        begun = any((cell.path / "translations").glob("*.jsonl"))
        work = unscored(self.experiment, self.benchmark, cell, force=self.force, sample=self.sample)
        if begun and next(work, None) is None:
            return {"hypotheses": 0, **NOTHING.row()}
        count = sum(
            min(len(rows), self.sample) if self.sample else len(rows)
            for rows in self.examples.values()
        )
        for other, record in self._records(name):
            past = record.get("score", {})
            if past.get("seconds") and past.get("hypotheses"):
                where = f"in this run, seed {other.seed}"
                cost = from_record(count, past["hypotheses"], past["seconds"], "hypotheses", where)
                break
        else:
            cost = self._scoring(count)
        return {"hypotheses": count, "metrics": list(self.metrics), **cost.row()}

    def _scoring(self, count: int) -> Cost:
        if "score" not in self._rates:
            rows = [example for rows in self.examples.values() for example in rows]
            # What a system will say is not known yet; references are as long.
            items = [
                Scored(example, (example.references or (example.source,))[0]) for example in rows
            ]
            options = self.experiment.metric
            self._rates["score"] = scoring_cost(self.benchmark, items, self.metrics, options, count)
        return self._rates["score"]


def translation_cost(system: Any, sources: Sequence[str]) -> Cost:
    """Estimate a translation by a system that has not been timed."""
    if hook(system, "cheap"):
        few = _spread(sources)
        steps = (1 for _ in system.translate(few))
        return time_some(steps, len(sources), "sentences")
    declared: Cost | None = hook(system, "translation_cost")(list(sources[:A_FEW]), len(sources))
    return declared or assumed(len(sources), "sentences")


def _spread(rows: Sequence[Any]) -> list[Any]:
    """Return a few rows from all over a sequence."""
    step = max(1, len(rows) // A_FEW)
    return list(rows[::step][:A_FEW])


def scoring_cost(
    benchmark: Benchmark,
    items: Sequence[Scored],
    metrics: Sequence[str] | None,
    options: Mapping[str, Mapping[str, Any]],
    count: int,
) -> Cost:
    """Estimate scoring by scoring a few."""
    seconds, tried = 0.0, 0
    few = _spread(items)
    for metric in create_metrics(metrics or default_metrics(benchmark), benchmark, options):
        if metric.outside():
            seconds += ASSUMED_SECONDS * count  # nothing outside is run or asked for a plan
            continue
        cost = time_some(_observations(metric, few), count, "hypotheses")
        seconds += cost.seconds
        tried = max(tried, len(few))
    return Cost(seconds, f"timed now on up to {tried:,} of {count:,} hypotheses")


def _observations(metric: Any, items: Sequence[Scored]) -> Iterator[int]:
    metric.prepare(items)
    for group in by_key(metric, items).values():
        metric.observe(group)
        yield len(group)


def plan_lines(system: Any, name: str, lines: Sequence[str]) -> dict[str, Any]:
    """Say what translating lines would take, and what would be run, asked and sent."""
    return {
        "system": name,
        "lines": len(lines),
        **hook(system, "outside")(),
        **translation_cost(system, lines).row(),
    }


def plan_scores(
    benchmark: Benchmark,
    hypotheses: Mapping[str, str],
    metrics: Sequence[str] | None,
    options: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """Say what scoring hypotheses would take."""
    items = [
        Scored(example, hypotheses[example.id])
        for split in benchmark.splits
        for example in benchmark.iterate(split)
        if example.id in hypotheses
    ]
    names = list(metrics or default_metrics(benchmark))
    cost = scoring_cost(benchmark, items, names, options, len(items))
    return {
        "benchmark": benchmark.manifest.name,
        "hypotheses": len(items),
        "metrics": names,
        **cost.row(),
    }


def report_cost(observations: int) -> Cost:
    """Estimate a report over so many observations."""
    return Cost(
        REPORT_SECONDS + observations / OBSERVATIONS_A_SECOND,
        f"{observations:,} observations at {OBSERVATIONS_A_SECOND:,} a second and "
        f"{REPORT_SECONDS:g} s for figures, as measured on one core",
    )


def plan_export(benchmark: Benchmark, form: str, out: Path, sample: int = 0) -> dict[str, Any]:
    """Say what an export would write."""
    sizes = {
        split: min(size, sample) if sample else size
        for split, size in benchmark.manifest.splits.items()
    }
    cost = Cost(
        EXPORT_SECONDS + sum(sizes.values()) / EXAMPLES_A_SECOND,
        f"{EXAMPLES_A_SECOND:,} examples a second, as measured on one core",
    )
    return {"format": form, "out": str(out), "splits": sizes, **cost.row()}


def plan_reading(verb: str, paths: Sequence[Path]) -> dict[str, Any]:
    """Say what reading corpora would take."""
    sizes = {}
    for path in paths:
        files = [
            file
            for file in ([path] if path.is_file() else sorted(path.rglob("*")))
            if file.is_file()
        ]
        if not files:
            raise DataError(f"no such file: {path}")
        unpacked = UNPACKED if path.suffix in (".gz", ".xz") else 1
        sizes[str(path)] = round(unpacked * sum(file.stat().st_size for file in files) / 1e6, 2)
    rate = MEGABYTES_A_SECOND[verb]
    cost = Cost(
        START_SECONDS + sum(sizes.values()) / rate,
        f"{sum(sizes.values()):.1f} MB at {rate:g} MB a second, as measured on one core",
    )
    return {"input_megabytes": sizes, **cost.row()}


def plan_build(builder: Any, members: int = 1) -> dict[str, Any]:
    """Say what a builder would build, as many times as a series has members."""
    plan = dict(builder.plan()) if hasattr(builder, "plan") else {}
    seconds = plan.pop("seconds", None)
    if seconds is not None:
        cost = Cost(seconds, plan.pop("basis", "declared by the builder"))
    else:
        paths = inputs_of(builder).values()
        size = sum(path.stat().st_size for path in paths if path.is_file()) / 1e6
        plan["input_megabytes"] = round(size, 2)
        declared = getattr(builder, "megabytes_a_second", None)
        basis = "as measured on one core" if declared else "assumed"
        rate = declared or MEGABYTES_A_SECOND["build"]
        cost = Cost(START_SECONDS + size / rate, f"{size:.1f} MB at {rate:g} MB a second, {basis}")
    return {**plan, **Cost(members * cost.seconds, cost.basis).row()}
