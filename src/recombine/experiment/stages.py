"""Experiment: systems x seeds on one benchmark, and the stages train, translate, score.

Each stage reads files and writes files; running it again continues where it stopped and skips what
is up to date.
"""

from __future__ import annotations

import dataclasses
import functools
import platform
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from recombine import __version__
from recombine.benchmark import Benchmark, Example, identity_of, stratified_sample
from recombine.config import to_plain
from recombine.errors import DataError, StaleOutput, Where
from recombine.experiment.experiment import (
    Experiment,
    cells_of,
    chosen_splits,
    create_system,
    system_cells,
)
from recombine.experiment.failures import Failures
from recombine.experiment.run import Cell, Meta, difference, set_aside, stale_output
from recombine.experiment.translating import (
    SourceSentence,
    Translated,
    is_translated,
    read_translated,
    translate_to_file,
)
from recombine.files import read_json, read_jsonl, sha256_of, write_json, write_jsonl
from recombine.metrics.base import declaration
from recombine.metrics.score import scores_of, write_scores
from recombine.metrics.scoring import (
    MissingOutputs,
    Result,
    about_nothing,
    default_metrics,
    observation_row,
    score,
)
from recombine.systems.base import TrainingData, hook, is_trainable


@dataclass(frozen=True)
class Training:
    """The models of one system that are not trained yet, one for each seed."""

    system: Any
    data: TrainingData
    cells: dict[int, Cell]
    fingerprints: dict[int, dict[str, Any]]
    sample: int = 0

    def finish(self, seconds: float, seeds: Collection[int] | None = None) -> None:
        """Note that the models (of these seeds) are trained, in so many seconds each."""
        for seed in self.cells if seeds is None else seeds:
            made_from = self.fingerprints[seed]
            Meta(self.cells[seed].model).write(made_from, complete=True, sample=self.sample)
            self.cells[seed].update_record(train_seconds=round(seconds, 1))


def trainings(experiment: Experiment, *, force: bool = False) -> Iterator[Training]:
    """Yield what each trainable system of the experiment has still to learn."""
    benchmark = Benchmark.open(experiment.benchmark)
    pending: dict[str, tuple[Any, dict[int, Cell], dict[int, dict[str, Any]]]] = {}
    # All that is stale or impossible is found before any training begins.
    for name in experiment.system:
        system = create_system(experiment, name, benchmark)
        if not is_trainable(system):
            continue
        cells, made_from = {}, {}
        for seed, cell in system_cells(experiment, name, system).items():
            made_from[seed] = training_fingerprint(experiment, cell, system, benchmark)
            outgrown = _is_outgrown(cell, made_from[seed])
            if force or outgrown or not Meta(cell.model).is_current(made_from[seed]):
                cells[seed] = cell
        if cells:
            _require_training_text(experiment, name, benchmark)
            pending[name] = system, cells, made_from
    if not pending:
        return
    train = benchmark.read("train")
    dev = benchmark.read("dev") if "dev" in benchmark.splits else []
    source, target = benchmark.manifest.source, benchmark.manifest.target
    for name, (system, cells, made_from) in pending.items():
        for seed, cell in cells.items():
            if force or _is_outgrown(cell, made_from[seed]):
                # A system would go on with the model that it finds.
                set_aside(cell.model)
                if not force:
                    for path in cell.path.glob("translations/*.jsonl"):
                        set_aside(path)
            _begin(cell, experiment, benchmark)
            Meta(cell.model).write(made_from[seed], complete=False, sample=experiment.sample)
        size = _train_size(experiment, name).get("train_size", 0)
        learned = stratified_sample(train, size, experiment.sample_seed)
        data = TrainingData(learned, dev, source, target)
        yield Training(system, data, cells, made_from, experiment.sample)


def train(experiment: Experiment, *, force: bool = False) -> int:
    """Train every trainable system with every seed; return how many models were trained now.

    A training that fails stops no other; SystemsFailed is raised when all the others are done.
    """
    trained = 0
    failures = Failures()
    for training in trainings(experiment, force=force):
        system, data, cells = training.system, training.data, training.cells
        together = hook(system, "train_many")
        if len(cells) > 1 and together is not None:
            with failures.apart(*cells.values()):
                started = time.time()
                together(data, {seed: cell.model for seed, cell in cells.items()})
                training.finish((time.time() - started) / len(cells))
                trained += len(cells)
            continue
        for seed, cell in cells.items():
            with failures.apart(cell):
                started = time.time()
                system.train(data, cell.model, seed)
                training.finish(time.time() - started, [seed])
                trained += 1
    failures.raise_any()
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


def _is_outgrown(cell: Cell, made_from: Mapping[str, Any]) -> bool:
    """Is the model there a first look (--sample), of which the whole is wanted now?

    It makes room, with what it translated; any other model of another size is refused as stale.
    """
    stored = Meta(cell.model).read() or {}
    if not stored.get("sample") or "train_size" not in stored["fingerprint"]:
        return False
    size = ("train_size", "sample_seed")
    now, then = made_from.get("train_size"), stored["fingerprint"]["train_size"]
    larger = now is None or now > then
    return larger and not Meta(cell.model).is_current(made_from, growing=size)


def _require_training_text(experiment: Experiment, name: str, benchmark: Benchmark) -> None:
    if "train" not in benchmark.splits:
        raise DataError(f"{benchmark.path} has no split 'train' to train '{name}' on")
    size = _train_size(experiment, name).get("train_size", 0)
    there = benchmark.manifest.splits["train"]
    if size > there:
        raise DataError(
            f"[system.{name}] train_size is {size}, but {benchmark.path} has {there} "
            "examples in 'train'"
        )


def _trained_options(system: Any) -> Any:
    """Return the options that make a model; a system may name those that only matter later."""
    options = to_plain(system)
    for name in hook(system, "decoding_options"):
        options.pop(name, None)
    return options


def translate(experiment: Experiment, *, force: bool = False) -> int:
    """Translate every chosen split with every system and seed; return the number of sentences.

    A system that fails stops no other, nor does a sentence; SystemsFailed is raised when
    everything else is done.
    """
    benchmark = Benchmark.open(experiment.benchmark)
    splits = chosen_splits(experiment, benchmark)
    cells = []
    # All that is stale is found before any work begins.
    for name in experiment.system:
        system = create_system(experiment, name, benchmark)
        for cell in system_cells(experiment, name, system).values():
            cells.append(cell)
            made_from = translation_fingerprint(experiment, cell, system, benchmark)
            for split in () if force else splits:
                is_translated(cell.translations(split), made_from)

    @functools.cache
    def sample(split: str) -> list[Example]:
        return stratified_sample(benchmark.read(split), experiment.sample, experiment.sample_seed)

    count = 0
    failures = Failures()
    for cell in cells:
        with failures.apart(cell):
            for translated in _translate_cell(experiment, cell, benchmark, sample, force=force):
                count += translated.now
                if translated.failed:
                    failures.add(translated.problem(), cell)
    failures.raise_any()
    return count


def _translate_cell(
    experiment: Experiment,
    cell: Cell,
    benchmark: Benchmark,
    sample: Callable[[str], list[Example]],
    *,
    force: bool,
) -> Iterator[Translated]:
    """Translate every split with one system and seed, and with its checkpoints if asked for."""
    system = create_system(experiment, cell.system, benchmark)
    checkpoints: list[str | None] = [None]
    if is_trainable(system):
        if not (Meta(cell.model).read() or {}).get("complete"):
            raise DataError("this system is not trained yet", hint="recombine train EXPERIMENT")
        if experiment.checkpoints:
            known = hook(system, "checkpoints")(cell.model)
            checkpoints += list(
                known if "all" in experiment.checkpoints else experiment.checkpoints
            )
    _begin(cell, experiment, benchmark)
    for checkpoint in checkpoints:
        ready = None
        fingerprint = translation_fingerprint(experiment, cell, system, benchmark)
        try:
            for split in chosen_splits(experiment, benchmark):
                path = cell.translations(split, checkpoint)
                if not force and is_translated(path, fingerprint):
                    yield read_translated(path)
                    continue
                if ready is None:
                    ready = _load(system, cell, checkpoint) if is_trainable(system) else system
                started = time.time()
                translated = translate_to_file(
                    ready,
                    [SourceSentence(example.id, example.source) for example in sample(split)],
                    path,
                    fingerprint,
                    force=force,
                    description=f"{cell.system} seed {cell.seed} {path.stem}",
                )
                seconds = time.time() - started
                _record_translation(cell, path.stem, translated.now, seconds, ready)
                yield translated
            if ready is not None and experiment.repeat and checkpoint is None:
                _measure_flips(experiment, benchmark, ready, cell, sample)
        finally:
            if ready is not None:
                hook(ready, "close")()


def _load(system: Any, cell: Cell, checkpoint: str | None) -> Any:
    if checkpoint is None:
        return system.load(cell.model)
    return system.load(cell.model, checkpoint=checkpoint)


def _begin(cell: Cell, experiment: Experiment, benchmark: Benchmark) -> None:
    write_json(experiment.run / "experiment.json", to_plain(experiment))
    cell.update_record(
        system=cell.system,
        seed=cell.seed,
        options=experiment.system[cell.system],
        benchmark=str(experiment.benchmark),
        benchmark_hash=benchmark.hash,
        versions={"recombine": __version__, "python": platform.python_version()},
        platform=f"{sys.platform} {platform.machine()}",
    )


def _record_translation(cell: Cell, name: str, count: int, seconds: float, system: Any) -> None:
    times = {**cell.record().get("translate", {})}
    times[name] = {"sentences": count, "seconds": round(seconds, 2)}
    described = dict(hook(system, "describe")())
    cell.update_record(translate=times, **({"described": described} if described else {}))


def _measure_flips(
    experiment: Experiment,
    benchmark: Benchmark,
    system: Any,
    cell: Cell,
    sample: Callable[[str], list[Example]],
) -> None:
    """Store how often the same sentence gets another translation alone or in a shuffled batch."""
    from recombine.experiment.repeatability import flip_rate

    flips = {}
    for split in chosen_splits(experiment, benchmark):
        hypotheses = _stored_hypotheses(cell.translations(split))
        examples = [example for example in sample(split) if example.id in hypotheses]
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
    found: dict[str, str] = {}
    for number, row in enumerate(read_jsonl(path), start=1):
        if row["id"] in found:
            raise DataError(f"duplicate id '{row['id']}'", Where(str(path), number))
        found[row["id"]] = row["hyp"]
    return found


class Unscored(NamedTuple):
    """Translations of one cell and checkpoint that are not scored yet."""

    checkpoint: str | None
    files: list[Path]
    meta: Meta
    fingerprint: dict[str, Any]


def unscored(
    experiment: Experiment,
    benchmark: Benchmark,
    cell: Cell,
    *,
    force: bool,
    sample: int,
    missing: MissingOutputs = "count",
) -> Iterator[Unscored]:
    """Yield what is to be scored in a cell; scores made from other inputs are made again."""
    folder = cell.path / "translations"
    paths = sorted(p for p in folder.glob("*.jsonl") if not p.name.endswith(".errors.jsonl"))
    for checkpoint in sorted({_checkpoint_of(path) for path in paths}, key=str):
        files = [path for path in paths if _checkpoint_of(path) == checkpoint]
        metrics = list(experiment.metrics or default_metrics(benchmark))
        fingerprint = {
            "benchmark": benchmark.hash,
            "metrics": metrics,
            # A metric of the user's own that is edited is another metric.
            "code": {
                name: sha256_of(path)
                for name in metrics
                if ".py:" in name and (path := Path(name.rpartition(":")[0])).is_file()
            },
            "options": to_plain(experiment.metric),
            # By content: a translation that goes on after it was scored is another translation.
            "translations": {path.name: sha256_of(path) for path in files},
            "asked": [experiment.sample, experiment.sample_seed, sample],
            "missing": missing,
        }
        meta = Meta(cell.path / "scores" / (f"scores@{checkpoint}" if checkpoint else "scores"))
        if force or not _up_to_date(meta, fingerprint):
            yield Unscored(checkpoint, files, meta, fingerprint)


def score_run(
    experiment: Experiment,
    *,
    force: bool = False,
    sample: int = 0,
    missing: MissingOutputs = "count",
) -> int:
    """Score every translation of the run; return how many cells were scored now.

    `sample` scores a stratified subset of each split, for a first look. Sentences that failed or
    are not there yet count as each metric declares, unless `missing` is "skip".
    """
    benchmark = Benchmark.open(experiment.benchmark)
    scored = 0
    failures = Failures()
    for _name, _seed, cell in cells_of(experiment):
        if not any((cell.path / "translations").glob("*.jsonl")):
            nothing = DataError("it has no translations yet", hint="recombine translate ...")
            failures.add(nothing, cell)
            continue
        known = len(failures.found)
        with failures.apart(cell):
            _require_same_system(experiment, benchmark, cell)
        if len(failures.found) > known:
            continue
        for work in unscored(
            experiment, benchmark, cell, force=force, sample=sample, missing=missing
        ):
            _require_same_benchmark(work.files, benchmark)
            _score_cell(experiment, benchmark, cell, work)
            scored += 1
    failures.raise_any()
    return scored


def _require_same_benchmark(files: Iterable[Path], benchmark: Benchmark) -> None:
    """Raise when translations are of a benchmark that was built again in the same place."""
    for path in files:
        made_from = (Meta(path).read() or {}).get("fingerprint", {})
        if made_from.get("benchmark", benchmark.hash) != benchmark.hash:
            raise StaleOutput(
                f"{path} was made on another version of the benchmark {benchmark.path}",
                hint="restore that benchmark, or translate again with --force",
            )


def _require_same_system(experiment: Experiment, benchmark: Benchmark, cell: Cell) -> None:
    """Raise when translations are of a system with other options than the experiment says.

    Options that only one of the two knows are those of another version of the system.
    """
    system = create_system(experiment, cell.system, benchmark)
    now = translation_fingerprint(experiment, cell, system, benchmark)
    for path in sorted((cell.path / "translations").glob("*.meta.json")):
        then = read_json(path).get("fingerprint", {})
        same = ("use", "train_size", "sample_seed")
        shared = {name: now.get(name) for name in same if name in then}
        options = then.get("options")
        if isinstance(options, dict) and isinstance(now["options"], dict):
            shared["options"] = {one: now["options"].get(one, options[one]) for one in options}
        found = difference({name: then[name] for name in shared if name in then}, shared)
        if found is not None:
            raise stale_output(path.parent, found, hint="recombine translate EXPERIMENT --force")


def _score_cell(experiment: Experiment, benchmark: Benchmark, cell: Cell, work: Unscored) -> None:
    _drop_stale_scores(cell, work)
    work.meta.path.unlink(missing_ok=True)
    started = time.time()
    there = {path.stem.partition("@")[0] for path in work.files}
    splits = [split for split in benchmark.splits if split in there]
    size, seed, sample = work.fingerprint["asked"]
    asked: set[str] = set()
    for split in splits:
        translated = stratified_sample(benchmark.read(split), size, seed)
        asked.update(one.id for one in stratified_sample(translated, sample, 0))
    hypotheses: dict[str, str] = {}
    for path in work.files:
        stored = _stored_hypotheses(path)
        hypotheses |= {name: text for name, text in stored.items() if name in asked}
    results = score(
        benchmark,
        hypotheses,
        work.fingerprint["metrics"],
        splits=splits,
        options=experiment.metric,
        missing=work.fingerprint["missing"],
        asked=asked,
    )
    for result in results:
        write_result(cell.scores(result.metric.name, result.split, work.checkpoint), result)
    suffix = f"@{work.checkpoint}" if work.checkpoint else ""
    write_scores(cell.path / f"scores{suffix}.csv", scores_of(results))
    work.meta.write(work.fingerprint, complete=True)
    if work.checkpoint is None:
        cell.update_record(
            score={
                "hypotheses": len(hypotheses),
                "asked": len(asked),
                "missing": work.fingerprint["missing"],
                "about_nothing": about_nothing(experiment.metrics, results),
                "seconds": round(time.time() - started, 2),
            }
        )


def _drop_stale_scores(cell: Cell, work: Unscored) -> None:
    """Remove scores of other translations or other sentences, of whatever metric.

    Metrics that are not asked for this time would be reported beside the new scores.
    """
    before = (work.meta.read() or {}).get("fingerprint", {})
    inputs = ("benchmark", "translations", "asked", "missing")
    if all(before.get(name) == work.fingerprint[name] for name in inputs):
        return
    for path in (cell.path / "scores").glob("*.jsonl"):
        if _checkpoint_of(path) == work.checkpoint:
            path.unlink()
            Meta(path).path.unlink(missing_ok=True)


def write_result(path: Path, result: Result) -> None:
    """Write observations, and beside them what a report needs to aggregate them again."""
    name = result.metric.name
    write_jsonl(path, (observation_row(name, one) for one in result.observations))
    options: Any = to_plain(result.metric) if dataclasses.is_dataclass(result.metric) else {}
    unseen = result.members[len(result.observations) :]
    failed = [result.members[place] for place in np.flatnonzero(result.failed)]
    Meta(path).write(
        {},
        complete=True,
        metric={"name": name, "options": options, "declares": declaration(result.metric)},
        signature=result.metric.signature(),
        notes=result.metric.notes(),
        # Of how many keys the score speaks, by the first example of each key that it does not.
        unobserved=[members[0].id for members in unseen],
        failed=[members[0].id for members in failed],
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
