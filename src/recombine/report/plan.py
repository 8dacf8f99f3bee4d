"""What a report would read, and how long it would take, for --dry-run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recombine.experiment.plan import report_cost
from recombine.report.reading.runs import open_runs


def plan_report(runs: Sequence[Path], out: Path, sample: int = 0) -> dict[str, Any]:
    """Say what a report would read and how long it would take."""
    source = open_runs([Path(run) for run in runs])
    rows = 0
    for path in (one.path for one in source.scores if one.path is not None):
        with path.open("rb") as stream:
            count = sum(1 for _ in stream)
        rows += min(count, sample) if sample else count
    return {
        "runs": [str(run) for run in runs],
        "out": str(out),
        "systems": list(source.systems),
        "splits": {split: list(source.metrics(split)) for split in source.splits()},
        "observations": rows,
        **report_cost(rows).row(),
    }
