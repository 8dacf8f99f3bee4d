"""A sample: what several systems and their seeds did on the same observations.

The one place where scores get intervals and differences get tests. All that is said rests on
`SampleUnits.contributions`, a table of seeds x units for each system.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.statistics.aggregate import Aggregator, Array, Clusters, SampleUnits, is_zero_one
from recombine.statistics.intervals import (
    FEWEST_VARIED,
    TOO_FEW,
    Component,
    Estimate,
    crossed_components,
    is_nothing,
    scaled_interval,
    share_components,
    two_sided_p,
    unknown,
)
from recombine.statistics.luck import PooledSeeds, SeedLuck, pooled_seeds
from recombine.statistics.paired import (
    FEWEST_UNITS,
    UNDECIDABLE,
    PairedDifference,
    difference_components,
    least_p,
    mcnemar,
    p_value_from_trials,
    reached,
    unpaired_components,
)

Swaps = npt.NDArray[np.int8]
CONFIDENCE, TRIALS = 0.95, 2_000
# Swaps held in memory at once (64 MB of float64).
BLOCK_CELLS = 8_000_000
EXACT_SINGLE = 2.0**24


class Sampling(NamedTuple):
    """What is asked of all intervals and tests of a report."""

    # What was sampled as a whole: a tag, `group` or `key`; "" is what the metric declares.
    cluster: str = ""
    confidence: float = CONFIDENCE
    # Random exchanges of outputs in a paired test of a corpus score or of clusters.
    trials: int = TRIALS
    seed: int = 0


class Sample:
    """Statistics of every system's seeds on the same observations, in the same order."""

    def __init__(
        self,
        tables: Mapping[str, Sequence[Array]],
        aggregator: Aggregator,
        clusters: Clusters | None = None,
        *,
        confidence: float = CONFIDENCE,
        trials: int = TRIALS,
        seed: int = 0,
    ) -> None:
        self.tables = tables
        self.aggregator = aggregator
        self.clusters = clusters
        self.confidence, self.trials, self.seed = confidence, trials, seed
        self.units = SampleUnits(len(next(iter(tables.values()))[0]), clusters)
        self._contributions: dict[str, Array] = {}

    def contributions(self, system: str) -> Array:
        """What each unit adds to the score of each seed of a system [seeds, units]."""
        if system not in self._contributions:
            self._contributions[system] = np.stack(
                [self.units.contributions(rows, self.aggregator) for rows in self.tables[system]]
            )
        return self._contributions[system]

    @property
    def freedom(self) -> float:
        """The degrees of freedom of the units; never below one."""
        return max(self.units.effective - 1, 1.0)

    def interval(self, system: str) -> Estimate:
        """The interval of a system's mean score over its seeds.

        One seed: of the choice of units alone. Several: of units and seeds, both as random.
        """
        tables = self.tables[system]
        aggregator = self.aggregator.judged(tables)
        counted = np.any([aggregator.counts(rows) for rows in tables], axis=0)
        if not counted.all():
            # What could not be judged is in no score, and it is no unit of the sample either.
            part = Sample(
                {system: [rows[counted] for rows in tables]},
                aggregator,
                None if self.clusters is None else self.clusters[counted],
                confidence=self.confidence,
            )
            if counted.any():
                return part.interval(system)
        scores = [aggregator.from_rows(rows) for rows in tables]
        estimate = float(np.mean(scores)) if counted.any() else math.nan
        kind = "clusters" if self.units.clustered else "items"
        is_verdict = aggregator.is_share(tables[0])
        if len(tables) == 1 and is_verdict and not self.units.clustered and counted.any():
            share = (estimate - aggregator.limits[0]) / aggregator.scale
            parts = share_components(share, self.units.count)
            parts = [part._replace(variance=part.variance * aggregator.scale**2) for part in parts]
            name = "Wilson"
        elif self.units.count < FEWEST_VARIED or math.isnan(estimate):
            return unknown(estimate)
        else:
            parts = crossed_components(self.contributions(system), self.freedom)
            if not math.isfinite(sum(part.variance for part in parts)):
                return unknown(estimate)  # without some unit there is no score
            name = f"Student's t over {kind}" if len(tables) == 1 else f"seeds and {kind}"
        return scaled_interval(
            estimate, parts, self.units.count, aggregator.limits, self.confidence, name
        )

    def seeds_of(self, first: str, second: str) -> PooledSeeds | None:
        """What the seeds of two systems did; None where neither has several."""
        return pooled_seeds(self.contributions(first), self.contributions(second))

    def difference(self, first: str, second: str, luck: SeedLuck | None = None) -> PairedDifference:
        """Second minus first, seeds taken into account where there are several.

        `luck` is what all slices of a comparison say of the variance over seeds on this one.

        One seed each: McNemar's exact test for verdicts that stand alone, else approximate
        randomisation. Several seeds: Student's t with the variance of seeds and of paired units.
        """
        tables = [*self.tables[first], *self.tables[second]]
        if not len(tables[0]):
            return UNDECIDABLE
        one_seed = len(tables) == 2
        means = [self._mean_score(system) for system in (first, second)]
        observed = means[1] - means[0]
        if math.isnan(observed) or self.units.count < FEWEST_VARIED:
            return PairedDifference(observed, method=TOO_FEW)
        parts = self._difference_parts(first, second, luck)
        variance = sum(part.variance for part in parts)
        if not math.isfinite(variance):
            return PairedDifference(observed, method=TOO_FEW)
        span = self._difference_interval(observed, parts, self.units.count)
        width = self.aggregator.limits[1] - self.aggregator.limits[0]
        speaking = self._speaking(first, second)
        # However small the variance, so few units cannot say more.
        least = least_p(speaking)
        flat = is_nothing(variance, width if math.isfinite(width) else abs(observed))
        p_value = least if flat else max(least, two_sided_p(observed, parts))
        kind = "clusters" if self.units.clustered else "items"
        test = f"Student's t over seeds and paired {kind}"
        if one_seed and self._are_verdicts(tables):
            p_value = mcnemar(tables[0][:, 0] == 1, tables[1][:, 0] == 1).p_value
            test = "McNemar"
        elif one_seed:
            trials = np.abs(self._swap_trials(first, second))
            beyond = p_value_from_trials(trials, abs(observed))
            # So many trials have no smaller p, and however many comparisons are corrected for, a
            # clear difference has to be told: beyond what trials can resolve Student's t says how
            # far out it lies.
            p_value = beyond if reached(trials, abs(observed)) else min(beyond, p_value)
            test = "approximate randomisation" + (" of clusters" if self.units.clustered else "")
        if speaking < FEWEST_UNITS:
            test = TOO_FEW
        return PairedDifference(observed, span.low, span.high, test, span.error, p_value=p_value)

    def paired_interval(self, first: str, second: str) -> Estimate:
        """Second minus first with the interval that `difference` gives, without a test."""
        observed = self._mean_score(second) - self._mean_score(first)
        if math.isnan(observed) or self.units.count < FEWEST_VARIED:
            return unknown(observed)
        parts = self._difference_parts(first, second)
        return self._difference_interval(observed, parts, self.units.count)

    def unpaired_interval(self, system: str, other: Sample, second: str) -> Estimate:
        """What `second` gets in another sample minus what `system` gets in this one."""
        observed = other._mean_score(second) - self._mean_score(system)
        units = min(self.units.count, other.units.count)
        if math.isnan(observed) or units < FEWEST_VARIED:
            return unknown(observed)
        tables = self.contributions(system), other.contributions(second)
        freedoms = self.freedom, other.freedom
        parts = unpaired_components(*tables, freedoms, one_system=system == second)
        return self._difference_interval(observed, parts, units)

    def gain_interval(self, system: str, neutral: str, other: Sample) -> Estimate:
        """What `neutral` gets more than `system` here, minus what it gets more in another sample.

        The seeds of `system` are the same in both; `neutral` has the same outputs whatever they
        are, so its own luck is no part of the interval.
        """
        observed, elsewhere = (
            sample._mean_score(neutral) - sample._mean_score(system) for sample in (self, other)
        )
        units = min(self.units.count, other.units.count)
        if math.isnan(observed - elsewhere) or units < FEWEST_VARIED:
            return unknown(observed - elsewhere)
        here, there = (
            sample.contributions(neutral).mean(axis=0) - sample.contributions(system)
            for sample in (self, other)
        )
        parts = unpaired_components(here, there, (self.freedom, other.freedom), one_system=True)
        return self._difference_interval(observed - elsewhere, parts, units)

    def _difference_parts(
        self, first: str, second: str, luck: SeedLuck | None = None
    ) -> list[Component]:
        tables = self.contributions(first), self.contributions(second)
        return difference_components(*tables, self.freedom, luck)

    def _difference_interval(
        self, observed: float, parts: Sequence[Component], units: int
    ) -> Estimate:
        if not math.isfinite(sum(part.variance for part in parts)):
            return unknown(observed)
        width = self.aggregator.limits[1] - self.aggregator.limits[0]
        return scaled_interval(observed, parts, units, (-width, width), self.confidence, "")

    def _mean_score(self, system: str) -> float:
        return float(np.mean([self.aggregator.from_rows(rows) for rows in self.tables[system]]))

    def _are_verdicts(self, tables: Sequence[Array]) -> bool:
        """Whether every observation is right or wrong and stands alone."""
        kind = self.aggregator.judged(tables).kind
        alone = kind == "mean" and not self.units.clustered
        return alone and all(is_zero_one(rows[:, :1]) for rows in tables)

    def _speaking(self, first: str, second: str) -> int:
        """How many units differ between two systems at all."""
        first_sums, other = (
            sum(self.units.sums(rows) for rows in self.tables[name]) / len(self.tables[name])
            for name in (first, second)
        )
        return int((~np.isclose(first_sums, other, rtol=1e-9, atol=1e-12)).any(axis=1).sum())

    def _swap_trials(self, first: str, second: str) -> Array:
        """Differences after exchanging outputs at random (Noreen 1989; Riezler & Maxwell 2005).

        Observations of one cluster are exchanged together: only whole clusters are exchangeable.
        """
        (first_rows,), (other,) = self.tables[first], self.tables[second]
        if self.aggregator.kind == "rows":
            return np.array(
                [
                    self.aggregator.from_rows(np.where(swap, first_rows, other))
                    - self.aggregator.from_rows(np.where(swap, other, first_rows))
                    for block in self._swaps()
                    for swap in block[:, self.units.members].astype(bool)[:, :, None]
                ]
            )
        moved = self._swapped[first] - self._swapped[second]
        counts = np.full(self.trials, float(len(first_rows)))
        left = self.aggregator.from_sums(other.sum(axis=0) + moved, counts)
        right = self.aggregator.from_sums(first_rows.sum(axis=0) - moved, counts)
        return left - right

    @cached_property
    def _swapped(self) -> dict[str, Array]:
        """What the units that each trial exchanges add to the sums of each system's statistics."""
        units = np.concatenate(
            [self.units.sums(tables[0]) for tables in self.tables.values()], axis=1
        )
        # Whole numbers are exact in single precision while their sums are small.
        whole = np.array_equal(units, np.rint(units))
        small = whole and float(np.abs(units).sum(axis=0).max(initial=0.0)) < EXACT_SINGLE
        units = units.astype(np.float32 if small else np.float64)
        sums = np.concatenate([block.astype(units.dtype) @ units for block in self._swaps()])
        parts = np.split(sums.astype(np.float64), len(self.tables), axis=1)
        return dict(zip(self.tables, parts, strict=True))

    def _swaps(self) -> Iterator[Swaps]:
        """Which units to exchange in each trial; all pairs of systems meet the same ones."""
        generator = np.random.default_rng(self.seed)
        size = max(1, BLOCK_CELLS // max(self.units.count, 1))
        for done in range(0, self.trials, size):
            yield generator.integers(0, 2, (min(size, self.trials - done), self.units.count), "i1")
