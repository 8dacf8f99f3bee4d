"""Splitting a corpus by divergence: the published algorithm against ours, in one run.

    python benchmarks/divergent.py CORPUS [--sentences 5000] [--seeds 5] [--peer-steps 60]

The peer is the published greedy algorithm in its published form: dense vectors over all columns for
each of 500 candidates, float32, one thread (our own re-implementation of Moisio et al. 2023 in
NumPy, since their script needs a GPU to be usable and stops with an error at its last step). It is
timed over some steps spread over the run and the rest is extrapolated, unless --peer-steps 0 lets
it finish. Beside it: the same algorithm with our incremental updates (equal divergences, so the
ratio is pure speed), and our search at the sizes that the published one ended with.
"""

from __future__ import annotations

import argparse
import itertools
import resource
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from recombine.builders.divergent.count import CountOptions, Counts, count_corpus
from recombine.builders.divergent.encode import BlockEncoder, encode_corpus
from recombine.builders.divergent.options import DivergentOptions
from recombine.builders.divergent.published import published_split
from recombine.builders.divergent.search import split_rows
from recombine.builders.divergent.split import Bounds
from recombine.corpus.conllu import ParsedBlock, read_parsed

CANDIDATES = DivergentOptions.candidates  # as in the paper


class DensePeer:
    """The published algorithm as published: dense candidates, everything recomputed."""

    def __init__(self, counts: Counts, goal: float, seed: int) -> None:
        size, columns = counts.size, counts.atoms + counts.compounds
        self.atoms = counts.atoms
        self.goal = goal
        self.rows = np.zeros((size, columns), np.float32)
        owner = np.repeat(np.arange(size), np.diff(counts.rows.starts))
        self.rows[owner, counts.rows.columns] = counts.rows.counts
        self.generator = np.random.default_rng(seed)
        self.sides = np.full(size, 2)
        self.sums = np.zeros((2, columns), np.float32)
        first = int(self.generator.integers(size))
        self.move(first, 0)

    def divergence(self, train: Any, test: Any, alpha: float) -> Any:
        """Return one divergence per candidate, over all columns."""
        with np.errstate(divide="ignore", invalid="ignore"):
            p = train / train.sum(axis=-1, keepdims=True)
            q = test / test.sum(axis=-1, keepdims=True)
            logs = alpha * np.log(p) + (1 - alpha) * np.log(q)
        return 1 - np.nan_to_num(np.exp(logs)).sum(axis=-1)

    def scores(self, train: Any, test: Any) -> Any:
        """Return the score of each candidate."""
        atom = self.divergence(train[..., : self.atoms], test[..., : self.atoms], 0.5)
        compound = self.divergence(train[..., self.atoms :], test[..., self.atoms :], 0.1)
        return -np.abs(self.goal - compound) - np.abs(atom)

    def move(self, row: int, side: int) -> None:
        """Place or move one row."""
        if self.sides[row] < 2:
            self.sums[self.sides[row]] -= self.rows[row]
        self.sides[row] = side
        self.sums[side] += self.rows[row]

    def sample(self, side: int) -> Any:
        """Return up to 500 random rows of a side."""
        members = np.flatnonzero(self.sides == side)
        return self.generator.permutation(members)[:CANDIDATES]

    def step(self) -> None:
        """Place one row, then try a move each way."""
        test_share = (self.sides == 1).sum() / (self.sides < 2).sum()
        candidates = self.sample(2)
        best: tuple[float, int, int] = (-np.inf, 0, 0)
        for side in (1, 0):
            if (side == 0 and test_share < 0.1) or (side == 1 and test_share > 0.2):
                continue
            grown = self.sums[side] + self.rows[candidates]
            pair = (grown, self.sums[1]) if side == 0 else (self.sums[0], grown)
            scores = self.scores(*np.broadcast_arrays(*pair))
            at = int(scores.argmax())
            best = max(best, (float(scores[at]), int(candidates[at]), side), key=lambda b: b[0])
        self.move(best[1], best[2])
        for origin in (0, 1):
            members = self.sample(origin)
            if len(members) < 2:
                continue
            less = self.sums[origin] - self.rows[members]
            more = self.sums[1 - origin] + self.rows[members]
            scores = self.scores(*((less, more) if origin == 0 else (more, less)))
            current = self.scores(self.sums[0][None], self.sums[1][None])[0]
            at = int(scores.argmax())
            if scores[at] > current:
                self.move(int(members[at]), 1 - origin)


def counted(path: Path, sentences: int, folder: Path, edition: str) -> tuple[Counts, float, float]:
    """Return counts and the CPU seconds of reading and counting."""
    start = time.process_time()
    encoder = BlockEncoder()
    some = list(itertools.islice(read_parsed(path), sentences))
    corpus = encode_corpus([encoder.encode(ParsedBlock.of(str(path), some))], folder / "corpus")
    middle = time.process_time()
    counts = count_corpus(corpus, CountOptions(edition=edition), folder / "rows")
    return counts, middle - start, time.process_time() - middle


def peer_seconds(counts: Counts, goal: float, steps: int) -> tuple[float, bool]:
    """Return the CPU seconds of the peer's whole run, and whether it was measured in full."""
    total = counts.size - CANDIDATES
    peer = DensePeer(counts, goal, 1)
    if steps == 0 or steps >= total:
        start = time.process_time()
        for _ in range(total):
            peer.step()
        return time.process_time() - start, True
    # The first steps are cheaper, since few rows can move: fill the sets, then time.
    order = np.random.default_rng(1).permutation(np.flatnonzero(peer.sides == 2))
    for row in order[: total // 2]:
        peer.move(int(row), int(row % 7 == 0))
    start = time.process_time()
    for _ in range(steps):
        peer.step()
    return (time.process_time() - start) / steps * total, False


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--sentences", type=int, default=5_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--peer-steps", type=int, default=60, help="0: run the peer to its end")
    parser.add_argument("--edition", default="paper", choices=["paper", "all"])
    parser.add_argument("--defaults", action="store_true", help="only ours, at default sizes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counts, reading, counting = counted(
            options.corpus, options.sentences, Path(folder), options.edition
        )
        print(f"rows {counts.size:,}  atoms {counts.atoms:,}  compounds {counts.compounds:,}")
        print(f"reading {reading:.1f} CPU s, counting {counting:.2f} CPU s")
        for goal in (1.0, 0.0):
            # The first call compiles.
            asked = DivergentOptions(corpus=options.corpus, target_divergence=goal)
            tiny = asked.bounds(counts.size)
            split_rows(counts, replace(asked, passes=1), tiny, seed=0)
            if options.defaults:
                for seed in range(1, options.seeds + 1):
                    ours = split_rows(counts, asked, tiny, seed=seed)
                    print(
                        f"c={goal:g} seed {seed}: D_A {ours.atom:.5f} D_C {ours.compound:.5f} "
                        f"train {ours.train:,} test {ours.test:,} {ours.seconds:.1f} CPU s"
                    )
                continue
            dense, whole = peer_seconds(counts, goal, options.peer_steps)
            note = "measured in full" if whole else f"extrapolated from {options.peer_steps} steps"
            print(f"c={goal:g} peer, dense: {dense:.1f} CPU s ({note})")
            published_split(counts, asked, seed=0, most_used=5)
            better = 0
            for seed in range(1, options.seeds + 1):
                theirs = published_split(counts, asked, seed=seed, most_used=counts.size)
                sizes = Bounds(
                    train=(theirs.train, theirs.train),
                    test=(theirs.test, theirs.test),
                    used=(theirs.train + theirs.test,) * 2,
                )
                ours = split_rows(counts, asked, sizes, seed=seed)
                better += ours.score >= theirs.score
                print(
                    f"c={goal:g} seed {seed} train {theirs.train:,} test {theirs.test:,}\n"
                    f"  published, incremental  D_A {theirs.atom:.5f} D_C {theirs.compound:.5f} "
                    f"score {theirs.score:.5f}  {theirs.seconds:.2f} CPU s, "
                    f"{dense / theirs.seconds:,.0f} x the peer's speed\n"
                    f"  ours                    D_A {ours.atom:.5f} D_C {ours.compound:.5f} "
                    f"score {ours.score:.5f}  {ours.seconds:.2f} CPU s, "
                    f"{dense / ours.seconds:,.0f} x the peer's speed"
                )
            print(f"c={goal:g}: ours at least as good with {better} of {options.seeds} seeds")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"peak memory {peak:.2f} GB")


if __name__ == "__main__":
    main()
