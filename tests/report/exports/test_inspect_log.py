"""Inspect logs."""

from __future__ import annotations

import pytest

from recombine.errors import ConfigError, MissingExtra
from recombine.report.exports import write_exports


def test_inspect_needs_its_package(findings, tmp_path):
    """Without inspect_ai the install line is given; with it a log is written."""
    try:
        import inspect_ai  # noqa: F401
    except ModuleNotFoundError:
        with pytest.raises(MissingExtra, match="inspect_ai"):
            write_exports(findings, tmp_path, ("inspect",))
        return
    assert write_exports(findings, tmp_path, ("inspect",))


def test_unknown_export_is_named(findings, tmp_path):
    """A typo is answered with the list."""
    with pytest.raises(ConfigError, match="unknown export 'excel'"):
        write_exports(findings, tmp_path, ("excel",))
