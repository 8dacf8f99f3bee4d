"""From aligned observations to scores with intervals: overall, and for every value of every tag."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from recombine.metrics.score import Score, make_score
from recombine.report.options import ReportOptions
from recombine.report.reading.panel import Panel
from recombine.statistics.sample import Sample


def overall(panel: Panel, options: ReportOptions) -> list[Score]:
    """One score per system on all keys."""
    sample = panel.sample(None, options)
    return [_score(panel, sample, system, "", "") for system in panel.systems]


def by_tag(panel: Panel, tag: str, options: ReportOptions) -> list[Score]:
    """One score per system and value of the tag, values in order of first appearance."""
    scores = []
    for value, where in panel.slices(tag).items():
        sample = panel.sample(where, options)
        scores += [_score(panel, sample, system, tag, value) for system in panel.systems]
    return scores


def _score(panel: Panel, sample: Sample, system: str, tag: str, value: str) -> Score:
    failed = panel.failed[system]
    keys = panel.sliced.all_keys(tag)[value] if tag else np.arange(len(failed))
    return make_score(
        sample,
        system,
        of=len(keys),
        failed=int(failed[keys].sum()),
        metric=panel.metric,
        split=panel.split,
        unit=panel.unit,
        signature=panel.signature,
        tag=tag,
        slice=value,
        undecided=panel.undecided,
    )


def sliceable_tags(panel: Panel) -> list[str]:
    """Tags worth slicing by."""
    return panel.sliced.worth()


def main_tag(panel: Panel) -> str | None:
    """The tag that names what is tested: the first one that slices."""
    tags = sliceable_tags(panel)
    for preferred in panel.main_tags:
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
        "split", "tag", "value", "metric", "system", "n", "of", "failed", "score", "ci_low",
        "ci_high", "method", "seeds", "sd", "min", "max", "signature",
        "undecided",
    ]  # fmt: skip
    rows: list[list[object]] = []
    for one in scores:
        rows.append(
            [
                one.split, one.tag, one.slice, one.metric, one.system, one.n, one.of, one.failed,
                round(one.value, 4), round(one.low, 4), round(one.high, 4), one.method,
                len(one.seeds), "" if math.isnan(one.sd) else round(one.sd, 4),
                round(min(one.seeds), 4), round(max(one.seeds), 4), one.signature,
                round(one.undecided, 4),
            ]
        )  # fmt: skip
    return columns, rows
