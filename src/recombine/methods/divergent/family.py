"""Family: runs on divergent splits of one corpus, to be set side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from recombine.benchmark import Benchmark
from recombine.errors import DataError
from recombine.files import read_json
from recombine.metrics.observations import comparable
from recombine.report.findings import Findings
from recombine.report.results import MetricResults
from recombine.statistics.intervals import Estimate

SPLIT = "test"
MIN, RANDOM, MAX = "min", "random", "max"


class Certified(NamedTuple):
    """A divergent split and the certificate that its builder wrote."""

    benchmark: Benchmark
    certificate: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """`min`, `random` or `max` as in the paper, else the divergence that was asked for."""
        if self.benchmark.manifest.recipe.get("method") == RANDOM:
            return RANDOM
        wanted = float(self.certificate["target_divergence"])
        return {0.0: MIN, 1.0: MAX}.get(wanted, f"c = {wanted:g}")


def read_certified(benchmark: Benchmark) -> Certified | None:
    """A benchmark with its certificate, if it has one."""
    path = benchmark.path / "certificate.json"
    return Certified(benchmark, read_json(path)) if path.is_file() else None


@dataclass(frozen=True, slots=True)
class MeasuredSplit(Estimate):
    """A score with its interval; with several splits their mean."""

    splits: int = 1


@dataclass(frozen=True)
class Division:
    """The findings of one run on one divergent split, and the split's certificate."""

    report: Findings
    certified: Certified

    @property
    def certificate(self) -> Mapping[str, Any]:
        """What the builder wrote of the split."""
        return self.certified.certificate

    @property
    def name(self) -> str:
        """The benchmark's name."""
        return self.report.source.benchmark.manifest.name

    @property
    def target(self) -> str:
        """The target language."""
        return self.report.source.benchmark.manifest.target

    @property
    def seed(self) -> int:
        """The seed of the split."""
        return self.report.source.benchmark.manifest.seed

    @property
    def kind(self) -> str:
        """`min`, `random` or `max` as in the paper, else the divergence that was asked for."""
        return self.certified.kind

    @property
    def test(self) -> dict[str, Any]:
        """What the certificate says of the test set."""
        shared: dict[str, Any] = self.certificate["splits"][SPLIT]
        return shared


def make_division(report: Findings) -> Division:
    """Return a report of one run with the certificate of its split."""
    benchmark = report.source.benchmark
    certificate = read_certified(benchmark)
    if certificate is None:
        raise DataError(f"{benchmark.path} is a divergent split, but has no certificate.json")
    return Division(report, certificate)


@dataclass(frozen=True)
class Family:
    """Runs on splits of one corpus by several divergences."""

    divisions: tuple[Division, ...]
    metric: str

    @cached_property
    def report(self) -> Findings:
        """One report of all splits, which knows all systems and gives them colours."""
        first = self.divisions[0].report
        return replace(
            first, results=tuple(s for division in self.divisions for s in division.report.results)
        )

    @cached_property
    def controls(self) -> dict[str, str]:
        """System -> its control, and controls to themselves."""
        problems: dict[str, str] = {}
        for division in self.divisions:
            problems |= division.report.source.controls
        return problems

    @property
    def comparators(self) -> frozenset[str]:
        """Systems that are there for others to stand beside: controls, and a neutral one."""
        return frozenset((*self.controls.values(), self.neutral))

    @cached_property
    def neutral(self) -> str:
        """The system that learnt from neither side of any split; empty where none is named."""
        return next((r for division in self.divisions if (r := division.report.source.neutral)), "")

    @cached_property
    def learned(self) -> frozenset[str]:
        """Systems that learned from these splits: only of them a ratio says how they compose."""
        return frozenset[str]().union(*(division.report.learned for division in self.divisions))

    @property
    def systems(self) -> tuple[str, ...]:
        """All systems, in order of appearance."""
        return self.report.systems

    @property
    def targets(self) -> tuple[str, ...]:
        """All target languages."""
        return tuple(dict.fromkeys(division.target for division in self.divisions))

    def kinds(self, target: str) -> dict[str, list[Division]]:
        """The divisions of one target language by kind, the least divergent first."""
        by_kind: dict[str, list[Division]] = {}
        mine = [division for division in self.divisions if division.target == target]
        for division in sorted(
            mine, key=lambda division: float(division.certificate["compound_divergence"])
        ):
            by_kind.setdefault(division.kind, []).append(division)
        return by_kind

    @property
    def ordered(self) -> list[Division]:
        """All divisions by target language and divergence."""
        kinds = [divisions for target in self.targets for divisions in self.kinds(target).values()]
        return [division for divisions in kinds for division in divisions]

    def results_of(self, division: Division) -> MetricResults | None:
        """A division's findings by the metric that all share."""
        return division.report.results_of(self.metric, SPLIT)

    def measured(self, divisions: Sequence[Division], system: str) -> MeasuredSplit | None:
        """A system's mean over splits of one corpus, whose test sets share sentences.

        How much they share is not known here, so the half-widths are averaged: the interval of
        test sets that go up and down together is as wide, and no other is wider.
        """
        scores = [
            results.overall(system)
            for results in map(self.results_of, divisions)
            if results is not None and system in results.systems
        ]
        if not scores:
            return None
        mean = sum(score.value for score in scores) / len(scores)
        below, above = (
            sum(widths) / len(scores)
            for widths in (
                [score.value - score.low for score in scores],
                [score.high - score.value for score in scores],
            )
        )
        return MeasuredSplit(mean, mean - below, mean + above, splits=len(scores))


def make_family(reports: Sequence[Findings]) -> Family:
    """Return reports on divergent splits as a family."""
    divisions = tuple(map(make_division, reports))
    names = [
        {results.metric for results in division.report.results if results.split == SPLIT}
        for division in divisions
    ]
    shared = set.intersection(*names)
    order = [results.metric for results in divisions[0].report.results if results.split == SPLIT]
    metric = next((name for name in order if name in shared), None)
    if metric is None:
        raise DataError(
            f"the runs share no metric on the split '{SPLIT}'",
            hint="score all of them with the same metric, chrf++ for the generalisation score",
        )
    family = Family(divisions, metric)
    _require_one_corpus(family)
    return family


# What the certificates of all splits of one corpus share.
CORPUS_FACTS = ("sentences", "atoms", "compounds", "atom_alpha", "compound_alpha")


def are_of_one_corpus(reports: Iterable[Findings]) -> bool:
    """Whether reports on divergent splits may be put together."""
    try:
        make_family(list(reports))
    except DataError:
        return False
    return True


def _require_one_corpus(family: Family) -> None:
    """Raise when the splits of a target language are of different corpora, or scored otherwise."""
    for target in family.targets:
        first, *others = [division for division in family.divisions if division.target == target]
        for other in others:
            for fact in CORPUS_FACTS:
                mine, theirs = (division.certificate.get(fact) for division in (first, other))
                if mine != theirs:
                    raise DataError(
                        f"{first.name} and {other.name} are not splits of one corpus by one "
                        f"definition: {fact} {mine} and {theirs}",
                        hint="suites are set side by side with --scorecard",
                    )
            all_results = [family.results_of(division) for division in (first, other)]
            signatures = {
                comparable(results.signature) for results in all_results if results is not None
            }
            if len(signatures) > 1:
                raise DataError(
                    f"{family.metric} is not the same metric on {first.name} and {other.name}: "
                    f"{' / '.join(sorted(signatures))}",
                    hint="score both with the same options and versions",
                )


def missing_members(family: Family) -> list[str]:
    """Say which members of a series have no run here, because it was stopped, for one."""
    from recombine.builders.divergent.series import read_series

    there = {division.report.source.benchmark.path.resolve() for division in family.divisions}
    missing = []
    for folder in sorted({path.parent for path in there}):
        if (folder / "series.toml").is_file():
            members = [
                member.benchmark.resolve() for member in read_series(folder / "series.toml").member
            ]
            absent = [path.name for path in members if path not in there]
            if absent and len(absent) < len(members):
                missing.append(
                    f"{len(absent)} of the {len(members)} splits of {folder.name} are not in this "
                    f"report: {', '.join(absent)}"
                )
    return missing
