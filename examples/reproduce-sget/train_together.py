"""Train the models of several experiments side by side on one GPU, then translate.

    python examples/reproduce-sget/train_together.py lstm.toml without-concatenation.toml

`recombine run` trains the seeds of one system side by side; here different systems and benchmarks
share the GPU, too. What it writes is what `recombine train` and `translate` would have written, so
`recombine score` and `report` go on from there, on this machine or on another that has no GPU.
"""

from __future__ import annotations

import argparse
import sys
import time

from recombine.errors import RecombineError
from recombine.experiment.experiment import read_experiment
from recombine.experiment.training import trainings
from recombine.experiment.translating import translate
from recombine.systems.seq2seq.training import Job, train_jobs


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("experiment", nargs="+", help="experiments of transformers and LSTMs")
    parser.add_argument(
        "--prepare",
        action="store_true",
        help="only learn the vocabularies and encode the pairs, where Sudachi is installed",
    )
    given = parser.parse_args()
    experiments = [read_experiment(path) for path in given.experiment]
    pending = [training for experiment in experiments for training in trainings(experiment)]
    jobs = [
        Job(one.data, one.system, cell.model, seed)
        for one in pending
        for seed, cell in one.cells.items()
    ]
    if given.prepare:
        for job in jobs:
            job.options.prepare(job.data, job.model_dir)
        return
    if jobs:
        began = time.monotonic()
        train_jobs(jobs)
        for one in pending:
            one.finish((time.monotonic() - began) / len(jobs))
    for experiment in experiments:
        print(f"{experiment.run}: {translate(experiment)} sentences translated")


if __name__ == "__main__":
    try:
        main()
    except RecombineError as error:
        sys.exit(error.render())
