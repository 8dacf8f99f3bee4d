"""Tables in the papers' own layouts, with the published numbers beside ours."""

from __future__ import annotations

from recombine.report.findings import Findings
from recombine.report.tables.compound_factors import factor_tables
from recombine.report.tables.compounds import compound_tables
from recombine.report.tables.consistency import consistency_tables
from recombine.report.tables.divergent import divergent_tables
from recombine.report.tables.generated import generated_tables
from recombine.report.tables.table import Table
from recombine.report.tables.typeset import for_paper, in_words
from recombine.report.tables.unmarked import set_apart

__all__ = ["paper_tables"]


def paper_tables(report: Findings) -> list[Table]:
    """The tables that papers on this kind of benchmark print, the best system in bold."""
    return [in_words(report, for_paper(table, report.systems)) for table in _layouts(report)]


def _layouts(report: Findings) -> list[Table]:
    builder = report.source.benchmark.manifest.builder
    if builder.startswith("compound"):
        return [*compound_tables(report), *factor_tables(report.source)]
    if builder.startswith("divergent"):
        return divergent_tables(report)
    if builder.startswith("consistency"):
        return consistency_tables(report.source)
    return set_apart(report, generated_tables(report)) if report.main.main_tag == "pattern" else []
