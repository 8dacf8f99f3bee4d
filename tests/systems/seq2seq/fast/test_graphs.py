"""Graphs: the order of the data, the seeds, and the losses of eager steps."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from recombine.systems.base import TrainingData
from recombine.systems.neural.checkpoint import read_state, read_tensors
from recombine.systems.neural.distributed import World
from recombine.systems.seq2seq import fast
from recombine.systems.seq2seq.corpus import BatchPlan, NumberedSide, ParallelCorpus
from recombine.systems.seq2seq.fast import row_steps
from recombine.systems.seq2seq.fast.graph_sizes import PackedShapes
from recombine.systems.seq2seq.options import TransformerOptions
from recombine.systems.seq2seq.system import LstmSystem, TransformerSystem

NEEDS_GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")


TINY_LSTM: dict[str, Any] = {
    "source_subwords": "word", "target_subwords": "char", "encoder_layers": 2, "decoder_layers": 2,
    "width": 32, "dropout": 0.0, "batch_size": 16, "steps": 200, "learning_rate": 0.01,
}  # fmt: skip
KINDS: list[Any] = [
    (TransformerSystem, {"preset": "tiny"}),
    (
        TransformerSystem,
        {"preset": "tiny", "rdrop_weight": 5.0, "batch_unit": "tokens", "batch_size": 150},
    ),
    (LstmSystem, TINY_LSTM),
    (LstmSystem, {**TINY_LSTM, "input_feeding": True}),
]


def test_the_uploaded_order_is_the_plan_s(importable_kernels: None) -> None:
    """Row n holds the sentences of step first + n, longest first, and then empty ones."""
    from recombine.systems.seq2seq.fast.graphs import CHUNK, GraphStepper

    stream = np.random.default_rng(6)
    sides = [
        NumberedSide.of([stream.integers(4, 9, n).tolist() for n in stream.integers(0, 70, 90)])
        for _ in range(2)
    ]
    corpus = ParallelCorpus(*sides)
    plan = BatchPlan(corpus, 4, 12)
    options = TransformerOptions(batch_size=12)
    planned: Any = object.__new__(GraphStepper)
    planned.trainer = SimpleNamespace(
        plan=plan, prepared=SimpleNamespace(corpus=corpus), seed=4, options=options
    )
    planned.shapes = PackedShapes(corpus, plan, options, torch.device("cpu"))
    planned.order = torch.zeros((CHUNK, 15), dtype=torch.int64)
    planned.seeds = torch.zeros(CHUNK, dtype=torch.int64)
    planned.cursor = torch.ones(1, dtype=torch.int64)
    planned._load_chunk(11)
    assert (planned.chunk_start, int(planned.cursor)) == (11, 0)
    for row, batch in enumerate(itertools.islice(plan.batches(11), 20)):
        order = planned.order[row].numpy()
        assert sorted(order[:12].tolist()) == sorted(batch.tolist())
        assert (np.diff(planned.shapes.longest[order]) <= 0).all()
        assert (order[12:] == len(corpus)).all()
        assert planned.needs[row] == planned.shapes.need(batch)


def test_the_seed_of_a_step_is_the_step_s(importable_kernels: None) -> None:
    """Wherever a chunk begins, a step has its own number, and no other step or seed has it."""
    from recombine.systems.seq2seq.fast.graphs import step_seeds

    whole = step_seeds(3, 0, 2000)
    assert np.array_equal(step_seeds(3, 700, 100), whole[700:800])
    assert (whole >= 0).all()
    assert len(np.unique(np.concatenate((whole, step_seeds(4, 0, 2000))))) == 4000


def test_without_kernels_steps_are_eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the kernels cannot be imported, the log says why and the steps are eager."""
    notes: list[dict[str, Any]] = []
    eager = object()
    monkeypatch.setitem(sys.modules, f"{fast.__name__}.graphs", None)
    monkeypatch.setattr(fast, "leave_capture", lambda _: None)
    monkeypatch.setattr(row_steps, "RowStepper", lambda _: eager)
    trainer: Any = SimpleNamespace(
        options=TransformerOptions(),
        device=torch.device("cuda"),
        world=World(),
        state=SimpleNamespace(step=5),
        note=lambda **values: notes.append(values),
    )
    assert fast.fast_stepper(trainer) is eager
    assert [(note["step"], note["event"]) for note in notes] == [(5, "no graph, eager steps")]
    assert "graphs" in notes[0]["reason"]


@pytest.mark.gpu
@NEEDS_GPU
def test_a_failed_capture_leaves_random_numbers_usable() -> None:
    """Something that waits for the GPU cannot be captured; dropout works afterwards."""
    x = torch.ones(9, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(RuntimeError), torch.cuda.graph(graph):
        torch.nn.functional.dropout(x).sum().item()
    fast.leave_capture(SimpleNamespace(device=torch.device("cuda")))  # type: ignore[arg-type]
    assert torch.nn.functional.dropout(x).shape == (9,)


@pytest.mark.gpu
@NEEDS_GPU
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_replayed_steps_have_the_losses_of_eager_ones(
    data: TrainingData, tmp_path: Path, kind: Any, options: dict[str, Any], precision: str
) -> None:
    """Without dropout, graphs and plain PyTorch learn alike."""
    curves = []
    for graphs in (True, False):
        folder = tmp_path / str(graphs)
        given = {**options, "steps": 20, "log_every": 2, "graphs": graphs, "precision": precision}
        kind(**given).train(data, folder, seed=1)
        rows = [json.loads(line) for line in (folder / "train_log.jsonl").open()]
        assert any(row.get("event") == "graphs" for row in rows) is graphs, rows[:3]
        curves.append([row["loss"] for row in rows if "loss" in row])
    assert len(curves[0]) == 10
    assert curves[0] == pytest.approx(curves[1], rel=1e-2 if precision == "float32" else 3e-2)


@pytest.mark.gpu
@NEEDS_GPU
@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_a_run_with_graphs_resumes_bit_for_bit(
    data: TrainingData, tmp_path: Path, kind: Any, options: dict[str, Any]
) -> None:
    """Stopping and going on replays the same steps, masks and all."""
    options = {**options, "dropout": 0.1, "deterministic": True, "precision": "bfloat16"}
    for name, steps in (("whole", 20), ("cut", 10), ("cut", 20)):
        kind(**{**options, "steps": steps}).train(data, tmp_path / name, seed=1)
    results = []
    for name in ("whole", "cut"):
        state = read_state(tmp_path / name)
        assert state is not None
        results.append(read_tensors(tmp_path / name / state.file))
        assert '"event":"graphs"' in (tmp_path / name / "train_log.jsonl").read_text()
    assert all(torch.equal(results[0][key], results[1][key]) for key in results[0])
