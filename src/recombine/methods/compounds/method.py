"""Novel compounds of known atoms, in five contexts each (CoGnition, Li et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from recombine.benchmark import Benchmark
from recombine.methods.compounds.factors import factor_tables
from recombine.methods.compounds.tables import AGGREGATE, INSTANCE, compound_tables
from recombine.methods.imported import ImportedMethod
from recombine.report.findings import Findings
from recombine.report.method import Headline, TaxonomyPlace
from recombine.report.page.first_screen import Bar, bars, familiar_and_new
from recombine.report.page.headline import amount
from recombine.report.tables.published import published_release
from recombine.report.tables.table import Table


class CompoundsMethod(ImportedMethod):
    """Two errors (section 5 of the paper): per translation, and per compound in any context."""

    name = "compounds"
    builders = ("compounds", "compound-release")
    taxonomy = TaxonomyPlace(
        "Intrinsic", "Compositional", "Covariate", "Generated shift", "Train-test"
    )
    # The training sentences that contexts were taken from.
    hidden_splits = ("context",)
    control = "build one with: -o control=true"
    looks_again = True
    # Every factor of compounds is a figure of its paper.
    draws_curves = False

    def headline(self, report: Findings) -> Headline:
        """Return instance and aggregate error, the two numbers of the method."""
        main = report.results_of(INSTANCE, report.main.split)
        if main is None:
            return super().headline(report)
        aggregate = report.results_of(AGGREGATE, main.split)
        ranked = report.contenders
        best = ranked[0]
        new = "new " if report.learned else ""
        sentences = []
        for system in ranked[:3]:
            line = f"{system}: the {new}compound is wrong in {amount(main, main.overall(system))} "
            line += "translations"
            if aggregate is not None and system in aggregate.systems:
                line += (
                    f", and {amount(aggregate, aggregate.overall(system))} compounds are wrong at "
                    "least once"
                )
            sentences.append(line + ".")
        first = aggregate if aggregate is not None and best in aggregate.systems else main
        what = "go wrong at least once" if first is aggregate else "wrong"
        return Headline(
            f"{best}: {amount(first, first.overall(best))} {new}compounds {what}", tuple(sentences)
        )

    def first_screen(self, report: Findings) -> Markup:
        """Return both errors as bars."""
        both = report.main.metric == INSTANCE and report.results_of(AGGREGATE, report.main.split)
        return bars(report, _errors if both else familiar_and_new)

    def tables(self, report: Findings) -> list[Table]:
        """Return Table 6 and what Figures 2 to 10 are drawn from."""
        return [*compound_tables(report), *factor_tables(report.source)]

    def published(self, benchmark: Benchmark) -> tuple[str, tuple[str, ...]] | None:
        """Return CoGnition, by its released sentences."""
        return published_release(benchmark)


def _errors(report: Findings, system: str) -> Iterator[Bar]:
    for name in (INSTANCE, AGGREGATE):
        results = report.results_of(name, report.main.split)
        if results is not None and system in results.systems:
            yield Bar(results, results.overall(system), report.words.metric(name))
