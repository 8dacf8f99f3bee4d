"""Experiment: what `experiment.toml` says, and the systems and cells that follow from it."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from recombine import __version__, registry
from recombine.augment.mixture import AugmentedTraining, read_mixture
from recombine.benchmark import CONTROL, TRAIN, TRAINING_SPLITS, Benchmark
from recombine.config import (
    Document,
    apply_overrides,
    parse_config,
    read_toml,
    to_plain,
    with_preset,
)
from recombine.errors import ConfigError, DataError, RecombineError, collect_errors, raise_all
from recombine.experiment.run import Cell, Run
from recombine.files import write_json
from recombine.lock import lock_of, locked
from recombine.metrics.scoring import USE
from recombine.systems.base import NOTHING, TRAINED_ON, UNKNOWN, hook, is_trainable, uses_seed

Result = TypeVar("Result")

# Keys of [system.NAME] that are no options of the system.
SETTINGS = ("use", "train", "train_size", "augment", "trained_on")
# Splits that a system may learn from are not translated unless asked for.
_LEARNED = (*TRAINING_SPLITS, "dev")


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What `experiment.toml` says."""

    benchmark: Path
    system: dict[str, dict[str, Any]]
    run: Path = Path("runs/experiment")
    seeds: tuple[int, ...] = (1,)
    splits: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    metric: dict[str, dict[str, Any]] = field(default_factory=dict)
    sample: int = 0
    sample_seed: int = 0
    checkpoints: tuple[str, ...] = ()
    repeat: int = 0
    # A system that learnt from neither side of the benchmark: what it loses, too, is difficulty.
    control_system: str = ""

    def __post_init__(self) -> None:
        if not self.system:
            raise ConfigError("no system is given", hint='[system.NAME] with use = "..."')
        for name, options in self.system.items():
            if not isinstance(options.get("use"), str):
                raise ConfigError(f"[system.{name}] needs a key 'use': the system's name")
            if options.get("train", TRAIN) not in TRAINING_SPLITS:
                raise ConfigError(
                    f"[system.{name}] cannot train on {options['train']!r}",
                    hint='train = "train" (the default) or "control"',
                )
            if trained_split(options) == CONTROL and "augment" in options:
                raise ConfigError(
                    f"[system.{name}] recombines its control, which shows every pattern already",
                    hint="give 'augment' and train = \"control\" to two systems",
                )
            if options.get("trained_on", UNKNOWN) not in TRAINED_ON:
                raise ConfigError(
                    f"[system.{name}] unknown trained_on = {options['trained_on']!r}",
                    hint=f"one of: {', '.join(TRAINED_ON)}",
                )
            size = options.get("train_size", 1)
            if not isinstance(size, int) or isinstance(size, bool) or size < 1:
                raise ConfigError(f"[system.{name}] train_size must be a whole number from 1 on")
        if self.control_system and self.control_system not in self.system:
            raise ConfigError(
                f"control_system = '{self.control_system}' is no system of this experiment",
                hint=f"there are: {', '.join(self.system)}",
            )
        if not self.seeds:
            raise ConfigError("'seeds' is empty")
        for name in ("sample", "repeat"):
            if getattr(self, name) < 0:
                raise ConfigError(f"'{name}' must be 0 or more, not {getattr(self, name)}")
        folder = next(
            (folder for folder in (self.run, *self.run.parents) if _is_benchmark(folder)), None
        )
        if folder is not None:
            raise ConfigError(
                f"the run {self.run} would be written into the benchmark {folder}",
                hint='run = "runs/NAME"',
            )


def trained_split(options: Mapping[str, Any]) -> str:
    """Return the split that a system is trained on, by its table in the experiment."""
    return str(options.get("train", TRAIN))


def _is_benchmark(folder: Path) -> bool:
    return (folder / "benchmark.toml").is_file()


def read_experiment(
    path: Path | str, overrides: Sequence[str] = (), *, trust: bool = False
) -> Experiment:
    """Read an experiment file; its name is the default name of the run.

    `trust` lets it name Python files outside the working folder. Where such files are barred
    (`registry.user_code_barred`), the options of their systems are not checked.
    """
    document = with_preset(read_toml(path), lambda name: None, _without_run)
    raise_all(_untrusted(document, trust))
    data = apply_overrides(document.data, overrides)
    if "builder" in data and "system" not in data:
        raise ConfigError(f"{path} is a recipe, not an experiment", hint="recombine build RECIPE")
    data.setdefault("run", str(Path("runs") / Path(path).stem))
    experiment = parse_config(Experiment, data, document=document)
    for name in experiment.system:
        with contextlib.suppress(registry.NotImported):
            # A typo in an option is found before any work begins.
            system = create_system(experiment, name, document=document)
            if augmentation(experiment, name) is not None and not is_trainable(system):
                raise ConfigError(f"[system.{name}] has 'augment', but is not trained")
            if name == experiment.control_system and is_trainable(system):
                raise ConfigError(
                    f"control_system = '{name}' learns from the benchmark: it is not neutral",
                    hint='a control that is trained has train = "control" in its table',
                )
            learns_here = is_trainable(system) and hook(system, "trained_on") is None
            if learns_here and "trained_on" in experiment.system[name]:
                split = trained_split(experiment.system[name])
                raise ConfigError(
                    f"[system.{name}] is trained here, on '{split}'",
                    hint="'trained_on' is for systems that are not trained here",
                )
    return experiment


def check_experiment(path: Path | str, *, trust: bool = False) -> list[RecombineError]:
    """Return every problem of an experiment file: its keys, systems, metrics and benchmark.

    Python files that it names are imported with `trust` only; the others are NotImported in the
    list, and may be in order.
    """
    with registry.user_code_barred(not trust):
        return _problems_of(path, trust)


def _problems_of(path: Path | str, trust: bool) -> list[RecombineError]:
    document = with_preset(read_toml(path), lambda name: None, _without_run)
    problems = _untrusted(document, trust)
    if problems:
        return problems  # what follows would run them
    data = document.data
    with collect_errors(problems):
        parse_config(Experiment, data, document=document)
    systems = data.get("system")
    for name, given in systems.items() if isinstance(systems, dict) else ():
        given = given if isinstance(given, dict) else {}
        use = given.get("use")
        options = {key: value for key, value in given.items() if key not in SETTINGS}
        prefix = f"system.{name}"
        if isinstance(use, str):
            with collect_errors(problems, document.where(f"{prefix}.use")):
                registry.create("system", use, options, document=document, prefix=prefix)
        if "augment" in given:
            prefix = f"{prefix}.augment"
            with collect_errors(problems, document.where(prefix)):
                read_mixture(given["augment"], prefix=prefix, document=document)
    metrics = _metric_tables(data)
    for name in data.get("metrics") or ():
        with collect_errors(problems, document.where("metrics")):
            registry.lookup("metric", str(metrics.get(str(name), {}).get(USE, name)))
    if isinstance(data.get("benchmark"), str):
        where = document.where("benchmark")
        with collect_errors(problems, where):
            whole = Experiment(benchmark=Path(data["benchmark"]), system={"": {"use": ""}})
            for member in series_experiments(whole):
                benchmark = Benchmark.open(member.benchmark)
                problems += _without_training_text(document, benchmark)
                for split in data.get("splits") or ():
                    with collect_errors(problems, document.where("splits")):
                        benchmark.split_path(str(split))
    return problems


def _without_training_text(document: Document, benchmark: Benchmark) -> list[RecombineError]:
    """Return a problem for every system that is to learn from a split that is not there."""
    problems: list[RecombineError] = []
    systems = document.data.get("system")
    for name, given in systems.items() if isinstance(systems, dict) else ():
        with contextlib.suppress(RecombineError):  # its options are wrong, which is said above
            alone = Experiment(benchmark=benchmark.path, system={name: given})
            if is_trainable(create_system(alone, name)):
                with collect_errors(problems, document.where(f"system.{name}.use")):
                    require_training_text(alone, name, benchmark)
    return problems


def _untrusted(document: Document, trust: bool) -> list[RecombineError]:
    """Return a problem for every Python file from elsewhere that an experiment file names."""
    problems: list[RecombineError] = []
    systems, metrics = document.data.get("system"), document.data.get("metrics")
    for name, given in systems.items() if isinstance(systems, dict) else ():
        use = given.get("use") if isinstance(given, dict) else None
        with collect_errors(problems):
            registry.require_trusted(str(use), document.where(f"system.{name}.use"), trust)
    for metric in metrics if isinstance(metrics, list) else ():
        with collect_errors(problems):
            registry.require_trusted(str(metric), document.where("metrics"), trust)
    for name, given in _metric_tables(document.data).items():
        with collect_errors(problems):
            where = document.where(f"metric.{name}.use")
            registry.require_trusted(str(given.get(USE, "")), where, trust)
    return problems


def _metric_tables(data: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The options of metrics, by name."""
    tables = data.get("metric")
    pairs = tables.items() if isinstance(tables, dict) else ()
    return {name: given for name, given in pairs if isinstance(given, dict)}


def outside_of(experiment: Experiment) -> list[dict[str, str]]:
    """Return what an experiment runs, imports, asks and sends besides Recombine itself.

    What a barred Python file runs and asks in its turn is not known.
    """
    rows = []
    for name, given in experiment.system.items():
        reached = {"imports": given["use"]} if ".py:" in given["use"] else {}
        with contextlib.suppress(registry.NotImported):
            reached |= hook(create_system(experiment, name), "outside")()
        rows += [{"system": name, kind: text} for kind, text in reached.items()]
    for name in experiment.metrics:
        given = experiment.metric.get(name, {})
        use = str(given.get(USE, name))
        reached = {"imports": use} if ".py:" in use else {}
        if USE in given:
            options = {key: value for key, value in given.items() if key != USE}
            with contextlib.suppress(registry.NotImported):
                reached |= registry.create("metric", use, {"name": name, **options}).outside()
        rows += [{"metric": name, kind: text} for kind, text in reached.items()]
    return rows


def _without_run(preset: Document, document: Document) -> dict[str, Any]:
    """Another experiment has a run of its own."""
    return {key: value for key, value in preset.data.items() if key != "run"}


def series_experiments(experiment: Experiment) -> list[Experiment]:
    """Return one experiment per member of a series, or the experiment itself.

    The benchmark of an experiment may be a `series.toml` or the directory that holds one; each
    member gets a run directory of its own below the experiment's.
    """
    path = experiment.benchmark
    if path.is_dir() and not (path / "benchmark.toml").is_file():
        path = path / "series.toml"
    if path.name != "series.toml":
        return [experiment]
    from recombine.builders.divergent.series import read_series

    return [
        dataclasses.replace(
            experiment, benchmark=member.benchmark, run=experiment.run / member.benchmark.name
        )
        for member in read_series(path).member
    ]


def chosen_splits(experiment: Experiment, benchmark: Benchmark) -> tuple[str, ...]:
    """Return the splits to translate."""
    if experiment.splits:
        for split in experiment.splits:
            benchmark.split_path(split)
        return experiment.splits
    return tuple(split for split in benchmark.splits if split not in _LEARNED)


def create_system(
    experiment: Experiment,
    name: str,
    benchmark: Benchmark | None = None,
    *,
    document: Document | None = None,
) -> Any:
    """Make one system of the experiment; one that asks for languages is told the benchmark's."""
    given = experiment.system[name]
    use = given["use"]
    options = {key: value for key, value in given.items() if key not in SETTINGS}
    prefix = f"system.{name}"
    system = registry.create("system", use, options, document=document, prefix=prefix)
    if benchmark is not None:
        for side in ("source", "target"):
            if hook(system, f"{side}_language") is None:
                setattr(system, f"{side}_language", getattr(benchmark.manifest, side))
    return system


def require_training_text(experiment: Experiment, name: str, benchmark: Benchmark) -> None:
    """Raise where a benchmark lacks what a system of the experiment is to learn from."""
    split = trained_split(experiment.system[name])
    if split not in benchmark.splits:
        raise DataError(
            f"{benchmark.path} has no split '{split}' to train '{name}' on",
            hint="build it with -o control=true"
            if split == CONTROL
            else 'a model that is there already is used as it is: fine_tune = "no" (hf-seq2seq), '
            'method = "prompt" without shots (llm)',
        )
    size = experiment.system[name].get("train_size", 0)
    there = benchmark.manifest.splits[split]
    if size > there:
        raise DataError(
            f"[system.{name}] train_size is {size}, but {benchmark.path} has {there} "
            f"examples in '{split}'"
        )


def augmentation(experiment: Experiment, name: str) -> AugmentedTraining | None:
    """Return what a system learns from besides the training pairs."""
    given = experiment.system[name].get("augment")
    return None if given is None else read_mixture(given, prefix=f"system.{name}.augment")


def track_of_system(experiment: Experiment, name: str) -> str:
    """Return what a system has learned from; empty where it is not known, as of a service.

    Every table of a report names it: scores of different tracks answer different questions.
    """
    system = create_system(experiment, name)
    if hook(system, "pretrained"):
        return "pretrained"
    added = augmentation(experiment, name)
    if added is not None:
        return str(added.fingerprint()["track"])
    # Worked examples in a prompt come from the training split and train nothing.
    if not is_trainable(system) or training_of_system(experiment, name) in (UNKNOWN, NOTHING):
        return ""
    return CONTROL if trained_split(experiment.system[name]) == CONTROL else "plain"


def training_of_system(experiment: Experiment, name: str) -> str:
    """Return what a system was trained on, one of TRAINED_ON: as the experiment or it says.

    What learns here knows the split that it is trained on; of anything else nobody knows.
    """
    system = create_system(experiment, name)
    given = experiment.system[name].get("trained_on")
    if given is not None:
        return str(given)
    declared = hook(system, "trained_on")
    if declared is not None:
        return str(declared)
    return trained_split(experiment.system[name]) if is_trainable(system) else UNKNOWN


def system_cells(experiment: Experiment, name: str, system: Any) -> dict[int, Cell]:
    """Return the cells of a system by seed: one where no seed makes it another system."""
    seeds = experiment.seeds if uses_seed(system) else (1,)
    return {seed: Run(experiment.run).cell(name, seed) for seed in seeds}


def cells_of(experiment: Experiment) -> Iterator[tuple[str, int, Cell]]:
    """Yield every system with every seed that makes it another system."""
    for name in experiment.system:
        for seed, cell in system_cells(experiment, name, create_system(experiment, name)).items():
            yield name, seed, cell


def alone_in_its_cells(stage: Callable[..., Result]) -> Callable[..., Result]:
    """Keep other processes out of an experiment's cells during a stage; others may work beside."""

    @functools.wraps(stage)
    def guarded(experiment: Experiment, **options: Any) -> Result:
        with contextlib.ExitStack() as stack:
            for _name, _seed, cell in cells_of(experiment):
                stack.enter_context(locked(lock_of(cell.path)))
            return stage(experiment, **options)

    return guarded


def begin_cell(experiment: Experiment, cell: Cell, benchmark: Benchmark) -> None:
    """Note in the run what is about to be made, of what, with which versions."""
    write_json(experiment.run / "experiment.json", to_plain(experiment))
    cell.update_record(
        system=cell.system,
        seed=cell.seed,
        options=experiment.system[cell.system],
        track=track_of_system(experiment, cell.system),
        trained_on=training_of_system(experiment, cell.system),
        benchmark=str(experiment.benchmark),
        benchmark_hash=benchmark.hash,
        versions={"recombine": __version__, "python": platform.python_version()},
        platform=f"{sys.platform} {platform.machine()}",
    )
