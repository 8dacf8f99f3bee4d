"""What new sentences cost, on the page: one bar and one sentence for each system."""

# ruff: noqa: E501  HTML is easier to read, and to compare with its output, in unbroken lines.
from __future__ import annotations

from html import escape

from recombine.report.findings import Findings
from recombine.report.gap import GapParts, gap_sentences
from recombine.report.page.sections import colour, swatch


def gap_section(report: Findings) -> str:
    """A bar per system with a control: right anyway, composition, difficulty; and what it says."""
    sentences = gap_sentences(report.gaps)
    if not sentences:
        return ""
    drawn = "".join(_bar(report, parts) for parts in report.gaps if not parts.tag)
    key = (
        '<p class="key small quiet"><b class="gap-key new"></b> on new sentences '
        '<b class="gap-key composition"></b> lost: composition '
        '<b class="gap-key difficulty"></b> lost: difficulty</p>'
    )
    told = " ".join(escape(sentence) for sentence in sentences)
    bars = f'<dl class="verdict-bars">{drawn}</dl>{key}' if drawn else ""
    return f'<section class="gap">{bars}<p>{told}</p></section>'


def _bar(report: Findings, parts: GapParts) -> str:
    """The familiar score as one bar: what is left of it on new sentences, and what is lost to what.

    Only drawn where the parts lie side by side: a metric to be kept low has no such bar, and a
    part below zero (the control does worse) no width.
    """
    low, high = report.main.limits
    if parts.composition is None or parts.difficulty is None or not report.main.higher_is_better:
        return ""
    scale = (high - low) if 0 < high - low < float("inf") else 100.0
    widths = {
        "new": parts.new.value - (low if low > float("-inf") else 0.0),
        "composition": parts.composition.value,
        "difficulty": parts.difficulty.value,
    }
    pieces = "".join(
        f'<u class="{name}" style="width:{max(0.0, 100 * width / scale):.1f}%" '
        f'title="{name} {width:.1f}"></u>'
        for name, width in widths.items()
    )
    return f'<div><dt>{swatch(report, parts.system)}</dt><dd class="{colour(report, parts.system)}"><div class="gap-bar">{pieces}</div></dd></div>'
