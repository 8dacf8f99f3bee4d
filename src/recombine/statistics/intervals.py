"""Intervals: how sure are we of one number.

One formula for every score. A variance has parts (units, seeds), each with its own degrees of
freedom; their quantile is that of Cochran and Cox, and the interval has Wilson's form, which stays
on the scale and is lopsided near its ends. Of unclustered verdicts with one seed it is Wilson's
interval itself. docs/explanation/statistics.md has its coverage in simulations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scipy import special  # scipy.stats takes a second to load, and scoring needs this module

from recombine.statistics.aggregate import Array

# Deviations below this share of a score are rounding.
ROUNDING = 1e-9
TOO_FEW = "too few to tell"
# Units from which a variance says anything: with two, intervals of several seeds miss too often.
FEWEST_VARIED = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its confidence interval and standard error; what is not known is NaN.

    Every number that people read is one, from here to the cell of a table.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    # How the interval came about.
    method: str = ""
    error: float = math.nan
    # By how much the number would be higher if all that could not be judged counted.
    undecided: float = 0.0

    @property
    def span(self) -> tuple[float, float, float]:
        """The number and the ends of its interval."""
        return self.value, self.low, self.high

    @property
    def upper_if_unjudged(self) -> float:
        """The number if all that could not be judged counted; NaN where all was judged."""
        return self.value + self.undecided if self.undecided else math.nan

    @property
    def possible(self) -> list[float]:
        """The lowest and the highest that the number may be; one where all was judged."""
        upper = self.upper_if_unjudged
        return [self.value] if math.isnan(upper) else [self.value, upper]

    def in_digits(self, decimals: int = 1) -> str:
        """The number in digits, and how high it may be where not all could be judged."""
        return " to ".join(f"{end:.{decimals}f}" for end in self.possible)


class Component(NamedTuple):
    """One part of a variance, with its degrees of freedom."""

    variance: float
    freedom: float


def unknown(value: float) -> Estimate:
    """The interval of a score for which too few units speak."""
    return Estimate(value, math.nan, math.nan, TOO_FEW)


def normal_quantile(confidence: float) -> float:
    """How many standard errors a two-sided interval of a normal estimate reaches."""
    return float(special.ndtri(0.5 + confidence / 2))


def share_components(share: float, trials: int) -> list[Component]:
    """The variance of a share of independent verdicts, which the share itself determines."""
    return [Component(share * (1 - share) / trials, math.inf)]


def crossed_components(values: Array, freedom: float) -> list[Component]:
    """The variance of the grand mean of a seeds x units table, both taken as random.

    `freedom` are the degrees of freedom of the units. (MS_seed + MS_unit - MS_residual) / (S N):
    the expected-mean-squares estimate of a two-way random-effects table without replication
    (Searle, Casella & McCulloch 1992, chapter 4).
    """
    seeds, units = values.shape
    by_unit = float(values.mean(axis=0).var(ddof=1))
    if seeds == 1:
        return [Component(by_unit / units, freedom)]
    by_seed = float(values.mean(axis=1).var(ddof=1))
    excess = without_residual(by_unit, residual_mean_square(values) / seeds)
    return [Component(by_seed / seeds, seeds - 1), Component(excess / units, freedom)]


def without_residual(by_unit: float, residual: float) -> float:
    """The variance of units without the residual, which the variance of seeds holds already.

    At most half of it is taken away. Both are estimates, and where chance makes their difference
    small, or negative, nothing but the few seeds would speak: intervals of five seeds then cover
    91% (docs/explanation/statistics.md).
    """
    return max(by_unit - residual, by_unit / 2)


def residual_mean_square(values: Array) -> float:
    """What neither seed nor unit explains, of a seeds x units table."""
    seeds, units = values.shape
    if seeds < 2 or units < 2:
        return 0.0
    means = values.mean(axis=1, keepdims=True) + values.mean(axis=0, keepdims=True)
    return float(((values - means + values.mean()) ** 2).sum() / ((seeds - 1) * (units - 1)))


def lower_quantile(parts: Sequence[Component], probability: float) -> float:
    """A quantile of an estimate with these parts of variance (Cochran & Cox 1957, section 4.14).

    Each part brings Student's quantile of its own degrees of freedom, weighted by its share of the
    variance. Satterthwaite's one number of degrees of freedom is too sure of itself with two or
    three seeds: it covers 86 to 94% where this covers 93 to 97. In the lower half small levels keep
    their digits.
    """
    total = sum(part.variance for part in parts)
    return sum(
        part.variance
        / total
        * float(
            special.ndtri(probability)
            if math.isinf(part.freedom)
            else special.stdtrit(part.freedom, probability)
        )
        for part in parts
    )


def two_sided_p(difference: float, parts: Sequence[Component]) -> float:
    """The level at which the quantile of these parts just reaches the difference."""
    ratio = abs(difference) / math.sqrt(sum(part.variance for part in parts))
    low, high = math.log(1e-300), 0.0
    for _ in range(60):  # bisection of log p: the quantile falls as the level rises
        middle = (low + high) / 2
        if -lower_quantile(parts, math.exp(middle) / 2) > ratio:
            low = middle
        else:
            high = middle
    return math.exp(high)


def is_nothing(variance: float, scale: float) -> bool:
    """Whether a variance is that of rounding alone."""
    return variance <= (ROUNDING * max(scale, 1.0)) ** 2


def scaled_interval(
    estimate: float,
    parts: Sequence[Component],
    units: int,
    limits: tuple[float, float],
    confidence: float,
    method: str,
) -> Estimate:
    """The interval of an estimate on a scale, in Wilson's form (1927, JASA 22:209-212).

    The variance says how many independent verdicts the estimate is worth, and the interval holds
    every value at which the estimate is not further off than the quantile allows. For clustered
    shares this form with Student's quantile keeps its coverage where the symmetric one loses it
    (Korn & Graubard 1998; Dean & Pagano 2015, J. Surv. Stat. Methodol. 3:484-503).
    """
    low, high = limits if limits[0] <= estimate <= limits[1] else (-math.inf, math.inf)
    width = high - low
    bounded = math.isfinite(width)
    variance = sum(part.variance for part in parts)
    z = normal_quantile(confidence)
    if is_nothing(variance, width if bounded else abs(estimate)):
        if not bounded:
            return unknown(estimate)
        # Nothing differs. What was in none of these units may be in z^2 / (n + z^2) of all
        # (Wilson's limit of none in n), and there anything can be.
        unseen = z * z / (units + z * z)
        ends = estimate - unseen * (estimate - low), estimate + unseen * (high - estimate)
        return Estimate(estimate, *ends, method, (ends[1] - ends[0]) / (2 * z))
    error = math.sqrt(variance)
    student = -lower_quantile(parts, (1 - confidence) / 2)
    share = (estimate - low) / width if bounded else math.nan
    if not 0 < share < 1:
        ends = estimate - student * error, estimate + student * error
        return Estimate(estimate, max(low, ends[0]), min(high, ends[1]), method, error)
    worth = share * (1 - share) * (width / error) ** 2
    shrunk = student * student / worth
    centre = (share + shrunk / 2) / (1 + shrunk)
    half_width = student * math.sqrt(share * (1 - share) / worth + (shrunk / 2) ** 2 / student**2)
    half_width /= 1 + shrunk
    return Estimate(
        estimate,
        low + width * max(0.0, centre - half_width),
        low + width * min(1.0, centre + half_width),
        method,
        error,
    )


def wilson(successes: float, trials: int, confidence: float = 0.95) -> Estimate:
    """Wilson's score interval for a share of independent verdicts."""
    if trials <= 0:
        return unknown(math.nan)
    share = successes / trials
    parts = share_components(share, trials)
    return scaled_interval(share, parts, trials, (0.0, 1.0), confidence, "Wilson")
