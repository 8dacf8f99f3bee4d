"""One synthetic run for all tests of the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from report.synthetic import make_run


@pytest.fixture(scope="session")
def run(tmp_path_factory) -> Path:
    """Three systems with three seeds on eight patterns."""
    return make_run(tmp_path_factory.mktemp("synthetic"))
