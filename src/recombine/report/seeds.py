"""Several seeds of one system: never best-of, and seed noise counted in every interval.

Seeds and items are crossed: every seed translates the same items.  A score's variance has a seed
part, an item part and a residual, so resampling items alone (as most published intervals do) is
too sure of itself, and so is averaging seeds while forgetting that the items are a sample too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats as distributions

from recombine.report.paired import Difference, approximate_randomisation, mcnemar, paired_bootstrap
from recombine.report.statistics import (
    Aggregator,
    Array,
    Interval,
    interval,
    percentile_interval,
    resample_sums,
    student_interval,
)


class Spread(NamedTuple):
    """Scores of one system over its seeds."""

    seeds: int
    mean: float
    sd: float
    low: float
    high: float


class Component(NamedTuple):
    """One part of a variance, with its degrees of freedom."""

    variance: float
    freedom: float


def spread(scores: Sequence[float]) -> Spread:
    """Mean, sample standard deviation, minimum and maximum over seeds."""
    values = np.asarray(scores, dtype=np.float64)
    deviation = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
    return Spread(
        len(values), float(values.mean()), deviation, float(values.min()), float(values.max())
    )


def crossed_interval(values: Array, confidence: float = 0.95) -> Interval:
    """Interval of the grand mean of a seeds x items table, both taken as random.

    The variance is (MS_seed + MS_item - MS_residual) / (S N), the expected-mean-squares estimate of
    a two-way random-effects table without replication, with Satterthwaite's degrees of freedom
    (Searle, Casella & McCulloch 1992, chapter 4).
    """
    seeds, items = values.shape
    estimate = float(values.mean())
    if seeds < 2:
        raise ValueError("a crossed interval needs at least two seeds")
    by_seed = items * float(values.mean(axis=1).var(ddof=1))
    by_item = seeds * float(values.mean(axis=0).var(ddof=1)) if items > 1 else 0.0
    residual = _residual_mean_square(values)
    parts = [
        Component(by_seed, seeds - 1),
        Component(by_item, max(items - 1, 1)),
        Component(-residual, max((seeds - 1) * (items - 1), 1)),
    ]
    total = sum(part.variance for part in parts)
    # A negative estimate means the residual swamps both effects; the larger mean square bounds it.
    total = max(total, max(by_seed, by_item, residual) if total <= 0 else total)
    freedom = _satterthwaite(total, parts)
    return student_interval(
        estimate, total / (seeds * items), freedom, confidence, "crossed seeds x items"
    )


def _residual_mean_square(values: Array) -> float:
    seeds, items = values.shape
    if seeds < 2 or items < 2:
        return 0.0
    residual = (
        values
        - values.mean(axis=1, keepdims=True)
        - values.mean(axis=0, keepdims=True)
        + values.mean()
    )
    return float((residual**2).sum() / ((seeds - 1) * (items - 1)))


def _satterthwaite(total: float, parts: Sequence[Component]) -> float:
    below = sum(part.variance**2 / part.freedom for part in parts if part.freedom > 0)
    return float(total**2 / below) if below > 0 else 1.0


def seed_scores_under_resampling(
    tables: Sequence[Array], aggregator: Aggregator, samples: int, seed: int
) -> Array:
    """Scores [samples, seeds] when the items (shared by all seeds) are resampled."""
    generator = np.random.default_rng(seed)
    width = tables[0].shape[1]
    items = len(tables[0])
    if aggregator.kind == "rows":
        scores = np.empty((samples, len(tables)))
        for sample in range(samples):
            drawn = generator.integers(0, items, items)
            scores[sample] = [aggregator.from_rows(table[drawn]) for table in tables]
        return scores
    joined = np.concatenate([*tables, np.ones((items, 1))], axis=1)
    blocks = []
    for block in resample_sums(joined, samples, generator):
        columns = [
            aggregator.from_sums(block[:, index * width : (index + 1) * width], block[:, -1])
            for index in range(len(tables))
        ]
        blocks.append(np.stack(columns, axis=1))
    return np.concatenate(blocks)


def hierarchical_bootstrap(
    tables: Sequence[Array],
    aggregator: Aggregator,
    *,
    samples: int = 1_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Interval:
    """Resample seeds and items independently (the pigeonhole bootstrap of Owen 2007).

    With S seeds the plain version sees only (S - 1) / S of the seed variance, a third less at
    three seeds, so resampled seed means are stretched around the mean by sqrt(S / (S - 1)).
    """
    scores = seed_scores_under_resampling(tables, aggregator, samples, seed)
    generator = np.random.default_rng(np.random.SeedSequence([seed, 1]))
    count = len(tables)
    drawn = generator.integers(0, count, size=(samples, count))
    centre = scores.mean(axis=1)
    picked = np.take_along_axis(scores, drawn, axis=1).mean(axis=1)
    stretch = np.sqrt(count / (count - 1)) if count > 1 else 1.0
    estimate = float(np.mean([aggregator.from_rows(table) for table in tables]))
    return percentile_interval(
        estimate, centre + stretch * (picked - centre), confidence, "seeds x items bootstrap"
    )


def system_interval(
    tables: Sequence[Array],
    aggregator: Aggregator,
    *,
    clusters: npt.NDArray[np.int64] | None = None,
    samples: int = 1_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Interval:
    """The interval of a system's mean score over seeds.

    One seed: items only (Wilson or bootstrap).  Several seeds: the crossed random-effects interval
    for means, and for corpus metrics Student's t over seed and resampled-item variance together.
    """
    if len(tables) == 1:
        return interval(
            tables[0],
            aggregator,
            clusters=clusters,
            samples=samples,
            confidence=confidence,
            seed=seed,
        )
    if aggregator.kind == "mean" and clusters is None:
        return crossed_interval(
            np.stack([aggregator.contributions(table) for table in tables]), confidence
        )
    estimate, parts = _seed_and_item_parts(tables, aggregator, samples, seed)
    total = sum(part.variance for part in parts)
    return student_interval(
        estimate, total, _satterthwaite(total, parts), confidence, "seeds + resampled items"
    )


def _seed_and_item_parts(
    tables: Sequence[Array], aggregator: Aggregator, samples: int, seed: int
) -> tuple[float, list[Component]]:
    # Adding the two variances counts the seed-by-item residual twice: slightly too wide, never
    # too narrow.
    scores = np.array([aggregator.from_rows(table) for table in tables])
    resampled = seed_scores_under_resampling(tables, aggregator, samples, seed)
    item_part = Component(float(resampled.mean(axis=1).var(ddof=1)), samples - 1)
    seed_part = Component(float(scores.var(ddof=1)) / len(scores), len(scores) - 1)
    return float(scores.mean()), [seed_part, item_part]


def compare_systems(
    first: Sequence[Array],
    second: Sequence[Array],
    aggregator: Aggregator,
    *,
    samples: int = 1_000,
    trials: int = 2_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Difference:
    """Second minus first on matched items, seeds taken into account where there are several.

    One seed each: McNemar for 0/1 verdicts, approximate randomisation for corpus metrics.  Several
    seeds: Welch's t on the seed means with the paired item variance added; a system with a single
    seed borrows the other's seed variance, because assuming none would be the less honest guess.
    """
    if len(first) == 1 and len(second) == 1:
        return _compare_one_seed(first[0], second[0], aggregator, samples, trials, confidence, seed)
    scores_first = np.array([aggregator.from_rows(table) for table in first])
    scores_second = np.array([aggregator.from_rows(table) for table in second])
    observed = float(scores_second.mean() - scores_first.mean())
    parts = _seed_parts(first, scores_first, second, scores_second, aggregator)
    parts.append(_paired_item_part(first, second, aggregator, samples, seed))
    total = sum(part.variance for part in parts)
    freedom = _satterthwaite(total, parts)
    span = student_interval(observed, total, freedom, confidence, "welch")
    if total > 0:
        p_value = float(2 * distributions.t.sf(abs(observed) / np.sqrt(total), max(freedom, 1.0)))
    else:
        p_value = 1.0 if observed == 0 else 0.0
    return Difference(observed, span.low, span.high, p_value, "seeds + paired items")


def _compare_one_seed(
    first: Array,
    second: Array,
    aggregator: Aggregator,
    samples: int,
    trials: int,
    confidence: float,
    seed: int,
) -> Difference:
    values_first, values_second = first[:, 0], second[:, 0]
    verdicts = bool(np.isin(np.concatenate([values_first, values_second]), (0.0, 1.0)).all())
    if aggregator.kind == "mean" and verdicts:
        span = paired_bootstrap(
            first[:, :1],
            second[:, :1],
            aggregator,
            samples=samples,
            seed=seed,
            confidence=confidence,
        )
        tested = mcnemar(values_first == 1, values_second == 1)
        return Difference(span.difference, span.low, span.high, tested.p_value, "McNemar")
    return approximate_randomisation(
        first,
        second,
        aggregator,
        trials=trials,
        seed=seed,
        confidence=confidence,
        bootstrap_samples=samples,
    )


def _seed_parts(
    first: Sequence[Array],
    scores_first: Array,
    second: Sequence[Array],
    scores_second: Array,
    aggregator: Aggregator,
) -> list[Component]:
    estimates: list[Component | None] = []
    for tables, scores in ((first, scores_first), (second, scores_second)):
        if len(scores) < 2:
            estimates.append(None)
            continue
        variance = float(scores.var(ddof=1))
        if aggregator.kind == "mean":
            # The residual is also in the item part; take it out once (at most all of it).
            table = np.stack([aggregator.contributions(rows) for rows in tables])
            variance = max(variance - _residual_mean_square(table) / table.shape[1], 0.0)
        estimates.append(Component(variance, len(scores) - 1))
    known = next(part for part in estimates if part is not None)
    counts = (len(scores_first), len(scores_second))
    return [
        Component((part or known).variance / count, (part or known).freedom)
        for part, count in zip(estimates, counts, strict=True)
    ]


def _paired_item_part(
    first: Sequence[Array],
    second: Sequence[Array],
    aggregator: Aggregator,
    samples: int,
    seed: int,
) -> Component:
    items = len(first[0])
    if aggregator.kind == "mean":
        mean_first = np.mean([aggregator.contributions(table) for table in first], axis=0)
        mean_second = np.mean([aggregator.contributions(table) for table in second], axis=0)
        variance = float((mean_second - mean_first).var(ddof=1)) / items if items > 1 else 0.0
        return Component(variance, max(items - 1, 1))
    resampled = seed_scores_under_resampling([*first, *second], aggregator, samples, seed)
    gain = resampled[:, len(first) :].mean(axis=1) - resampled[:, : len(first)].mean(axis=1)
    return Component(float(gain.var(ddof=1)), samples - 1)
