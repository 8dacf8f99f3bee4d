"""Training curves from scored checkpoints."""

from __future__ import annotations

import shutil

from recombine.report.checkpoints import checkpoint_points, checkpoint_table, step_of
from recombine.report.observations import open_source
from recombine.report.options import ReportOptions


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
    source = open_source([copy])
    points = checkpoint_points(source, "exact", "gen", ReportOptions())
    assert [point.checkpoint for point in points[::3]] == ["step-200", "step-1000"]
    assert len(checkpoint_table(points, "exact", "gen").rows) == 6
    assert source.splits() == ("gen", "test")


def test_step_numbers():
    """The last number of the name counts."""
    assert (step_of("step-1500"), step_of("epoch-2.5"), step_of("best")) == (1500.0, 2.5, -1.0)
