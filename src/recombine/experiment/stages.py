"""Experiment: systems x seeds on one benchmark, and the stages train, translate, score.

Each stage reads files and writes files; running it again continues where it stopped and skips what
is up to date.
"""

from __future__ import annotations

import dataclasses
import json
import platform
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from recombine import __version__
from recombine.benchmark import Benchmark, Example, identity_of, stratified_sample
from recombine.config import to_plain
from recombine.errors import DataError
from recombine.experiment.experiment import (
    Experiment,
    cells_of,
    chosen_splits,
    create_system,
    with_languages,
)
from recombine.experiment.run import Cell, Meta, Run, set_aside
from recombine.experiment.translating import SourceSentence, translate_to_file
from recombine.files import read_jsonl, write_jsonl, write_text
from recombine.metrics.base import declaration
from recombine.metrics.scores_table import write_scores
from recombine.metrics.scoring import Result, default_metrics, observation_row, score
from recombine.systems.base import TrainingData


@dataclass(frozen=True)
class Training:
    """The models of one system that are not trained yet, one for each seed."""

    system: Any
    data: TrainingData
    cells: dict[int, Cell]
    fingerprints: dict[int, dict[str, Any]]

    def finish(self, seconds: float) -> None:
        """Note that the models are trained, in so many seconds each."""
        for seed, cell in self.cells.items():
            Meta(cell.model).write(self.fingerprints[seed], complete=True)
            cell.update_record(train_seconds=round(seconds, 1))


def trainings(experiment: Experiment, *, force: bool = False) -> Iterator[Training]:
    """Yield what each trainable system of the experiment has still to learn."""
    benchmark = Benchmark.open(experiment.benchmark)
    for name in experiment.system:
        system = with_languages(create_system(experiment, name), benchmark)
        if not hasattr(system, "train"):
            continue
        pending: dict[int, Cell] = {}
        made_from: dict[int, dict[str, Any]] = {}
        for seed in experiment.seeds:
            cell = Run(experiment.run).cell(name, seed)
            if force:
                # A system would go on with the model that it finds.
                set_aside(cell.model)
            made_from[seed] = training_fingerprint(experiment, cell, system, benchmark)
            if not Meta(cell.model).is_current(made_from[seed]):
                pending[seed] = cell
        if not pending:
            continue
        data = TrainingData(
            train=training_examples(experiment, name, benchmark),
            dev=benchmark.read("dev") if "dev" in benchmark.splits else [],
            source=benchmark.manifest.source,
            target=benchmark.manifest.target,
        )
        for seed, cell in pending.items():
            _begin(cell, experiment, name, seed)
            Meta(cell.model).write(made_from[seed], complete=False)
        yield Training(system, data, pending, made_from)


def train(experiment: Experiment, *, force: bool = False) -> int:
    """Train every trainable system with every seed; return how many models were trained now."""
    trained = 0
    for training in trainings(experiment, force=force):
        system, data, cells = training.system, training.data, training.cells
        started = time.time()
        if len(cells) > 1 and hasattr(system, "train_many"):
            system.train_many(data, {seed: cell.model for seed, cell in cells.items()})
        else:
            for seed, cell in cells.items():
                system.train(data, cell.model, seed)
        training.finish((time.time() - started) / len(cells))
        trained += len(cells)
    return trained


def training_fingerprint(
    experiment: Experiment, cell: Cell, system: Any, benchmark: Benchmark
) -> dict[str, Any]:
    """Return everything a model depends on."""
    return {
        "benchmark": benchmark.hash,
        "options": _trained_options(system),
        "seed": cell.seed,
        **_train_size(experiment, cell.system),
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


def _train_size(experiment: Experiment, name: str) -> dict[str, int]:
    """Return what a fingerprint must know of a system that learns from a part of the text."""
    size = experiment.system[name].get("train_size")
    return {} if size is None else {"train_size": size, "sample_seed": experiment.sample_seed}


def training_examples(experiment: Experiment, name: str, benchmark: Benchmark) -> list[Example]:
    """Return the training split, or `train_size` examples of it.

    Drawn as `sample` draws, so a smaller size is a part of a larger one and systems of one
    experiment can be compared over training sizes.
    """
    if "train" not in benchmark.splits:
        raise DataError(f"{benchmark.path} has no split 'train' to train '{name}' on")
    examples = benchmark.read("train")
    size = _train_size(experiment, name).get("train_size", 0)
    if size > len(examples):
        raise DataError(
            f"[system.{name}] train_size is {size}, but {benchmark.path} has {len(examples)} "
            "examples in 'train'"
        )
    return stratified_sample(examples, size, experiment.sample_seed)


def _trained_options(system: Any) -> Any:
    """Return the options that make a model; a system may name those that only matter later."""
    options = to_plain(system)
    for name in getattr(system, "decoding_options", ()):
        options.pop(name, None)
    return options


def translate(experiment: Experiment, *, force: bool = False) -> int:
    """Translate every chosen split with every system and seed; return the number of sentences."""
    benchmark = Benchmark.open(experiment.benchmark)
    count = 0
    for name, seed, cell in cells_of(experiment):
        system = with_languages(create_system(experiment, name), benchmark)
        trainable = hasattr(system, "train")
        if trainable:
            model_meta = Meta(cell.model).read()
            if model_meta is None or not model_meta.get("complete"):
                raise DataError(
                    f"system '{name}' with seed {seed} is not trained yet",
                    hint="run: recombine train EXPERIMENT",
                )
        _begin(cell, experiment, name, seed)
        checkpoints: list[str | None] = [None]
        if trainable and experiment.checkpoints:
            known = system.checkpoints(cell.model)
            wanted = known if "all" in experiment.checkpoints else experiment.checkpoints
            checkpoints += list(wanted)
        for checkpoint in checkpoints:
            ready = None
            fingerprint = translation_fingerprint(experiment, cell, system, benchmark)
            for split in chosen_splits(experiment, benchmark):
                path = cell.translations(split, checkpoint)
                if not force and Meta(path).is_current(fingerprint):
                    continue
                if ready is None:
                    ready = _load(system, cell, checkpoint) if trainable else system
                examples = stratified_sample(
                    benchmark.read(split), experiment.sample, experiment.sample_seed
                )
                started = time.time()
                done = translate_to_file(
                    ready,
                    [SourceSentence(example.id, example.source) for example in examples],
                    path,
                    fingerprint,
                    force=force,
                    description=f"{name} seed {seed} {path.stem}",
                )
                count += done
                _record_translation(cell, path.stem, done, time.time() - started, ready)
            if ready is not None and experiment.repeat and checkpoint is None:
                _measure_flips(experiment, benchmark, ready, cell)
            close = getattr(ready, "close", None)
            if close is not None:
                close()
    return count


def _load(system: Any, cell: Cell, checkpoint: str | None) -> Any:
    if checkpoint is None:
        return system.load(cell.model)
    return system.load(cell.model, checkpoint=checkpoint)


def _begin(cell: Cell, experiment: Experiment, name: str, seed: int) -> None:
    write_text(experiment.run / "experiment.json", _dump(to_plain(experiment)))
    cell.update_record(
        system=name,
        seed=seed,
        options=experiment.system[name],
        benchmark=str(experiment.benchmark),
        benchmark_hash=Benchmark.open(experiment.benchmark).hash,
        versions={"recombine": __version__, "python": platform.python_version()},
        platform=f"{sys.platform} {platform.machine()}",
    )


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _record_translation(cell: Cell, name: str, count: int, seconds: float, system: Any) -> None:
    describe = getattr(system, "describe", None)
    times = {**cell.record().get("translate", {})}
    times[name] = {"sentences": count, "seconds": round(seconds, 2)}
    cell.update_record(translate=times, **({"described": describe()} if describe else {}))


def _measure_flips(experiment: Experiment, benchmark: Benchmark, system: Any, cell: Cell) -> None:
    """Store how often the same sentence gets another translation alone or in a shuffled batch."""
    from recombine.experiment.repeatability import flip_rate

    flips = {}
    for split in chosen_splits(experiment, benchmark):
        rows = list(read_jsonl(cell.translations(split)))
        hypotheses = {row["id"]: row["hyp"] for row in rows}
        examples = [example for example in benchmark.read(split) if example.id in hypotheses]
        examples = stratified_sample(examples, experiment.repeat, experiment.sample_seed)
        flips[split] = flip_rate(
            system,
            [example.source for example in examples],
            [hypotheses[example.id] for example in examples],
            seed=experiment.sample_seed,
        )
    cell.update_record(flips=to_plain(flips))


def _stored_hypotheses(path: Path) -> dict[str, str]:
    """Return id -> hypothesis of a translations file."""
    return {row["id"]: row["hyp"] for row in read_jsonl(path)}


class Unscored(NamedTuple):
    """Translations of one cell and checkpoint that are not scored yet."""

    checkpoint: str | None
    files: list[Path]
    meta: Meta
    fingerprint: dict[str, Any]


def unscored(
    experiment: Experiment, benchmark: Benchmark, cell: Cell, *, force: bool, sample: int
) -> Iterator[Unscored]:
    """Yield what is to be scored in a cell; scores made from other inputs are made again."""
    folder = cell.path / "translations"
    paths = sorted(p for p in folder.glob("*.jsonl") if not p.name.endswith(".errors.jsonl"))
    for checkpoint in sorted({_checkpoint_of(path) for path in paths}, key=str):
        files = [path for path in paths if _checkpoint_of(path) == checkpoint]
        fingerprint = {
            "benchmark": benchmark.hash,
            "metrics": list(experiment.metrics or default_metrics(benchmark)),
            "options": to_plain(experiment.metric),
            "translations": {p.name: (Meta(p).read() or {}).get("fingerprint") for p in files},
            **({"sample": sample} if sample else {}),
        }
        meta = Meta(cell.path / "scores" / (f"scores@{checkpoint}" if checkpoint else "scores"))
        if force or not _up_to_date(meta, fingerprint):
            yield Unscored(checkpoint, files, meta, fingerprint)


def score_run(experiment: Experiment, *, force: bool = False, sample: int = 0) -> int:
    """Score every translation of the run; return how many cells were scored now.

    `sample` scores a stratified subset of each split, for a first look.
    """
    benchmark = Benchmark.open(experiment.benchmark)
    scored = 0
    for _name, _seed, cell in cells_of(experiment):
        if not any((cell.path / "translations").glob("*.jsonl")):
            raise DataError(f"{cell.path} has no translations yet", hint="recombine translate ...")
        for work in unscored(experiment, benchmark, cell, force=force, sample=sample):
            work.meta.path.unlink(missing_ok=True)
            hypotheses: dict[str, str] = {}
            for path in work.files:
                hypotheses.update(_stored_hypotheses(path))
            if sample:
                hypotheses = sample_hypotheses(benchmark, hypotheses, sample)
            started = time.time()
            names = work.fingerprint["metrics"]
            results = score(benchmark, hypotheses, names, options=experiment.metric)
            for result in results:
                write_result(cell.scores(result.metric.name, result.split, work.checkpoint), result)
            suffix = f"@{work.checkpoint}" if work.checkpoint else ""
            write_scores(cell.path / f"scores{suffix}.csv", results)
            work.meta.write(work.fingerprint, complete=True)
            seconds = round(time.time() - started, 2)
            cell.update_record(score={"hypotheses": len(hypotheses), "seconds": seconds})
            scored += 1
    return scored


def sample_hypotheses(
    benchmark: Benchmark, hypotheses: Mapping[str, str], size: int
) -> dict[str, str]:
    """Return a stratified subset of the hypotheses of each split."""
    kept: dict[str, str] = {}
    for split in benchmark.splits:
        there = [example for example in benchmark.iterate(split) if example.id in hypotheses]
        for example in stratified_sample(there, size, 0):
            kept[example.id] = hypotheses[example.id]
    return kept


def write_result(path: Path, result: Result) -> None:
    """Write observations, and beside them what a report needs to aggregate them again."""
    name = result.metric.name
    write_jsonl(path, (observation_row(name, one) for one in result.observations))
    options: Any = to_plain(result.metric) if dataclasses.is_dataclass(result.metric) else {}
    Meta(path).write(
        {},
        complete=True,
        metric={"name": name, "options": options, "declares": declaration(result.metric)},
        signature=result.metric.signature(),
        notes=result.metric.notes(),
    )


def _up_to_date(meta: Meta, fingerprint: Mapping[str, Any]) -> bool:
    """Scores cost seconds: those made from other inputs are made again, not refused."""
    stored = meta.read()
    return (
        stored is not None
        and bool(stored.get("complete"))
        and identity_of(stored["fingerprint"]) == identity_of(fingerprint)
    )


def _checkpoint_of(path: Path) -> str | None:
    return path.stem.partition("@")[2] or None
