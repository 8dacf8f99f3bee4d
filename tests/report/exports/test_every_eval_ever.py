"""Every Eval Ever: required fields, intervals, a checksum that holds."""

from __future__ import annotations

import hashlib
import json

from recombine.report.exports import write_exports


def test_every_eval_ever_has_the_required_fields(findings, tmp_path):
    """Required fields of schema 0.2.1, with the interval and a checksum that holds."""
    paths = write_exports(findings, tmp_path, ("every-eval-ever",))
    record = json.loads(next(p for p in paths if p.name == "transformer.json").read_text())
    assert {
        "schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info",
        "eval_library", "evaluation_results",
    } <= set(record)  # fmt: skip
    first = record["evaluation_results"][0]
    assert first["source_data"]["source_type"] == "other"
    interval = first["score_details"]["uncertainty"]["confidence_interval"]
    assert interval["lower"] <= first["score_details"]["score"] <= interval["upper"]
    samples = tmp_path / "every-eval-ever" / "transformer.samples.jsonl"
    rows = samples.read_text().splitlines()
    stated = record["detailed_evaluation_results"]
    assert len(rows) == stated["total_rows"] == 3 * 400
    assert hashlib.sha256(samples.read_bytes()).hexdigest() == stated["checksum"]
    row = json.loads(rows[0])
    assert row["evaluation_id"] == record["evaluation_id"]
    assert isinstance(row["output"]["raw"], list)
    assert all(isinstance(value, str) for value in row["metadata"].values())
