"""Speed of the statistics and of a whole report, each beside the promise it must keep.

python benchmarks/report_speed.py            # intervals and paired tests
python benchmarks/report_speed.py --report   # and a report on 380,000 observations
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from recombine.metrics.base import aggregator_of
from recombine.registry import create
from recombine.statistics.aggregate import Aggregator
from recombine.statistics.sample import Sample

SENTENCES = 76_000


def timed(label: str, promise: float, action: Callable[[], object]) -> None:
    """Print the time of an action beside what was promised."""
    started, used = time.perf_counter(), time.process_time()
    action()
    wall, cpu = time.perf_counter() - started, time.process_time() - used
    show(label, wall, cpu, promise)


def show(label: str, wall: float, cpu: float, promise: float) -> None:
    """One line; on a busy machine the processor time is the fair measure."""
    verdict = "ok" if wall <= promise else "ok by processor time" if cpu <= promise else "TOO SLOW"
    print(f"{label:<52} {wall:7.2f} s wall {cpu:7.2f} s cpu, promised {promise:4.0f} s: {verdict}")


def bleu_statistics(generator: np.random.Generator) -> np.ndarray:
    """Plausible sufficient statistics of BLEU, one row per sentence."""
    length = generator.integers(4, 30, SENTENCES)
    totals = np.stack([np.maximum(length - order, 0) for order in range(4)], axis=1)
    correct = generator.binomial(totals, [0.9, 0.8, 0.7, 0.6])
    reference = length + generator.integers(-2, 3, SENTENCES)
    columns = [length[:, None], reference[:, None], correct, totals]
    return np.concatenate(columns, axis=1).astype(np.float64)


def measure_statistics() -> None:
    """Intervals and tests at the size of SGET's generalisation set."""
    generator = np.random.default_rng(0)
    verdicts = {
        name: [(generator.random((SENTENCES, 1)) < share).astype(float)]
        for name, share in (("a", 0.48), ("b", 0.50))
    }
    mean, words = Aggregator("mean"), generator.integers(0, 210, SENTENCES)
    bleu = aggregator_of(create("metric", "bleu", {}))
    corpus = {name: [bleu_statistics(generator)] for name in "ab"}
    seeds = {"a": [(generator.random((SENTENCES, 1)) < 0.5).astype(float) for _ in range(5)]}
    for label, promise, action in (
        ("exact match, interval", 1, lambda: Sample(verdicts, mean).interval("a")),
        ("exact match by word, interval", 1, lambda: Sample(verdicts, mean, words).interval("a")),
        ("exact match, two systems", 1, lambda: Sample(verdicts, mean).difference("a", "b")),
        ("five seeds, interval", 1, lambda: Sample(seeds, mean).interval("a")),
        ("BLEU, interval", 1, lambda: Sample(corpus, bleu).interval("a")),
        ("BLEU, two systems, 2,000 trials", 10, lambda: Sample(corpus, bleu).difference("a", "b")),
    ):
        timed(f"{label}, {SENTENCES:,} sentences", promise, action)


def measure_report() -> None:
    """A report on 76,000 sentences x 5 seeds: 380,000 observations."""
    from recombine.report import ReportOptions, write_report
    from report.synthetic import ACCURACY, make_run

    with tempfile.TemporaryDirectory() as folder:
        run = make_run(
            Path(folder),
            per_pattern=9_500,
            seeds=(1, 2, 3, 4, 5),
            systems={"transformer": ACCURACY["transformer"]},
            metrics=("exact",),
        )
        # Only the report's own memory counts; a fresh peak cannot be had, so the increase is shown.
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        timed(
            "report on 380,000 observations (gen) and test",
            30.0,
            lambda: write_report([run], Path(folder) / "report", ReportOptions(splits=("gen",))),
        )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        size = (Path(folder) / "report" / "report.html").stat().st_size
        print(
            f"peak memory {peak / 1e6:.2f} GB (before the report {before / 1e6:.2f}), promised 2 GB"
        )
        print(f"report.html {size / 1e6:.2f} MB, promised 6 MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    measure_statistics()
    if options.report:
        measure_report()
