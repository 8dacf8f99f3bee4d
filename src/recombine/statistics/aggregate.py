"""From statistics of observations to a score, and what each unit of the sample adds to it.

A unit is what was sampled: an observation, or all observations of one cluster (a target word, a
template). Everything that is said about the certainty of a score is said of its units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
# Numbers of rows.
Rows = npt.NDArray[np.int64]
# A cluster number per observation.
Clusters = npt.NDArray[np.int64]
Aggregate = Callable[[Array], float]
AggregateMany = Callable[[Array], Array]
Kind = Literal["mean", "ratio", "sums", "rows"]

# Leaving out one unit at a time takes as many aggregations as there are units. Where each of them
# is a call of Python, units are put together at random into so many groups (the delete-a-group
# jackknife, Kott 2001, Journal of Official Statistics 17:521-526).
MOST_CALLS = 1_000


@dataclass(frozen=True, slots=True)
class Aggregator:
    """How statistics of observations become a score, as the metric declares it.

    ``mean``: ``scale`` x the mean of the first column. ``ratio``: ``scale`` x the sum of the first
    column over the sum of the second (a share of what could be judged). ``sums``: a function of
    the column sums (BLEU, chrF). ``rows``: anything else.
    """

    kind: Kind
    # 100 where the statistics are shares and the score is a percentage.
    scale: float = 100.0
    limits: tuple[float, float] = (0.0, 100.0)
    # Of rows, for sums and rows; and of many rows of sums at once.
    aggregate: Aggregate | None = None
    many: AggregateMany | None = None

    def from_rows(self, rows: Array) -> float:
        """The score of these observations."""
        if self.aggregate is not None:
            return float(self.aggregate(rows))
        below = float(rows[:, 1].sum()) if self.kind == "ratio" else float(len(rows))
        return self.scale * float(rows[:, 0].sum()) / below if below else float("nan")

    def from_sums(self, sums: Array, counts: Array) -> Array:
        """Scores of samples given their column sums and their numbers of observations."""
        if self.aggregate is None:
            with np.errstate(invalid="ignore", divide="ignore"):
                below = sums[:, 1] if self.kind == "ratio" else counts
                return np.asarray(self.scale * sums[:, 0] / below, dtype=np.float64)
        if self.many is not None:
            return self.many(sums)
        return np.array([float(self.aggregate(row[None, :])) for row in sums])

    def counts(self, rows: Array) -> npt.NDArray[np.bool_]:
        """Which observations have a part in the score."""
        return rows[:, 1] != 0 if self.kind == "ratio" else np.ones(len(rows), dtype=bool)

    def judged(self, tables: Sequence[Array]) -> Aggregator:
        """A ratio of which every observation counts once is a mean; anything else is itself."""
        if self.kind == "ratio" and all(bool((rows[:, 1] == 1).all()) for rows in tables):
            return replace(self, kind="mean")
        return self

    def is_share(self, rows: Array) -> bool:
        """Whether the score is a share of right and wrong verdicts."""
        return (
            self.kind in ("mean", "ratio")
            and self.limits == (0.0, self.scale)
            and is_zero_one(rows[:, : 1 if self.kind == "mean" else 2])
        )


def is_zero_one(values: Array) -> bool:
    """Whether every number is a verdict."""
    return bool(np.all((values == 0) | (values == 1)))


def cluster_codes(labels: Sequence[str]) -> Clusters | None:
    """Cluster numbers of labels, an empty label alone; None where no two belong together."""
    codes = np.empty(len(labels), dtype=np.int64)
    numbers: dict[str, int] = {}
    for position, label in enumerate(labels):
        codes[position] = numbers.setdefault(label, len(numbers)) if label else -1 - position
    return codes if 1 < len(np.unique(codes)) < len(codes) else None


def some_clusters(clusters: Clusters | None, where: Rows | None) -> Clusters | None:
    """The cluster numbers of some observations; None where each is alone.

    What is exactly one cluster (the slice of an idiom) is about that cluster, so its observations
    are the sample. A part of one cluster is one unit, of which nothing follows for others.
    """
    if clusters is None or where is None:
        return clusters
    part = clusters[where]
    present = np.unique(part)
    whole = len(present) == 1 and len(part) == int((clusters == present[0]).sum())
    return None if whole or len(present) == len(part) else part


class SampleUnits:
    """The units of a sample: which observation belongs to which, and sums over them."""

    def __init__(self, observations: int, clusters: Clusters | None) -> None:
        self.observations = observations
        self.clustered = clusters is not None
        self.members: Rows = (
            np.arange(observations)
            if clusters is None
            else np.unique(clusters, return_inverse=True)[1]
        )
        self.count = int(self.members.max()) + 1 if observations else 0
        self.sizes: Array = np.bincount(self.members, minlength=self.count).astype(np.float64)

    @property
    def effective(self) -> float:
        """How many units of one size say as much: large ones speak for the others.

        The degrees of freedom of units of unequal sizes follow it (Carter, Schnepel & Steigerwald
        2017, Rev. Econ. Stat. 99:698-709); of equal ones it is their number.
        """
        squares = float((self.sizes**2).sum())
        return float(self.sizes.sum()) ** 2 / squares if squares else 0.0

    def sums(self, rows: Array) -> Array:
        """Column sums of every unit."""
        if not self.clustered:
            return rows
        sums = np.zeros((self.count, rows.shape[1]))
        np.add.at(sums, self.members, rows)
        return sums

    def contributions(self, rows: Array, aggregator: Aggregator) -> Array:
        """What each unit adds to the score: the mean of these numbers is the score.

        Of an unclustered mean they are the values themselves. In general they are the score plus
        the deviations of the jackknife, which leaves out one unit after the other (Miller 1974,
        Biometrika 61:1-15): for means and ratios of cluster totals it does what the linearised
        ratio does (Cochran 1977, section 11.7), and for corpus scores what a bootstrap does.
        """
        if aggregator.kind == "mean" and not self.clustered:
            return np.asarray(aggregator.scale * rows[:, 0], dtype=np.float64)
        slow = aggregator.aggregate is not None and aggregator.many is None
        if slow and self.count > MOST_CALLS:
            return self._merged(MOST_CALLS).contributions(rows, aggregator)
        if aggregator.kind == "rows":
            places = range(self.count)
            left = np.array([aggregator.from_rows(rows[self.members != place]) for place in places])
        else:
            sums = self.sums(rows)
            left = aggregator.from_sums(sums.sum(axis=0) - sums, self.observations - self.sizes)
        deviations = (self.count - 1) * (left.mean() - left)
        return np.asarray(aggregator.from_rows(rows) + deviations, dtype=np.float64)

    def _merged(self, most: int) -> SampleUnits:
        """At most so many units, each made of units drawn at random."""
        group = np.random.default_rng(0).permutation(self.count) % most
        return SampleUnits(self.observations, group[self.members])
