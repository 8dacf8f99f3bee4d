"""Observations -> people: statistics, tables, figures and the page.

The names below are loaded when first used, so that scoring, which needs intervals only, does not
pay for the page.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recombine.report.options import ReportOptions
    from recombine.report.power import power_plan
    from recombine.report.scorecard import write_scorecard
    from recombine.report.write import ReportPaths, write_report

__all__ = ["ReportOptions", "ReportPaths", "power_plan", "write_report", "write_scorecard"]

_HOMES = {
    "ReportOptions": "options",
    "ReportPaths": "write",
    "power_plan": "power",
    "write_report": "write",
    "write_scorecard": "scorecard",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'recombine.report' has no attribute '{name}'")
    return getattr(importlib.import_module(f"recombine.report.{_HOMES[name]}"), name)
