"""The contract suites accept what keeps the contract and name what breaks it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

from recombine.benchmark import Example
from recombine.builders.imported import Imported, SplitFiles
from recombine.errors import ConfigError
from recombine.metrics.base import Metric, Missing, Observation, Scored, Stats
from recombine.metrics.exact import Exact
from recombine.metrics.surface import Bleu, Chrf, ChrfPlusPlus
from recombine.statistics.aggregate import Kind
from recombine.systems.base import System
from recombine.systems.toy import Copy, Dictionary, NoisyOracle
from recombine.testing import check_builder, check_metric, check_system, example_pairs


def test_toy_systems_keep_the_contract(tmp_path, small_benchmark):
    """Every system without outside needs is run through the suite."""
    words = tmp_path / "words.tsv"
    words.write_text("dog\tHund\n", encoding="utf-8")
    for system in (Copy(), Dictionary(path=words), NoisyOracle(benchmark=small_benchmark)):
        check_system(system)


@pytest.mark.parametrize("metric", [Exact(), Bleu(), Chrf(), ChrfPlusPlus()])
def test_surface_metrics_keep_the_contract(metric):
    """Finite, order-free, repeatable, best on perfect output."""
    check_metric(metric, *example_pairs())


def test_the_imported_builder_keeps_the_contract(tmp_path):
    """Valid rows and the same bytes twice."""
    (tmp_path / "s").write_text("a\nb\n")
    check_builder(lambda: Imported(split={"test": SplitFiles(source=tmp_path / "s")}))


@dataclass(kw_only=True)
class Agreement(Metric):
    """The share of words that are in the reference; broken by what is given."""

    name: ClassVar[str] = "agreement"
    kind: ClassVar[Kind] = "mean"
    higher_is_better: ClassVar[bool] = True
    right_value: ClassVar[float] = 1.0
    missing: ClassVar[Missing] = "empty"
    factor: float = 1.0

    def key(self, example: Example) -> str:
        return example.id

    def observe(self, items: Sequence[Scored]) -> Observation:
        (item,) = items
        wanted = item.example.references[0].split()
        share = sum(word in item.hypothesis.split() for word in wanted) / len(wanted)
        name = item.example.id
        return Observation(name, (name,), share, (self.factor * share,))

    def signature(self) -> str:
        return "agreement"


class Shares(Agreement):
    """A mean that is not the percentage that it is said to be."""

    def aggregate(self, stats: Stats) -> float:
        return float(stats[:, 0].mean())


class Faults(Agreement):
    """Higher is said to be better, and what is right scores worst."""

    def observe(self, items: Sequence[Scored]) -> Observation:
        found = super().observe(items)
        return replace(found, stats=(1 - found.stats[0],))


def test_a_metric_that_keeps_its_declaration_passes():
    """A graded mean with nothing but a declaration, key, observe and signature."""
    check_metric(Agreement(), *example_pairs())


@pytest.mark.parametrize(
    ("metric", "rule"),
    [
        (Shares(), "declares the kind 'mean' and the unit 'percent'"),
        (Agreement(factor=2.0), "outside the declared limits"),
        (Faults(), "right value 1 score worse"),
    ],
)
def test_a_false_declaration_is_told_which(metric: Metric, rule: str):
    """Kind, range, direction and right value are checked against the numbers."""
    with pytest.raises((AssertionError, ConfigError), match=rule):
        check_metric(metric, *example_pairs())


class Loses:
    """A system that drops its last answer."""

    def translate(self, sources: Sequence[str]) -> Iterator[str]:
        return iter(sources[:-1])


class Sorts:
    """A system whose output depends on the order of its input."""

    def translate(self, sources: Sequence[str]) -> Iterator[str]:
        return iter([f"{number}" for number, _ in enumerate(sources)])


@pytest.mark.parametrize(("system", "rule"), [(Loses(), "one for each"), (Sorts(), "order")])
def test_a_broken_system_is_told_which_rule(system: System, rule: str):
    """The suite can fail."""
    with pytest.raises(AssertionError, match=rule):
        check_system(system)
