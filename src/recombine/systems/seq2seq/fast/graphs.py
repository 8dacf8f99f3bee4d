"""Graphs: a whole training step (data, forward, backward, Adam) replayed as one CUDA graph.

A training step is some thousand small kernels; launching them one by one takes the host longer
than the GPU needs to run them. A CUDA graph is a recording of launches that one call replays. What
is recorded are addresses and sizes, not values, and that shapes everything here:

- Sizes are fixed. Batches are laid out in one of a few sizes (graph_sizes.py), each with a graph of
  its own; a step that fits none of them, or has a sentence too long for the kernels, is eager.
- Nothing of a step may touch the host. The corpus lies on the device, the order of the sentences
  and the seeds of dropout are uploaded for a few hundred steps at a time, and a cursor, on the
  device as well, says which is next: the recording moves it on. The learning rate is a tensor, too.
- Recording must change nothing. Two real steps warm up (compile kernels, allocate moments), the
  recording itself runs nothing; weights and moments are put back afterwards.

Before that, the kernels must agree with plain PyTorch on a few pairs, or there is no graph. Several
models in training have a stream each: their graphs run side by side and fill the GPU together.
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
from recombine.systems.neural.cuda_graph import captured
from recombine.systems.seq2seq.batch import Batch, pad_batch
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
from recombine.systems.seq2seq.fast.row_steps import (
    RowStepper,
    loss_and_gradient,
    require_agreement,
)
from recombine.systems.seq2seq.fast.side_stream import Aside, LayerSteps
from recombine.systems.seq2seq.operations import Operations
from recombine.systems.seq2seq.optimiser import learning_rate
from recombine.systems.seq2seq.options import TransformerOptions
from recombine.systems.seq2seq.trainer import Trainer

CHUNK = 512


class GraphStepper(RowStepper):
    """Takes steps by replaying captured graphs; eagerly those that fit none."""

    pieces: Tensor

    def __init__(self, trainer: Trainer) -> None:
        began = time.monotonic()
        options: Any = trainer.options
        corpus = trainer.prepared.corpus
        device = trainer.device
        if not (options.fused and supports(options, corpus)):
            raise SystemFailure("the GPU kernels do not cover this model")
        super().__init__(trainer)
        self.optimiser = trainer.optimiser
        packed = isinstance(options, TransformerOptions)
        kind = PackedShapes if packed else PaddedShapes
        self.shapes: Shapes = kind(corpus, trainer.plan, options, device)
        self.stream = torch.cuda.Stream(device)
        self.seed = torch.zeros(1, dtype=torch.int64, device=device)
        self.pieces = torch.zeros((), dtype=torch.int64, device=device)
        self.cursor = torch.zeros(1, dtype=torch.int64, device=device)
        streams = tuple(torch.cuda.Stream(device) for _ in range(3))
        # The gradients of shared layers are added up, so they cannot come from aside.
        aside = Aside(device) if packed and not options.shared_layers else None
        self.fused = FusedOperations(self.seed, streams=streams, aside=aside)
        self.layer_steps = LayerSteps(self.optimiser, aside)
        shape = (CHUNK, self.shapes.sentences)
        self.order = torch.zeros(shape, dtype=torch.int64, device=device)
        self.seeds = torch.zeros(CHUNK, dtype=torch.int64, device=device)
        self.chunk_start = -1
        self.needs: list[Size] = []
        self.rate = math.nan
        self.graphs: dict[Size, torch.cuda.CUDAGraph] = {}
        self._load_chunk(trainer.state.step)
        probe, size = self.shapes.probe()
        filled = torch.from_numpy(self.shapes.filled(probe)).to(device)
        batch, pieces = self.shapes.lay(filled, size)
        self._size(size)
        with suppress(Exception):  # what fails here fails again where it is reported
            self._compile(batch)
        self.agreement = self._fused_agreement(probe, batch, pieces)
        self._capture()
        trainer.note(
            step=trainer.state.step,
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
                super().take(step, chosen)
                self.optimiser.clear()
                self.cursor += 1
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
        self._size(size)
        self.layer_steps.clear()
        with self.fused.within(self.optimiser.compute):
            loss = self.optimiser.compute(batch)
            self.layer_steps.backward(loss / pieces)
        self.layer_steps.step()
        self.loss += loss.detach()
        self.pieces += pieces

    def _size(self, size: Size) -> None:
        if isinstance(size, FixedRows):
            self.fused.counts = size.counts

    def _capture(self) -> None:
        device = self.trainer.device
        kept = {name: tensor.clone() for name, tensor in self.optimiser.tensors().items()}
        self._set_rate(self.trainer.state.step)
        # Warm up on one short sentence: a real batch might not fit, and a kernel trusts its sizes.
        self.order.fill_(len(self.trainer.prepared.corpus))
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
        self._load_chunk(self.trainer.state.step)
        torch.cuda.synchronize(device)

    def _compile(self, batch: Batch) -> None:
        """Compile the kernels of a step; the numbers that come out mean nothing."""
        model: Any = self.optimiser.compute

        def step() -> None:
            with self.fused.within(model):
                model(batch).backward()

        try:
            compile_only(step)
        finally:
            self.optimiser.clear()

    def _fused_agreement(self, probe: Numbers, batch: Batch, pieces: Tensor) -> float:
        """Compare plain PyTorch without dropout with the very kernels of training, keeping all."""
        model: Any = self.optimiser.compute
        corpus, device = self.trainer.prepared.corpus, self.trainer.device
        plain = [pad_batch(corpus, probe, device, twice=self.twice)]
        model.eval()
        expected = loss_and_gradient(self.optimiser, plain, Operations(), pieces)
        model.train()
        self.fused.keep_all = True
        actual = loss_and_gradient(self.optimiser, [batch], self.fused, pieces)
        self.fused.keep_all = False
        return require_agreement(expected, actual)

    def _set_rate(self, step: int) -> None:
        rate = learning_rate(self.trainer.options, step)
        if rate != self.rate:
            self.optimiser.set_rate(step)
            self.rate = rate

    def _load_chunk(self, step: int) -> None:
        """Upload the order and the seeds of the next steps."""
        batches = list(itertools.islice(self.trainer.plan.batches(step), CHUNK))
        self.needs = [self.shapes.need(chosen) for chosen in batches]
        # Beyond the last pair there is an empty one, for what a batch has fewer than others.
        empty = len(self.trainer.prepared.corpus)
        order = np.full(self.order.shape, empty, dtype=np.int64)
        for row, chosen in enumerate(batches):
            order[row, : len(chosen)] = self.shapes.in_order(chosen)[: self.shapes.sentences]
        self.order.copy_(torch.from_numpy(order))
        self.seeds.copy_(torch.from_numpy(step_seeds(self.trainer.seed, step, CHUNK)))
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
