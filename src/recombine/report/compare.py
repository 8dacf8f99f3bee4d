"""How systems compare: paired differences, wins and losses, ties instead of ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from recombine.metrics.score import undecided_share
from recombine.metrics.slices import Rows
from recombine.report.options import ReportOptions
from recombine.report.reading.panel import Panel, read_panel
from recombine.report.reading.runs import open_runs
from recombine.report.scores import main_tag
from recombine.statistics.paired import PairedDifference, holm, mcnemar, tied_sets
from recombine.statistics.sample import Sample

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class SliceDifference:
    """Second minus first on one value of the main tag."""

    value: str
    n: int
    difference: PairedDifference
    p_adjusted: float
    higher_is_better: bool = True

    @property
    def verdict(self) -> str:
        """`win` of the second system, `loss`, or `tie` when the data cannot tell."""
        return verdict_of(self.difference, self.p_adjusted, self.higher_is_better)


def verdict_of(difference: PairedDifference, p_adjusted: float, higher_is_better: bool) -> str:
    """What a difference means for the second system; a lower error rate is a win.

    What could not be judged may be right: a difference that it could make up for is a tie. So is
    one without a p-value, of systems of which one lacks too many outputs.
    """
    if not p_adjusted < ALPHA or abs(difference.difference) <= difference.undecided:
        return "tie"
    return "win" if (difference.difference > 0) == higher_is_better else "loss"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on one metric and split; the second has the better score."""

    first: str
    second: str
    metric: str
    split: str
    n: int
    overall: PairedDifference
    p_adjusted: float
    slices: tuple[SliceDifference, ...]
    only_first: int
    only_second: int
    # Why there is no verdict, by system; empty where there is one.
    incomplete: Mapping[str, str] = field(default_factory=dict)

    def count(self, verdict: str) -> int:
        """Slices with that verdict."""
        return sum(one.verdict == verdict for one in self.slices)


def compare_panel(panel: Panel, options: ReportOptions) -> list[Comparison]:
    """Every pair of systems, the better one second; p-values Holm-adjusted over pairs, and over
    pairs and slices.
    """
    pairs = [(other, better) for better, other in combinations(_best_first(panel), 2)]
    overall = [_difference(panel, None, *pair, options) for pair in pairs]
    slices = _slices(panel, pairs, options)
    adjusted = holm([difference.p_value for difference in overall])
    comparisons = []
    for (first, second), difference, p_adjusted in zip(pairs, overall, adjusted, strict=True):
        only_first, only_second = _discordant(panel, first, second)
        incomplete = {name: why for name in (first, second) if (why := panel.lacking(name))}
        of_slices = slices[first, second]
        if incomplete:
            p_adjusted = math.nan
            of_slices = tuple(replace(part, p_adjusted=math.nan) for part in of_slices)
        both = judged_by_both(panel, first, second, None)
        comparisons.append(
            Comparison(
                first=first,
                second=second,
                metric=panel.metric,
                split=panel.split,
                n=len(panel.keys) if both is None else len(both),
                overall=difference,
                p_adjusted=p_adjusted,
                slices=of_slices,
                only_first=only_first,
                only_second=only_second,
                incomplete=incomplete,
            )
        )
    return comparisons


def _difference(
    panel: Panel,
    where: Rows | None,
    first: str,
    second: str,
    options: ReportOptions,
    sample: Sample | None = None,
) -> PairedDifference:
    """Second minus first on the keys that could be judged for both, or on those of a slice."""
    both = judged_by_both(panel, first, second, where)
    if both is not where:
        sample = panel.sample(both, options, (first, second))
    sample = sample or panel.sample(where, options)
    difference = sample.difference(first, second)
    behind = first if (difference.difference > 0) == panel.higher_is_better else second
    scale = panel.aggregator.scale
    return difference._replace(
        undecided=undecided_share(sample.tables[behind], panel.undecided, scale)
    )


def judged_by_both(panel: Panel, first: str, second: str, where: Rows | None) -> Rows | None:
    """The keys, of these or of all (None), that count for every seed of two systems.

    Of a share of what could be judged the other keys would be in one score and not in the other.
    """
    if panel.aggregator.kind != "ratio":
        return where
    tables = [*panel.tables(first, where), *panel.tables(second, where)]
    counted = np.all([table[:, 1] != 0 for table in tables], axis=0)
    if counted.all():
        return where
    return np.flatnonzero(counted) if where is None else where[counted]


def _slices(
    panel: Panel, pairs: Sequence[tuple[str, str]], options: ReportOptions
) -> dict[tuple[str, str], tuple[SliceDifference, ...]]:
    """Differences of each pair on each value of the main tag, all of them one family of tests."""
    tag = main_tag(panel)
    places = panel.slices(tag) if tag is not None else {}
    differences = []
    for where in places.values():
        sample = panel.sample(where, options)
        differences += [_difference(panel, where, *pair, options, sample) for pair in pairs]
    adjusted = holm([difference.p_value for difference in differences])
    slices: dict[tuple[str, str], list[SliceDifference]] = {pair: [] for pair in pairs}
    cells = ((value, where, pair) for value, where in places.items() for pair in pairs)
    for (value, where, pair), difference, p_adjusted in zip(
        cells, differences, adjusted, strict=True
    ):
        slices[pair].append(
            SliceDifference(value, len(where), difference, p_adjusted, panel.higher_is_better)
        )
    return {pair: tuple(of_pair) for pair, of_pair in slices.items()}


def _discordant(panel: Panel, first: str, second: str) -> tuple[int, int]:
    """Keys that only one of the two gets right, first seed of each (0/1 metrics)."""
    left = next(iter(panel.columns[first].values())).values
    right = next(iter(panel.columns[second].values())).values
    if not np.isin(np.concatenate([left, right]), (0.0, 1.0)).all():
        return 0, 0
    counted = mcnemar(left == panel.right_value, right == panel.right_value)
    return counted.only_first, counted.only_second


def ranking(panel: Panel, comparisons: Sequence[Comparison]) -> list[list[str]]:
    """Tied sets of systems, best set first: what the data allow to be said of ranks."""
    differ = {
        frozenset((one.first, one.second))
        for one in comparisons
        if verdict_of(one.overall, one.p_adjusted, panel.higher_is_better) != "tie"
    }
    return tied_sets(_best_first(panel), differ)


def _best_first(panel: Panel) -> list[str]:
    """The systems by score, whatever the data allow to be said of it."""
    direction = -1.0 if panel.higher_is_better else 1.0
    score = {name: float(np.mean(list(panel.seed_scores(name).values()))) for name in panel.systems}
    # Of what has no score nobody knows where it stands: last, and not between others.
    return sorted(
        panel.systems, key=lambda name: (math.isnan(score[name]), direction * score[name], name)
    )


def compare(
    runs: Sequence[Path], metric: str, split: str, options: ReportOptions | None = None
) -> list[Comparison]:
    """Compare every pair of systems of these runs on one metric and split."""
    source = open_runs(runs)
    return compare_panel(read_panel(source, metric, split), options or ReportOptions())
