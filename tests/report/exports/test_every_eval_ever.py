"""Every Eval Ever: required fields, intervals, a checksum that holds."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import replace

from recombine.files import read_jsonl
from recombine.report.exports import write_exports
from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import open_runs
from report.synthetic import make_run


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


def test_right_is_what_the_metric_calls_right(tmp_path):
    """BLEU is right at 100 and an idiom where nothing is literal: 1 is not right everywhere."""
    run = make_run(tmp_path, per_pattern=4, seeds=(1,), metrics=("exact", "bleu"))
    report = build_report(open_runs([run]), ReportOptions(splits=("gen",)))
    write_exports(report, tmp_path, ("every-eval-ever",))
    rows = read_jsonl(tmp_path / "every-eval-ever" / "lstm.samples.jsonl")
    told = {}
    for row in rows:
        metric = row["evaluation_name"].rpartition(" ")[2]
        told.setdefault(metric, {})[row["sample_id"]] = row["evaluation"]["is_correct"]
    assert told["exact"] == told["bleu"]
    assert set(told["exact"].values()) == {True, False}


def test_the_scale_is_the_metrics_own(findings, tmp_path):
    """A metric without an upper end has none in the record."""
    scale = replace(findings.main.aggregator, limits=(-1.0, math.inf))
    all_results = tuple(replace(one, aggregator=scale) for one in findings.results)
    write_exports(replace(findings, results=all_results), tmp_path, ("every-eval-ever",))
    record = json.loads((tmp_path / "every-eval-ever" / "lstm.json").read_text())
    config = record["evaluation_results"][0]["metric_config"]
    assert config["min_score"] == -1
    assert "max_score" not in config
