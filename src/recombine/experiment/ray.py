"""Experiments over the machines of a Ray cluster.

Ray places, retries and moves the work; nothing here schedules anything. Machines need not share a
file system: a benchmark travels to the workers, a finished cell (one system, one seed) travels
back.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from recombine.config import to_plain
from recombine.errors import RecombineError
from recombine.experiment.experiment import Experiment, alone_in_its_cells, cells_of
from recombine.experiment.failures import Failures
from recombine.experiment.run import Cell, Run
from recombine.experiment.training import train
from recombine.experiment.translating import translate
from recombine.files import replace_folder, write_json
from recombine.parallel import RETRIES, connect, ray_result
from recombine.progress import progress


@alone_in_its_cells
def run_experiment_on_ray(
    experiment: Experiment, *, address: str | None = None, processors: float = 1
) -> int:
    """Train and translate every system with every seed on a cluster; return the number of cells.

    A cell takes one GPU where the cluster has any. Each is collected as soon as it is finished;
    what an earlier run left in the run directory travels along and is not made again.
    """
    ray = connect(address)
    gpus = 1 if ray.cluster_resources().get("GPU", 0) >= 1 else 0
    task = ray.remote(max_retries=RETRIES, num_cpus=processors, num_gpus=gpus)(run_cell)
    archive = ray.put(pack(experiment.benchmark))
    waiting: dict[Any, Cell] = {}
    for name, seed, cell in cells_of(experiment):
        begun = pack(cell.path) if cell.path.is_dir() else b""
        single = dataclasses.replace(
            experiment, system={name: experiment.system[name]}, seeds=(seed,)
        )
        waiting[task.remote(single, archive, begun)] = cell
    write_json(experiment.run / "experiment.json", to_plain(experiment))
    total = len(waiting)
    failures = Failures()
    with progress("running on the cluster", total) as bar:
        while waiting:
            (ready, *_), _ = ray.wait(list(waiting), num_returns=1)
            cell = waiting.pop(ready)
            with failures.apart(cell):
                finished, errors = ray_result(ray, ready)
                unpack(finished, cell.path)
                cell.update_record(benchmark=str(experiment.benchmark))
                for error in errors:
                    failures.add(error, cell)
            bar.advance()
    failures.raise_any()
    return total


def run_cell(
    experiment: Experiment, archive: bytes, begun: bytes
) -> tuple[bytes, list[RecombineError]]:
    """Run an experiment of one cell on this machine; return its folder, packed, and what failed.

    The folder's name depends on the work alone, so that a second attempt on the same machine
    continues from the checkpoints of the first.
    """
    ((name, options),) = experiment.system.items()
    (seed,) = experiment.seeds
    key = hashlib.sha256(archive + repr((name, options, seed)).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"recombine-cell-{key}"
    benchmark = folder / "benchmark"
    if not (benchmark / "benchmark.toml").is_file():
        unpack(archive, benchmark)
    local = dataclasses.replace(experiment, benchmark=benchmark, run=folder / "run")
    cell = Run(local.run).cell(name, seed)
    if begun and not cell.path.is_dir():
        unpack(begun, cell.path)
    failures = Failures()
    failures.gather(train, local)
    failures.gather(translate, local)
    finished = pack(cell.path)
    shutil.rmtree(folder, ignore_errors=True)
    return finished, [failure.error for failure in failures.found]


def pack(folder: Path) -> bytes:
    """Return a folder as an archive."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.add(folder, arcname=".")
    return stream.getvalue()


def unpack(data: bytes, folder: Path) -> None:
    """Write an archive's files; the folder appears whole, replacing an older one."""
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        archive.extractall(partial, filter="data")
    replace_folder(partial, folder)
