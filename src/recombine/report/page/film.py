"""The map over training: a slider over the checkpoints that were scored, which colours the map."""

from __future__ import annotations

import json

from markupsafe import Markup

from recombine.report.figures.palette import limits
from recombine.report.findings import Findings
from recombine.report.page.map import has_map
from recombine.report.tables.table import Table
from recombine.templates import render

# What the slider shows at its end.
LAST = "the model that was scored"


def film(report: Findings, slices: Table | None) -> Markup:
    """A slider and what it shows; nothing where no checkpoints were scored by pattern.

    `slices` is the table of the main metric by value of the main tag and step.
    """
    if slices is None or "step" not in slices.columns or not has_map(report.main):
        return Markup()
    at = slices.columns.index("step")
    steps = sorted({step for row in slices.rows if isinstance(step := row[at], int)})
    if at != 1 or len(steps) < 2:
        return Markup()
    main = report.main
    scores: dict[str, dict[str, list[float | None]]] = {name: {} for name in main.systems}
    for value, step, *values in slices.rows:
        if not isinstance(step, int):
            continue  # a checkpoint without a number, such as "best"
        for system, score in zip(slices.columns[at + 1 :], values, strict=True):
            # Of a system without a score of the main metric there are checkpoints alone.
            line = scores.setdefault(system, {}).setdefault(str(value), [None] * len(steps))
            line[steps.index(step)] = round(score, 1) if isinstance(score, float) else None
    data = {
        "steps": steps,
        "last": LAST,
        "range": limits(main),
        "scale": "m" if main.higher_is_better else "w",
        "scores": scores,
    }
    return render(
        "film",
        metric=report.words.metric(main.metric),
        last=LAST,
        steps=len(steps),
        told=_range(steps),
        # "<" could end the script that holds the data.
        data=Markup(json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")),
    )


def _range(steps: list[int]) -> str:
    return f"{len(steps)} checkpoints, step {steps[0]:,} to {steps[-1]:,}"
