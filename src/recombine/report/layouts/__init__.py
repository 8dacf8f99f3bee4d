"""Tables in the papers' own layouts, with the published numbers beside ours."""

from __future__ import annotations

from recombine.report.consistency import consistency_tables
from recombine.report.factors import factor_tables
from recombine.report.layouts.compounds import compound_tables
from recombine.report.layouts.divergent import divergent_tables
from recombine.report.layouts.generated import generated_tables
from recombine.report.model import Report
from recombine.report.tables import Table

__all__ = ["paper_tables"]


def paper_tables(report: Report) -> list[Table]:
    """The tables that papers on this kind of benchmark print."""
    builder = report.source.benchmark.manifest.builder
    if builder.startswith("compound"):
        return [*compound_tables(report), *factor_tables(report.source)]
    if builder.startswith("divergent"):
        return divergent_tables(report)
    if builder.startswith("consistency"):
        return consistency_tables(report.source)
    return generated_tables(report) if report.main.main_tag == "pattern" else []
