"""Speed of the statistics and of a whole report, each beside the promise it must keep.

python benchmarks/resampling.py            # resampling and paired tests
python benchmarks/resampling.py --report   # and a report on 380,000 observations
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
from recombine.statistics.intervals import Aggregator, bootstrap_scores
from recombine.statistics.paired import approximate_randomisation, paired_bootstrap
from recombine.statistics.resample import Draws
from recombine.statistics.seeds import crossed_interval

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


def sacrebleu_resamples(rows: np.ndarray, samples: int) -> float:
    """Seconds sacrebleu's own bootstrap needs for so many resamples, from a fiftieth of them."""
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import _bootstrap_resample

    metric = BLEU()
    part = max(1, samples // 50)
    prepared = rows.astype(int).tolist()
    used = time.process_time()
    _bootstrap_resample(prepared, metric, part)
    return (time.process_time() - used) * samples / part


def measure_statistics() -> None:
    """Resampling and tests at the size of SGET's generalisation set."""
    generator = np.random.default_rng(0)
    verdicts = (generator.random((SENTENCES, 1)) < 0.48).astype(np.float64)
    other = (generator.random((SENTENCES, 1)) < 0.50).astype(np.float64)
    share = Aggregator("mean", 1.0, (0.0, 1.0))
    words = generator.integers(0, 210, SENTENCES)
    timed(
        "exact match, 10,000 resamples of 76,000",
        1.0,
        lambda: bootstrap_scores(verdicts, share, Draws([verdicts])),
    )
    timed(
        "exact match by target word, 10,000 resamples",
        1.0,
        lambda: bootstrap_scores(verdicts, share, Draws([verdicts], 0, words)),
    )
    timed(
        "exact match, paired bootstrap, 10,000 resamples",
        1.0,
        lambda: paired_bootstrap(verdicts, other, share, Draws([verdicts, other]), samples=10_000),
    )
    table = (generator.random((5, SENTENCES)) < 0.5).astype(np.float64)
    timed("five seeds x 76,000, crossed interval", 1.0, lambda: crossed_interval(table))
    rows, second = bleu_statistics(generator), bleu_statistics(generator)
    metric = create("metric", "bleu", {})
    bleu = aggregator_of(metric)
    started, used = time.perf_counter(), time.process_time()
    bootstrap_scores(rows, bleu, Draws([rows]), samples=1_000)
    ours = time.process_time() - used
    show("BLEU, 1,000 resamples of 76,000", time.perf_counter() - started, ours, 10)
    peer = sacrebleu_resamples(rows, 1_000)
    print(f"  sacrebleu, same run, from 20 resamples: {peer:.1f} s cpu, ratio {peer / ours:.0f}")
    timed(
        "BLEU, approximate randomisation, 1,000 trials",
        10.0,
        lambda: approximate_randomisation(
            rows, second, bleu, Draws([rows, second]), trials=1_000, bootstrap_samples=100
        ),
    )


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
