"""A benchmark that is passed on: its own files and nothing else.

A benchmark may be a stranger's. A link in it could lead to any file of this machine, and a file
that its manifest does not list has not been checked by anybody: neither leaves this machine.
"""

from __future__ import annotations

from pathlib import Path

from recombine.benchmark import Benchmark
from recombine.errors import DataError, Where
from recombine.files import sha256_of, write_bytes

MANIFEST = "benchmark.toml"


def require_whole(benchmark: Benchmark) -> None:
    """Raise unless every listed file lies in the benchmark, as it was built."""
    root = benchmark.path.resolve()
    for name, digest in benchmark.manifest.files.items():
        path = benchmark.path / name
        where = Where(str(path))
        if path.resolve() != root / Path(name):
            raise DataError("a link, or a path out of the benchmark; it is not exported", where)
        if not path.is_file():
            raise DataError("missing file", where, hint="restore it, or build the benchmark again")
        if sha256_of(path) != digest:
            raise DataError(
                "the file is not the one that was built (SHA-256 differs)",
                where,
                hint="restore it, or build the benchmark again",
            )
    for split in benchmark.splits:
        if f"{split}.jsonl" not in benchmark.manifest.files:
            where = Where(str(benchmark.path / MANIFEST))
            raise DataError(f"[files] does not list {split}.jsonl", where)


def copy_benchmark(benchmark: Benchmark, place: Path) -> None:
    """Copy the manifest and the files that it lists."""
    require_whole(benchmark)
    for name in (*benchmark.manifest.files, MANIFEST):
        write_bytes(place / name, (benchmark.path / name).read_bytes())
