"""The colours of figures: those of the page (data/page/page.css), so that both are read alike."""

from __future__ import annotations

from typing import Any

from recombine.report.findings import Findings
from recombine.report.results import MetricResults

Spec = dict[str, Any]

# Colours of systems, distinct also without colour vision; --s0 ... --s7 of the page.
PALETTE = ("#0b6bab", "#c0500a", "#12805c", "#a23c86", "#7a6a00", "#5a55c2", "#8c4a2f", "#56606b")
INK, SOFT, LINE = "#1d2127", "#5b6470", "#ddd9d0"
# Scores from low to high: --m0 ... --m10 where more is better, --w0 ... --w10 where it is worse.
MORE = (
    "#eef3f7", "#dae9f7", "#c2ddf6", "#acd1f2", "#96c4ec", "#7db5e4", "#62a3da", "#4591cd",
    "#1d76b4", "#05639d", "#005184",
)  # fmt: skip
WORSE = (
    "#f7f1ee", "#f6e4d8", "#f4d4bf", "#eec5aa", "#e7b493", "#dea27a", "#d38e5e", "#c57942",
    "#aa5d1c", "#944c06", "#7c3c00",
)  # fmt: skip
GOOD, BAD, TIE = "#14684b", "#a63a0a", "#8a8f96"
# What is written on the dark end of a scale, and from which share of it on.
ON_HIGH, HIGH = "#ffffff", 0.75
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "stroke", "arrow")

# Colours that are variables in the page, so that figures in it follow light and dark.
VARIABLES = {
    INK: "--ink", SOFT: "--soft", LINE: "--line", GOOD: "--good", BAD: "--bad",
    ON_HIGH: "--on-high",
    **{colour: f"--s{number}" for number, colour in enumerate(PALETTE)},
    **{colour: f"--m{number}" for number, colour in enumerate(MORE)},
    **{colour: f"--w{number}" for number, colour in enumerate(WORSE)},
}  # fmt: skip


def system_colour(report: Findings) -> Spec:
    """The colour channel: the same colour for a system in every figure and in the page."""
    return _by_system(report, PALETTE)


def system_shape(report: Findings) -> Spec:
    """The shape channel, for readers and printers without colour."""
    return _by_system(report, SHAPES)


def _by_system(report: Findings, values: tuple[str, ...]) -> Spec:
    systems = list(report.systems)
    chosen = [values[index % len(values)] for index in range(len(systems))]
    scale = {"domain": systems, "range": chosen}
    alone = {"legend": None} if len(systems) == 1 else {}
    return {"field": "system", "type": "nominal", "scale": scale, **alone}


def limits(results: MetricResults) -> list[float]:
    """The range of a metric's axis: the one it declares, or that of a percentage."""
    low, high = results.limits
    finite = float("-inf") < low < high < float("inf")
    return [low, high] if finite else [0.0, 100.0]


def score_colour(domain: list[float], *, higher_is_better: bool) -> Spec:
    """The colour of a score in steps, as in the map of the page."""
    colours = MORE if higher_is_better else WORSE
    low, high = domain
    edges = [low + (high - low) * (step + 0.5) / 10 for step in range(10)]
    return {
        "field": "score", "type": "quantitative", "legend": None,
        "scale": {"type": "threshold", "domain": edges, "range": list(colours)},
    }  # fmt: skip
