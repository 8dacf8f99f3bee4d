"""The algorithm of the paper, for comparison: greedy placing with a subsample of K candidates.

Moisio et al. 2023 and their divide.py, class FromEmptySets, with incremental updates instead of
dense vectors; same choices, so equal divergences within the spread of seeds. Differences on
purpose: the seed fixes the result, the last placement does not crash, and score ties are decided
in float64.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from recombine.builders.divergent.count import Counts
from recombine.builders.divergent.incremental_split import IncrementalSplit, SearchProgress
from recombine.builders.divergent.kernel import (
    TEST_SIZE,
    TRAIN_SIZE,
    accept,
    below,
    candidate,
    compiled,
    score_of,
)
from recombine.builders.divergent.options import DivergentOptions
from recombine.builders.divergent.split import TEST, TRAIN, UNUSED, Split

# A setting of the paper: the shares of test between which both sides grow.
TEST_SHARE = (0.1, 0.2)


def published_split(
    counts: Counts,
    options: DivergentOptions,
    *,
    seed: int,
    most_used: int,
    report: Callable[[SearchProgress], object] = lambda progress: None,
) -> Split:
    """Return the split that the published algorithm makes with `most_used` placements.

    As published, the last `candidates` rows are never placed and sizes are bounded by the test
    share while placing only, not while moving.
    """
    began = time.process_time()
    size, candidates = counts.size, options.candidates
    state = IncrementalSplit(counts, options, np.arange(size), seed)
    members = np.zeros((3, size), np.int64)
    members[UNUSED] = np.arange(size)
    lengths = np.array([0, 0, size], np.int64)
    steps = min(most_used, size - min(candidates, size - 1))
    done = 0
    while done < steps:
        chunk = min(max(100, steps // 50), steps - done)
        clock = time.monotonic()
        _place_and_move(members, lengths, chunk, candidates, np.array(TEST_SHARE), state.arrays)
        state.refresh()
        done += chunk
        rate = chunk * 4 * candidates / max(1e-9, time.monotonic() - clock)
        report(state.progress("annealing", done / steps, rate))
    return state.finished(state.sides[state.rank], began)


@compiled
def _place_and_move(
    members: Any, lengths: Any, steps: Any, candidates: Any, share: Any, state: Any
) -> None:
    whole = state.whole
    for _ in range(steps):
        used = whole[TRAIN_SIZE] + whole[TEST_SIZE]
        test_share = whole[TEST_SIZE] / max(used, 1)
        # First a random row goes to train, then the share decides which side may grow.
        train_open = used == 0 or test_share >= share[0]
        test_open = used > 0 and test_share <= share[1]
        _subsample(members[UNUSED], lengths[UNUSED], candidates, state.random)
        best_score = -1e300
        best = np.int64(0)
        best_side = np.int64(0)
        best_values = (0.0, 0.0, 0.0, 0.0)
        for at in range(min(candidates, lengths[UNUSED])):
            row = members[UNUSED, at]
            # A tie between the sides goes to test.
            for side in (TEST, TRAIN):
                if (side == TRAIN and not train_open) or (side == TEST and not test_open):
                    continue
                values = candidate(row, UNUSED, side, state)
                score = score_of(values, state.goal)
                if score > best_score:
                    best_score = score
                    best = np.int64(at)
                    best_side = np.int64(side)
                    best_values = values
        accept(members[UNUSED, best], UNUSED, best_side, best_values, state)
        _transfer(members, lengths, UNUSED, best, best_side)
        for origin in range(2):
            target = 1 - origin
            _subsample(members[origin], lengths[origin], candidates, state.random)
            best_score = score_of(state.reals, state.goal)
            best = np.int64(-1)
            # A set is never emptied.
            for at in range(min(candidates, lengths[origin]) if lengths[origin] > 1 else 0):
                values = candidate(members[origin, at], origin, target, state)
                score = score_of(values, state.goal)
                if score > best_score:
                    best_score = score
                    best = np.int64(at)
                    best_values = values
            if best >= 0:
                accept(members[origin, best], origin, target, best_values, state)
                _transfer(members, lengths, origin, best, target)


@compiled
def _subsample(rows: Any, length: Any, wanted: Any, random: Any) -> None:
    """Bring `wanted` random rows to the front (partial Fisher-Yates)."""
    for place in range(min(wanted, length - 1)):
        other = place + below(random, length - place)
        kept = rows[place]
        rows[place] = rows[other]
        rows[other] = kept


@compiled
def _transfer(members: Any, lengths: Any, origin: Any, at: Any, target: Any) -> None:
    """Move one row between the lists of members."""
    row = members[origin, at]
    lengths[origin] -= 1
    members[origin, at] = members[origin, lengths[origin]]
    members[target, lengths[target]] = row
    lengths[target] += 1
