"""Training curves from scored checkpoints."""

from __future__ import annotations

import shutil

from recombine.metrics.score import Score
from recombine.report.reading.runs import open_runs
from recombine.report.tables.checkpoints import (
    Point,
    checkpoint_points,
    checkpoint_table,
    slice_table,
    step_of,
)
from recombine.report.words import read_words


def test_points_come_in_training_order(run, tmp_path):
    """Checkpoints are read beside the final scores, sorted by their number."""
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    for cell in copy.glob("*/seed-*"):
        for step in (1000, 200):
            for suffix in ("jsonl", "meta.json"):
                shutil.copy(
                    cell / "scores" / f"exact.gen.{suffix}",
                    cell / "scores" / f"exact.gen@step-{step}.{suffix}",
                )
    source = open_runs([copy])
    points = checkpoint_points(source, "exact", "gen")
    assert [point.checkpoint for point in points[::3]] == ["step-200", "step-1000"]
    assert len(checkpoint_table(points, "exact", "gen", "Exact match").rows) == 6
    assert source.splits() == ("gen", "test")


def point(step: int, system: str, score: float, slices: dict[str, float]) -> Point:
    """A point of the metric exact on gen, by pattern."""
    found = Score(
        metric="exact", split="gen", system=system, value=score, low=score, high=score, n=2, of=2,
        failed=0, unit="percent", method="wilson", seeds=(score,),
    )  # fmt: skip
    return Point(f"step-{step}", float(step), found, "pattern", slices)


def test_patterns_have_their_own_curve():
    """A score that stands still may hide patterns that do not: the note names them."""
    points = [
        point(10, "small", 50.0, {"deep": 90.0, "pp_depth_3": 10.0}),
        point(10, "large", 50.0, {"deep": 50.0}),
        point(20, "small", 50.5, {"deep": 20.0, "pp_depth_3": 81.0}),
    ]
    table = slice_table(points, ("small", "large"), "exact", "gen", "Exact match", read_words())
    assert table is not None
    assert table.name == "training-exact-gen-by-pattern"
    assert table.rows == (
        ("deep", 10, 90.0, 50.0),
        ("deep", 20, 20.0, None),
        ("pp_depth_3", 10, 10.0, None),
        ("pp_depth_3", 20, 81.0, None),
    )
    (note,) = table.notes
    assert "small, from step 10 to 20: +0.5 in all" in note
    assert "most changed place phrases 3 deep +71.0, deep −70.0" in note


def test_no_table_where_nothing_is_sliced():
    """A split without tags has the curve of its score alone."""
    assert slice_table([], ("small",), "exact", "gen", "", read_words()) is None


def test_step_numbers():
    """The last number of the name counts."""
    assert (step_of("step-1500"), step_of("epoch-2.5"), step_of("best")) == (1500.0, 2.5, -1.0)
