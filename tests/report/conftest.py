"""One synthetic run for all tests of the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.report.findings import Findings, build_report
from recombine.report.options import ReportOptions
from recombine.report.reading.runs import open_runs
from report.synthetic import make_run


@pytest.fixture(scope="session")
def run(tmp_path_factory) -> Path:
    """Three systems with three seeds on eight patterns."""
    return make_run(tmp_path_factory.mktemp("synthetic"))


@pytest.fixture(scope="session")
def findings(run) -> Findings:
    """The findings on exact match."""
    return build_report(open_runs([run]), ReportOptions(metrics=("exact",)))
