"""Graphs: a whole training step (data, forward, backward, Adam) replayed as one CUDA graph.

A graph needs fixed sizes. The corpus lies on the device and batches are laid out there in one of a
few (shapes.py). A step that fits none of them, or has a sentence too long for the kernels, is run
in plain PyTorch. Nothing of a step touches the host: the order of the sentences and the seeds are
uploaded for a few hundred steps at a time.

Several replicas have a stream each: their graphs run side by side and fill the GPU together.
"""

# torch leaves some of its methods without types.
# mypy: disable-error-code="no-untyped-call, no-any-return"

from __future__ import annotations

import itertools
import math
import time
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from torch import Tensor

from recombine.errors import SystemFailure
from recombine.systems.cuda_graph import captured
from recombine.systems.seq2seq.batch import Batch, group_batch
from recombine.systems.seq2seq.corpus import Numbers
from recombine.systems.seq2seq.fast.fused_operations import FusedOperations, supports
from recombine.systems.seq2seq.fast.graph_sizes import (
    FixedRows,
    PackedShapes,
    PaddedShapes,
    Shapes,
    Size,
)
from recombine.systems.seq2seq.fast.launch import compile_only
from recombine.systems.seq2seq.fast.side_stream import Aside
from recombine.systems.seq2seq.operations import Operations
from recombine.systems.seq2seq.options import TransformerOptions
from recombine.systems.seq2seq.trainer import Trainer, seed_streams

CHUNK = 512


class GraphStepper:
    """Takes steps by replaying captured graphs."""

    def __init__(self, replica: Trainer) -> None:
        began = time.monotonic()
        self.replica = replica
        self.optimiser = replica.optimiser
        options: Any = replica.options
        corpus = replica.prepared.corpus
        device = replica.device
        if not (options.fused and supports(options, corpus)):
            raise SystemFailure("the GPU kernels do not cover this model")
        packed = isinstance(options, TransformerOptions)
        kind = PackedShapes if packed else PaddedShapes
        self.shapes: Shapes = kind(corpus, replica.plan, options, device)
        self.stream = torch.cuda.Stream(device)
        self.seed = torch.zeros(1, dtype=torch.int64, device=device)
        self.loss = torch.zeros((), dtype=torch.float64, device=device)
        self.pieces = torch.zeros((), dtype=torch.int64, device=device)
        self.cursor = torch.zeros(1, dtype=torch.int64, device=device)
        streams = tuple(torch.cuda.Stream(device) for _ in range(3))
        # The gradients of shared layers are added up, so they cannot come from aside.
        aside = Aside(device) if packed and not options.shared_layers else None
        self.operations = FusedOperations(self.seed, streams=streams, aside=aside)
        shape = (CHUNK, self.shapes.sentences)
        self.order = torch.zeros(shape, dtype=torch.int64, device=device)
        self.seeds = torch.zeros(CHUNK, dtype=torch.int64, device=device)
        self.chunk_start = -1
        self.needs: list[Size] = []
        self.rate = math.nan
        self.graphs: dict[Size, torch.cuda.CUDAGraph] = {}
        self._load_chunk(replica.state.step)
        spread, size = self.shapes.probe()
        probe = self.shapes.lay(torch.from_numpy(spread).to(device), size)
        with suppress(Exception):  # what fails here fails again where it is reported
            self._compile(probe[0], size)
        self._require_agreement(*probe, size)
        self.optimiser.compute.operations = self.operations
        try:
            self._capture()
        except BaseException:
            self.optimiser.compute.operations = Operations()
            raise
        replica.note(
            step=replica.state.step,
            event="graphs",
            sizes=[[size.source, size.target] for size in self.shapes.sizes],
            warm_up_seconds=round(time.monotonic() - began, 2),
        )

    def take(self, step: int, chosen: Numbers) -> None:
        """Take one optimiser step; `chosen` is what the uploaded order says, too."""
        with torch.cuda.stream(self.stream):
            if not self.chunk_start <= step < self.chunk_start + CHUNK:
                self._load_chunk(step)
            self._set_rate(step)
            size = self.shapes.fitting(self.needs[step - self.chunk_start])
            if size is None:
                self._plain_step(step, chosen)
            else:
                self.graphs[size].replay()

    def read_loss(self) -> float:
        """Return the mean loss per target piece since the last call, and start anew."""
        self.stream.synchronize()
        mean = float(self.loss) / max(1, int(self.pieces))
        self.loss.zero_()
        self.pieces.zero_()
        torch.cuda.synchronize()
        return mean

    def _step(self, size: Size) -> None:
        """One whole step, on the device alone."""
        chosen = self.order.index_select(0, self.cursor)[0]
        self.seed.copy_(self.seeds.index_select(0, self.cursor))
        self.cursor += 1
        batch, pieces = self.shapes.lay(chosen, size)
        self._begin(size)
        self.optimiser.clear()
        loss = self.optimiser.compute(batch)
        with self.optimiser.stepping(self.operations.aside):
            (loss / pieces).backward()
        self.operations.finish()
        self.optimiser.step()
        self.loss += loss.detach()
        self.pieces += pieces

    def _begin(self, size: Size) -> None:
        if isinstance(size, FixedRows):
            self.operations.counts = size.counts
        self.operations.begin()

    def _plain_step(self, step: int, chosen: Numbers) -> None:
        """One step outside the graphs, for a batch that is too large or too long for them."""
        model = self.optimiser.compute
        model.operations = Operations()
        seed_streams(self.replica.seed, step)
        self.optimiser.clear()
        batch = group_batch(self.replica.prepared.corpus, chosen, self.replica.device)
        pieces = int(self.replica.prepared.corpus.target.lengths[chosen].sum())
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
        self.order.fill_(len(self.replica.prepared.corpus))
        self.order[:, 0] = self.shapes.shortest
        self.stream.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(self.stream):
            for _ in range(2):
                # Largest first, so that smaller ones find memory enough.
                self._step(self.shapes.sizes[-1])
            self.optimiser.clear()
        self.stream.synchronize()
        pool = torch.cuda.graph_pool_handle()
        for size in reversed(self.shapes.sizes):
            self.optimiser.clear()
            with captured(pool=pool, stream=self.stream) as graph:
                self._step(size)
            self.graphs[size] = graph
        self.optimiser.clear()
        # Warming up took real steps: take them back.
        self.optimiser.load(kept)
        self.loss.zero_()
        self.pieces.zero_()
        self._load_chunk(self.replica.state.step)
        torch.cuda.synchronize(device)

    def _compile(self, batch: Batch, size: Size) -> None:
        """Compile the kernels of a step; the numbers that come out mean nothing."""
        model: Any = self.optimiser.compute

        def step() -> None:
            self._begin(size)
            model(batch).backward()
            self.operations.finish()

        model.operations = self.operations
        try:
            compile_only(step)
        finally:
            model.operations = Operations()
            self.optimiser.clear()

    def _require_agreement(self, batch: Batch, pieces: Tensor, size: Size) -> None:
        """Raise if the kernels disagree with plain PyTorch on a batch, dropout aside."""
        model: Any = self.optimiser.compute
        self.operations.keep_all = True
        results = []
        for operations in (Operations(), self.operations):
            # Plain PyTorch without dropout against the very kernels of training, keeping all.
            model.train(operations is self.operations)
            self._begin(size)
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

    def _load_chunk(self, step: int) -> None:
        """Upload the order and the seeds of the next steps."""
        batches = list(itertools.islice(self.replica.plan.batches(step), CHUNK))
        self.needs = [self.shapes.need(chosen) for chosen in batches]
        # Beyond the last pair there is an empty one, for what a batch has fewer than others.
        empty = len(self.replica.prepared.corpus)
        order = np.full(self.order.shape, empty, dtype=np.int64)
        for row, chosen in enumerate(batches):
            order[row, : len(chosen)] = self.shapes.in_order(chosen)[: self.shapes.sentences]
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
