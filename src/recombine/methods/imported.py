"""Text from anywhere: a test set, familiar or new, and nothing known of how it was made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from recombine.methods.generated.tables import generated_tables
from recombine.methods.generated.unmarked import set_apart
from recombine.methods.generated.variants import variant_table
from recombine.report.figures.figure import Figure
from recombine.report.figures.papers import paper_figures
from recombine.report.findings import Findings
from recombine.report.method import BenchmarkMethod, Headline
from recombine.report.page.first_screen import bars, familiar_and_new
from recombine.report.page.headline import generalisation_headline
from recombine.report.tables.table import Table


class ImportedMethod(BenchmarkMethod):
    """What can be said of any benchmark: new sentences beside familiar ones, patterns if named."""

    name = "imported"
    builders: ClassVar[tuple[str, ...]] = ("imported",)

    def headline(self, report: Findings) -> Headline:
        """Return how much is right of what is new."""
        return generalisation_headline(report)

    def first_screen(self, report: Findings) -> Markup:
        """Return familiar and new sentences as bars."""
        return bars(report, familiar_and_new)

    def figures(self, report: Findings, tables: Sequence[Table]) -> list[Figure]:
        """Return a figure of every table that is one in its paper."""
        return paper_figures(report, tables)

    def tables(self, report: Findings) -> list[Table]:
        """Return tables by pattern, where patterns are what is tested."""
        tagged = report.main.main_tag == "pattern"
        return set_apart(report, generated_tables(report)) if tagged else []

    def build_table(self, key: str, with_it: Findings, without: Findings) -> Table | None:
        """Return Table 5 or 6 of Kumon et al. where builds differ in what those tables compare."""
        return variant_table(key, with_it, without)
