"""scores.csv: every score with its interval, overall first."""

from __future__ import annotations

import csv

import pytest

from recombine.benchmark import Benchmark
from recombine.metrics.scores_table import COLUMNS, score_rows, write_scores
from recombine.metrics.scoring import score


@pytest.fixture
def results(small_benchmark):
    """Two of three sentences right."""
    benchmark = Benchmark.open(small_benchmark)
    examples = benchmark.read("test")
    hypotheses = {e.id: e.references[0] for e in examples[:2]} | {examples[2].id: "?"}
    return score(benchmark, hypotheses, ["exact", "chrf"])


def test_rows_come_overall_first_with_intervals(results):
    """The interval holds the score."""
    rows = score_rows(results)
    assert (rows[0].tag, rows[0].metric, rows[0].n) == ("all", "exact", 3)
    assert all(row.ci_low <= row.score <= row.ci_high for row in rows)
    assert [row.tag for row in score_rows(results, overall_only=True)] == ["all", "all"]


def test_the_file_reads_back(tmp_path, results):
    """Plain CSV with the documented columns."""
    write_scores(tmp_path / "scores.csv", results)
    with (tmp_path / "scores.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == COLUMNS
    assert float(rows[0]["score"]) == pytest.approx(200 / 3, abs=1e-3)
