"""Divide counted sentences into train, test and rest: greedy start, then annealed local search.

**Placing.** Starting from nothing (or from given sides), sentences are placed one by one until the
bounds are full: of `tries` random unplaced ones, each tried on the sides that may still grow, the
one with the best score goes in. A side may grow while its share of the used sentences allows it.

**Annealing** (Kirkpatrick et al. 1983). The placed split is good but greedy, so every pass visits
each sentence once, in a fixed random order, and proposes to send it to one of the two other sides;
where sizes forbid that, it swaps with a sentence of that side. A proposal is accepted when the
score drops by less than temperature x Exp(1), which is Metropolis' rule; the temperature falls
linearly to zero over all passes. Sizes never leave their bounds.

Both phases see exact divergences, updated in the time that one sentence has entries
(`incremental_split`, compiled in `kernel`); sums are made afresh with every pass, and what is
returned is computed from scratch. All steps are deterministic for a seed. The state is a function
of the sides, the random state and the step, which a checkpoint holds, so that a killed search
continues to the very same result.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from recombine.builders.divergent.count import Counts
from recombine.builders.divergent.incremental_split import (
    IncrementalSplit,
    SearchProgress,
    round_to_32_bits,
)
from recombine.builders.divergent.options import DivergentOptions
from recombine.builders.divergent.split import UNUSED, Bounds, Sides, Split
from recombine.errors import ConfigError, DataError

# Moves tried per row in the annealing, for a corpus of REFERENCE_ROWS; smaller corpora afford more.
PASSES = 40
REFERENCE_ROWS = 250_000
MOST_PASSES = 400
# One sentence changes a divergence by about 1/N, so the temperature goes with 1/N; 0.08/N did best
# on 72,000 and 247,000 rows.
TEMPERATURE = 0.08
CHECKPOINT_SECONDS = 10.0


def split_rows(
    counts: Counts,
    options: DivergentOptions,
    bounds: Bounds,
    *,
    seed: int,
    groups: npt.NDArray[np.int64] | None = None,
    start: Sides | None = None,
    locked: npt.NDArray[np.bool_] | None = None,
    checkpoint: Path | None = None,
    report: Callable[[SearchProgress], object] = lambda progress: None,
) -> Split:
    """Return the best split found.

    `groups` numbers rows that stay together; `start` gives sides to begin from (warm start);
    `locked` rows keep their side from `start` (a fixed train set).
    """
    began = time.process_time()
    if counts.compounds < 2:
        raise DataError(
            "only one compound is controlled, so that no split can differ from another",
            hint='use edition = "all", another definition, or a larger corpus',
        )
    bounds.require_feasible(counts.size)
    member = np.arange(counts.size) if groups is None else np.unique(groups, return_inverse=True)[1]
    state = IncrementalSplit(counts, options, member, seed)
    search = _Search(state, bounds)
    search.begin(start, locked)
    plan = _Plan(options.passes or default_passes(state.count), options.tries, state.count)
    if checkpoint is not None:
        search.resume(checkpoint, plan)
    search.run(plan, checkpoint, report)
    return state.finished(state.sides[state.rank[member]], began)


def default_passes(rows: int) -> int:
    """Return how often the annealing visits each row: a fixed budget of moves, within limits."""
    return int(np.clip(PASSES * REFERENCE_ROWS // max(1, rows), PASSES, MOST_PASSES))


@dataclass
class _Plan:
    passes: int
    tries: int
    units: int
    placed: int = 0
    annealed: int = 0
    finished_placing: bool = False


class _Search:
    """Greedy placing and annealing on a state, with checkpoints."""

    def __init__(self, state: IncrementalSplit, bounds: Bounds) -> None:
        self.state = state
        self.bounds = bounds
        self.movable = np.arange(state.count)
        self.unplaced = self.movable.copy()
        self.left = state.count
        self.fingerprint = state.identity + json.dumps(asdict(bounds))

    def begin(self, start: Sides | None, locked: npt.NDArray[np.bool_] | None) -> None:
        if start is None:
            return
        state = self.state
        if len(start) != state.count:
            raise ConfigError("a given start works on single sentences, not on groups")
        state.sides[:] = start[state.order]
        if locked is not None:
            self.movable = np.flatnonzero(~locked[state.order])
        self.fingerprint += hashlib.sha256(
            state.sides.tobytes() + self.movable.tobytes()
        ).hexdigest()
        self._enter()

    def _enter(self) -> None:
        self.state.enter()
        self.unplaced = self.movable[self.state.sides[self.movable] == UNUSED]
        self.left = len(self.unplaced)

    def run(
        self, plan: _Plan, checkpoint: Path | None, report: Callable[[SearchProgress], object]
    ) -> None:
        state = self.state
        saver = _Saver(self, plan, checkpoint)
        bounds = self.bounds.array()
        middle = (self.bounds.used[0] + self.bounds.used[1]) / 2
        share = np.array(self.bounds.test) / max(1.0, middle)
        chunk = max(1000, state.count // 20)
        while not plan.finished_placing:
            began, before = time.monotonic(), self.left
            self.left = int(
                state.kernel.place(
                    self.unplaced, self.left, chunk, plan.tries, bounds, share, state.arrays
                )
            )
            placed = before - self.left
            plan.finished_placing = placed < chunk
            plan.placed += placed
            rate = placed * plan.tries / max(1e-9, time.monotonic() - began)
            report(state.progress("placing", plan.placed / max(1, self.bounds.used[1]), rate))
            saver.tick()
        self._require_bounds()
        hot = TEMPERATURE / max(1, len(self.movable))
        exponential = exponential_quantiles()
        while plan.annealed < plan.passes and len(self.movable):
            began = time.monotonic()
            state.refresh()
            state.kernel.anneal(
                self.movable,
                len(self.movable),
                hot * (1 - plan.annealed / plan.passes),
                hot * (1 - (plan.annealed + 1) / plan.passes),
                exponential,
                bounds,
                state.arrays,
            )
            plan.annealed += 1
            rate = len(self.movable) / max(1e-9, time.monotonic() - began)
            report(state.progress("annealing", plan.annealed / plan.passes, rate))
            saver.tick()
        state.refresh()

    def _require_bounds(self) -> None:
        train, test = self.state.train_size, self.state.test_size
        bounds = self.bounds
        good = (
            bounds.train[0] <= train <= bounds.train[1]
            and bounds.test[0] <= test <= bounds.test[1]
            and bounds.used[0] <= train + test <= bounds.used[1]
        )
        if not good:
            raise ConfigError(
                f"no start within the bounds was found: train {train:,} of "
                f"{bounds.train[0]:,}-{bounds.train[1]:,}, test {test:,} of "
                f"{bounds.test[0]:,}-{bounds.test[1]:,}, together "
                f"{bounds.used[0]:,}-{bounds.used[1]:,}",
                hint="widen the bounds; groups and given starts need room",
            )

    def save(self, path: Path, plan: _Plan) -> None:
        state = self.state
        partial = path.with_name(path.name + ".partial.npz")
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(
            partial,
            sides=state.sides,
            random=state.random,
            whole=state.whole,
            unplaced=self.unplaced,
            reals=state.reals,
            steps=np.array(
                [self.left, plan.placed, plan.annealed, plan.finished_placing, plan.passes]
            ),
            fingerprint=np.array(self.fingerprint),
        )
        partial.replace(path)

    def resume(self, path: Path, plan: _Plan) -> None:
        if not path.is_file():
            return
        state = self.state
        with np.load(path, allow_pickle=False) as saved:
            if str(saved["fingerprint"]) != self.fingerprint or saved["steps"][4] != plan.passes:
                return  # left by a search for something else
            state.sides[:] = saved["sides"]
            self._enter()
            state.random[:] = saved["random"]
            state.whole[:] = saved["whole"]
            # Bit for bit the sums that the interrupted search had, rounding included.
            state.reals[:] = saved["reals"]
            self.unplaced = saved["unplaced"]
            self.left, plan.placed, plan.annealed = (int(n) for n in saved["steps"][:3])
            plan.finished_placing = bool(saved["steps"][3])


class _Saver:
    """Writes a checkpoint when the last one is old enough."""

    def __init__(self, search: _Search, plan: _Plan, path: Path | None) -> None:
        self.search = search
        self.plan = plan
        self.path = path
        self.saved = time.monotonic()

    def tick(self) -> None:
        if self.path is not None and time.monotonic() - self.saved >= CHECKPOINT_SECONDS:
            self.search.save(self.path, self.plan)
            self.saved = time.monotonic()


def exponential_quantiles() -> npt.NDArray[np.float64]:
    """Return 1,024 quantiles of Exp(1): a random one is an exponential draw without log."""
    return round_to_32_bits(-np.log((np.arange(1024) + 0.5) / 1024))
