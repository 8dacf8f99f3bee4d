"""A series of divergent splits: one benchmark per wanted divergence and seed, made in one run.

All members have the same sizes, so that a system's curve over the series shows divergence and not
the amount of training data. `series.toml` lists them; an experiment may name it as its benchmark.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from recombine.benchmark import Benchmark
from recombine.builders.divergent.builder import Divergent
from recombine.builders.recipe import Recipe, build
from recombine.config import dump_toml, parse_config, read_toml
from recombine.draft import Draft
from recombine.errors import ConfigError
from recombine.files import read_json, write_text

FORMAT = 1
DIVERGENCES = (0.0, 0.25, 0.5, 0.75, 1.0)
# The compiled search runs without Python's lock.
THREADS = 2


@dataclass(frozen=True, kw_only=True)
class Member:
    """One benchmark of a series."""

    benchmark: Path
    target_divergence: float
    seed: int
    atom_divergence: float
    compound_divergence: float


@dataclass(frozen=True, kw_only=True)
class Series:
    """What `series.toml` says."""

    format: int
    name: str
    member: tuple[Member, ...]


def build_series(
    recipe: Recipe,
    out: Path,
    *,
    divergences: Sequence[float] = DIVERGENCES,
    seeds: Sequence[int] = (1,),
    force: bool = False,
) -> Series:
    """Build every member under `out` that is not up to date, and write `series.toml`."""
    builder = recipe.builder
    if not isinstance(builder, Divergent):
        raise ConfigError(f"a series is made by the builder 'divergent', not {recipe.builder_name}")
    if not divergences or not seeds:
        raise ConfigError("a series needs at least one divergence and one seed")
    workdir = out / "shared.work"
    counted = cache(lambda: builder.counted(workdir))
    once = Lock()

    def make(wanted: tuple[float, int]) -> Member:
        divergence, seed = wanted
        folder = out / f"c-{divergence:g}-seed-{seed}"
        # The tightest default sizes are those of the maximal split; all members share them.
        single = dataclasses.replace(builder, target_divergence=divergence, sizes_as=1.0)

        def write(draft: Draft) -> None:
            with once:  # the first member that is not there yet reads the corpus for all
                corpus = counted()
            single.build_from(corpus, draft)

        member = dataclasses.replace(recipe, builder=single)
        build(member, folder, seed=seed, force=force, write=write)
        return _member(folder, out, divergence, seed)

    wanted = [(divergence, seed) for divergence in divergences for seed in seeds]
    with ThreadPoolExecutor(THREADS) as pool:
        members = tuple(pool.map(make, wanted))
    series = Series(format=FORMAT, name=recipe.head.name, member=members)
    write_text(out / "series.toml", dump_toml(_plain(series)))
    counted.cache_clear()  # the mapped files are released first
    shutil.rmtree(workdir, ignore_errors=True)
    return series


def read_series(path: Path) -> Series:
    """Read `series.toml`; the members' paths are made whole."""
    document = read_toml(path)
    series: Series = parse_config(Series, document.data, document=document)
    if series.format != FORMAT:
        raise ConfigError(f"format {series.format} is not known here", document.where("format"))
    members = tuple(
        dataclasses.replace(member, benchmark=path.parent / member.benchmark)
        for member in series.member
    )
    return dataclasses.replace(series, member=members)


def _member(folder: Path, out: Path, divergence: float, seed: int) -> Member:
    certificate = read_json(Benchmark.open(folder).path / "certificate.json")
    return Member(
        benchmark=folder.relative_to(out),
        target_divergence=divergence,
        seed=seed,
        atom_divergence=certificate["atom_divergence"],
        compound_divergence=certificate["compound_divergence"],
    )


def _plain(series: Series) -> dict[str, Any]:
    return {
        "format": series.format,
        "name": series.name,
        "member": [
            {**dataclasses.asdict(member), "benchmark": member.benchmark.as_posix()}
            for member in series.member
        ],
    }
