"""The one benchmark that the runs of a report share: found by what they recorded, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recombine.benchmark import Benchmark
from recombine.errors import DataError
from recombine.experiment.run import Run
from recombine.files import read_json
from recombine.stage import FieldDifference, stale_output


def benchmark_of(path: Path, run: Run) -> Benchmark:
    """Find the benchmark a run belongs to, from what its stages recorded."""
    tried: list[str] = []
    for candidate in _benchmark_candidates(path, run):
        for base in (Path(), path, path.parent):
            place = base / candidate
            if (place / "benchmark.toml").is_file():
                benchmark = Benchmark.open(place)
                _require_unchanged(path, run, benchmark)
                return benchmark
        tried.append(candidate)
    raise DataError(
        f"{path}: the benchmark of this run is not where it was"
        + (f" ({', '.join(dict.fromkeys(tried))})" if tried else ""),
        hint="start the report in the folder the run was made in, or put the benchmark back",
    )


def _require_unchanged(path: Path, run: Run, benchmark: Benchmark) -> None:
    for cell in run.cells():
        recorded = cell.record().get("benchmark_hash")
        if recorded is not None and recorded != benchmark.hash:
            changed = FieldDifference("benchmark", recorded, benchmark.hash)
            raise stale_output(cell.path, changed, "restore that benchmark, or translate again")


def _benchmark_candidates(path: Path, run: Run) -> list[str]:
    differences: list[str] = []
    experiment = path / "experiment.json"
    if experiment.is_file():
        value = read_json(experiment).get("benchmark")
        if isinstance(value, str):
            differences.append(value)
    for cell in run.cells():
        record = cell.record().get("benchmark")
        if isinstance(record, str):
            differences.append(record)
        elif isinstance(record, dict) and isinstance(record.get("path"), str):
            differences.append(record["path"])
    return list(dict.fromkeys(differences))


def require_same_benchmark(benchmarks: Sequence[tuple[Path, Benchmark]]) -> None:
    """Raise when runs do not share one benchmark, and say in what they differ."""
    first_path, first = benchmarks[0]
    for path, other in benchmarks[1:]:
        if other.hash == first.hash:
            continue
        raise DataError(
            f"{first_path} and {path} cannot be compared: {_difference(first, other)}",
            hint="compare runs of one benchmark; suites are set side by side with --scorecard",
        )


def _difference(first: Benchmark, other: Benchmark) -> str:
    mine, theirs = first.manifest, other.manifest
    for name in ("name", "version", "source", "target", "builder", "seed"):
        old, new = getattr(mine, name), getattr(theirs, name)
        if old != new:
            return f"their benchmarks differ in {name} ({old!r} and {new!r})"
    keys = dict.fromkeys([*mine.recipe, *theirs.recipe])
    for key in keys:
        old, new = mine.recipe.get(key), theirs.recipe.get(key)
        if old != new:
            values = f" ({old!r} and {new!r})" if max(len(repr(old)), len(repr(new))) < 60 else ""
            return f"both use '{mine.name}', but their recipes differ in '{key}'{values}"
    for split in dict.fromkeys([*mine.splits, *theirs.splits]):
        old, new = mine.splits.get(split, 0), theirs.splits.get(split, 0)
        if old != new:
            return f"both use '{mine.name}', but {split} has {old:,} examples and {new:,}"
    for name in dict.fromkeys([*mine.files, *theirs.files]):
        if mine.files.get(name) != theirs.files.get(name):
            return f"both use '{mine.name}', but its file {name} is not the same"
    return f"both use '{mine.name}', but of another version"
