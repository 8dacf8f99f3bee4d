"""experiment.experiment."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recombine import registry
from recombine.benchmark import Benchmark
from recombine.config import apply_overrides, parse_config, read_toml
from recombine.errors import ConfigError
from recombine.experiment.run import Cell, Run

# Splits that a system may learn from are not translated unless asked for.
_LEARNED = ("train", "dev")


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

    def __post_init__(self) -> None:
        if not self.system:
            raise ConfigError("no system is given", hint='[system.NAME] with use = "..."')
        for name, options in self.system.items():
            if not isinstance(options.get("use"), str):
                raise ConfigError(f"[system.{name}] needs a key 'use': the system's name")
            size = options.get("train_size", 1)
            if not isinstance(size, int) or isinstance(size, bool) or size < 1:
                raise ConfigError(f"[system.{name}] train_size must be a whole number from 1 on")
        if not self.seeds:
            raise ConfigError("'seeds' is empty")


def read_experiment(path: Path | str, overrides: Sequence[str] = ()) -> Experiment:
    """Read an experiment file; its name is the default name of the run."""
    document = read_toml(path)
    data = apply_overrides(document.data, overrides)
    data.setdefault("run", str(Path("runs") / Path(path).stem))
    experiment = parse_config(Experiment, data, document=document)
    for name in experiment.system:
        create_system(experiment, name)  # a typo in an option is found before any work begins
    return experiment


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


def create_system(experiment: Experiment, name: str) -> Any:
    """Make one system of the experiment from its options."""
    options = dict(experiment.system[name])
    use = options.pop("use")
    options.pop("train_size", None)
    return registry.create("system", use, options, prefix=f"system.{name}")


def with_languages(system: Any, benchmark: Benchmark) -> Any:
    """Fill in the languages of a system that asks for them and was not told."""
    manifest = benchmark.manifest
    for name, value in (("source_language", manifest.source), ("target_language", manifest.target)):
        if getattr(system, name, value) is None:
            setattr(system, name, value)
    return system


def chosen_splits(experiment: Experiment, benchmark: Benchmark) -> tuple[str, ...]:
    """Return the splits to translate."""
    if experiment.splits:
        for split in experiment.splits:
            benchmark.split_path(split)
        return experiment.splits
    return tuple(split for split in benchmark.splits if split not in _LEARNED)


def cells_of(experiment: Experiment) -> Iterator[tuple[str, int, Cell]]:
    """Yield every system with every seed."""
    run = Run(experiment.run)
    for name in experiment.system:
        for seed in experiment.seeds:
            yield name, seed, run.cell(name, seed)
