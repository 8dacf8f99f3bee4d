"""Colours of scores: one sequential scale on the range that a metric declares."""

from __future__ import annotations

import math

from recombine.metrics.score import Score
from recombine.report.results import MetricResults

# Steps of the scale.
STEPS = 10


def level(results: MetricResults, value: float) -> float:
    """Where a value lies on the range that its metric declares, from 0 to 1."""
    low, high = results.limits
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        low, high = 0.0, 100.0
    return value if math.isnan(value) else max(0.0, min(1.0, (value - low) / (high - low)))


def step(share: float, good: bool) -> str:
    """The class of a share from 0 to 1; what is to be kept low has a scale of its own."""
    return f"{'m' if good else 'w'}{round(STEPS * share)}"


def shade(results: MetricResults, score: Score) -> str:
    """The class that colours a score."""
    return step(level(results, score.value), results.higher_is_better)
