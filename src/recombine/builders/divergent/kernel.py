"""The inner loops: exact incremental divergences in O(non-zero entries of a row), compiled.

State (`incremental_split.Arrays`): integer counts per column and side, the Chernoff sums S_A and
S_C and four totals. Moving a row changes S by the sum over its entries of
[f(v + dv x) g(w + dw x) - f(v) g(w)], with f and g the powers of a count in train and in test. They
come from tables indexed by the integer counts, so a candidate costs table reads and a few
products.

The tables are rounded to 32 bits of mantissa: libraries differ in the last bit of a power, and a
search that branches on it would differ between machines. Reported values never use these tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.builders.divergent.split import TEST, TRAIN, UNUSED
from recombine.registry import require

if TYPE_CHECKING:
    from collections.abc import Callable

require("numba", extra="parse", feature="splitting a corpus by divergence")

from numba import uint64  # noqa: E402  # after the check that says what to install

from recombine.kernels import kernel  # noqa: E402

# Slots of `Arrays.reals`, and of `Arrays.whole`: totals and sizes, then the state of the annealing.
SUM_A, SUM_C, D_A, D_C = range(4)
TRAIN_A, TEST_A, TRAIN_C, TEST_C, TRAIN_SIZE, TEST_SIZE = range(6)
ACCEPTED, TRIED, POSITION, SEEKER = range(6, 10)

# The loops own no array: counting references to those they are given would cost half as much again.
compiled: Callable[..., Any] = kernel(inline="never", _nrt=False)
inlined: Callable[..., Any] = kernel(inline="always", _nrt=False)


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
def sides_change(origin: Any, target: Any) -> Any:
    """Return how often a row moved from origin to target is added to train and to test."""
    dv = np.int64(target == TRAIN) - np.int64(origin == TRAIN)
    dw = np.int64(target == TEST) - np.int64(origin == TEST)
    return dv, dw


@inlined
def sum_change(
    first: Any, last: Any, dv: Any, dw: Any, entries: Any, counts: Any, table_v: Any, table_w: Any
) -> Any:
    """Return the change of S_A or S_C when these entries of a row change sides."""
    change = 0.0
    for k in range(first, last):
        column = entries[k, 0]
        x = entries[k, 1]
        v = counts[column, 0]
        w = counts[column, 1]
        change += table_v[v + dv * x] * table_w[w + dw * x] - table_v[v] * table_w[w]
    return change


@inlined
def coefficient_divergence(total: Any, v: Any, w: Any, power_v: Any, power_w: Any) -> Any:
    """Return 1 - S / (|V|^a |W|^(1-a)); two sets without counts have nothing in common: 1."""
    if v <= 0 or w <= 0:
        return 1.0
    return 1.0 - total / (power_v[v] * power_w[w])


@inlined
def score_of(values: Any, goal: Any) -> Any:
    """Return -|c - D_C| - |D_A - a*| (Moisio et al. 2023, section 3.1)."""
    return -abs(goal[0] - values[D_C]) - goal[2] * abs(values[D_A] - goal[1])


@inlined
def candidate(row: Any, origin: Any, target: Any, state: Any) -> Any:
    """Return S_A, S_C, D_A, D_C as they would be with a row moved from origin to target."""
    dv, dw = sides_change(origin, target)
    start, middle, end = state.starts[row], state.middles[row], state.starts[row + 1]
    atom_v, atom_w, compound_v, compound_w = state.tables
    all_atom_v, all_atom_w, all_compound_v, all_compound_w = state.totals
    entries, counts, whole = state.entries, state.counts, state.whole
    sum_a = state.reals[SUM_A] + sum_change(start, middle, dv, dw, entries, counts, atom_v, atom_w)
    sum_c = state.reals[SUM_C] + sum_change(
        middle, end, dv, dw, entries, counts, compound_v, compound_w
    )
    a = state.sums[row, 0]
    c = state.sums[row, 1]
    atom = coefficient_divergence(
        sum_a, whole[TRAIN_A] + dv * a, whole[TEST_A] + dw * a, all_atom_v, all_atom_w
    )
    compound = coefficient_divergence(
        sum_c, whole[TRAIN_C] + dv * c, whole[TEST_C] + dw * c, all_compound_v, all_compound_w
    )
    return sum_a, sum_c, atom, compound


@inlined
def carry_out(row: Any, origin: Any, target: Any, state: Any) -> None:
    """Move a row: side, counts, totals and sizes."""
    dv, dw = sides_change(origin, target)
    for k in range(state.starts[row], state.starts[row + 1]):
        column = state.entries[k, 0]
        x = state.entries[k, 1]
        state.counts[column, 0] += dv * x
        state.counts[column, 1] += dw * x
    whole = state.whole
    whole[TRAIN_A] += dv * state.sums[row, 0]
    whole[TEST_A] += dw * state.sums[row, 0]
    whole[TRAIN_C] += dv * state.sums[row, 1]
    whole[TEST_C] += dw * state.sums[row, 1]
    whole[TRAIN_SIZE] += dv * state.sums[row, 2]
    whole[TEST_SIZE] += dw * state.sums[row, 2]
    state.sides[row] = target


@inlined
def accept(row: Any, origin: Any, target: Any, values: Any, state: Any) -> None:
    """Move a row and take over the sums and divergences that its candidate has."""
    carry_out(row, origin, target, state)
    state.reals[SUM_A], state.reals[SUM_C], state.reals[D_A], state.reals[D_C] = values


@compiled
def recompute(atoms: Any, state: Any) -> None:
    """Sum S_A and S_C afresh, which removes the rounding that moves have piled up."""
    atom_v, atom_w, compound_v, compound_w = state.tables
    counts, whole, totals = state.counts, state.whole, state.totals
    sum_a = 0.0
    for column in range(atoms):
        sum_a += atom_v[counts[column, 0]] * atom_w[counts[column, 1]]
    sum_c = 0.0
    for column in range(atoms, counts.shape[0]):
        v = counts[column, 0]
        w = counts[column, 1]
        if v > 0 and w > 0:
            sum_c += compound_v[v] * compound_w[w]
    reals = state.reals
    reals[SUM_A] = sum_a
    reals[SUM_C] = sum_c
    reals[D_A] = coefficient_divergence(sum_a, whole[TRAIN_A], whole[TEST_A], totals[0], totals[1])
    reals[D_C] = coefficient_divergence(sum_c, whole[TRAIN_C], whole[TEST_C], totals[2], totals[3])


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
def fill(state: Any) -> None:
    """Enter every row into the counts of the side it is on."""
    for row in range(len(state.sides)):
        side = state.sides[row]
        if side != UNUSED:
            carry_out(row, UNUSED, side, state)


@compiled
def place(rows: Any, left: Any, steps: Any, tries: Any, bounds: Any, share: Any, state: Any) -> Any:
    """Greedy start: place unused rows one by one, each the best of `tries` random candidates.

    `rows[:left]` are the unplaced movable rows. A side grows only while its share of the used
    sentences allows it; both sides compete for the candidates in between.
    """
    whole, sums = state.whole, state.sums
    for _ in range(steps):
        if left == 0:
            break
        used = whole[TRAIN_SIZE] + whole[TEST_SIZE]
        test_share = whole[TEST_SIZE] / max(used, 1)
        if used >= bounds[5]:
            break
        train_open = (whole[TRAIN_SIZE] < bounds[1]) and test_share >= share[0]
        test_open = (whole[TEST_SIZE] < bounds[3]) and test_share <= share[1]
        if not train_open and not test_open:
            train_open = whole[TRAIN_SIZE] < bounds[1]
            test_open = whole[TEST_SIZE] < bounds[3] and not train_open
            if not train_open and not test_open:
                break
        best_score = -1e300
        best = np.int64(-1)
        best_side = np.int64(0)
        best_values = (0.0, 0.0, 0.0, 0.0)
        for _ in range(min(tries, left)):
            at = below(state.random, left)
            row = rows[at]
            for side in (TRAIN, TEST):
                if (side == TRAIN and not train_open) or (side == TEST and not test_open):
                    continue
                if whole[TRAIN_SIZE + side] + sums[row, 2] > bounds[1 + 2 * side]:
                    continue
                if used + sums[row, 2] > bounds[5]:
                    continue
                values = candidate(row, UNUSED, side, state)
                score = score_of(values, state.goal)
                if score > best_score:
                    best_score = score
                    best = at
                    best_side = np.int64(side)
                    best_values = values
        if best < 0:
            break
        row = rows[best]
        accept(row, UNUSED, best_side, best_values, state)
        left -= 1
        rows[best] = rows[left]
        rows[left] = row
    return left


@inlined
def fits(origin: Any, target: Any, leaving: Any, coming: Any, whole: Any, bounds: Any) -> Any:
    """Say whether sizes stay in bounds when `leaving` goes origin -> target and `coming` back.

    `bounds` holds least and most of train, test, and of both together.
    """
    dv, dw = sides_change(origin, target)
    train = whole[TRAIN_SIZE] + dv * (leaving - coming)
    test = whole[TEST_SIZE] + dw * (leaving - coming)
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
    state: Any,
) -> None:
    """Annealed local search: single moves where sizes allow them, swaps where they do not.

    The temperature falls linearly from `hot` to `cold`. A step is accepted when the score drops by
    less than temperature x Exp(1), which is Metropolis' rule without calling exp. Sizes never
    leave `bounds`.
    """
    count = len(movable)
    mask = uint64(len(exponential) - 1)
    sides, sums, reals, whole, goal = state.sides, state.sums, state.reals, state.whole, state.goal
    score = score_of(reals, goal)
    position = np.int64(whole[POSITION])
    seeker = np.int64(whole[SEEKER])
    for step in range(proposals):
        temperature = hot + (cold - hot) * (step / proposals)
        bits = next_random(state.random)
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
        whole[TRIED] += 1
        before = (reals[SUM_A], reals[SUM_C], reals[D_A], reals[D_C])
        values = candidate(row, origin, target, state)
        if free:
            new_score = score_of(values, goal)
            if new_score >= score - allowance:
                accept(row, origin, target, values, state)
                score = new_score
                whole[ACCEPTED] += 1
            continue
        accept(row, origin, target, values, state)
        values = candidate(partner, target, origin, state)
        new_score = score_of(values, goal)
        if new_score >= score - allowance:
            accept(partner, target, origin, values, state)
            score = new_score
            whole[ACCEPTED] += 1
        else:
            accept(row, target, origin, before, state)
    whole[POSITION] = position
    whole[SEEKER] = seeker


@compiled
def cover(rows: Any, starts: Any, middles: Any, columns: Any, wanted: Any, into: Any) -> Any:
    """Choose rows that together have all wanted columns: always one that has the most new ones.

    The greedy cover (Chvatal 1979). What a row adds only shrinks, so that one pass over the rows
    for every number, from the highest down, finds it. Chosen rows get -1 in `rows`; returns how
    many of them are in `into`.
    """
    most = np.int64(0)
    for row in rows:
        most = max(most, starts[row + 1] - middles[row])
    chosen = 0
    for least in range(most, 0, -1):
        for place in range(len(rows)):
            row = rows[place]
            if row < 0:
                continue
            new = 0
            for k in range(middles[row], starts[row + 1]):
                new += wanted[columns[k]]
            if new >= least:
                for k in range(middles[row], starts[row + 1]):
                    wanted[columns[k]] = 0
                into[chosen] = row
                chosen += 1
                rows[place] = -1
    return chosen


@compiled
def spare(
    rows: Any, most: Any, starts: Any, columns: Any, counts: Any, needed: Any, left: Any, into: Any
) -> Any:
    """Choose up to `most` rows without which every needed column still occurs.

    `left` counts the columns of all rows; returns how many of the chosen ones are in `into`.
    """
    chosen = 0
    for row in rows:
        if chosen == most:
            break
        last = False
        for k in range(starts[row], starts[row + 1]):
            if needed[columns[k]] and left[columns[k]] <= counts[k]:
                last = True
                break
        if last:
            continue
        for k in range(starts[row], starts[row + 1]):
            left[columns[k]] -= counts[k]
        into[chosen] = row
        chosen += 1
    return chosen
