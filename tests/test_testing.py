"""The contract suites accept what keeps the contract and name what breaks it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from recombine.builders.imported import Imported, SplitFiles
from recombine.metrics.exact import Exact
from recombine.metrics.surface import Bleu, Chrf, ChrfPlusPlus
from recombine.systems.base import System
from recombine.systems.cost import Cost
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


class Loses:
    """A system that drops its last answer."""

    def translate(self, sources: Sequence[str]) -> Iterator[str]:
        return iter(sources[:-1])


class Sorts:
    """A system whose output depends on the order of its input."""

    def translate(self, sources: Sequence[str]) -> Iterator[str]:
        return iter([f"{number}" for number, _ in enumerate(sources)])


class Promises(Copy):
    """A system that says it will be done before it began."""

    def translation_cost(self, sources: Sequence[str], sentences: int) -> Cost:
        return Cost(-1.0, "hope")


@pytest.mark.parametrize(
    ("system", "rule"), [(Loses(), "one for each"), (Sorts(), "order"), (Promises(), "no time")]
)
def test_a_broken_system_is_told_which_rule(system: System, rule: str):
    """The suite can fail."""
    with pytest.raises(AssertionError, match=rule):
        check_system(system)
