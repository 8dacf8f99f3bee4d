"""Graphs: a whole training step (data, forward, backward, Adam) replayed as one CUDA graph.

A graph needs fixed shapes. The corpus lies on the device and batches are packed there into a fixed
number of rows; the few sizes (levels) are chosen so that little of a batch is tail. A step that
fits none of them, or has a sentence too long for the kernels, is run in plain PyTorch. Nothing of a
step touches the host: the order of the sentences and the seeds are uploaded for a few hundred steps
at a time.

Several replicas have a stream each: their graphs run side by side and fill the GPU together.
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

import itertools
import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from recombine.errors import SystemFailure
from recombine.systems.seq2seq.aside import Aside
from recombine.systems.seq2seq.corpus import Numbers
from recombine.systems.seq2seq.fused import LONGEST, FusedOperations, supports
from recombine.systems.seq2seq.layout import Resident, group_batch
from recombine.systems.seq2seq.operations import Operations
from recombine.systems.seq2seq.replica import Replica, seed_streams

CHUNK = 512
SAMPLE = 1024  # steps looked at to choose the levels
QUANTILES = (0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.95, 1.0)
ROW_MULTIPLE = 64
LOWER_EDGES = (0, 16, 32, 64)


@dataclass(frozen=True)
class Level:
    """The shapes of one graph."""

    source_rows: int
    target_rows: int
    counts: tuple[int, ...]  # sentences that may be longer than each of LOWER_EDGES
    longest: int = LONGEST

    def holds(self, need: Level) -> bool:
        """Whether a batch of that need fits."""
        return (
            need.longest <= self.longest
            and need.source_rows <= self.source_rows
            and need.target_rows <= self.target_rows
            and all(a <= b for a, b in zip(need.counts, self.counts, strict=True))
        )


class GraphStepper:
    """Takes steps by replaying captured graphs."""

    def __init__(self, replica: Replica) -> None:
        began = time.monotonic()
        self.replica = replica
        self.optimiser = replica.optimiser
        options: Any = replica.options
        corpus = replica.prepared.corpus
        device = replica.device
        self.source_lengths = np.append(corpus.source.lengths, 0)
        self.target_lengths = np.append(corpus.target.lengths, 0)
        self.longest = np.maximum(self.source_lengths, self.target_lengths)
        self.resident = Resident(corpus, device)
        if not (options.fused and supports(options) and self.longest[:-1].min() <= LONGEST):
            raise SystemFailure("the GPU kernels do not cover this model")
        self.stream = torch.cuda.Stream(device)
        self.seed = torch.zeros(1, dtype=torch.int64, device=device)
        self.loss = torch.zeros((), dtype=torch.float64, device=device)
        self.pieces = torch.zeros((), dtype=torch.int64, device=device)
        self.cursor = torch.zeros(1, dtype=torch.int64, device=device)
        streams = tuple(torch.cuda.Stream(device) for _ in range(3))
        # The gradients of shared layers are added up, so they cannot come from aside.
        aside = None if options.shared_layers else Aside(device)
        self.operations = FusedOperations(self.seed, streams=streams, aside=aside)
        self.levels = self._choose_levels()
        self.sentences = self.levels[-1].counts[0]
        self.order = torch.zeros((CHUNK, self.sentences), dtype=torch.int64, device=device)
        self.seeds = torch.zeros(CHUNK, dtype=torch.int64, device=device)
        self.chunk_start = -1
        self.needs: list[Level] = []
        self.rate = math.nan
        self.graphs: dict[Level, torch.cuda.CUDAGraph] = {}
        self._load_chunk(replica.state.step)
        self._require_agreement()
        self.optimiser.compute.operations = self.operations
        try:
            self._capture()
        except BaseException:
            self.optimiser.compute.operations = Operations()
            raise
        replica.note(
            step=replica.state.step,
            event="graphs",
            levels=[[level.source_rows, level.target_rows] for level in self.levels],
            warm_up_seconds=round(time.monotonic() - began, 2),
        )

    def take(self, step: int, chosen: Numbers) -> None:
        """Take one optimiser step; `chosen` is what the uploaded order says, too."""
        with torch.cuda.stream(self.stream):
            if not self.chunk_start <= step < self.chunk_start + CHUNK:
                self._load_chunk(step)
            self._set_rate(step)
            level = self._level(step)
            if level is None:
                self._plain_step(step, chosen)
            else:
                self.graphs[level].replay()

    def read_loss(self) -> float:
        """Return the mean loss per target piece since the last call, and start anew."""
        self.stream.synchronize()
        mean = float(self.loss) / max(1, int(self.pieces))
        self.loss.zero_()
        self.pieces.zero_()
        torch.cuda.synchronize()
        return mean

    def _step(self, level: Level) -> None:
        """One whole step, on the device alone."""
        chosen = self.order.index_select(0, self.cursor)[0]
        self.seed.copy_(self.seeds.index_select(0, self.cursor))
        self.cursor += 1
        batch, pieces = self.resident.pack(chosen, level.source_rows, level.target_rows)
        self.operations.counts = level.counts
        self.operations.begin()
        self.optimiser.clear()
        loss = self.optimiser.compute(batch)
        with self.optimiser.stepping(self.operations.aside):
            (loss / pieces).backward()
        self.operations.finish()
        self.optimiser.step()
        self.loss += loss.detach()
        self.pieces += pieces

    def _plain_step(self, step: int, chosen: Numbers) -> None:
        """One step outside the graphs, for a batch that is too large or too long for them."""
        model = self.optimiser.compute
        model.operations = Operations()
        seed_streams(self.replica.seed, step)
        self.optimiser.clear()
        batch = group_batch(self.replica.prepared.corpus, chosen, self.replica.device)
        pieces = int(self.target_lengths[chosen].sum())
        loss = model(batch)
        (loss / pieces).backward()
        self.optimiser.step()
        self.optimiser.clear()
        model.operations = self.operations
        self.loss += loss.detach()
        self.pieces += pieces
        self.cursor += 1

    def _capture(self) -> None:
        device = self.replica.device
        kept = {name: tensor.clone() for name, tensor in self.optimiser.tensors().items()}
        self._set_rate(self.replica.state.step)
        # Warm up on one short sentence: a real batch might not fit, and a kernel trusts its sizes.
        self.order.fill_(self.resident.empty)
        self.order[:, 0] = int(np.argmin(self.longest[:-1]))
        self.stream.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(self.stream):
            for _ in range(2):
                # Largest first, so that smaller ones find memory enough.
                self._step(self.levels[-1])
            self.optimiser.clear()
        self.stream.synchronize()
        pool = torch.cuda.graph_pool_handle()
        for level in reversed(self.levels):
            graph = torch.cuda.CUDAGraph()
            self.optimiser.clear()
            with torch.cuda.graph(graph, pool=pool, stream=self.stream):
                self._step(level)
            self.graphs[level] = graph
        self.optimiser.clear()
        # Warming up took real steps: take them back.
        self.optimiser.load(kept)
        self.loss.zero_()
        self.pieces.zero_()
        self._load_chunk(self.replica.state.step)
        torch.cuda.synchronize(device)

    def _require_agreement(self) -> None:
        """Raise if the kernels disagree with plain PyTorch on the first batch, dropout aside."""
        model: Any = self.optimiser.compute
        fitting = np.flatnonzero((self.longest <= LONGEST) & (self.longest > 0))
        # Every length that occurs, longest first, as in a batch.
        spread = fitting[np.argsort(-self.longest[fitting], kind="stable")]
        spread = spread[:: max(1, len(spread) // 32)][:32]
        count = len(spread)
        rows = [
            _round(lengths[spread].sum()) for lengths in (self.source_lengths, self.target_lengths)
        ]
        batch, pieces = self.resident.pack(
            torch.from_numpy(spread).to(self.order.device), rows[0], rows[1]
        )
        self.operations.counts = tuple(count if one else 0 for one in self.levels[-1].counts)
        self.operations.keep_all = True
        results = []
        for operations in (Operations(), self.operations):
            # Plain PyTorch without dropout against the very kernels of training, keeping all.
            model.train(operations is self.operations)
            self.operations.begin()
            model.operations = operations
            self.optimiser.clear()
            loss = model(batch) / pieces
            loss.backward()
            self.operations.finish()
            gradients = [one.grad.float().flatten() for one in self.optimiser.copies]  # type: ignore[union-attr]
            results.append((float(loss.detach()), torch.cat(gradients)))
        model.operations = Operations()
        self.operations.keep_all = False
        self.optimiser.clear()
        model.train()
        (plain, expected), (fused, found) = results
        error = float((found - expected).norm() / expected.norm())
        # bfloat16 keeps 8 bits; a wrong kernel is off by far more than its rounding.
        if not (abs(plain - fused) <= 0.02 * abs(plain) and error <= 0.1):
            raise SystemFailure(
                f"GPU kernels and plain PyTorch disagree: loss {fused} against {plain}, "
                f"relative error of the gradient {error:.3g}"
            )
        self.agreement = error

    def _set_rate(self, step: int) -> None:
        from recombine.systems.seq2seq.optimiser import learning_rate

        rate = learning_rate(self.replica.options, step)
        if rate != self.rate:
            self.optimiser.set_rate(step)
            self.rate = rate

    # Which sentences, which shapes

    def _need(self, chosen: Numbers) -> Level:
        longest = self.longest[chosen]
        return Level(
            int(self.source_lengths[chosen].sum()),
            int(self.target_lengths[chosen].sum()),
            tuple(int((longest > edge).sum()) for edge in LOWER_EDGES),
            int(longest.max()),
        )

    def _choose_levels(self) -> list[Level]:
        sample = [
            self._need(chosen) for chosen in itertools.islice(self.replica.plan.batches(), SAMPLE)
        ]
        counts = np.array([need.counts for need in sample]).max(0)
        # A little more than ever seen: what is beyond runs without a graph.
        counts = [int(count) + (math.ceil(0.15 * count) + 2 if count else 0) for count in counts]
        if self.replica.options.batch_unit == "sentences":
            counts[0] = self.replica.options.sentences_per_step
        counts = [min(count, counts[0]) for count in counts]
        levels = []
        for quantile in QUANTILES:
            extra = 1.02 if quantile == 1 else 1.0
            rows = [
                _round(
                    float(np.quantile([getattr(need, side) for need in sample], quantile)) * extra
                )
                for side in ("source_rows", "target_rows")
            ]
            level = Level(rows[0], rows[1], tuple(counts))
            if level not in levels:
                levels.append(level)
        return levels

    def _level(self, step: int) -> Level | None:
        """Return the smallest level that holds a step's batch, or None."""
        need = self.needs[step - self.chunk_start]
        return next((level for level in self.levels if level.holds(need)), None)

    def _load_chunk(self, step: int) -> None:
        """Upload the order and the seeds of the next steps."""
        batches = list(itertools.islice(self.replica.plan.batches(step), CHUNK))
        self.needs = [self._need(chosen) for chosen in batches]
        order = np.full((CHUNK, self.sentences), self.resident.empty, dtype=np.int64)
        for row, chosen in enumerate(batches):
            # Longest first: a kernel for long sentences looks at the head of the batch only.
            by_length = np.lexsort((chosen, -self.longest[chosen]))
            order[row, : len(chosen)] = chosen[by_length][: self.sentences]
        self.order.copy_(torch.from_numpy(order))
        self.seeds.copy_(torch.from_numpy(step_seeds(self.replica.seed, step, CHUNK)))
        self.cursor.zero_()
        self.chunk_start = step


def step_seeds(seed: int, first: int, count: int) -> Numbers:
    """Return one 63-bit number per step, a function of (seed, step): SplitMix64's output."""
    step = np.arange(first, first + count, dtype=np.uint64)
    with np.errstate(over="ignore"):
        mixed = (step + np.uint64(seed) * np.uint64(1 << 32)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed = mixed ^ (mixed >> np.uint64(31))
    return (mixed >> np.uint64(1)).astype(np.int64)


def _round(rows: float) -> int:
    return math.ceil(rows / ROW_MULTIPLE) * ROW_MULTIPLE
