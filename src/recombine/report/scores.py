"""From aligned observations to scores with intervals: overall, and for every value of every tag."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recombine.report.options import ReportOptions
from recombine.report.panel import Panel, PanelPart
from recombine.statistics.intervals import SLICE_SAMPLES, Interval
from recombine.statistics.seeds import Spread, spread, system_interval

# A tag with more values than this is an identifier, not a way to slice.
MOST_VALUES = 300
# Corpus metrics are re-aggregated per resample in Python: only tags with few values are sliced, so
# that a report stays a matter of seconds.
MOST_VALUES_RESAMPLED = 60


@dataclass(frozen=True, slots=True)
class Score:
    """One number of the report with everything needed to trust it."""

    system: str
    metric: str
    split: str
    tag: str
    value: str
    n: int
    interval: Interval
    spread: Spread
    signature: str

    @property
    def estimate(self) -> float:
        """The mean over seeds, in points."""
        return self.interval.estimate


def overall(panel: Panel, options: ReportOptions) -> list[Score]:
    """One score per system on all keys."""
    part = panel.part(None, options.cluster, options.seed)
    return [
        _score(panel, part, system, "", "", options, options.samples) for system in panel.systems
    ]


def by_tag(panel: Panel, tag: str, options: ReportOptions) -> list[Score]:
    """One score per system and value of the tag, values in order of first appearance."""
    rows = []
    for value, where in panel.slices(tag).items():
        part = panel.part(where, options.cluster, options.seed)
        for system in panel.systems:
            rows.append(_score(panel, part, system, tag, value, options, SLICE_SAMPLES))
    return rows


def _score(
    panel: Panel,
    part: PanelPart,
    system: str,
    tag: str,
    value: str,
    options: ReportOptions,
    samples: int,
) -> Score:
    tables = part.tables[system]
    span = system_interval(
        tables, panel.aggregator, part.draws, samples=samples, confidence=options.confidence
    )
    return Score(
        system=system,
        metric=panel.metric,
        split=panel.split,
        tag=tag,
        value=value,
        n=part.size,
        interval=span,
        spread=spread([panel.aggregator.from_rows(table) for table in tables]),
        signature=panel.signature,
    )


def sliceable_tags(panel: Panel) -> list[str]:
    """Tags worth slicing by: two or more values, and not an identifier."""
    limit = MOST_VALUES if panel.aggregator.kind in ("mean", "ratio") else MOST_VALUES_RESAMPLED
    found = []
    for tag in panel.tags:
        values = len(panel.slices(tag))
        if 2 <= values <= limit and values < len(panel.keys):
            found.append(tag)
    return found


def main_tag(panel: Panel) -> str | None:
    """The tag that names what is tested: the first one that slices."""
    tags = sliceable_tags(panel)
    for preferred in ("pattern", "idiom", "synonym", "template"):
        if preferred in tags:
            return preferred
    return tags[0] if tags else None


def is_number(text: str) -> bool:
    """Whether a tag value is a number (and so belongs on a line, not in a list)."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def numeric_tags(panel: Panel) -> list[str]:
    """Sliceable tags whose values are all numbers: depths and lengths.

    Two values are a yes and a no, not a line.
    """
    return [
        tag
        for tag in sliceable_tags(panel)
        if len(panel.slices(tag)) > 2 and all(map(is_number, panel.slices(tag)))
    ]


def all_scores(panel: Panel, options: ReportOptions) -> Iterator[Score]:
    """Every number of one panel: overall first, then each tag."""
    yield from overall(panel, options)
    for tag in sliceable_tags(panel):
        yield from by_tag(panel, tag, options)


def tidy_rows(scores: Sequence[Score]) -> tuple[list[str], list[list[object]]]:
    """Columns and rows of results.csv, one number per row."""
    columns = [
        "split", "tag", "value", "metric", "system", "n", "score", "ci_low", "ci_high", "method",
        "seeds", "sd", "min", "max", "signature",
    ]  # fmt: skip
    rows: list[list[object]] = []
    for one in scores:
        rows.append(
            [
                one.split, one.tag, one.value, one.metric, one.system, one.n,
                round(one.estimate, 4), round(one.interval.low, 4), round(one.interval.high, 4),
                one.interval.method, one.spread.seeds,
                "" if math.isnan(one.spread.sd) else round(one.spread.sd, 4),
                round(one.spread.low, 4), round(one.spread.high, 4), one.signature,
            ]
        )  # fmt: skip
    return columns, rows
