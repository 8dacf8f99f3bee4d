"""A metric declares what its numbers mean, and gets every hook that it does not write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from recombine.benchmark import Benchmark
from recombine.errors import ConfigError
from recombine.metrics.base import (
    Metric,
    Observation,
    aggregator_of,
    require_kind,
)
from recombine.metrics.exact import Exact
from recombine.metrics.observations import measure_of
from recombine.metrics.scoring import create_metric
from recombine.metrics.surface import Chrf
from recombine.testing import check_metric, example_pairs

UNDECLARED = """
from dataclasses import dataclass
from recombine.metrics.observations import measure_of
from recombine.metrics.base import Metric, Observation

class {name}{parents}:
    name = "{name}"
    {declares}
    def key(self, example):
        return example.id
    def observe(self, items):
        return Observation(items[0].example.id, (items[0].example.id,), 1.0, (1.0,))
    def aggregate(self, stats):
        return float(stats[:, 0].mean())
    def signature(self):
        return "{name}"
"""


def test_a_metric_inherits_what_it_does_not_write():
    """The formula of its kind, one that works on many sums, nothing learned and nothing noted."""
    metric = Exact()
    assert isinstance(metric, Metric)
    rows = np.array([[1.0], [0.0], [0.0], [1.0]])
    assert metric.aggregate(rows) == 50
    assert aggregator_of(metric).from_sums(np.array([[2.0]]), np.array([4.0])) == [50]
    metric.prepare([])
    assert not metric.prepare_like(Exact())
    assert metric.notes() == {}
    assert np.isnan(metric.aggregate(np.empty((0, 1))))


@pytest.mark.parametrize(
    ("parents", "declares", "wrong"),
    [
        ("", "", "kind, higher_is_better, right_value, missing"),
        ("(Metric)", "kind = 'mean'", "higher_is_better, right_value, missing"),
        (
            "",
            "kind, higher_is_better, right_value, missing = 'mean', True, 1.0, 'empty'",
            "every hook",
        ),
        (
            "(Metric)",
            "kind, higher_is_better, right_value, missing = 'median', True, 1.0, 'empty'",
            "a kind that there is",
        ),
        (
            "(Metric)",
            "kind, higher_is_better, right_value, missing = 'mean', True, 1.0, 0",
            "a worth of missing outputs",
        ),
    ],
)
def test_a_metric_that_does_not_declare_is_refused(
    tmp_path, small_benchmark, parents, declares, wrong
):
    """Nothing about a metric is guessed from its numbers."""
    path = tmp_path / "own.py"
    path.write_text(UNDECLARED.format(name="Own", parents=parents, declares=declares))
    with pytest.raises(ConfigError, match=wrong) as caught:
        create_metric(f"{path}:Own", Benchmark.open(small_benchmark), {})
    assert "add-a-metric" in (caught.value.hint or "")


@dataclass(kw_only=True)
class Ratio(Metric):
    """A ratio with no best end: length of the output over length of the reference."""

    name: ClassVar[str] = "length"
    kind: ClassVar = "mean"
    higher_is_better: ClassVar[bool] = True
    right_value: ClassVar[float] = 1.0
    missing: ClassVar = "empty"
    unit: ClassVar[str] = "words per word"
    limits: ClassVar[tuple[float, float]] = (0.0, 2.0)

    def key(self, example):
        return example.id

    def observe(self, items):
        return Observation("a", ("a",), 1.9, (1.9,))

    def signature(self):
        return "length"


def test_another_unit_is_not_multiplied():
    """A score of 1.90 and one of 0.9948 are in one unit."""
    for value in (1.9, 0.9948):
        assert Ratio().aggregate(np.full((3, 1), value)) == pytest.approx(value)


def test_the_metric_of_the_guide_keeps_the_contract(repository, tmp_path, small_benchmark):
    """What docs/how-to/add-a-metric.md shows can be copied."""
    page = (repository / "docs" / "how-to" / "add-a-metric.md").read_text(encoding="utf-8")
    path = tmp_path / "length.py"
    path.write_text(page.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
    metric = create_metric(f"{path}:LengthMatch", Benchmark.open(small_benchmark), {})
    check_metric(metric, *example_pairs())
    # A system that says nearly nothing and one that is nearly right are in one unit.
    for value, expected in ((0.019, 1.90), (0.9948, 99.48)):
        assert metric.aggregate(np.full((3, 1), value)) == pytest.approx(expected)


def test_what_is_declared_is_kept_with_the_scores():
    """All that a reader of the numbers needs; of what is undecided only where something can be."""
    assert measure_of(Exact(), "").declares == {
        "kind": "mean", "higher_is_better": True, "right_value": 1.0, "missing": "empty",
        "unit": "percent", "limits": (0.0, 100.0), "clusters": (), "one_wording": True,
    }  # fmt: skip

    class Unsure(Exact):
        undecided = "unclear"

    assert measure_of(Unsure(), "").declares["undecided"] == "unclear"


@pytest.mark.parametrize("kind", ["mean", "rows"])
def test_an_aggregate_is_what_its_kind_makes_of_the_rows(kind):
    """Resampling would give other numbers; only `rows` is free."""

    class Off(Exact):
        def aggregate(self, stats):
            return 101 * float(stats[:, 0].mean())

    Off.kind = kind
    rows = np.array([[1.0], [0.0]])
    require_kind(Exact(), rows)
    if kind == "rows":
        require_kind(Off(), rows)
    else:
        with pytest.raises(ConfigError, match=r"give 50 where its aggregate gives 50\.5"):
            require_kind(Off(), rows)


def test_many_sums_are_aggregated_at_once():
    """Where a score is a function of sums; rows have to be drawn one by one."""

    class Rows(Exact):
        kind = "rows"

    assert aggregator_of(Chrf()).many is not None
    assert aggregator_of(Rows()).many is None
