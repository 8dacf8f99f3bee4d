"""Inspect logs."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from recombine.errors import ConfigError, MissingExtra
from recombine.report.exports import write_exports
from recombine.report.findings import build_report
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import open_runs
from recombine.report.write import write_report
from report.synthetic import ACCURACY, make_run


def test_inspect_reads_what_was_written(findings, tmp_path):
    """Its own reader finds every sample of every seed with its verdict, and the scores."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    paths = write_exports(findings, tmp_path, ("inspect",))
    assert len(paths) == len(findings.systems) * len(findings.splits)
    listed = {Path(one.name).name for one in list_eval_logs(str(tmp_path / "inspect"))}
    assert listed == {path.name for path in paths}  # what `inspect view` shows
    log = read_eval_log(str(tmp_path / "inspect" / "lstm-gen.eval"))
    assert log.status == "success"
    (score,) = log.results.scores
    ours = findings.main.overall("lstm")
    found = {name: metric.value for name, metric in score.metrics.items()}
    assert found == pytest.approx({"mean": ours.value, "low": ours.low, "high": ours.high})
    assert score.params["signature"] == findings.main.signature
    assert len(log.samples) == 3 * 320
    assert {sample.epoch for sample in log.samples} == {1, 2, 3}
    for sample in log.samples:
        right = sample.output.completion in sample.target
        assert sample.scores["exact"].value == float(right)


def test_inspect_needs_its_package(findings, tmp_path, monkeypatch):
    """Without it the install line is given."""
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(MissingExtra, match="inspect_ai"):
        write_exports(findings, tmp_path, ("inspect",))


def test_unknown_export_is_named_before_anything_is_read(tmp_path):
    """A typo is answered with the list, not after the figures are drawn."""
    options = ReportOptions(exports=("excel",))
    with pytest.raises(ConfigError, match="unknown export 'excel'"):
        write_report([tmp_path / "no-run"], tmp_path / "out", options)


def test_seeds_zero_and_one_are_two_epochs(tmp_path):
    """Epochs begin with 1; no seed's samples are taken for another's."""
    from inspect_ai.log import read_eval_log

    lstm = {"lstm": ACCURACY["lstm"]}
    run = make_run(tmp_path, per_pattern=2, seeds=(0, 1), systems=lstm, metrics=("exact",))
    report = build_report(open_runs([run]), ReportOptions(splits=("gen",)))
    write_exports(report, tmp_path, ("inspect",))
    log = read_eval_log(str(tmp_path / "inspect" / "lstm-gen.eval"))
    assert Counter(sample.epoch for sample in log.samples) == {1: 16, 2: 16}
