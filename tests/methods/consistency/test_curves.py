"""Consistency and idioms over training."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import pearsonr

from recombine.builders.consistency.training import count_idioms
from recombine.methods.consistency.curves import (
    Curve,
    TrainingState,
    curve_table,
    idiom_curves,
    read_idiom_curves,
    read_states,
    scored_checkpoints,
    training_tables,
)
from recombine.metrics.base import Observation
from recombine.report.reading.runs import ReportRuns, open_runs
from recombine.report.tables.table import Table
from report.learning_run import make_learning_run

STEPS = ["step-1", "step-20", "step-300"]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> ReportRuns:
    """Two systems with three checkpoints, the first of which does not translate yet."""
    return open_runs([make_learning_run(tmp_path_factory.mktemp("learning"))])


@pytest.fixture(scope="module")
def tables(source: ReportRuns) -> dict[str, Table]:
    """The curves as tables."""
    return {table.name: table for table in training_tables(source)}


def test_every_test_has_its_curve(tables: dict[str, Table]) -> None:
    """Figures 1 to 3, idioms one by one, peaks and ends, and what was left out."""
    assert list(tables) == [
        "training-systematicity",
        "training-substitutivity",
        "training-overgeneralisation",
        "training-idioms",
        "figure-3-curves",
        "training-checkpoints",
    ]
    four = tables["training-systematicity"]
    assert four.columns == ("data", "condition", "step", "large", "small")
    assert {row[:2] for row in four.rows} == {
        ("synthetic", one) for one in ("np", "vp", "s1p", "s3")
    }
    assert {row[3] for row in four.rows} == {100.0}
    measures = {row[1] for row in tables["training-substitutivity"].rows}
    assert measures == {"sentence", "term"}


def test_a_checkpoint_that_does_not_translate_gives_no_point(
    source: ReportRuns, tables: dict[str, Table]
) -> None:
    """One output for every source would be perfectly consistent and never literal."""
    assert scored_checkpoints(source) == STEPS
    states = read_states(source, STEPS)
    assert [one.translates for one in states] == [False, True, True] * 2
    assert states[0].collapsed == 1.0
    for name in ("training-systematicity", "training-substitutivity", "training-idioms"):
        assert {row[-3] for row in tables[name].rows} == {20, 300}
    assert tables["training-checkpoints"].rows[0][-1] == "no"


def test_idioms_rise_and_fall(source: ReportRuns, tables: dict[str, Table]) -> None:
    """The larger system unlearns all of them, the smaller one none."""
    means = {row[:2]: row[2:] for row in tables["training-overgeneralisation"].rows}
    assert means["synthetic", 20][0] == means["synthetic", 20][1]
    assert means["synthetic", 300][0] == 0.0
    assert ("random-words", 300) in means
    rows = {row[:2]: row for row in tables["figure-3-curves"].rows}
    heart = rows["large", "by heart"]
    assert heart[3:7] == (100.0, "step-20", 0.0, 100.0)
    assert rows["small", "by heart"][5] == 100.0
    ready = {("large", name) for name in STEPS[1:]}
    curves = read_idiom_curves(source, "large", STEPS, ready)
    assert curves[""].checkpoints == ("step-20", "step-300")


def test_without_checkpoints_there_is_no_curve(tmp_path: Path, source: ReportRuns) -> None:
    """The final model alone makes no curve."""
    final = [one for one in source.scores if one.checkpoint is None]
    assert training_tables(replace(source, scores=tuple(final))) == []


def rows(idiom: str, literal: int, total: int, degenerate: int = 0) -> list[Observation]:
    """Return what the metric saw of an idiom."""

    def one(stats: tuple[float, float], kind: str) -> Observation:
        return Observation("", (), 0.0, stats, {"idiom": idiom, "class": kind})

    good = [
        one((float(place < literal), 1.0), "literal" if place < literal else "paraphrase")
        for place in range(total)
    ]
    return [*good, *(one((0.0, 0.0), "degenerate") for _ in range(degenerate))]


def test_a_curve_has_peak_end_and_drop() -> None:
    """Degenerate checkpoints give no point, so the curve does not begin at zero."""
    curves = idiom_curves(
        [
            ("step-1", rows("by heart", 0, 2, degenerate=18)),
            ("step-2", rows("by heart", 12, 20)),
            ("step-3", rows("by heart", 4, 20)),
        ]
    )
    curve = curves.idioms["by heart"]
    assert curve.values == (None, 0.6, 0.2)
    assert (curve.peak, curve.peak_at, curve.end) == (0.6, "step-2", 0.2)
    assert curve.drop is not None
    assert math.isclose(curve.drop, 0.4)
    assert curves.degenerate == (0.9, 0.0, 0.0)


def test_mean_leaves_out_idioms_without_a_value() -> None:
    """The mean over idioms skips missing cells instead of counting them as zero."""
    curves = idiom_curves(
        [
            ("step-1", [*rows("a", 10, 10), *rows("b", 0, 1)]),
            ("step-2", [*rows("a", 5, 10), *rows("b", 0, 10)]),
        ]
    )
    assert curves.mean.values == (1.0, 0.25)


def test_correlation_with_frequency() -> None:
    """Frequent idioms that are unlearned more give a positive correlation."""
    start = [row for idiom in "abc" for row in rows(idiom, 10, 10)]
    end = [*rows("a", 9, 10), *rows("b", 5, 10), *rows("c", 0, 10)]
    curves = idiom_curves([("step-1", start), ("step-2", end)])
    found = curves.correlation({"a": 10, "b": 100, "c": 1000})
    assert found is not None
    assert found > 0.99
    assert curves.correlation({"a": 10}) is None
    assert curves.correlation({"a": 5, "b": 5, "c": 5}) is None


def test_a_correlation_is_pearsons_of_the_logarithm() -> None:
    """Of the drop, the peak or the end; idioms that training lacks have no part in it."""
    start = [row for idiom in "abcd" for row in rows(idiom, 9, 10)]
    end = [*rows("a", 1, 10), *rows("b", 6, 10), *rows("c", 3, 10), *rows("d", 8, 10)]
    curves = idiom_curves([("step-1", start), ("step-2", end)])
    frequencies = {"a": 3, "b": 50, "c": 200, "d": 0}
    logarithms = [math.log(frequencies[idiom]) for idiom in "abc"]
    for of, values in (("drop", [0.8, 0.3, 0.6]), ("end", [0.1, 0.6, 0.3])):
        found = curves.correlation(frequencies, of)
        assert found == pytest.approx(pearsonr(logarithms, values).statistic)
    assert curves.correlation(frequencies, "peak") is None  # all peaks are alike
    assert curves.correlation({**frequencies, "a": 0}) is None  # two idioms


@pytest.mark.parametrize(
    ("degenerate", "collapsed", "translates"),
    [
        (0.5, 0.5, True),
        (0.51, 0.0, False),
        (0.0, 0.51, False),
        (None, None, True),
        (None, 1.0, False),
    ],
)
def test_half_of_the_outputs_may_be_unusable(
    degenerate: float | None, collapsed: float | None, translates: bool
) -> None:
    """Of either kind; what was not scored says nothing."""
    assert TrainingState("a", "step-1", degenerate, collapsed).translates is translates


@pytest.mark.parametrize(("judged", "value"), [(4, None), (5, 0.4)])
def test_a_point_needs_five_sentences(judged: int, value: float | None) -> None:
    """With fewer that could be judged it says nothing."""
    curves = idiom_curves([("step-1", rows("by heart", 2, judged, degenerate=20))])
    assert curves.idioms["by heart"].values == (value,)


def test_peaks_and_ends_in_percent() -> None:
    """The first of equal peaks; the mean has no frequency but a correlation, if three have one."""
    first = [*rows("a", 9, 10), *rows("b", 5, 10), *rows("c", 8, 10)]
    second = [*rows("a", 9, 10), *rows("b", 2, 10), *rows("c", 3, 10)]
    curves = idiom_curves([("step-1", first), ("step-2", second)])
    table = curve_table({"x": curves, "none": None}, {"a": 10, "b": 100, "c": 1000})
    by_name = {row[:2]: row[2:] for row in table.rows}
    assert list(by_name) == [("x", "a"), ("x", "b"), ("x", "c"), ("x", "mean")]
    assert by_name["x", "a"] == (10, 90.0, "step-1", 90.0, 0.0, None)
    assert by_name["x", "b"] == (100, 50.0, "step-1", 20.0, pytest.approx(30.0), None)
    drops = pearsonr([1.0, 2.0, 3.0], [0.0, 0.3, 0.5]).statistic
    assert by_name["x", "mean"] == (
        None, pytest.approx(220 / 3), "step-1", pytest.approx(140 / 3), pytest.approx(80 / 3),
        f"{drops:.2f}",
    )  # fmt: skip
    unknown = curve_table({"x": curves}, {})
    assert {row[2] for row in unknown.rows} == {None}
    assert unknown.rows[-1][-1] is None


def test_empty_curve() -> None:
    """Nothing scored: no peak, no end."""
    assert Curve(("step-1",), (None,)).peak_at is None
    assert Curve((), ()).drop is None


def test_idioms_are_counted_whatever_their_case() -> None:
    """Frequency counts sentences of the training text."""
    lines = ["Out of the blue it came .", "I know it by heart , by heart", "nothing"]
    assert count_idioms(lines, ["out of the blue", "by heart"]) == {
        "out of the blue": 1,
        "by heart": 1,
    }


def test_curves_of_a_sample(source):
    """A report on some examples has no point made of others."""
    part = replace(source, sample=3)
    for table in training_tables(part):
        assert table.rows
