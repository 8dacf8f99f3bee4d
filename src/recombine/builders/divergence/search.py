"""Divide counted sentences into train, test and rest: greedy start, then annealed local search.

All steps are deterministic for a seed. State is a function of the sides, the random state and the
step, which a checkpoint holds, so that a killed search continues to the very same result.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recombine.builders.divergence.count import Rows
from recombine.builders.divergence.measure import (
    ATOM_ALPHA,
    COMPOUND_ALPHA,
    column_totals,
    divergences,
)
from recombine.errors import ConfigError

TRAIN, TEST, UNUSED = 0, 1, 2
Sides = npt.NDArray[np.int8]

# Moves tried per row in the annealing, for a corpus of REFERENCE_ROWS; smaller corpora afford more.
PASSES = 40
REFERENCE_ROWS = 250_000
MOST_PASSES = 400
# One sentence changes a divergence by about 1/N, so the temperature goes with 1/N; 0.08/N did best
# on 72,000 and 247,000 rows.
TEMPERATURE = 0.08
TRIES = 20
CHECKPOINT_SECONDS = 10.0


class Goal(NamedTuple):
    """The wanted divergences; the score is -|c - D_C| - weight |D_A - a*|."""

    compound: float
    atom: float = 0.0
    atom_weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Least and most sentences of train, of test, and of both together. Never left."""

    train: tuple[int, int]
    test: tuple[int, int]
    used: tuple[int, int]

    def array(self) -> npt.NDArray[np.int64]:
        """Return the six numbers in the kernel's order."""
        return np.array([*self.train, *self.test, *self.used], np.int64)

    def require_feasible(self, available: int) -> None:
        """Raise when no split of `available` sentences can satisfy the bounds."""
        names = {"train": self.train, "test": self.test, "used": self.used}
        for name, (least, most) in names.items():
            if least > most or most < 0:
                raise ConfigError(f"infeasible bounds: {name} between {least:,} and {most:,}")
        low = max(self.used[0], self.train[0] + self.test[0])
        high = min(self.used[1], self.train[1] + self.test[1], available)
        if low > high or self.test[0] < 1:
            raise ConfigError(
                f"infeasible bounds: train {_span(self.train)}, test {_span(self.test)}, together "
                f"{_span(self.used)}, but {available:,} sentences have a controlled atom",
                hint="lower the sizes, or give more sentences",
            )


class Progress(NamedTuple):
    """What a progress line shows."""

    phase: str
    done: float
    atom: float
    compound: float
    train: int
    test: int
    moves_per_second: float


@dataclass
class Split:
    """The outcome: a side per row, with divergences computed from scratch."""

    sides: Sides
    atom: float
    compound: float
    train: int
    test: int
    score: float
    moves: int
    seconds: float
    history: list[dict[str, Any]] = field(default_factory=list)


def split_rows(
    rows: Rows,
    atoms: int,
    columns: int,
    goal: Goal,
    bounds: Bounds,
    *,
    seed: int,
    atom_alpha: float = ATOM_ALPHA,
    compound_alpha: float = COMPOUND_ALPHA,
    passes: int | None = None,
    tries: int = TRIES,
    groups: npt.NDArray[np.int64] | None = None,
    start: Sides | None = None,
    locked: npt.NDArray[np.bool_] | None = None,
    checkpoint: Path | None = None,
    report: Callable[[Progress], object] = lambda progress: None,
) -> Split:
    """Return the best split found.

    `groups` numbers rows that stay together; `start` gives sides to begin from (warm start);
    `locked` rows keep their side from `start` (a fixed train set).
    """
    began = time.process_time()
    size = len(rows.middles)
    bounds.require_feasible(size)
    member = np.arange(size) if groups is None else np.unique(groups, return_inverse=True)[1]
    search = _Search(rows, atoms, columns, goal, bounds, member, seed, atom_alpha, compound_alpha)
    search.begin(start, locked)
    plan = _Plan(passes or default_passes(search.count), tries, search.count)
    if checkpoint is not None:
        search.resume(checkpoint, plan)
    search.run(plan, checkpoint, report)
    sides = search.row_sides(member)
    return _finished(rows, atoms, columns, goal, sides, search, atom_alpha, compound_alpha, began)


def default_passes(rows: int) -> int:
    """Return how often the annealing visits each row: a fixed budget of moves, within limits."""
    return int(np.clip(PASSES * REFERENCE_ROWS // max(1, rows), PASSES, MOST_PASSES))


def random_split(size: int, bounds: Bounds, seed: int) -> Sides:
    """Return a random split with the largest test and used sizes that the bounds allow."""
    bounds.require_feasible(size)
    used = min(bounds.used[1], bounds.train[1] + bounds.test[1], size)
    test = min(bounds.test[1], used - bounds.train[0])
    train = min(bounds.train[1], used - test)
    order = np.random.Generator(np.random.PCG64(seed)).permutation(size)
    sides = np.full(size, UNUSED, np.int8)
    sides[order[:test]] = TEST
    sides[order[test : test + train]] = TRAIN
    return sides


@dataclass
class _Plan:
    passes: int
    tries: int
    units: int
    placed: int = 0
    annealed: int = 0
    finished_placing: bool = False


class _Search:
    """Arrays of one search, rows stored in the order in which they are visited."""

    def __init__(
        self,
        rows: Rows,
        atoms: int,
        columns: int,
        goal: Goal,
        bounds: Bounds,
        member: npt.NDArray[np.int64],
        seed: int,
        atom_alpha: float,
        compound_alpha: float,
    ) -> None:
        from recombine.builders.divergence import kernel

        self.kernel = kernel
        self.atoms = atoms
        self.columns = columns
        self.goal = np.array([goal.compound, goal.atom, goal.atom_weight])
        self.bounds = bounds
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
        self.count = int(member.max()) + 1 if len(member) else 0
        # Visiting rows in memory order is three times as fast as jumping about; the order itself
        # is random.
        self.order = generator.permutation(self.count)
        self.rank = np.empty_like(self.order)
        self.rank[self.order] = np.arange(self.count)
        self.starts, self.middles, self.entries, self.sums = _gather(
            rows, atoms, columns, self.rank[member], self.count
        )
        totals = np.bincount(self.entries[:, 0], weights=self.entries[:, 1], minlength=columns)
        most_a = int(totals[:atoms].max(initial=0))
        most_c = int(totals[atoms:].max(initial=0))
        all_a, all_c = int(self.sums[:, 0].sum()), int(self.sums[:, 1].sum())
        powers = (atom_alpha, 1 - atom_alpha, compound_alpha, 1 - compound_alpha)
        self.tables = tuple(
            _table(most, power)
            for most, power in zip((most_a, most_a, most_c, most_c), powers, strict=True)
        )
        self.totals = tuple(
            _table(most, power)
            for most, power in zip((all_a, all_a, all_c, all_c), powers, strict=True)
        )
        self.random = generator.integers(0, 2**63, 1).astype(np.uint64)
        self.exponential = _exponential()
        self.sides = np.full(self.count, UNUSED, np.int8)
        self.counts = np.zeros((columns, 2), np.int32)
        self.reals = np.zeros(4)
        self.whole = np.zeros(10, np.int64)
        self.whole[9] = self.count // 2
        self.movable = np.arange(self.count)
        self.unplaced = self.movable.copy()
        self.left = self.count
        self.fingerprint = hashlib.sha256(
            json.dumps(
                [asdict(bounds), list(goal), seed, atoms, columns, self.count, powers]
            ).encode()
            + np.ascontiguousarray(self.entries).tobytes()
        ).hexdigest()

    def begin(self, start: Sides | None, locked: npt.NDArray[np.bool_] | None) -> None:
        if start is None:
            return
        if len(start) != self.count:
            raise ConfigError("a given start works on single sentences, not on groups")
        self.sides[:] = start[self.order]
        if locked is not None:
            self.movable = np.flatnonzero(~locked[self.order])
        self.fingerprint += hashlib.sha256(self.sides.tobytes()).hexdigest()
        self._enter()

    def _enter(self) -> None:
        self.counts[:] = 0
        self.whole[:6] = 0
        self.kernel.fill(
            self.sides, self.starts, self.entries, self.counts, self.sums, self.whole
        )
        free = self.movable[self.sides[self.movable] == UNUSED]
        self.unplaced = free.copy()
        self.left = len(free)
        self.refresh()

    def refresh(self) -> None:
        self.kernel.recompute(
            self.atoms, self.counts, self.reals, self.whole, self.tables, self.totals
        )

    def run(
        self, plan: _Plan, checkpoint: Path | None, report: Callable[[Progress], object]
    ) -> None:
        saved = time.monotonic()
        bounds = self.bounds.array()
        arrays = (
            self.sides, self.starts, self.middles, self.entries, self.counts, self.sums,
            self.reals, self.whole, self.tables, self.totals, self.goal, self.random,
        )  # fmt: skip
        middle = (self.bounds.used[0] + self.bounds.used[1]) / 2
        share = np.array(self.bounds.test) / max(1.0, middle)
        chunk = max(1000, self.count // 20)
        while not plan.finished_placing:
            began, before = time.monotonic(), self.left
            self.left = int(
                self.kernel.place(
                    self.unplaced, self.left, chunk, plan.tries, bounds, share, *arrays
                )
            )
            plan.finished_placing = before - self.left < chunk
            plan.placed += before - self.left
            rate = (before - self.left) * plan.tries / max(1e-9, time.monotonic() - began)
            report(self._progress("placing", plan.placed / max(1, self.bounds.used[1]), rate))
            if checkpoint is not None and time.monotonic() - saved > CHECKPOINT_SECONDS:
                self.save(checkpoint, plan)
                saved = time.monotonic()
        self._require_bounds()
        hot = TEMPERATURE / max(1, len(self.movable))
        while plan.annealed < plan.passes and len(self.movable):
            began = time.monotonic()
            self.refresh()
            self.kernel.anneal(
                self.movable,
                len(self.movable),
                hot * (1 - plan.annealed / plan.passes),
                hot * (1 - (plan.annealed + 1) / plan.passes),
                self.exponential,
                bounds,
                *arrays,
            )
            plan.annealed += 1
            rate = len(self.movable) / max(1e-9, time.monotonic() - began)
            report(self._progress("annealing", plan.annealed / plan.passes, rate))
            if checkpoint is not None and time.monotonic() - saved > CHECKPOINT_SECONDS:
                self.save(checkpoint, plan)
                saved = time.monotonic()
        self.refresh()

    def _require_bounds(self) -> None:
        train, test = int(self.whole[4]), int(self.whole[5])
        bounds = self.bounds
        good = (
            bounds.train[0] <= train <= bounds.train[1]
            and bounds.test[0] <= test <= bounds.test[1]
            and bounds.used[0] <= train + test <= bounds.used[1]
        )
        if not good:
            raise ConfigError(
                f"no start within the bounds was found: train {train:,} of {_span(bounds.train)}, "
                f"test {test:,} of {_span(bounds.test)}, together {_span(bounds.used)}",
                hint="widen the bounds; groups and given starts need room",
            )

    def _progress(self, phase: str, done: float, rate: float) -> Progress:
        return Progress(
            phase,
            min(1.0, done),
            float(self.reals[2]),
            float(self.reals[3]),
            int(self.whole[4]),
            int(self.whole[5]),
            rate,
        )

    def save(self, path: Path, plan: _Plan) -> None:
        partial = path.with_name(path.name + ".partial.npz")
        np.savez(
            partial,
            sides=self.sides,
            random=self.random,
            whole=self.whole,
            unplaced=self.unplaced,
            reals=self.reals,
            steps=np.array(
                [self.left, plan.placed, plan.annealed, plan.finished_placing, plan.passes]
            ),
            fingerprint=np.array(self.fingerprint),
        )
        partial.replace(path)

    def resume(self, path: Path, plan: _Plan) -> None:
        if not path.is_file():
            return
        with np.load(path, allow_pickle=False) as saved:
            if str(saved["fingerprint"]) != self.fingerprint or saved["steps"][4] != plan.passes:
                return  # left by a search for something else
            self.sides[:] = saved["sides"]
            self._enter()
            self.random[:] = saved["random"]
            self.whole[:] = saved["whole"]
            # Bit for bit the sums that the interrupted search had, rounding included.
            self.reals[:] = saved["reals"]
            self.unplaced = saved["unplaced"]
            self.left, plan.placed, plan.annealed = (int(n) for n in saved["steps"][:3])
            plan.finished_placing = bool(saved["steps"][3])

    def row_sides(self, member: npt.NDArray[np.int64]) -> Sides:
        sides: Sides = self.sides[self.rank[member]]
        return sides


def _finished(
    rows: Rows,
    atoms: int,
    columns: int,
    goal: Goal,
    sides: Sides,
    search: _Search,
    atom_alpha: float,
    compound_alpha: float,
    began: float,
) -> Split:
    exact = divergences(
        column_totals(rows, sides == TRAIN, columns),
        column_totals(rows, sides == TEST, columns),
        atoms,
        atom_alpha=atom_alpha,
        compound_alpha=compound_alpha,
    )
    score = -abs(goal.compound - exact.compound) - goal.atom_weight * abs(exact.atom - goal.atom)
    return Split(
        sides,
        exact.atom,
        exact.compound,
        int((sides == TRAIN).sum()),
        int((sides == TEST).sum()),
        score,
        int(search.whole[6]),
        time.process_time() - began,
    )


def _gather(
    rows: Rows, atoms: int, columns: int, place: npt.NDArray[np.int64], count: int
) -> tuple[Any, Any, Any, Any]:
    """Return starts, middles, entries and sums of the units, in visiting order.

    `place` is the visiting rank of each row's unit; rows of one unit are added up.
    """
    entry_row = np.repeat(place, np.diff(rows.starts))
    entry_column = np.asarray(rows.columns, dtype=np.int64)
    entry_count = np.asarray(rows.counts, dtype=np.int64)
    if count == len(place):
        order = np.argsort(entry_row, kind="stable")
        unit, column, number = entry_row[order], entry_column[order], entry_count[order]
    else:
        keys, inverse = np.unique(entry_row * columns + entry_column, return_inverse=True)
        unit, column = keys // columns, keys % columns
        number = np.bincount(inverse, weights=entry_count).astype(np.int64)
    lengths = np.bincount(unit, minlength=count)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    atom = column < atoms
    middles = starts[:-1] + np.bincount(unit[atom], minlength=count)
    entries = np.stack([column.astype(np.int32), number.astype(np.int32)], axis=1)
    sums = np.stack(
        [
            np.bincount(unit[atom], weights=number[atom], minlength=count),
            np.bincount(unit[~atom], weights=number[~atom], minlength=count),
            np.bincount(place, minlength=count),
        ],
        axis=1,
    ).astype(np.int64)
    return starts, middles, entries, sums


def _table(most: int, power: float) -> npt.NDArray[np.float64]:
    """Return i^power for i = 0..most, rounded to 32 bits (Veltkamp's splitting); 0^power = 0."""
    numbers = np.arange(most + 1, dtype=np.float64)
    values = np.where(numbers > 0, numbers**power, 0.0)
    scaled = values * (2.0**21 + 1)
    rounded: npt.NDArray[np.float64] = scaled - (scaled - values)
    return rounded


def _exponential() -> npt.NDArray[np.float64]:
    """Return 1,024 quantiles of Exp(1): a random one is an exponential draw without log."""
    values = -np.log((np.arange(1024) + 0.5) / 1024)
    scaled = values * (2.0**21 + 1)
    rounded: npt.NDArray[np.float64] = scaled - (scaled - values)
    return rounded


def _span(bounds: tuple[int, int]) -> str:
    return f"{bounds[0]:,}" if bounds[0] == bounds[1] else f"{bounds[0]:,}-{bounds[1]:,}"
