"""Exports hold the report's numbers in the other formats' own fields."""

from __future__ import annotations

import json

import pytest

from recombine.errors import ConfigError, MissingExtra
from recombine.report.exports import write_exports
from recombine.report.model import build_report
from recombine.report.observations import open_source
from recombine.report.options import ReportOptions


@pytest.fixture(scope="module")
def report(run):
    """Findings on exact match only."""
    return build_report(open_source([run]), ReportOptions(metrics=("exact",)))


def test_every_eval_ever_has_the_required_fields(report, tmp_path):
    """Required fields of schema 0.2.1, with the interval and a checksum that holds."""
    paths = write_exports(report, tmp_path, ("every-eval-ever",))
    record = json.loads(next(p for p in paths if p.name == "transformer.json").read_text())
    assert {
        "schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info",
        "eval_library", "evaluation_results",
    } <= set(record)  # fmt: skip
    first = record["evaluation_results"][0]
    assert first["source_data"]["source_type"] == "other"
    interval = first["score_details"]["uncertainty"]["confidence_interval"]
    assert interval["lower"] <= first["score_details"]["score"] <= interval["upper"]
    rows = (tmp_path / "every-eval-ever" / "transformer.samples.jsonl").read_text().splitlines()
    assert len(rows) == record["detailed_evaluation_results"]["total_rows"] == 3 * 400
    row = json.loads(rows[0])
    assert row["evaluation_id"] == record["evaluation_id"]
    assert isinstance(row["output"]["raw"], list)


def test_harness_results_and_samples(report, tmp_path):
    """One task per split, samples with metrics, as the harness writes them."""
    paths = write_exports(report, tmp_path, ("harness",))
    results = json.loads(next(p for p in paths if p.name.startswith("results_")).read_text())
    assert set(results["results"]) == {"synthetic_gen", "synthetic_test"}
    assert "exact,none" in results["results"]["synthetic_gen"]
    assert "exact_stderr,none" in results["results"]["synthetic_gen"]
    samples = next(p for p in paths if p.name.startswith("samples_synthetic_gen"))
    row = json.loads(samples.read_text().splitlines()[0])
    assert row["exact"] in (0, 1)
    assert row["filtered_resps"] == [row["resps"][0][0]]


def test_genbench_card_marks_one_value_per_axis(report, tmp_path):
    """The card has five axes with one mark each."""
    json_path, tex_path = write_exports(report, tmp_path, ("genbench",))
    assert len(json.loads(json_path.read_text())["axes"]) == 5
    assert tex_path.read_text().count(r"$\square$") == 5


def test_inspect_needs_its_package(report, tmp_path):
    """Without inspect_ai the install line is given; with it a log is written."""
    try:
        import inspect_ai  # noqa: F401
    except ModuleNotFoundError:
        with pytest.raises(MissingExtra, match="inspect_ai"):
            write_exports(report, tmp_path, ("inspect",))
        return
    assert write_exports(report, tmp_path, ("inspect",))


def test_unknown_export_is_named(report, tmp_path):
    """A typo is answered with the list."""
    with pytest.raises(ConfigError, match="unknown export 'excel'"):
        write_exports(report, tmp_path, ("excel",))
