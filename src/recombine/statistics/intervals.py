"""Intervals: how sure are we of one number.

Everything resamples *keys* (the unit a metric observes: a sentence, a compound, a minimal pair) or
clusters of keys (a target word, a template), never rows, so that clustered data get honest
intervals.  A bootstrap sample of a 0/1 list is a binomial draw, which makes it fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

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

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2

    def standard_error(self, confidence: float) -> float:
        """The standard error of a normal estimate whose interval this is."""
        return self.half_width / normal_quantile(confidence)


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


@dataclass(frozen=True, slots=True)
class Aggregator:
    """How a metric turns observation statistics into a score, as far as resampling must know.

    ``kind`` is ``mean`` (the score is offset + slope x the mean of the first column: a share, a
    percentage or an error rate), ``sums`` (the score depends on column sums only, as BLEU and chrF
    do) or ``rows`` (anything else: rows are resampled one by one).
    """

    aggregate: Aggregate
    kind: str
    offset: float = 0.0
    slope: float = 1.0
    many: AggregateMany | None = None

    def from_rows(self, rows: Array) -> float:
        """The score of these observations."""
        return float(self.aggregate(rows))

    def from_sums(self, sums: Array, totals: Array) -> Array:
        """Scores of samples given their column sums and their numbers of observations."""
        if self.kind == "mean":
            with np.errstate(invalid="ignore", divide="ignore"):
                means = sums[:, 0] / totals
            return np.asarray(self.offset + self.slope * means, dtype=np.float64)
        if self.many is not None:
            return self.many(sums)
        return np.array([float(self.aggregate(row[None, :])) for row in sums])

    def contributions(self, rows: Array) -> Array:
        """What each observation adds to a mean, in the score's unit."""
        return np.asarray(self.offset + self.slope * rows[:, 0], dtype=np.float64)

    def from_share(self, share: Interval) -> Interval:
        """An interval of the first column's mean, in the score's unit."""
        estimate, *ends = (self.offset + self.slope * part for part in share[:3])
        return Interval(estimate, min(ends), max(ends), share.method)


# (offset, slope) of the means that metrics use: share, percentage, and error rates of both kinds.
LINEAR_FORMS = ((0.0, 1.0), (0.0, 100.0), (1.0, -1.0), (100.0, -100.0))


def recognise(
    aggregate: Aggregate,
    rows: Array,
    many: AggregateMany | None = None,
    trials: int = 4,
    seed: int = 0,
) -> Aggregator:
    """Find out by trying whether ``aggregate`` is a mean or a function of column sums.

    Metrics need not declare it: on the whole data and on random subsets the shortcut must give the
    same score as the metric itself, else rows are resampled one by one.  ``many`` is the metric's
    own vectorised form, if it has one; it is put to the same trial.
    """
    if len(rows) == 0:
        return Aggregator(aggregate, "rows")
    generator = np.random.default_rng(seed)
    samples = [rows]
    for _ in range(trials):
        size = int(generator.integers(1, len(rows) + 1))
        samples.append(rows[generator.integers(0, len(rows), size)])
    if rows.shape[1] == 1 and bool((rows == rows[0]).all()):
        # All right or all wrong: 0 is 0 on every scale, so a second value has to tell which it is.
        samples.append(np.concatenate([rows[:1], 1 - rows[:1]]))
    candidates = [Aggregator(aggregate, "mean", *form) for form in LINEAR_FORMS]
    if many is not None:
        candidates.append(Aggregator(aggregate, "sums", many=many))
    for candidate in [*candidates, Aggregator(aggregate, "sums")]:
        if all(_agrees(candidate, sample) for sample in samples):
            return candidate
    return Aggregator(aggregate, "rows")


def _agrees(candidate: Aggregator, rows: Array) -> bool:
    try:
        short = candidate.from_sums(rows.sum(axis=0, keepdims=True), np.array([len(rows)]))[0]
        full = candidate.from_rows(rows)
    except (ValueError, ZeroDivisionError, IndexError):
        return False
    return bool(np.isclose(short, full, rtol=1e-9, atol=1e-12, equal_nan=True))


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


def _is_constant_share(rows: Array) -> bool:
    return bool(rows[0, 0] in (0.0, 1.0) and np.all(rows[:, 0] == rows[0, 0]))


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
    """The interval to print: Wilson for unclustered 0/1 means, else the clustered bootstrap."""
    if len(rows) == 0:
        return Interval(float("nan"), float("nan"), float("nan"), "empty")
    clusters = draws.clusters
    if clusters is not None and aggregator.kind == "mean" and _is_constant_share(rows):
        # All right or all wrong: no resample differs, and each cluster is one trial at least.
        share = wilson(draws.count * float(rows[0, 0]), draws.count, confidence)
        return aggregator.from_share(share._replace(method="wilson over clusters"))
    if clusters is None and aggregator.kind == "mean" and is_zero_one(rows[:, :1]):
        return aggregator.from_share(wilson(float(rows[:, 0].sum()), len(rows), confidence))
    scores = bootstrap_scores(rows, aggregator, draws, samples)
    name = "bootstrap" if clusters is None else "clustered bootstrap"
    return percentile_interval(aggregator.from_rows(rows), scores, confidence, name)


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
