"""Logistic regression with clustered standard errors that owns up to what it cannot estimate.

Where some factors tell right from wrong without exception ("separation", Albert & Anderson 1984)
the likelihood has no maximum: its estimates run off to infinity and a program prints whatever it
had when it stopped. The sentences concerned are found by linear programming (Konis 2007, chapter
4) and left out; what the rest still determines is the limit that the estimates go to (Geyer 2009;
Correia, Guimarães & Zylkin 2019, proposition 2), and what it does not determine is not estimable.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

from recombine.registry import require

Array = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# Columns are standardised or 0/1, and the programme's own tolerance is 1e-7.
TOLERANCE = 1e-6
# Below ten of the rarer outcome per coefficient effects are exaggerated and intervals miss
# (Peduzzi et al. 1996). Trials here are clusters: five contexts of a compound are not five.
RARE_PER_FACTOR = 10


class Effect(NamedTuple):
    """The log odds of an error that one factor adds, with its interval and p-value."""

    value: float
    low: float
    high: float
    p: float


class Fit(NamedTuple):
    """Every factor's effect, None where the data has no estimate, and what a reader must know."""

    effects: Mapping[str, Effect | None]
    notes: tuple[str, ...]


def clustered_logistic(
    names: Sequence[str], design: Array, outcome: Array, clusters: Numbers
) -> Fit:
    """Fit shares of errors; the first column of the design is the intercept."""
    # The two modules alone: the package's front door takes a second longer.
    models, families = (
        require(f"statsmodels.genmod.{name}", extra="report", feature="the factor regression")
        for name in ("generalized_linear_model", "families")
    )
    apart = separated(design, outcome)
    notes = _separation_notes(names, design, outcome, apart)
    design, outcome, clusters = design[~apart], outcome[~apart], clusters[~apart]
    nothing: dict[str, Effect | None] = dict.fromkeys(names[1:])
    estimable, kept = estimable_columns(design)
    if not any(estimable[1:]):
        return Fit(nothing, notes)
    rare, what = _rarer(outcome, clusters)
    # The clustered variance sums one vector per cluster, and where nearly all answers agree only
    # the clusters that do not have a vector of any length: fewer than coefficients leave some
    # effect without any variance at all.
    if rare < len(kept):
        why = f"only {rare:,} of the compounds have a {what} answer, for {len(kept)} coefficients"
        return Fit(nothing, (*notes, f"Not estimable: {why}."))
    columns = np.ascontiguousarray(design[:, kept])
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            # The error of a sentence is a share of seeds: a binomial proportion.
            model = models.GLM(outcome, columns, family=families.Binomial())
            fit = model.fit(cov_type="cluster", cov_kwds={"groups": clusters})
            intervals = fit.conf_int()
        except (np.linalg.LinAlgError, ValueError, ArithmeticError) as error:
            return Fit(nothing, (*notes, f"The regression failed: {error}"))
    if heard or not fit.converged:
        why = "; ".join(sorted({str(warning.message) for warning in heard})) or "no convergence"
        return Fit(nothing, (*notes, f"The regression failed: {why}"))
    if rare < RARE_PER_FACTOR * len(kept):
        notes = (
            *notes,
            f"Only {rare:,} of the compounds have a {what} answer, fewer than {RARE_PER_FACTOR} "
            f"for each of {len(kept)} coefficients: read the effects as too large and the "
            "intervals as too narrow.",
        )
    effects = {
        names[column]: Effect(float(value), float(low), float(high), float(p))
        for column, value, (low, high), p in zip(
            kept, fit.params, intervals, fit.pvalues, strict=True
        )
    }
    return Fit(
        {
            name: effects[name] if sure else None
            for name, sure in zip(names[1:], estimable[1:], strict=True)
        },
        notes,
    )


def separated(design: Array, outcome: Array) -> Mask:
    """Return the rows whose outcome some combination of the columns tells without exception."""
    apart = np.zeros(len(outcome), dtype=np.bool_)
    # A solution lies at a corner and may miss rows that another would tell: ask until none is.
    while not apart.all():
        rest = ~apart
        separating = _told(design[rest], outcome[rest])
        if not separating.any():
            break
        apart[rest] = separating
    return apart


def _told(design: Array, outcome: Array) -> Mask:
    """Return the rows on the right side of a plane that has no row on the wrong one."""
    whole = (outcome == 0) | (outcome == 1)  # a share of seeds must lie on the plane
    signed = np.where(outcome == 1, 1.0, -1.0)[:, None] * design
    rows = np.unique(signed[whole], axis=0)
    on_plane = np.unique(signed[~whole], axis=0)
    programme = linprog(
        -rows.sum(axis=0),
        A_ub=-rows,
        b_ub=np.zeros(len(rows)),
        A_eq=on_plane if len(on_plane) else None,
        b_eq=np.zeros(len(on_plane)) if len(on_plane) else None,
        bounds=(-1, 1),
    )
    # Zero is always allowed, so that no answer means numerical trouble: then nothing is claimed.
    if programme.x is None or -programme.fun <= TOLERANCE:
        return np.zeros(len(outcome), dtype=np.bool_)
    marks: Mask = (signed @ programme.x > TOLERANCE) & whole
    return marks


def estimable_columns(design: Array) -> tuple[list[bool], list[int]]:
    """Return whether each coefficient is determined, and the columns that determine the rest.

    A coefficient is determined when no direction that leaves every row's sum as it is moves it.
    """
    width = design.shape[1]
    if not len(design):
        return [False] * width, []
    _, sizes, directions = np.linalg.svd(np.linalg.qr(design, mode="r"))
    rank = int((sizes > max(design.shape) * np.finfo(float).eps * sizes[0]).sum())
    free = directions[rank:]
    moved = np.abs(free).max(axis=0, initial=0)
    determined = [bool(size < TOLERANCE) for size in moved]
    kept: list[int] = []
    for column in range(width):
        if np.linalg.matrix_rank(design[:, [*kept, column]]) > len(kept):
            kept.append(column)
    return determined, kept


def _rarer(outcome: Array, clusters: Numbers) -> tuple[int, str]:
    """Return how many clusters have any of the rarer outcome, and its name."""
    wrong = outcome.mean() <= 0.5
    has = outcome > 0 if wrong else outcome < 1
    return len(np.unique(clusters[has])), "wrong" if wrong else "right"


def _separation_notes(
    names: Sequence[str], design: Array, outcome: Array, apart: Mask
) -> tuple[str, ...]:
    if not apart.any():
        return ()
    sentences = [
        f"all {int(rows.sum()):,} where '{name}' {how} are {'wrong' if value else 'right'}"
        for column, name in enumerate(names[1:], start=1)
        if set(np.unique(design[:, column])) == {0.0, 1.0}
        for how, level in (("holds", 1.0), ("does not hold", 0.0))
        if (rows := design[:, column] == level).any()
        for value in (0.0, 1.0)
        if (outcome[rows] == value).all()
    ]
    why = "; ".join(sentences) or "the factors tell right from wrong without exception there"
    return (
        f"A dash: not estimable, no finite odds ratio fits. {int(apart.sum()):,} of "
        f"{len(apart):,} sentences are left out ({why}).",
    )
