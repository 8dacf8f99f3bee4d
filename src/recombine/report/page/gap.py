"""What new sentences cost, on the page: one bar and one sentence for each system."""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup

from recombine.report.findings import Findings
from recombine.report.gap import GapParts, gap_sentences
from recombine.report.page.shown import SystemLook, look
from recombine.templates import number, render


class GapPiece(NamedTuple):
    """A part of a bar: what it is, its width in percent, and its points."""

    name: str
    width: float
    points: str


class GapBar(NamedTuple):
    """The familiar score of a system as one bar in parts."""

    system: SystemLook
    pieces: tuple[GapPiece, ...]


def gap_section(report: Findings) -> Markup:
    """A bar per system with a control: right anyway, composition, difficulty; and what it says."""
    sentences = gap_sentences(report.gaps, report.method.control)
    if not sentences:
        return Markup()
    bars = [_bar(report, parts) for parts in report.gaps if not parts.tag]
    return render("gap", sentences=sentences, bars=[bar for bar in bars if bar is not None])


def _bar(report: Findings, parts: GapParts) -> GapBar | None:
    """The familiar score as one bar: what is left of it on new sentences, and what is lost to what.

    Only drawn where the parts lie side by side: a metric to be kept low has no such bar, and a
    part below zero (the control does worse) no width; the other one is the whole gap then.
    """
    low, high = report.main.limits
    gap, composition, difficulty = parts.gap, parts.composition, parts.difficulty
    if gap is None or composition is None or difficulty is None:
        return None
    if not report.main.higher_is_better:
        return None
    scale = (high - low) if 0 < high - low < float("inf") else 100.0
    points = {
        "new": parts.new.value - (low if low > float("-inf") else 0.0),
        "composition": composition.value,
        "difficulty": difficulty.value,
    }
    # The bar ends at the familiar score.
    most = {"new": points["new"], "composition": gap.value, "difficulty": gap.value}
    pieces = (
        GapPiece(name, max(0.0, 100 * min(value, most[name]) / scale), number(value))
        for name, value in points.items()
    )
    return GapBar(look(report, parts.system), tuple(pieces))
