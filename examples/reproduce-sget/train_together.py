"""Train the models of several experiments side by side on one GPU, then translate.

    python examples/reproduce-sget/train_together.py lstm.toml without-concatenation.toml

`recombine run` trains the seeds of one system side by side; here different systems and benchmarks
share the GPU, too. What it writes is what `recombine train` and `translate` would have written, so
`recombine score` and `report` go on from there, on this machine or on another that has no GPU.

    --prepare       only learn the vocabularies and encode the pairs, where Sudachi is installed
    -o KEY=VALUE    an option of every experiment, as with recombine run
"""

from __future__ import annotations

import argparse
import time

from recombine.benchmark import Benchmark
from recombine.experiment import (
    cells_of,
    create_system,
    read_experiment,
    train,
    training_data,
    translate,
)
from recombine.systems.seq2seq.training import Job, train_jobs


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("experiment", nargs="+")
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("-o", dest="overrides", action="append", default=[])
    given = parser.parse_args()
    experiments = [read_experiment(path, given.overrides) for path in given.experiment]
    jobs = []
    for experiment in experiments:
        benchmark = Benchmark.open(experiment.benchmark)
        for name, seed, cell in cells_of(experiment):
            data = training_data(experiment, name, benchmark)
            jobs.append(Job(data, create_system(experiment, name), cell.model, seed))
    if given.prepare:
        for job in jobs:
            job.options.prepare(job.data, job.model_dir)
        return
    began = time.monotonic()
    train_jobs(jobs)
    seconds = round((time.monotonic() - began) / len(jobs), 1)
    for experiment in experiments:
        if train(experiment):  # finds every model trained, and notes it
            for _, _, cell in cells_of(experiment):
                cell.update_record(train_seconds=seconds)
        print(f"{experiment.run}: {translate(experiment)} sentences translated")


if __name__ == "__main__":
    main()
