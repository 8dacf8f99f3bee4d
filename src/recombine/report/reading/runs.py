"""The runs a report reads, and the one benchmark they must share."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from recombine.benchmark import CONTROL, TRAIN, TRAINING_SPLITS, Benchmark, stratified_sample
from recombine.errors import ConfigError, DataError, StaleOutput
from recombine.experiment.fingerprint import LEARNED_FROM
from recombine.experiment.run import Cell, Run
from recombine.files import read_json, read_jsonl, sha256_of
from recombine.lock import InUse, lock_of, locked
from recombine.metrics.observations import ObservationTable, Voice
from recombine.metrics.scoring import UNTAUGHT
from recombine.metrics.slices import SplitExamples
from recombine.report.examples import JudgedExample, TranslatedSplit, choose
from recombine.report.method import BenchmarkMethod, method_of
from recombine.report.reading.shared_benchmark import benchmark_of, require_same_benchmark
from recombine.report.words import Words, read_words
from recombine.stage import Meta, require_same_key
from recombine.statistics.sample import Sampling
from recombine.systems.base import UNKNOWN

# Seconds to wait for a process that scores: it takes seconds, unlike training.
PATIENCE = 30.0


@dataclass(frozen=True, eq=False)
class SystemRun:
    """One system with one seed, as a report knows it: from a run, or made a moment ago."""

    name: str
    seed: int
    # How it was made, as `run.json` says it.
    record: Mapping[str, Any]
    # Its folder, or what it said by example id.
    cell: Cell | None = None
    hypotheses: Mapping[str, str] = field(default_factory=dict)

    @property
    def voice(self) -> Voice:
        """Its name with its seed."""
        return self.name, self.seed

    @property
    def has_model(self) -> bool:
        """Whether its model lies in the run."""
        return self.cell is not None and self.cell.model.is_dir()

    @property
    def trained_on(self) -> str:
        """What it was trained on; of a run that does not say, what is trained lies in it."""
        if "trained_on" in self.record:
            return str(self.record["trained_on"])
        if not self.has_model:
            return UNKNOWN
        return CONTROL if (self.record.get("options") or {}).get("train") == CONTROL else TRAIN

    @property
    def learned(self) -> bool:
        """Whether it learned from this benchmark."""
        return self.trained_on in TRAINING_SPLITS

    def has_translated(self, split: str) -> bool:
        """Whether there are translations of a split."""
        return self.cell is None or self.cell.translations(split).is_file()

    def translations(self, split: str) -> dict[str, str]:
        """What it said on a split, by example id; of a system at hand on all splits."""
        if self.cell is None:
            return dict(self.hypotheses)
        path = self.cell.translations(split)
        rows = read_rows(path) if path.is_file() else ()
        return {row["id"]: row["hyp"] for row in rows if "hyp" in row}


@dataclass(frozen=True, eq=False)
class Scores:
    """What one metric saw on one split of one system with one seed."""

    system: str
    seed: int
    metric: str
    split: str
    checkpoint: str | None
    # The score file, or the observations themselves.
    path: Path | None = None
    held: ObservationTable | None = None

    @property
    def voice(self) -> Voice:
        """The system with its seed."""
        return self.system, self.seed

    @property
    def file(self) -> Path:
        """The score file of what is not held."""
        assert self.path is not None
        return self.path

    @cached_property
    def stored(self) -> dict[str, Any]:
        """What stands beside a score file."""
        return (Meta(self.path).read() or {}) if self.path is not None else {}

    @property
    def modified(self) -> int:
        """When it was scored, in seconds since 1970."""
        return int(self.path.stat().st_mtime if self.path is not None else time.time())

    def notes(self) -> Mapping[str, Any]:
        """What the metric left out and learned."""
        if self.held is not None:
            return self.held.notes()
        notes: Mapping[str, Any] = self.stored.get("notes") or {}
        return notes


@dataclass(frozen=True)
class ReportRuns:
    """The runs a report reads, with the one benchmark they share."""

    runs: tuple[Path, ...]
    benchmark: Benchmark
    cells: tuple[SystemRun, ...]
    scores: tuple[Scores, ...]
    notes: tuple[str, ...] = ()
    # More than 0: only a stratified subset of this many examples of each split is looked at.
    sample: int = 0
    sampling: Sampling = field(default_factory=Sampling)
    # Split -> how many of its examples a reader can look at, and the seed that they are drawn with.
    shown: Mapping[str, int] = field(default_factory=dict)
    shown_seed: int = 0
    # What verdicts are called in front of people.
    words: Words = field(default_factory=read_words)
    # Name of a metric -> the ./file.py:Name that somebody vouches for.
    own_metrics: Mapping[str, str] = field(default_factory=dict)
    # What a report is told of a neutral system; else what the experiments say.
    control_system: str = ""

    @cached_property
    def method(self) -> BenchmarkMethod:
        """The kind of benchmark."""
        return method_of(self.benchmark)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in order of appearance."""
        return tuple(dict.fromkeys(cell.name for cell in self.cells))

    @cached_property
    def trained(self) -> frozenset[str]:
        """Systems that were trained here, so that another seed would be another system."""
        return frozenset(cell.name for cell in self.cells if cell.has_model and cell.learned)

    @cached_property
    def trained_on(self) -> dict[str, str]:
        """System -> what it was trained on: `train`, `control`, `unknown` or `nothing`."""
        return {cell.name: cell.trained_on for cell in self.cells}

    @cached_property
    def learned(self) -> frozenset[str]:
        """Systems that learned from this benchmark, for which its new sentences are new."""
        return frozenset(cell.name for cell in self.cells if cell.learned)

    @cached_property
    def controls(self) -> dict[str, str]:
        """System -> its control: the same options, trained on the control of the benchmark.

        Recombined pairs are a treatment that no control can have, so they may differ in those. A
        control is a control to itself.
        """
        options = {cell.name: cell.record.get("options") or {} for cell in self.cells}
        same = {
            name: json.dumps(
                {key: value for key, value in given.items() if key not in ("train", "augment")},
                sort_keys=True,
            )
            for name, given in options.items()
        }
        control = {
            same[name]: name for name, given in options.items() if given.get("train") == CONTROL
        }
        return {
            name: control[options_of] for name, options_of in same.items() if options_of in control
        }

    @cached_property
    def neutral(self) -> str:
        """The system that learnt from neither side of the benchmark; empty where none is named."""
        if self.control_system and self.control_system not in self.systems:
            raise ConfigError(
                f"control_system is '{self.control_system}', but this report has no such system",
                hint=f"there are: {', '.join(self.systems)}",
            )
        experiments = {run: run / "experiment.json" for run in self.runs}
        named = {
            run: read_json(path).get("control_system")
            for run, path in experiments.items()
            if path.is_file()
        }
        neutral = (
            cell.name
            for cell in self.cells
            if cell.cell is not None and named.get(cell.cell.path.parent.parent) == cell.cell.system
        )
        return self.control_system or next(neutral, "")

    def examples(self, split: str) -> SplitExamples:
        """The examples of a split by id."""
        if split not in self._examples:
            kept = stratified_sample(self.benchmark.read(split), self.sample, 0)
            self._examples[split] = SplitExamples((example.id, example) for example in kept)
        return self._examples[split]

    @cached_property
    def translated(self) -> dict[str, TranslatedSplit]:
        """Split -> what a choice of its examples is made from; filled with its first metric."""
        return {}

    @cached_property
    def kept(self) -> dict[str, dict[str, None]]:
        """Split -> ids of the examples that a reader can look at, in order."""
        return {}

    @cached_property
    def said(self) -> dict[tuple[Voice, str], dict[str, str]]:
        """System, seed and split -> translations of the examples that are kept."""
        return {}

    @cached_property
    def judged(self) -> dict[Scores, dict[str, JudgedExample]]:
        """What was seen -> what it says of the examples that are kept."""
        return {}

    def keep_examples(
        self, split: str, verdicts: Sequence[Mapping[str, float]], right_value: float
    ) -> None:
        """Choose the examples of a split that a reader can look at, and keep what was said."""
        texts_of = {cell.voice: cell.translations(split) for cell in self.cells}
        covered = {name for texts in texts_of.values() for name in texts}
        examples = {
            name: example for name, example in self.examples(split).items() if name in covered
        }
        self.translated[split] = TranslatedSplit(examples, verdicts, right_value)
        chosen = choose(self.translated[split], list(examples), self.shown[split], self.shown_seed)
        self.kept[split] = dict.fromkeys(chosen)
        for voice, texts in texts_of.items():
            self.said[voice, split] = {name: texts[name] for name in chosen if name in texts}

    @cached_property
    def tables(self) -> dict[tuple[str, str, str | None], ObservationTable]:
        """Observations by metric, split and checkpoint, where they are kept."""
        return {}

    @cached_property
    def _examples(self) -> dict[str, SplitExamples]:
        return {}

    def files(self, metric: str, split: str, checkpoint: str | None = None) -> list[Scores]:
        """The scores of one metric on one split, by system and seed."""
        return [
            scores
            for scores in self.scores
            if (scores.metric, scores.split, scores.checkpoint) == (metric, split, checkpoint)
        ]

    def splits(self) -> tuple[str, ...]:
        """Splits with scores, the generalisation sets first."""
        splits = {scores.split for scores in self.scores if scores.checkpoint is None}
        return self.method.in_order(splits, self.benchmark.splits)

    def metrics(self, split: str) -> tuple[str, ...]:
        """Metrics scored on a split: in the order of the experiment, then of the benchmark.

        Where the experiment names none, what judges systems that learned elsewhere comes first, if
        there is no other system.
        """
        metrics = {
            scores.metric
            for scores in self.scores
            if scores.split == split and not scores.checkpoint
        }
        path = self.runs[0] / "experiment.json" if self.runs else None
        asked = read_json(path).get("metrics") if path is not None and path.is_file() else None
        first = asked or ([] if self.learned else [UNTAUGHT])
        named = list(dict.fromkeys([*first, *self.benchmark.manifest.metrics]))
        wanted = [name.rpartition(":")[2] for name in named]
        order = {name: index for index, name in enumerate(wanted)}
        return tuple(sorted(metrics, key=lambda name: (order.get(name, len(order)), name)))


def open_runs(runs: Sequence[Path], without: Collection[Path] = ()) -> ReportRuns:
    """Open one or more runs of one benchmark; refuse runs of different benchmarks."""
    if not runs:
        raise DataError("no run was given", hint="recombine report RUN [RUN ...] --out DIR")
    opened = [
        (path, Run(path)) for path in {Path(run).resolve(): Path(run) for run in runs}.values()
    ]
    for path, run in opened:
        if not run.cells():
            raise DataError(
                f"{path} is not a run: it has no <system>/seed-N folder",
                hint="make one with: recombine run EXPERIMENT, or recombine score BENCHMARK --hyps",
            )
    benchmarks = [(path, benchmark_of(path, run)) for path, run in opened]
    require_same_benchmark(benchmarks)
    every = [cell for _, run in opened for cell in run.cells()]
    names = _system_names(opened)
    notes = [
        f"{names[cell.path]}, seed {cell.seed}, is left out: its scores are of other options"
        for cell in every
        if cell.path in without
    ]
    cells, scores = [], []
    for cell in (cell for cell in every if cell.path not in without):
        cells.append(SystemRun(names[cell.path], cell.seed, cell.record(), cell))
        _require_scored(cell)
        score_files = _score_files(cell, names[cell.path])
        if not score_files:
            notes.append(f"{names[cell.path]}, seed {cell.seed}, is left out: it has no scores")
        scores.extend(score_files)
        notes += _sampled(cell, names[cell.path])
        notes += [
            f"{metric} applies to none of the sentences that {names[cell.path]} translated"
            for metric in cell.record().get("score", {}).get("about_nothing", ())
        ]
    if not scores:
        raise DataError(
            f"{runs[0]} has no scores yet", hint="run first: recombine score EXPERIMENT"
        )
    return ReportRuns(
        runs=tuple(path for path, _ in opened),
        benchmark=benchmarks[0][1],
        cells=tuple(cells),
        scores=tuple(scores),
        notes=tuple(dict.fromkeys(notes)),
    )


@contextlib.contextmanager
def reading(runs: Sequence[Path], out: Path) -> Iterator[None]:
    """Let no other process score these runs meanwhile, nor report into the same folder."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(locked(lock_of(out), wait=PATIENCE))
        for cell in (cell for run in runs for cell in Run(run).cells()):
            try:
                stack.enter_context(locked(lock_of(cell.path), shared=True, wait=PATIENCE))
            except InUse:
                # A system that is still being trained or translated has nothing to be read.
                if any((cell.path / "scores").glob("*.jsonl")):
                    raise
        yield


def _system_names(opened: Sequence[tuple[Path, Run]]) -> dict[Path, str]:
    """System names, made unique by the run's name where two runs have a system of one name."""
    owners: dict[str, set[Path]] = {}
    for path, run in opened:
        for cell in run.cells():
            owners.setdefault(cell.system, set()).add(path.resolve())
    short_names = run_names({path.resolve() for path, _ in opened})
    names = {}
    for path, run in opened:
        for cell in run.cells():
            shared = len(owners[cell.system]) > 1
            names[cell.path] = (
                f"{short_names[path.resolve()]}/{cell.system}" if shared else cell.system
            )
    tracks = {cell.path: _track(cell) for _, run in opened for cell in run.cells()}
    if set(tracks.values()) <= {"", "plain"}:
        return names
    # Scores of systems that learned from different text stand side by side: every name says so.
    return {
        path: f"{name} ({track})" if (track := tracks[path]) and track not in _words(name) else name
        for path, name in names.items()
    }


def _words(name: str) -> list[str]:
    """The words of a name: `deep-control` says already that it is a control."""
    return re.split(r"[\W_]+", name.lower())


def _track(cell: Cell) -> str:
    """What a system has learned from, as its run says; runs made before that had plain text."""
    record = cell.record()
    from_scratch = (record.get("options") or {}).get("use") in ("transformer", "lstm")
    return str(record.get("track", "plain" if from_scratch else ""))


def run_names(runs: set[Path]) -> dict[Path, str]:
    """The runs' folder names, with as many folders above them as it takes to tell them apart."""
    parts = 1
    while True:
        names = {run: "/".join(run.parts[-parts:]) for run in runs}
        if len(set(names.values())) == len(runs):
            return names
        parts += 1


def _require_scored(cell: Cell) -> None:
    """Refuse scores of translations that have changed since."""
    for path in sorted((cell.path / "scores").glob("scores*.meta.json")):
        for name, digest in read_json(path)["fingerprint"].get("translations", {}).items():
            translated = cell.path / "translations" / name
            if translated.is_file() and sha256_of(translated) != digest:
                raise StaleOutput(
                    f"{translated} has changed since it was scored",
                    hint="score it again: recombine score EXPERIMENT",
                )
    _require_own_model(cell)


def _require_own_model(cell: Cell) -> None:
    """Refuse translations of a model that has been trained anew since, on other terms."""
    learned = (Meta(cell.model).read() or {}).get("fingerprint", {})
    for path in sorted((cell.path / "translations").glob("*.meta.json")) if learned else ():
        translated = read_json(path).get("fingerprint", {})
        now, then = (
            {name: fingerprint.get(name) for name in LEARNED_FROM}
            for fingerprint in (learned, translated)
        )
        options, used = learned.get("options"), translated.get("options")
        if isinstance(options, dict) and isinstance(used, dict):
            # Options that only one of the two knows matter later, or are of another version.
            shared = [name for name in options if name in used]
            now["options"] = {name: options[name] for name in shared}
            then["options"] = {name: used[name] for name in shared}
        require_same_key(path.parent, then, now, "recombine translate EXPERIMENT --force")


def _sampled(cell: Cell, name: str) -> list[str]:
    """Say where the run itself looked at a part of each split."""
    scored = Meta(cell.path / "scores" / "scores").read() or {}
    size, _, looked_at = scored.get("fingerprint", {}).get("asked") or (0, 0, 0)
    least = min((number for number in (size, looked_at) if number), default=0)
    return [f"{name}: scored on a sample of {least:,} examples of each split"] if least else []


def _score_files(cell: Cell, name: str) -> list[Scores]:
    score_files = []
    for path in sorted((cell.path / "scores").glob("*.jsonl")):
        metric, _, split = path.name.removesuffix(".jsonl").partition(".")
        if not split:
            continue
        split, _, checkpoint = split.partition("@")
        score_files.append(Scores(name, cell.seed, metric, split, checkpoint or None, path))
    return score_files


def read_rows(path: Path) -> Iterable[dict[str, Any]]:
    """All rows by one call of the JSON reader, which is much faster than one call per line."""
    try:
        text = path.read_text(encoding="utf-8").strip("\n")
        return json.loads("[" + text.replace("\n", ",") + "]") if text else []
    except (ValueError, OSError, RecursionError):
        # Something is wrong: read again line by line to say where.
        return read_jsonl(path)
