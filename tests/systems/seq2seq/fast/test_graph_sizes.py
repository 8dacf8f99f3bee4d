"""Graph sizes: sizes that hold the batches and leave little of them empty."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch

from recombine.systems.seq2seq.corpus import BatchPlan, NumberedSide, ParallelCorpus
from recombine.systems.seq2seq.fast.graph_sizes import (
    ROW_MULTIPLE,
    FixedRows,
    Lengths,
    PackedShapes,
    PaddedShapes,
)
from recombine.systems.seq2seq.fast.packing import PackedRows
from recombine.systems.seq2seq.options import LstmOptions, TransformerOptions

CPU = torch.device("cpu")


@pytest.fixture
def corpus() -> ParallelCorpus:
    """Ninety pairs of up to 69 pieces."""
    stream = np.random.default_rng(6)
    sides = [
        NumberedSide.of([stream.integers(4, 9, n).tolist() for n in stream.integers(0, 70, 90)])
        for _ in range(2)
    ]
    return ParallelCorpus(*sides)


def shapes_of(
    corpus: ParallelCorpus, kind: Any, rdrop_weight: float = 0.0, tokens: int = 0
) -> tuple[Any, BatchPlan]:
    """Return shapes for batches of twelve pairs or of so many tokens, and the plan of batches."""
    by_length = kind is PaddedShapes
    if tokens:
        options: Any = TransformerOptions(
            batch_size=tokens, batch_unit="tokens", rdrop_weight=rdrop_weight
        )
        plan = BatchPlan(corpus, 4, tokens, "tokens")
        return kind(corpus, plan, options, CPU), plan
    options = (LstmOptions if by_length else TransformerOptions)(
        batch_size=12, rdrop_weight=rdrop_weight
    )
    plan = BatchPlan(corpus, 4, 12, by_length=by_length)
    return kind(corpus, plan, options, CPU), plan


@pytest.mark.parametrize("kind", [PackedShapes, PaddedShapes])
def test_every_batch_has_the_smallest_size_that_holds_it(corpus: ParallelCorpus, kind: Any) -> None:
    """And few places stay empty."""
    shapes, plan = shapes_of(corpus, kind)
    needs = [shapes.need(chosen) for chosen in itertools.islice(plan.batches(), 300)]
    found = [shapes.fitting(need) for need in needs]
    assert None not in found
    for need, size in zip(needs, found, strict=True):
        assert size.holds(need)
        smaller = shapes.sizes[: shapes.sizes.index(size)]
        assert not any(one.holds(need) for one in smaller)
    filled, given = (sum(one.source + one.target for one in many) for many in (needs, found))
    assert filled > 0.85 * given
    totals = [size.source + size.target for size in shapes.sizes]
    assert totals == sorted(totals)


def test_rows_come_in_multiples(corpus: ParallelCorpus) -> None:
    """Kernels like whole tiles."""
    shapes, _ = shapes_of(corpus, PackedShapes)
    assert all(
        rows % ROW_MULTIPLE == 0 for one in shapes.sizes for rows in (one.source, one.target)
    )


@pytest.mark.parametrize(
    ("size", "too_large"),
    [
        (
            FixedRows(128, 64, (9, 4, 2, 0)),
            [
                FixedRows(129, 64, (9, 4, 2, 0), 20),
                FixedRows(128, 65, (9, 4, 2, 0), 20),
                FixedRows(10, 10, (1, 1, 1, 1), 70),
                FixedRows(10, 10, (1, 1, 1, 0), 129),
            ],
        ),
        (Lengths(20, 30), [Lengths(21, 30), Lengths(20, 31)]),
    ],
)
def test_what_does_not_fit_has_no_size(
    corpus: ParallelCorpus, size: Any, too_large: list[Any]
) -> None:
    """A batch with more rows, more long sentences or a longer one is run without a graph."""
    shapes, _ = shapes_of(corpus, PackedShapes)
    shapes.sizes = [size]
    assert shapes.fitting(size) == size
    assert [shapes.fitting(need) for need in too_large] == [None] * len(too_large)


@pytest.mark.parametrize("kind", [PackedShapes, PaddedShapes])
def test_copies_have_room(corpus: ParallelCorpus, kind: Any) -> None:
    """With R-Drop every pair stands twice: every batch still has a size, and all its pieces."""
    shapes, plan = shapes_of(corpus, kind, 5.0)
    assert shapes.sentences == 12
    for chosen in itertools.islice(plan.batches(), 20):
        size = shapes.fitting(shapes.need(chosen))
        assert size is not None
        batch, pieces = shapes.lay(torch.from_numpy(shapes.in_order(chosen)), size)
        assert batch.twins is not None
        assert int(pieces) == 2 * corpus.target.lengths[chosen].sum()
        assert int((batch.expected != 0).sum()) == int(pieces)


@pytest.mark.parametrize("weight", [0.0, 5.0])
@pytest.mark.parametrize("tokens", [200, 300, 400, 500, 600])
def test_a_batch_has_as_many_sentences_as_its_size_says(
    corpus: ParallelCorpus, tokens: int, weight: float
) -> None:
    """Of tokens, too: a kernel reads so many starts, and one more would be no sentence."""
    shapes, plan = shapes_of(corpus, PackedShapes, weight, tokens)
    chosen = next(iter(plan.batches()))
    size = shapes.fitting(shapes.need(chosen))
    assert size is not None
    batch, pieces = shapes.lay(torch.from_numpy(shapes.filled(shapes.in_order(chosen))), size)
    assert isinstance(batch.source, PackedRows)
    assert len(batch.source.starts) == size.counts[0] == max(size.counts)
    assert int(pieces) == (2 if weight else 1) * corpus.target.lengths[chosen].sum()


@pytest.mark.parametrize("kind", [PackedShapes, PaddedShapes])
def test_a_probe_has_all_lengths(corpus: ParallelCorpus, kind: Any) -> None:
    """The longest and a short one, in a size that holds them and is laid out."""
    shapes, _ = shapes_of(corpus, kind)
    chosen, size = shapes.probe()
    assert size.holds(shapes.need(chosen))
    lengths = shapes.longest[chosen]
    assert lengths[0] == shapes.longest.max()
    assert lengths.min() < 30
    filled = shapes.filled(chosen)
    assert len(filled) == max(shapes.sentences, len(chosen))
    batch, pieces = shapes.lay(torch.from_numpy(filled), size)
    assert int(pieces) == corpus.target.lengths[chosen].sum()
    assert int((batch.expected != 0).sum()) == int(pieces)
