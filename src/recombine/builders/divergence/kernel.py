"""The inner loops: exact incremental divergences in O(non-zero entries of a row), compiled.

State: integer counts per column and side, the Chernoff sums S_A and S_C and four totals. Moving a
row changes S by sum over its entries of [f(v + dv x) g(w + dw x) - f(v) g(w)]. Powers come from
tables indexed by the integer counts, so a candidate costs table reads and a few products.

The tables are rounded to 32 bits of mantissa: libraries differ in the last bit of a power, and a
search that branches on it would differ between machines. Reported values never use these tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.registry import require

if TYPE_CHECKING:
    from collections.abc import Callable

require("numba", extra="parse", feature="splitting a corpus by divergence")

from numba import njit, uint64  # noqa: E402  # after the check that says what to install

TRAIN, TEST, UNUSED = 0, 1, 2

# Slots of the float and integer state vectors.
SUM_A, SUM_C, D_A, D_C, SCORE = 0, 1, 2, 3, 4
TRAIN_A, TEST_A, TRAIN_C, TEST_C, TRAIN_SIZE, TEST_SIZE, ACCEPTED, TRIED = 0, 1, 2, 3, 4, 5, 6, 7

compiled: Callable[..., Any] = njit(cache=True, nogil=True, inline="never")
inlined: Callable[..., Any] = njit(cache=True, nogil=True, inline="always")


@inlined
def next_random(random: Any) -> Any:
    """Advance a splitmix64 generator (Steele et al. 2014): same bits on every machine."""
    random[0] += uint64(0x9E3779B97F4A7C15)
    z = random[0]
    z = (z ^ (z >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
    return z ^ (z >> uint64(31))


@inlined
def below(random: Any, bound: Any) -> Any:
    """Return a whole number from 0 to bound - 1 (32-bit multiply-shift)."""
    return np.int64(((next_random(random) >> uint64(32)) * uint64(bound)) >> uint64(32))


@inlined
def row_change(
    row: Any, dv: Any, dw: Any, starts: Any, middles: Any, entries: Any, counts: Any, tables: Any
) -> Any:
    """Return the change of S_A and S_C when a row enters or leaves the two sides."""
    atom_v, atom_w, compound_v, compound_w = tables
    change_a = 0.0
    for k in range(starts[row], middles[row]):
        column = entries[k, 0]
        x = entries[k, 1]
        v = counts[column, 0]
        w = counts[column, 1]
        change_a += atom_v[v + dv * x] * atom_w[w + dw * x] - atom_v[v] * atom_w[w]
    change_c = 0.0
    for k in range(middles[row], starts[row + 1]):
        column = entries[k, 0]
        x = entries[k, 1]
        v = counts[column, 0]
        w = counts[column, 1]
        change_c += compound_v[v + dv * x] * compound_w[w + dw * x] - compound_v[v] * compound_w[w]
    return change_a, change_c


@inlined
def coefficient_divergence(total: Any, v: Any, w: Any, power_v: Any, power_w: Any) -> Any:
    """Return 1 - S / (|V|^a |W|^(1-a)); two sets without counts have nothing in common: 1."""
    if v <= 0 or w <= 0:
        return 1.0
    return 1.0 - total / (power_v[v] * power_w[w])


@inlined
def score_of(atom: Any, compound: Any, goal: Any) -> Any:
    """Return -|c - D_C| - |D_A - a*| (Moisio et al. 2023, section 3.3)."""
    return -abs(goal[0] - compound) - goal[2] * abs(atom - goal[1])


@inlined
def apply_row(row: Any, dv: Any, dw: Any, starts: Any, entries: Any, counts: Any) -> None:
    """Add a row's counts to the sides."""
    for k in range(starts[row], starts[row + 1]):
        column = entries[k, 0]
        x = entries[k, 1]
        counts[column, 0] += dv * x
        counts[column, 1] += dw * x


@inlined
def candidate(
    row: Any,
    origin: Any,
    target: Any,
    starts: Any,
    middles: Any,
    entries: Any,
    counts: Any,
    sums: Any,
    reals: Any,
    whole: Any,
    tables: Any,
    totals: Any,
) -> Any:
    """Return S_A, S_C, D_A, D_C as they would be with a row moved from origin to target."""
    dv = np.int64(target == 0) - np.int64(origin == 0)
    dw = np.int64(target == 1) - np.int64(origin == 1)
    change_a, change_c = row_change(row, dv, dw, starts, middles, entries, counts, tables)
    sum_a = reals[0] + change_a
    sum_c = reals[1] + change_c
    a = sums[row, 0]
    c = sums[row, 1]
    atom = coefficient_divergence(sum_a, whole[0] + dv * a, whole[1] + dw * a, totals[0], totals[1])
    compound = coefficient_divergence(
        sum_c, whole[2] + dv * c, whole[3] + dw * c, totals[2], totals[3]
    )
    return sum_a, sum_c, atom, compound


@inlined
def carry_out(
    row: Any,
    origin: Any,
    target: Any,
    sides: Any,
    starts: Any,
    entries: Any,
    counts: Any,
    sums: Any,
    whole: Any,
) -> None:
    """Move a row: side, counts, totals and sizes (the caller sets the real-valued state)."""
    dv = np.int64(target == 0) - np.int64(origin == 0)
    dw = np.int64(target == 1) - np.int64(origin == 1)
    apply_row(row, dv, dw, starts, entries, counts)
    whole[0] += dv * sums[row, 0]
    whole[1] += dw * sums[row, 0]
    whole[2] += dv * sums[row, 1]
    whole[3] += dw * sums[row, 1]
    whole[4] += dv * sums[row, 2]
    whole[5] += dw * sums[row, 2]
    sides[row] = target


@compiled
def recompute(atoms: Any, counts: Any, reals: Any, whole: Any, tables: Any, totals: Any) -> None:
    """Sum S_A and S_C afresh, which removes the rounding that moves have piled up."""
    atom_v, atom_w, compound_v, compound_w = tables
    sum_a = 0.0
    for column in range(atoms):
        sum_a += atom_v[counts[column, 0]] * atom_w[counts[column, 1]]
    sum_c = 0.0
    for column in range(atoms, counts.shape[0]):
        v = counts[column, 0]
        w = counts[column, 1]
        if v > 0 and w > 0:
            sum_c += compound_v[v] * compound_w[w]
    reals[0] = sum_a
    reals[1] = sum_c
    reals[2] = coefficient_divergence(sum_a, whole[0], whole[1], totals[0], totals[1])
    reals[3] = coefficient_divergence(sum_c, whole[2], whole[3], totals[2], totals[3])


@compiled
def permute_rows(
    order: Any, starts: Any, columns: Any, counts: Any, atoms: Any, into: Any, sums: Any
) -> None:
    """Copy rows in another order and add up their atoms and compounds, without temporaries."""
    at = 0
    for place in range(len(order)):
        row = order[place]
        for k in range(starts[row], starts[row + 1]):
            into[at, 0] = columns[k]
            into[at, 1] = counts[k]
            if columns[k] < atoms:
                sums[place, 0] += counts[k]
            else:
                sums[place, 1] += counts[k]
            at += 1
        sums[place, 2] = 1


@compiled
def fill(sides: Any, starts: Any, entries: Any, counts: Any, sums: Any, whole: Any) -> None:
    """Enter every row into the counts of the side it is on."""
    for row in range(len(sides)):
        if sides[row] < 2:
            side = sides[row]
            sides[row] = 2
            carry_out(row, 2, side, sides, starts, entries, counts, sums, whole)


@compiled
def place(
    rows: Any,
    left: Any,
    steps: Any,
    tries: Any,
    bounds: Any,
    share: Any,
    sides: Any,
    starts: Any,
    middles: Any,
    entries: Any,
    counts: Any,
    sums: Any,
    reals: Any,
    whole: Any,
    tables: Any,
    totals: Any,
    goal: Any,
    random: Any,
) -> Any:
    """Greedy start: place unused rows one by one, each the best of `tries` random candidates.

    `rows[:left]` are the unplaced movable rows. A side grows only while its share of the used
    sentences allows it; both sides compete for the candidates in between.
    """
    for _ in range(steps):
        if left == 0:
            break
        used = whole[4] + whole[5]
        test_share = whole[5] / max(used, 1)
        if used >= bounds[5]:
            break
        train_open = (whole[4] < bounds[1]) and test_share >= share[0]
        test_open = (whole[5] < bounds[3]) and test_share <= share[1]
        if not train_open and not test_open:
            train_open = whole[4] < bounds[1]
            test_open = whole[5] < bounds[3] and not train_open
            if not train_open and not test_open:
                break
        best_score = -1e300
        best = np.int64(-1)
        best_side = np.int64(0)
        best_values = (0.0, 0.0, 0.0, 0.0)
        for _ in range(min(tries, left)):
            at = below(random, left)
            row = rows[at]
            for side in range(2):
                if (side == 0 and not train_open) or (side == 1 and not test_open):
                    continue
                if whole[4 + side] + sums[row, 2] > bounds[1 + 2 * side]:
                    continue
                if used + sums[row, 2] > bounds[5]:
                    continue
                values = candidate(
                    row, 2, side, starts, middles, entries, counts, sums, reals, whole, tables,
                    totals,
                )  # fmt: skip
                score = score_of(values[2], values[3], goal)
                if score > best_score:
                    best_score = score
                    best = at
                    best_side = np.int64(side)
                    best_values = values
        if best < 0:
            break
        row = rows[best]
        carry_out(row, 2, best_side, sides, starts, entries, counts, sums, whole)
        reals[0], reals[1], reals[2], reals[3] = best_values
        left -= 1
        rows[best] = rows[left]
        rows[left] = row
    return left


@inlined
def fits(origin: Any, target: Any, leaving: Any, coming: Any, whole: Any, bounds: Any) -> Any:
    """Say whether sizes stay in bounds when `leaving` goes origin -> target and `coming` back.

    `bounds` holds least and most of train, test, and of both together.
    """
    train = whole[4]
    test = whole[5]
    change = leaving - coming
    if origin == 0:
        train -= change
    elif origin == 1:
        test -= change
    if target == 0:
        train += change
    elif target == 1:
        test += change
    used = train + test
    return (
        bounds[0] <= train
        and train <= bounds[1]
        and bounds[2] <= test
        and test <= bounds[3]
        and bounds[4] <= used
        and used <= bounds[5]
    )


@compiled
def anneal(
    movable: Any,
    proposals: Any,
    hot: Any,
    cold: Any,
    exponential: Any,
    bounds: Any,
    sides: Any,
    starts: Any,
    middles: Any,
    entries: Any,
    counts: Any,
    sums: Any,
    reals: Any,
    whole: Any,
    tables: Any,
    totals: Any,
    goal: Any,
    random: Any,
) -> None:
    """Annealed local search: single moves where sizes allow them, swaps where they do not.

    The temperature falls linearly from `hot` to `cold`. A step is accepted when the score drops by
    less than temperature x Exp(1), which is Metropolis' rule without calling exp. Sizes never
    leave `bounds`.
    """
    count = len(movable)
    mask = uint64(len(exponential) - 1)
    score = score_of(reals[2], reals[3], goal)
    position = np.int64(whole[8])
    seeker = np.int64(whole[9])
    for step in range(proposals):
        temperature = hot + (cold - hot) * (step / proposals)
        bits = next_random(random)
        position += 1
        if position >= count:
            position = np.int64(0)
        row = movable[position]
        origin = np.int64(sides[row])
        target = (origin + 1 + np.int64(bits & uint64(1))) % 3
        allowance = temperature * exponential[np.int64((bits >> uint64(4)) & mask)]
        size = sums[row, 2]
        free = fits(origin, target, size, 0, whole, bounds)
        partner = np.int64(-1)
        if not free:
            for _ in range(64):
                seeker += 1
                if seeker >= count:
                    seeker = np.int64(0)
                other = movable[seeker]
                if sides[other] == target:
                    partner = other
                    break
            if partner < 0 or not fits(origin, target, size, sums[partner, 2], whole, bounds):
                continue
        whole[7] += 1
        old_a, old_c, old_atom, old_compound = reals[0], reals[1], reals[2], reals[3]
        values = candidate(
            row, origin, target, starts, middles, entries, counts, sums, reals, whole, tables,
            totals,
        )  # fmt: skip
        if free:
            new_score = score_of(values[2], values[3], goal)
            if new_score >= score - allowance:
                carry_out(row, origin, target, sides, starts, entries, counts, sums, whole)
                reals[0], reals[1], reals[2], reals[3] = values
                score = new_score
                whole[6] += 1
            continue
        carry_out(row, origin, target, sides, starts, entries, counts, sums, whole)
        reals[0], reals[1], reals[2], reals[3] = values
        values = candidate(
            partner, target, origin, starts, middles, entries, counts, sums, reals, whole, tables,
            totals,
        )  # fmt: skip
        new_score = score_of(values[2], values[3], goal)
        if new_score >= score - allowance:
            carry_out(partner, target, origin, sides, starts, entries, counts, sums, whole)
            reals[0], reals[1], reals[2], reals[3] = values
            score = new_score
            whole[6] += 1
        else:
            carry_out(row, target, origin, sides, starts, entries, counts, sums, whole)
            reals[0], reals[1], reals[2], reals[3] = old_a, old_c, old_atom, old_compound
    whole[8] = position
    whole[9] = seeker
