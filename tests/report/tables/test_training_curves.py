"""Consistency over training, from a run with checkpoints."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.report.runs import ReportRuns, open_source
from recombine.report.tables.table import Table
from recombine.report.tables.training_curves import (
    read_idiom_curves,
    read_states,
    scored_checkpoints,
    training_tables,
)
from report.learning_run import make_learning_run

STEPS = ["step-1", "step-20", "step-300"]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> ReportRuns:
    """Two systems with three checkpoints, the first of which does not translate yet."""
    return open_source([make_learning_run(tmp_path_factory.mktemp("learning"))])


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
    alone = ReportRuns(
        source.runs, source.benchmark, source.cells, source.names, tuple(final), source.notes
    )
    assert training_tables(alone) == []
