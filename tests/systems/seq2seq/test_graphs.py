"""Graphs: shapes that hold the batches, the order of the data, and the losses of eager steps."""

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

from recombine.systems import seq2seq
from recombine.systems.base import TrainingData
from recombine.systems.seq2seq.checkpoint import read_state, read_tensors
from recombine.systems.seq2seq.corpus import BatchPlan, Corpus, Side
from recombine.systems.seq2seq.layout import Resident
from recombine.systems.seq2seq.options import TransformerOptions
from recombine.systems.seq2seq.replica import EagerStepper
from recombine.systems.seq2seq.system import Transformer

NEEDS_GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")


@pytest.fixture
def stepper(importable_kernels: None) -> Any:
    """A stepper that has planned its shapes and captured nothing."""
    from recombine.systems.seq2seq.graphs import CHUNK, GraphStepper

    stream = np.random.default_rng(6)
    sides = [
        Side.of([stream.integers(4, 9, n).tolist() for n in stream.integers(0, 70, 90)])
        for _ in range(2)
    ]
    corpus = Corpus(*sides)
    options = TransformerOptions(batch_size=12)
    planned: Any = object.__new__(GraphStepper)
    planned.replica = SimpleNamespace(plan=BatchPlan(corpus, 4, 12), options=options, seed=4)
    planned.source_lengths, planned.target_lengths = (
        np.append(side.lengths, 0) for side in (corpus.source, corpus.target)
    )
    planned.longest = np.maximum(planned.source_lengths, planned.target_lengths)
    planned.resident = Resident(corpus, torch.device("cpu"))
    planned.levels = planned._choose_levels()
    planned.sentences = planned.levels[-1].counts[0]
    planned.order = torch.zeros((CHUNK, planned.sentences), dtype=torch.int64)
    planned.seeds = torch.zeros(CHUNK, dtype=torch.int64)
    planned.cursor = torch.ones(1, dtype=torch.int64)
    return planned


def test_the_levels_hold_the_batches(stepper: Any) -> None:
    """Every batch has a level, the smallest that holds it, and few rows stay empty."""
    from recombine.systems.seq2seq.graphs import ROW_MULTIPLE

    stepper._load_chunk(0)
    chosen = [stepper._level(step) for step in range(300)]
    assert None not in chosen
    used = [stepper.levels.index(level) for level in chosen]
    filled, given = (
        sum(one.source_rows + one.target_rows for one in many)
        for many in (stepper.needs[:300], chosen)
    )
    assert filled > 0.85 * given
    for step, number in enumerate(used):
        need = stepper.needs[step]
        assert need.source_rows <= stepper.levels[number].source_rows
        assert need.target_rows <= stepper.levels[number].target_rows
        assert not any(level.holds(need) for level in stepper.levels[:number])
    rows = [(level.source_rows, level.target_rows) for level in stepper.levels]
    assert rows == sorted(rows)
    assert all(number % ROW_MULTIPLE == 0 for pair in rows for number in pair)


def test_what_does_not_fit_has_no_level(stepper: Any) -> None:
    """A batch with more rows, more long sentences or a longer one is run without a graph."""
    from recombine.systems.seq2seq.graphs import Level

    level = Level(128, 64, (9, 4, 2, 0))
    assert level.holds(Level(128, 64, (9, 4, 2, 0), 128))
    for need in (
        Level(129, 64, (9, 4, 2, 0), 20),
        Level(128, 65, (9, 4, 2, 0), 20),
        Level(10, 10, (1, 1, 1, 1), 70),
        Level(10, 10, (1, 1, 1, 0), 129),
    ):
        assert not level.holds(need)
        stepper.levels, stepper.needs, stepper.chunk_start = [level], [need], 7
        assert stepper._level(7) is None


def test_the_uploaded_order_is_the_plan_s(stepper: Any) -> None:
    """Row n holds the sentences of step first + n, longest first."""
    stepper._load_chunk(11)
    assert (stepper.chunk_start, int(stepper.cursor)) == (11, 0)
    for row, batch in enumerate(itertools.islice(stepper.replica.plan.batches(11), 20)):
        order = stepper.order[row].numpy()
        assert sorted(order.tolist()) == sorted(batch.tolist())
        assert (np.diff(stepper.longest[order]) <= 0).all()


def test_the_seed_of_a_step_is_the_step_s(importable_kernels: None) -> None:
    """Wherever a chunk begins, a step has its own number, and no other step or seed has it."""
    from recombine.systems.seq2seq.graphs import step_seeds

    whole = step_seeds(3, 0, 2000)
    assert np.array_equal(step_seeds(3, 700, 100), whole[700:800])
    assert (whole >= 0).all()
    assert len(np.unique(np.concatenate((whole, step_seeds(4, 0, 2000))))) == 4000


def test_without_kernels_training_goes_on_eagerly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the module cannot be imported, the log says why and the steps are eager."""
    from recombine.systems.seq2seq.training import _use_graphs

    monkeypatch.setitem(sys.modules, f"{seq2seq.__name__}.graphs", None)
    notes: list[dict[str, Any]] = []
    eager = object.__new__(EagerStepper)
    replica: Any = SimpleNamespace(
        options=TransformerOptions(),
        stepper=eager,
        state=SimpleNamespace(step=5),
        note=lambda **values: notes.append(values),
    )
    _use_graphs([replica])
    assert replica.stepper is eager
    assert [(note["step"], note["event"]) for note in notes] == [(5, "no graph, eager steps")]
    assert "graphs" in notes[0]["reason"]


@pytest.mark.gpu
@NEEDS_GPU
def test_replayed_steps_have_the_losses_of_eager_ones(data: TrainingData, tmp_path: Path) -> None:
    """Without dropout, in float32, graphs and plain PyTorch learn alike."""
    curves = []
    for graphs in (True, False):
        folder = tmp_path / str(graphs)
        Transformer(preset="tiny", steps=20, log_every=2, graphs=graphs).train(data, folder, seed=1)
        rows = [json.loads(line) for line in (folder / "train_log.jsonl").open()]
        assert any(row.get("event") == "graphs" for row in rows) is graphs
        curves.append([row["loss"] for row in rows if "loss" in row])
    assert len(curves[0]) == 10
    assert curves[0] == pytest.approx(curves[1], rel=1e-2)


@pytest.mark.gpu
@NEEDS_GPU
def test_a_run_with_graphs_resumes_bit_for_bit(data: TrainingData, tmp_path: Path) -> None:
    """Stopping and going on replays the same steps, masks and all."""
    options = {"preset": "tiny", "precision": "bfloat16", "dropout": 0.1, "deterministic": True}
    Transformer(**options, steps=20).train(data, tmp_path / "whole", seed=1)
    Transformer(**options, steps=10).train(data, tmp_path / "cut", seed=1)
    Transformer(**options, steps=20).train(data, tmp_path / "cut", seed=1)
    results = []
    for name in ("whole", "cut"):
        state = read_state(tmp_path / name)
        assert state is not None
        results.append(read_tensors(tmp_path / name / state.file))
        assert '"event":"graphs"' in (tmp_path / name / "train_log.jsonl").read_text()
    assert all(torch.equal(results[0][key], results[1][key]) for key in results[0])
