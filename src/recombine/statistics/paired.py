"""Tests on paired data: two systems that translated the same sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special  # scipy.stats takes a second to load, and scoring needs this module

from recombine.statistics.intervals import Aggregator, Interval, percentile_interval
from recombine.statistics.resample import Array, Draws

# Below this many discordant pairs McNemar's chi-square is a poor approximation and the exact
# binomial test is used (the usual threshold, e.g. Dietterich 1998, section 3.1, uses 10; 25 is
# statsmodels' recommendation and the safer one).
EXACT_BELOW = 25


class PairedDifference(NamedTuple):
    """Second system minus first, with an interval and a two-sided p-value."""

    difference: float
    low: float
    high: float
    p_value: float
    test: str
    # By how much the system that seems worse would gain if all that could not be judged were right.
    undecided: float = 0.0


class Discordant(NamedTuple):
    """McNemar's two counts and the p-value."""

    only_first: int
    only_second: int
    p_value: float


def mcnemar(first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> Discordant:
    """McNemar's test (1947) on matched right/wrong verdicts: exact below 25 discordant pairs."""
    only_first = int(np.sum(first & ~second))
    only_second = int(np.sum(second & ~first))
    discordant = only_first + only_second
    if discordant == 0:
        return Discordant(0, 0, 1.0)
    if discordant < EXACT_BELOW:
        # Two-sided binomial test of one half.
        smaller = min(only_first, only_second)
        p_value = min(1.0, 2 * float(special.bdtr(smaller, discordant, 0.5)))
    else:
        # With Edwards' continuity correction, which keeps the size at or below the nominal one.
        chi_square = (abs(only_first - only_second) - 1) ** 2 / discordant
        p_value = float(special.chdtrc(1, chi_square))
    return Discordant(only_first, only_second, p_value)


def resampled_scores(
    tables: Sequence[Array], aggregator: Aggregator, samples: int, draws: Draws
) -> Array:
    """Scores [samples, tables] on the same bootstrap samples."""
    if aggregator.kind == "rows":
        drawn_rows = draws.rows(samples)
        return np.array(
            [[aggregator.from_rows(table[drawn]) for table in tables] for drawn in drawn_rows]
        )
    width = tables[0].shape[1]
    sums = draws.sums(tables, samples)
    columns = [
        aggregator.from_sums(sums[:, index * width : (index + 1) * width], sums[:, -1])
        for index in range(len(tables))
    ]
    return np.stack(columns, axis=1)


def _resampled_differences(
    first: Array, second: Array, aggregator: Aggregator, samples: int, draws: Draws
) -> Array:
    scores = resampled_scores([first, second], aggregator, samples, draws)
    return np.asarray(scores[:, 1] - scores[:, 0])


def _ends(observed: float, differences: Array, confidence: float, draws: Draws) -> Interval:
    """The interval of resampled differences; a single item cannot differ from itself."""
    known = differences if draws.count > 1 else np.full(1, np.nan)
    return percentile_interval(observed, known, confidence)


def p_value_from_trials(trials: Array, observed: float) -> float:
    """Share of trials at least as large as the observed value, with the +1 of Noreen (1989).

    Ties count: multeval and sacrebleu leave them out, which hardly matters for BLEU but on 0/1
    verdicts makes a nominal 5% test reject 8% of equal systems.
    """
    margin = 1e-9 * max(1.0, abs(observed))
    return (int(np.sum(trials >= observed - margin)) + 1) / (len(trials) + 1)


def paired_bootstrap(
    first: Array,
    second: Array,
    aggregator: Aggregator,
    draws: Draws,
    *,
    samples: int = 1_000,
    confidence: float = 0.95,
) -> PairedDifference:
    """Paired bootstrap with the null distribution centred on zero (Koehn 2004; Graham et al. 2014).

    The two-sided p-value counts resampled differences that, after centring, are further from zero
    than the observed one.  sacrebleu centres the *absolute* differences instead, which gives
    one-sided values; :func:`sacrebleu_bootstrap_p` reproduces those.
    """
    differences = _resampled_differences(first, second, aggregator, samples, draws)
    observed = aggregator.from_rows(second) - aggregator.from_rows(first)
    span = _ends(observed, differences, confidence, draws)
    trials = np.abs(differences - differences.mean())
    p_value = p_value_from_trials(trials, abs(observed)) if draws.count > 1 else 1.0
    return PairedDifference(observed, span.low, span.high, p_value, "paired bootstrap")


def sacrebleu_bootstrap_p(
    first: Array, second: Array, aggregator: Aggregator, draws: Draws, samples: int = 1_000
) -> float:
    """The p-value sacrebleu 2 prints for its paired bootstrap, for comparison with other papers."""
    absolute = np.abs(_resampled_differences(first, second, aggregator, samples, draws))
    observed = abs(aggregator.from_rows(second) - aggregator.from_rows(first))
    above = int(np.sum(absolute - absolute.mean() > observed))
    return (above + 1) / (samples + 1)


def approximate_randomisation(
    first: Array,
    second: Array,
    aggregator: Aggregator,
    draws: Draws,
    *,
    trials: int = 10_000,
    confidence: float = 0.95,
    bootstrap_samples: int = 1_000,
) -> PairedDifference:
    """Approximate randomisation (Noreen 1989; Riezler & Maxwell 2005): swap outputs at random.

    Observations of one cluster are swapped together: only whole clusters are exchangeable.
    """
    observed = aggregator.from_rows(second) - aggregator.from_rows(first)
    values = _swap_trials(first, second, aggregator, trials, draws)
    differences = _resampled_differences(first, second, aggregator, bootstrap_samples, draws)
    span = _ends(observed, differences, confidence, draws)
    name = "approximate randomisation"
    return PairedDifference(
        observed,
        span.low,
        span.high,
        p_value_from_trials(values, abs(observed)),
        name if draws.clusters is None else f"{name} of clusters",
    )


def _swap_trials(
    first: Array, second: Array, aggregator: Aggregator, trials: int, draws: Draws
) -> Array:
    """Absolute differences after each trial's exchanges."""
    if aggregator.kind == "rows":
        chosen = (row.astype(bool)[:, None] for block in draws.swaps(trials) for row in block)
        differences = [
            aggregator.from_rows(np.where(swap, first, second))
            - aggregator.from_rows(np.where(swap, second, first))
            for swap in chosen
        ]
        return np.abs(differences)
    totals = np.full(trials, float(len(first)))
    moved = draws.moved(first, second, trials)
    left = aggregator.from_sums(draws.units(second).sum(axis=0) + moved, totals)
    right = aggregator.from_sums(draws.units(first).sum(axis=0) - moved, totals)
    return np.abs(left - right)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (1979): controls the chance of any false alarm in the family."""
    count = len(p_values)
    order = sorted(range(count), key=lambda index: (p_values[index], index))
    adjusted = [0.0] * count
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (count - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted


def tied_sets(names: Sequence[str], differ: set[frozenset[str]]) -> list[list[str]]:
    """Clusters of systems in score order that the data cannot rank.

    ``names`` are ordered best first, ``differ`` holds the significantly different pairs.  As in the
    WMT rankings a new cluster starts only where every system above differs from every one below.
    """
    clusters: list[list[str]] = []
    current: list[str] = []
    for position, name in enumerate(names):
        above, below = names[:position], names[position:]
        if current and all(frozenset((a, b)) in differ for a in above for b in below):
            clusters.append(current)
            current = []
        current.append(name)
    if current:
        clusters.append(current)
    return clusters
