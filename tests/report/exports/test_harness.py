"""lm-evaluation-harness style results and samples."""

from __future__ import annotations

import json
from dataclasses import replace

from recombine.report.exports import harness, write_exports


def test_harness_results_and_samples(findings, tmp_path):
    """One task per split, samples with metrics, as the harness writes them."""
    paths = write_exports(findings, tmp_path, ("harness",))
    results = json.loads(next(p for p in paths if p.name.startswith("results_")).read_text())
    assert set(results["results"]) == {"synthetic_gen", "synthetic_test"}
    assert "exact,none" in results["results"]["synthetic_gen"]
    assert "exact_stderr,none" in results["results"]["synthetic_gen"]
    samples = next(p for p in paths if p.name.startswith("samples_synthetic_gen"))
    row = json.loads(samples.read_text().splitlines()[0])
    assert row["exact"] in (0, 1)
    assert row["filtered_resps"] == [row["resps"][0][0]]


def test_a_task_has_as_many_samples_as_its_widest_metric(findings, tmp_path):
    """The last metric of a split may be about a part of it."""
    narrow = replace(findings.results[0], metric="partial", n=7)
    report = replace(findings, results=(*findings.results, narrow))
    results = harness._results(report, "lstm")
    assert results["n-samples"]["synthetic_gen"] == {"original": 320, "effective": 320}
