"""How systems compare: paired differences, wins and losses, ties instead of ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from recombine.metrics.observations import ObservationTable
from recombine.metrics.score import undecided_share
from recombine.metrics.slices import Rows
from recombine.report.options import ReportOptions
from recombine.report.reading.observations import read_observations
from recombine.report.reading.runs import open_runs
from recombine.report.reading.validity import lacking
from recombine.statistics.luck import PooledSeeds, SeedLuck, luck_of_slices
from recombine.statistics.paired import PairedDifference, holm, mcnemar
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

    What could not be judged may be right or wrong: a difference that it could make up for is a tie.
    So is one without a p-value, of systems of which one lacks too many outputs.
    """
    if not p_adjusted < ALPHA or abs(difference.value) <= difference.undecided:
        return "tie"
    return "win" if (difference.value > 0) == higher_is_better else "loss"


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
        return sum(part.verdict == verdict for part in self.slices)


def comparisons_of(table: ObservationTable) -> list[Comparison]:
    """Every pair of systems, the better one second; p-values Holm-adjusted over pairs, and over
    pairs and slices.
    """
    pairs = [(other, better) for better, other in combinations(table.best_first, 2)]
    overall = [_difference(table, None, *pair) for pair in pairs]
    slices = _slices(table, pairs)
    adjusted = holm([difference.p_value for difference in overall])
    comparisons = []
    for (first, second), difference, p_adjusted in zip(pairs, overall, adjusted, strict=True):
        only_first, only_second = _discordant(table, first, second)
        incomplete = {name: why for name in (first, second) if (why := lacks(table, name))}
        of_slices = slices[first, second]
        if incomplete:
            p_adjusted = math.nan
            of_slices = tuple(replace(part, p_adjusted=math.nan) for part in of_slices)
        both = judged_by_both(table, first, second, None)
        comparisons.append(
            Comparison(
                first=first,
                second=second,
                metric=table.metric,
                split=table.split,
                n=len(table.keys) if both is None else len(both),
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
    table: ObservationTable,
    where: Rows | None,
    first: str,
    second: str,
    sample: Sample | None = None,
    luck: SeedLuck | None = None,
) -> PairedDifference:
    """Second minus first on the keys that could be judged for both, or on those of a slice."""
    sample = _judged_sample(table, where, first, second, sample)
    difference = sample.difference(first, second, luck)
    # The lower number is the one that may be higher: of a right share that of the system behind, of
    # an error rate that of the better one.
    lower = first if difference.value > 0 else second
    scale = table.aggregator.scale
    return replace(
        difference, undecided=undecided_share(sample.tables[lower], table.undecided, scale)
    )


def _judged_sample(
    table: ObservationTable, where: Rows | None, first: str, second: str, sample: Sample | None
) -> Sample:
    """What two systems did on the keys that could be judged for both; `sample` is of all keys."""
    both = judged_by_both(table, first, second, where)
    if both is not where:
        return table.sample(both, (first, second))
    return sample or table.sample(where)


def lacks(table: ObservationTable, system: str) -> str:
    """Why nothing can be concluded of a system; empty where something can."""
    failed = table.lacking[system]
    judged = min(int(table.aggregator.counts(rows).sum()) for rows in table.tables(system))
    return lacking(int(failed.sum()), judged, len(failed), len(table.seeds[system]))


def judged_by_both(
    table: ObservationTable, first: str, second: str, where: Rows | None
) -> Rows | None:
    """The keys, of these or of all (None), that count for every seed of two systems.

    Of a share of what could be judged the other keys would be in one score and not in the other.
    """
    if table.aggregator.kind != "ratio":
        return where
    tables = [*table.tables(first, where), *table.tables(second, where)]
    counted = np.all([rows[:, 1] != 0 for rows in tables], axis=0)
    if counted.all():
        return where
    return np.flatnonzero(counted) if where is None else where[counted]


def _slices(
    table: ObservationTable, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], tuple[SliceDifference, ...]]:
    """Differences of each pair on each value of the main tag, all of them one family of tests."""
    tag = table.main_tag
    places = table.slices(tag) if tag is not None else {}
    luck = _luck(table, places, pairs)
    differences = []
    for value, where in places.items():
        sample = table.sample(where)
        differences += [
            _difference(table, where, *pair, sample, luck.get((value, pair))) for pair in pairs
        ]
    adjusted = holm([difference.p_value for difference in differences])
    slices: dict[tuple[str, str], list[SliceDifference]] = {pair: [] for pair in pairs}
    cells = ((value, where, pair) for value, where in places.items() for pair in pairs)
    for (value, where, pair), difference, p_adjusted in zip(
        cells, differences, adjusted, strict=True
    ):
        slices[pair].append(
            SliceDifference(value, len(where), difference, p_adjusted, table.higher_is_better)
        )
    return {pair: tuple(of_pair) for pair, of_pair in slices.items()}


def _luck(
    table: ObservationTable, places: Mapping[str, Rows], pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, tuple[str, str]], SeedLuck | None]:
    """What all slices say of the variance over seeds on each; nothing of pairs with one seed."""
    pairs = [pair for pair in pairs if any(len(table.seeds[system]) > 1 for system in pair)]
    seeds: dict[tuple[str, str], dict[str, PooledSeeds]] = {pair: {} for pair in pairs}
    for value, where in places.items() if pairs else ():
        sample = table.sample(where)
        for pair in pairs:
            judged = _judged_sample(table, where, *pair, sample)
            slice_seeds = judged.seeds_of(*pair) if judged.units.count > 1 else None
            if slice_seeds is not None:
                seeds[pair][value] = slice_seeds
    return {
        (value, pair): luck
        for pair, slices in seeds.items()
        for value, luck in zip(slices, luck_of_slices(list(slices.values())), strict=True)
    }


def _discordant(table: ObservationTable, first: str, second: str) -> tuple[int, int]:
    """Keys that only one of the two gets right, first seed of each (0/1 metrics)."""
    left, right = (table.values[table.voices(system)[0]] for system in (first, second))
    if not np.isin(np.concatenate([left, right]), (0.0, 1.0)).all():
        return 0, 0
    counted = mcnemar(left == table.right_value, right == table.right_value)
    return counted.only_first, counted.only_second


def compare(
    runs: Sequence[Path], metric: str, split: str, options: ReportOptions | None = None
) -> list[Comparison]:
    """Compare every pair of systems of these runs on one metric and split."""
    source = replace(open_runs(runs), sampling=(options or ReportOptions()).sampling)
    return comparisons_of(read_observations(source, metric, split))
