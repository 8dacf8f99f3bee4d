"""The synthetic run of the report's tests."""

from __future__ import annotations

from report.conftest import findings, run

__all__ = ["findings", "run"]
