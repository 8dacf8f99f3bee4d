"""Splits keep their bounds, are exact, deterministic and resumable."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parsed_corpora import asked, counted, made_up
from recombine.builders.divergent import search
from recombine.builders.divergent.count import Counts
from recombine.builders.divergent.incremental_split import SearchProgress
from recombine.builders.divergent.measure import column_totals, divergences
from recombine.builders.divergent.published import published_split
from recombine.builders.divergent.search import split_rows
from recombine.builders.divergent.split import TEST, TRAIN, UNUSED, Bounds, random_split
from recombine.errors import ConfigError, DataError


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> Counts:
    """A counted corpus of a thousand sentences."""
    folder = tmp_path_factory.mktemp("counted")
    return counted(made_up(1_000, words=200), folder, edition="all")[1]


def split(counts: Counts, goal: float, bounds: Bounds, seed: int = 1, **more: Any) -> Any:
    """Split with few passes."""
    options = asked(goal, passes=more.pop("passes", 20))
    return split_rows(counts, options, bounds, seed=seed, **more)


WINDOW = Bounds(train=(500, 650), test=(80, 100), used=(600, 740))


@pytest.mark.parametrize("goal", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_bounds_hold_and_values_are_exact(counts: Counts, goal: float, seed: int) -> None:
    """Sizes stay inside; the reported divergences are those of the counts."""
    seen: list[SearchProgress] = []
    found = split(counts, goal, WINDOW, seed, report=seen.append)
    train, test = int((found.sides == TRAIN).sum()), int((found.sides == TEST).sum())
    assert (train, test) == (found.train, found.test)
    assert 500 <= train <= 650
    assert 80 <= test <= 100
    assert 600 <= train + test <= 740
    exact = divergences(
        column_totals(counts, found.sides == TRAIN),
        column_totals(counts, found.sides == TEST),
        counts.atoms,
    )
    assert (exact.atom, exact.compound) == (found.atom, found.compound)
    # The running sums use tables rounded to 32 bits.
    assert seen[-1].compound == pytest.approx(found.compound, abs=1e-8)
    assert all(p.train <= 650 and p.test <= 100 for p in seen)
    assert all(0 <= p.done <= 1 for p in seen)
    assert 0 <= found.seconds <= time.process_time()


def test_small_corpora_afford_more_passes() -> None:
    """A fixed budget of moves, with a least and a most number of passes."""
    assert [search.default_passes(rows) for rows in (1, 50_000, 250_000, 10_000_000)] == [
        400, 200, 40, 40,
    ]  # fmt: skip


def test_targets_order_the_divergences(counts: Counts) -> None:
    """A higher target gives a higher compound divergence; random lies between."""
    low, middle, high = (split(counts, goal, WINDOW).compound for goal in (0.0, 0.5, 1.0))
    assert low < 0.5 < high
    assert middle == pytest.approx(0.5, abs=0.02)


def test_the_seed_fixes_the_result(counts: Counts) -> None:
    """The same seed gives the same split, another seed another."""
    first, second = split(counts, 1.0, WINDOW), split(counts, 1.0, WINDOW)
    assert (first.sides == second.sides).all()
    assert (first.sides != split(counts, 1.0, WINDOW, seed=2).sides).any()


def test_a_split_is_the_one_it_always_was(counts: Counts) -> None:
    """Built benchmarks stay the same bytes: another way to search is another benchmark."""
    found = split(counts, 0.5, WINDOW)
    assert hashlib.sha256(found.sides.tobytes()).hexdigest()[:16] == "6fa0f9e018e29f73"


@pytest.mark.parametrize("stop", [1, 5, 15])
def test_a_killed_search_continues_to_the_same_result(
    counts: Counts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    """Killed after any step and started again, the search ends as if nothing had happened."""
    monkeypatch.setattr(search, "CHECKPOINT_SECONDS", 0.0)
    whole = split(counts, 1.0, WINDOW)
    steps: list[SearchProgress] = []

    def kill(progress: SearchProgress) -> None:
        steps.append(progress)
        if len(steps) == stop:
            raise KeyboardInterrupt

    path = tmp_path / "search.npz"
    with pytest.raises(KeyboardInterrupt):
        split(counts, 1.0, WINDOW, checkpoint=path, report=kill)
    again: list[SearchProgress] = []
    resumed = split(counts, 1.0, WINDOW, checkpoint=path, report=again.append)
    assert (resumed.sides == whole.sides).all()
    assert len(again) <= 22 - max(0, stop - 2)


def test_tight_bounds_leave_swaps(counts: Counts) -> None:
    """With sizes fixed to the sentence, swaps still improve on a random split."""
    bounds = Bounds(train=(600, 600), test=(100, 100), used=(700, 700))
    found = split(counts, 1.0, bounds)
    sides = random_split(counts.size, bounds, 1)
    random = divergences(
        column_totals(counts, sides == TRAIN),
        column_totals(counts, sides == TEST),
        counts.atoms,
    )
    assert (found.train, found.test) == (600, 100)
    assert found.score > -abs(1 - random.compound) - random.atom


def test_groups_stay_together(counts: Counts) -> None:
    """All rows of a group are on one side."""
    groups = np.arange(counts.size) // 7
    bounds = Bounds(train=(400, 700), test=(60, 140), used=(500, 800))
    found = split(counts, 1.0, bounds, groups=groups)
    for group in range(groups.max() + 1):
        assert len(set(found.sides[groups == group].tolist())) == 1
    assert 60 <= found.test <= 140


def test_a_fixed_train_set_stays(counts: Counts) -> None:
    """Locked rows keep their side and no row joins a full train set."""
    start = np.full(counts.size, UNUSED, np.int8)
    start[:600] = TRAIN
    bounds = Bounds(train=(600, 600), test=(50, 60), used=(650, 660))
    found = split(counts, 1.0, bounds, start=start, locked=start == TRAIN)
    assert (found.sides[:600] == TRAIN).all()
    assert found.train == 600


def test_a_warm_start_is_improved(counts: Counts) -> None:
    """A given split is the beginning, and the result is no worse."""
    first = split(counts, 1.0, WINDOW, passes=2)
    second = split(counts, 1.0, WINDOW, start=first.sides)
    assert second.score >= first.score


@pytest.mark.parametrize(
    "bounds",
    [
        Bounds(train=(900, 900), test=(500, 500), used=(1400, 1400)),
        Bounds(train=(10, 5), test=(1, 1), used=(1, 20)),
        Bounds(train=(10, 20), test=(0, 0), used=(10, 20)),
    ],
)
def test_infeasible_bounds_are_refused(counts: Counts, bounds: Bounds) -> None:
    """Bounds that no split can meet are an error before any work."""
    with pytest.raises(ConfigError, match="infeasible"):
        split(counts, 1.0, bounds)


@pytest.mark.parametrize(
    "bounds",
    [
        Bounds(train=(0, 10), test=(80, 100), used=(0, 740)),
        Bounds(train=(0, 650), test=(1, 2), used=(0, 740)),
        Bounds(train=(0, 650), test=(80, 100), used=(81, 90)),
    ],
)
def test_a_start_that_leaves_one_bound_is_refused(counts: Counts, bounds: Bounds) -> None:
    """Two that hold do not make up for it."""
    start = random_split(counts.size, WINDOW, 1)
    with pytest.raises(ConfigError, match="no start within the bounds was found"):
        split(counts, 1.0, bounds, start=start)


def test_one_compound_is_nothing_to_divide_by(counts: Counts) -> None:
    """With a single compound every split is like every other."""
    with pytest.raises(DataError, match="only one compound"):
        split(replace(counts, compounds=1), 1.0, WINDOW)


@pytest.mark.parametrize("goal", [0.0, 1.0])
def test_better_than_the_published_algorithm_at_equal_sizes(counts: Counts, goal: float) -> None:
    """At the sizes that the published algorithm ends with, ours scores at least as well."""
    theirs = published_split(counts, asked(goal, candidates=100), seed=3, most_used=700)
    assert theirs.train + theirs.test == 700
    bounds = Bounds(
        train=(theirs.train, theirs.train), test=(theirs.test, theirs.test), used=(700, 700)
    )
    assert split(counts, goal, bounds, passes=200).score >= theirs.score


@pytest.mark.parametrize("other", [{"goal": 0.0}, {"seed": 2}, {"passes": 21}, {"bounds": True}])
def test_the_checkpoint_of_another_search_is_left_alone(
    counts: Counts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: dict[str, Any]
) -> None:
    """Another goal, seed, length or size begins anew, whatever lies there."""
    monkeypatch.setattr(search, "CHECKPOINT_SECONDS", 0.0)
    asked: dict[str, Any] = {"goal": 1.0, "bounds": WINDOW, "seed": 1, "passes": 20}
    path = tmp_path / "search.npz"
    wider = Bounds(train=(500, 660), test=(80, 100), used=(600, 740))
    split(counts, **{**asked, **other, **({"bounds": wider} if "bounds" in other else {})},
          checkpoint=path)  # fmt: skip
    assert path.is_file()
    found = split(counts, **asked, checkpoint=path)
    assert (found.sides == split(counts, **asked).sides).all()


def test_a_search_goes_on_with_the_sums_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed while it places rows, it tells the same divergences afterwards, bit for bit."""
    monkeypatch.setattr(search, "CHECKPOINT_SECONDS", 0.0)
    counts = counted(made_up(3_000, words=200), tmp_path, edition="all")[1]
    bounds = Bounds(train=(1_900, 2_200), test=(200, 300), used=(2_300, 2_400))
    whole: list[SearchProgress] = []
    split(counts, 0.5, bounds, passes=1, report=whole.append)
    assert [one.phase for one in whole[:3]] == ["placing"] * 3
    seen: list[SearchProgress] = []

    def kill(progress: SearchProgress) -> None:
        seen.append(progress)
        if len(seen) == 2:
            raise KeyboardInterrupt

    path = tmp_path / "search.npz"
    with pytest.raises(KeyboardInterrupt):
        split(counts, 0.5, bounds, passes=1, checkpoint=path, report=kill)
    again: list[SearchProgress] = []
    split(counts, 0.5, bounds, passes=1, checkpoint=path, report=again.append)
    expected = [(one.atom, one.compound) for one in whole]
    assert [(one.atom, one.compound) for one in again] == expected[-len(again) :]
    assert len(again) < len(whole)


class Clock:
    """Half a second passes whenever somebody looks."""

    now = 1000.0
    process_time = staticmethod(time.process_time)

    def monotonic(self) -> float:
        self.now += 0.5
        return self.now


def test_progress_says_moves_per_second(counts: Counts, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows tried in the half second that a step took."""
    monkeypatch.setattr(search, "time", Clock())
    seen: list[SearchProgress] = []
    split(counts, 1.0, WINDOW, passes=2, report=seen.append)
    annealing = [one.moves_per_second for one in seen if one.phase == "annealing"]
    assert annealing == [2.0 * counts.size] * 2


def test_a_checkpoint_is_written_when_the_last_is_old(
    counts: Counts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not at every step, and in a folder that need not be there."""
    monkeypatch.setattr(search, "time", Clock())
    saved: list[Path] = []
    monkeypatch.setattr(search._Search, "save", lambda _, path, plan: saved.append(path))
    path = tmp_path / "new" / "search.npz"
    split(counts, 1.0, WINDOW, passes=2, checkpoint=path)
    assert saved == []
    monkeypatch.undo()
    monkeypatch.setattr(search, "CHECKPOINT_SECONDS", 0.0)
    split(counts, 1.0, WINDOW, passes=2, checkpoint=path)
    assert path.is_file()
