"""Intervals: how sure are we of one number.

Everything resamples *keys* (the unit a metric observes: a sentence, a compound, a minimal pair) or
clusters of keys (a target word, a template), never rows, so that clustered data get honest
intervals.  A bootstrap sample of a 0/1 list is a binomial draw, which makes it fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from scipy import special

from recombine.statistics.resample import (
    Array,
    Clusters,
    Counts,
    Draws,
    cluster_rows,
    is_zero_one,
)

# Slices are many and small: fewer resamples bound their width well enough.
SLICE_SAMPLES = 200

Aggregate = Callable[[Array], float]
AggregateMany = Callable[[Array], Array]


class Interval(NamedTuple):
    """An estimate with a confidence interval and the way it was made."""

    estimate: float
    low: float
    high: float
    method: str


def normal_quantile(confidence: float) -> float:
    """How many standard errors a two-sided interval of a normal estimate reaches."""
    return float(special.ndtri(0.5 + confidence / 2))


def wilson(successes: float, trials: int, confidence: float = 0.95) -> Interval:
    """Wilson's score interval for a share (Wilson 1927, JASA 22:209-212).

    Unlike the textbook interval it keeps its coverage at 0% and 100%, which is where
    generalisation patterns usually are.
    """
    if trials <= 0:
        return Interval(float("nan"), 0.0, 1.0, "wilson")
    z = normal_quantile(confidence)
    share = successes / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    reach = (
        z
        * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
        / (1 + z * z / trials)
    )
    # At the borders the formula is exact only up to rounding; a share of 0 has lower limit 0.
    low = 0.0 if successes == 0 else max(0.0, float(centre - reach))
    high = 1.0 if successes == trials else min(1.0, float(centre + reach))
    return Interval(float(share), low, high, "wilson")


Kind = Literal["mean", "ratio", "sums", "rows"]


@dataclass(frozen=True, slots=True)
class Aggregator:
    """How statistics of observations become a score, as the metric declares it.

    ``mean``: ``scale`` x the mean of the first column. ``ratio``: ``scale`` x the sum of the first
    column over the sum of the second (a share of what could be judged). ``sums``: a function of
    the column sums (BLEU, chrF). ``rows``: anything else; rows are resampled one by one.
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

    def from_sums(self, sums: Array, totals: Array) -> Array:
        """Scores of samples given their column sums and their numbers of observations."""
        if self.aggregate is None:
            with np.errstate(invalid="ignore", divide="ignore"):
                below = sums[:, 1] if self.kind == "ratio" else totals
                return np.asarray(self.scale * sums[:, 0] / below, dtype=np.float64)
        if self.many is not None:
            return self.many(sums)
        return np.array([float(self.aggregate(row[None, :])) for row in sums])

    def contributions(self, rows: Array) -> Array:
        """What each observation adds to a mean, in the score's unit."""
        return np.asarray(self.scale * rows[:, 0], dtype=np.float64)

    def from_share(self, share: Interval) -> Interval:
        """An interval of a share, in the score's unit."""
        estimate, low, high = (self.scale * part for part in share[:3])
        return Interval(estimate, low, high, share.method)

    def counted(self, rows: Array) -> int:
        """How many observations have a part in the score."""
        return int((rows[:, 1] != 0).sum()) if self.kind == "ratio" else len(rows)

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


def cluster_codes(labels: Sequence[str]) -> Clusters | None:
    """Cluster numbers of labels, an empty label alone; None where no two belong together."""
    codes = np.empty(len(labels), dtype=np.int64)
    known: dict[str, int] = {}
    for position, label in enumerate(labels):
        codes[position] = known.setdefault(label, len(known)) if label else -1 - position
    return codes if 1 < len(np.unique(codes)) < len(codes) else None


def some_clusters(
    clusters: Clusters | None, where: Sequence[int] | Counts | None
) -> Clusters | None:
    """The cluster numbers of some observations; None where each is alone or all are one.

    What is said of a single cluster is about that cluster, so its observations are the sample.
    """
    if clusters is None or where is None:
        return clusters
    part = clusters[where]
    return part if 1 < len(np.unique(part)) < len(part) else None


def clustered_table(values: Array, clusters: Clusters) -> Array:
    """A seeds x items table as seeds x clusters, with the same mean in every row.

    The linearised ratio of cluster totals (Cochran 1977, section 11.7): a cluster counts by how far
    its total lies from what its size makes one expect, so that clusters may differ in size and
    whatever is said of items (variance, residual, interval) holds of clusters.
    """
    sums, sizes = cluster_rows(values.T, clusters)
    mean = float(values.mean())
    share = len(sizes) / values.shape[1]
    return np.asarray((sums - mean * sizes[:, None]).T * share + mean, dtype=np.float64)


def bootstrap_scores(
    rows: Array, aggregator: Aggregator, draws: Draws, samples: int = 10_000
) -> Array:
    """Scores of bootstrap samples of the observations, or of whole clusters of them."""
    if aggregator.kind == "mean":
        rows = rows[:, :1]
        if draws.clusters is None and is_zero_one(rows):
            generator = np.random.default_rng(draws.seed)
            drawn = generator.binomial(len(rows), float(rows.mean()), size=samples)
            sums = drawn[:, None].astype(np.float64)
            return aggregator.from_sums(sums, np.full(samples, len(rows)))
        draws = Draws([rows], draws.seed, draws.clusters)
    if aggregator.kind == "rows":
        return np.array([aggregator.from_rows(rows[drawn]) for drawn in draws.rows(samples)])
    sums = draws.sums([rows], samples)
    return aggregator.from_sums(sums[:, :-1], sums[:, -1])


def percentile_interval(
    estimate: float, scores: Array, confidence: float = 0.95, method: str = "bootstrap"
) -> Interval:
    """The percentile interval of bootstrap scores (Efron 1979)."""
    usable = scores[np.isfinite(scores)]
    if len(usable) == 0:
        return Interval(estimate, float("nan"), float("nan"), method)
    tail = (1 - confidence) / 2
    low, high = np.quantile(usable, [tail, 1 - tail])
    return Interval(estimate, float(low), float(high), method)


def interval(
    rows: Array,
    aggregator: Aggregator,
    draws: Draws,
    *,
    samples: int = 1_000,
    confidence: float = 0.95,
) -> Interval:
    """The interval to print: Wilson for unclustered 0/1 verdicts, else the clustered bootstrap."""
    if len(rows) == 0:
        return Interval(float("nan"), float("nan"), float("nan"), "empty")
    aggregator = aggregator.judged([rows])
    clusters = draws.clusters
    if aggregator.is_share(rows):
        counted = rows[:, 1] == 1 if aggregator.kind == "ratio" else np.ones(len(rows), dtype=bool)
        right = rows[counted, 0]
        if clusters is None:
            return aggregator.from_share(wilson(float(right.sum()), len(right), confidence))
        if len(np.unique(right)) == 1:
            # All right or all wrong: no resample differs, and each cluster is one trial at least.
            trials = len(np.unique(clusters[counted]))
            share = wilson(trials * float(right[0]), trials, confidence)
            return aggregator.from_share(share._replace(method="wilson over clusters"))
    if _units(rows, aggregator, clusters) < 2:
        # Every sample is the one observation again, which says nothing of how others differ.
        unknown = float("nan")
        return Interval(aggregator.from_rows(rows), unknown, unknown, "one observation")
    scores = bootstrap_scores(rows, aggregator, draws, samples)
    name = "bootstrap" if clusters is None else "clustered bootstrap"
    return percentile_interval(aggregator.from_rows(rows), scores, confidence, name)


def _units(rows: Array, aggregator: Aggregator, clusters: Clusters | None) -> int:
    """How many observations, or clusters of them, have a part in the score."""
    counted = rows[:, 1] != 0 if aggregator.kind == "ratio" else np.ones(len(rows), dtype=bool)
    return int(counted.sum()) if clusters is None else len(np.unique(clusters[counted]))


def student_interval(
    estimate: float, variance: float, freedom: float, confidence: float, method: str
) -> Interval:
    """A symmetric interval from a variance with that many degrees of freedom."""
    if not np.isfinite(variance):
        return Interval(estimate, float("nan"), float("nan"), method)
    if variance <= 0:
        return Interval(estimate, estimate, estimate, method)
    quantile = special.stdtrit(max(freedom, 1.0), 0.5 + confidence / 2)
    reach = float(quantile * np.sqrt(variance))
    return Interval(estimate, estimate - reach, estimate + reach, method)
