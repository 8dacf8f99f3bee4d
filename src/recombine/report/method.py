"""What the report on one kind of benchmark says; `recombine.methods` has a class for each kind.

This file knows none of them: it says what a method has to declare, and finds the one of a benchmark
by the builder that made it. Reading runs, tables and pages ask it and test no builder's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from recombine.benchmark import Benchmark
from recombine.registry import lookup_installed, names

# The method of benchmarks whose builder no other one claims.
GENERAL = "imported"


class Headline(NamedTuple):
    """A headline and the sentences that say why."""

    headline: str
    sentences: tuple[str, ...]


class TaxonomyPlace(NamedTuple):
    """Where a kind of benchmark stands in GenBench's taxonomy (Hupkes et al. 2023)."""

    motivation: str
    kind: str
    shift: str
    source: str
    # Of a system trained on the benchmark's own training split.
    locus: str


class JointReport(NamedTuple):
    """The report on runs of several benchmarks, which `recombine.report.write` draws and writes."""

    title: str
    tables: Sequence[Any]
    figures: Sequence[Any]
    notes: Sequence[str]
    # What tells the reports apart in results.csv: names of columns, and a row for each report.
    columns: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    # The page, of drawn figures and all notes.
    page: Callable[[Sequence[Any], Sequence[str]], str]


class BenchmarkMethod:
    """A kind of benchmark; a new one inherits this and says what is different about it.

    It is registered under a name of its own (`recombine.methods` among the entry points of a
    package). `report` is `recombine.report.findings.Findings`, which is made of what is declared
    here.
    """

    name: ClassVar[str]
    # The builders whose benchmarks are of this kind.
    builders: ClassVar[tuple[str, ...]]
    taxonomy: ClassVar[TaxonomyPlace] = TaxonomyPlace(
        "Practical", "Compositional", "Assumed", "Naturally occurring", "Train-test"
    )
    # Tags that name what is tested: the first that slices, else the first tag that does.
    main_tags: ClassVar[tuple[str, ...]] = ("pattern", "idiom", "synonym", "template")
    # How the splits that are told first begin, in this order.
    first_splits: ClassVar[tuple[str, ...]] = ("gen", "cg", "test")
    # The split of sentences like those of training; empty where no split is.
    familiar_split: ClassVar[str] = "test"
    # Splits that exist for other purposes than a score of their own.
    hidden_splits: ClassVar[tuple[str, ...]] = ()
    # Whether every split is a test of its own, beside the others and not below the first.
    splits_are_tests: ClassVar[bool] = False
    # Tables of labels for its tags, splits and metrics (docs/formats.md), below a user's own.
    words: ClassVar[tuple[str | Path, ...]] = ()
    # How a control is had, told where a gap has none.
    control: ClassVar[str] = ""
    # Whether the tables look at single observations again, which are then kept in memory.
    looks_again: ClassVar[bool] = False
    # Whether scores by depth and length are drawn; a paper may have figures of its own for them.
    draws_curves: ClassVar[bool] = True
    # Whether runs on several benchmarks of one corpus make one report.
    of_one_corpus: ClassVar[bool] = False

    def in_order(self, splits: Iterable[str], order: Sequence[str]) -> tuple[str, ...]:
        """Return splits as they are told: by how they begin, then in the benchmark's order."""

        def rank(split: str) -> tuple[int, int, str]:
            starts = [n for n, start in enumerate(self.first_splits) if split.startswith(start)]
            place = order.index(split) if split in order else len(order)
            return (min(starts, default=len(self.first_splits)), place, split)

        return tuple(sorted(set(splits), key=rank))

    def headline(self, report: Any) -> Headline:
        """Return what was found, in plain words."""
        raise NotImplementedError

    def first_screen(self, report: Any) -> str:
        """Return the HTML between the headline and the map."""
        raise NotImplementedError

    def tables(self, report: Any) -> list[Any]:
        """Return the tables that papers on this kind of benchmark print."""
        return []

    def figures(self, report: Any, tables: Sequence[Any]) -> list[Any]:
        """Return the figures that those papers draw, from the tables that hold their data."""
        return []

    def published(self, benchmark: Benchmark) -> tuple[str, tuple[str, ...]] | None:
        """Return the published benchmark that this one is, and in what it varies; None if none."""
        return None

    def joint_report(self, reports: Sequence[Any]) -> JointReport:
        """Return the report on several benchmarks, where `of_one_corpus` says that there is one."""
        raise NotImplementedError

    def suite_tables(self, reports: Sequence[Any]) -> list[Any]:
        """Return tables of several suites of this kind that a scorecard has beside the scores."""
        return []

    def build_table(self, key: str, with_it: Any, without: Any) -> Any | None:
        """Return a table of two builds that differ in one key of the recipe, on and off."""
        return None


def method_of(benchmark: Benchmark) -> BenchmarkMethod:
    """The method of a benchmark, by the builder that made it."""
    builder = benchmark.manifest.builder
    for name in names("method"):
        kind: type[BenchmarkMethod] = lookup_installed("method", name)
        if builder in kind.builders:
            return kind()
    general: type[BenchmarkMethod] = lookup_installed("method", GENERAL)
    return general()
