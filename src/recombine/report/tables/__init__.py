"""Tables in the papers' own layouts, with the published numbers beside ours."""

from __future__ import annotations

from recombine.report.findings import Findings
from recombine.report.tables.table import Table
from recombine.report.tables.typeset import for_paper, in_words

__all__ = ["paper_tables"]


def paper_tables(report: Findings) -> list[Table]:
    """The tables that papers on this kind of benchmark print, the best system in bold."""
    tables = report.method.tables(report)
    return [in_words(report, for_paper(table, report.systems)) for table in tables]
