"""How many seeds would show a gain, from the scores of the seeds there are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recombine.report.reading.observations import read_observations
from recombine.report.reading.runs import open_runs
from recombine.statistics.power import DEFAULT_GAINS, plan_power


def power_plan(
    runs: Sequence[Path], *, gain: float | None = None, metric: str = "", split: str = ""
) -> dict[str, Any]:
    """`recombine report --power POINTS`: the plan for one metric and split of these runs."""
    source = open_runs([Path(run) for run in runs])
    split = split or source.splits()[0]
    metric = metric or source.metrics(split)[0]
    table = read_observations(source, metric, split)
    scores = {name: list(table.seed_scores(name).values()) for name in table.systems}
    # A system that says the same with every seed has no luck that others could be planned by.
    varied = [row for row in scores.values() if len(row) == 1 or len(set(row)) > 1]
    gains = DEFAULT_GAINS if gain is None else (gain,)
    plan = plan_power(varied or list(scores.values()), metric=metric, split=split, gains=gains)
    return {
        "metric": metric,
        "split": split,
        "seed_scores": {name: [round(score, 3) for score in row] for name, row in scores.items()},
        "spread_over_seeds": {"sd": round(plan.sd, 3), "sd_upper_80": round(plan.sd_upper, 3)},
        "smallest_gain_now": round(plan.smallest_gain_now, 2),
        "seeds_per_system": [
            {"gain": row.gain, "seeds": row.seeds, "seeds_if_spread_is_larger": row.seeds_cautious}
            for row in plan.rows
        ],
        "test": f"two-sided t-test over seeds, alpha {plan.alpha}, power {plan.power}",
    }
