"""Batches hold every example once, in shapes that repeat."""

from __future__ import annotations

from recombine.systems.pretrained.batches import Collation, Learned, plan_epoch


def test_every_epoch_sees_every_example_once():
    """Batches of like lengths leave out and repeat nothing, and differ between epochs."""
    lengths = [(7 * number) % 50 + 1 for number in range(333)]
    first = plan_epoch(lengths, 8, seed=1, epoch=0)
    assert sorted(one for batch in first for one in batch) == list(range(333))
    assert first == plan_epoch(lengths, 8, seed=1, epoch=0)
    assert first != plan_epoch(lengths, 8, seed=1, epoch=1)


def test_collation_learns_the_answer_only():
    """Places and targets point at answer tokens; shapes depend on the width alone."""
    sequences = [Learned((5, 6, 7, 8), 2), Learned(tuple(range(1, 15)), 10), Learned((1, 2), 1)]
    collation = Collation(sequences, 2, pad_id=0, few_shapes=True)
    batch = collation.batch([0, 2])
    assert batch.tokens.shape == (2, 16)
    assert batch.learned == 3
    flat = batch.tokens.reshape(-1)
    assert [flat[place + 1] for place in batch.places[:3]] == batch.targets[:3].tolist()
    assert set(batch.targets[3:].tolist()) == {-100}
    assert collation.batch([1]).places.shape == batch.places.shape


def test_without_captured_graphs_nothing_is_filled_up():
    """Where shapes need not repeat, a small batch has its own rows and places and no more."""
    collation = Collation([Learned((5, 6, 7, 8), 2)], 64, pad_id=0, few_shapes=False)
    batch = collation.batch([0])
    assert batch.tokens.shape == (1, 16)
    assert batch.targets.tolist() == [7, 8]


def test_a_batch_holds_like_lengths():
    """Sorting within a pool leaves little padding: lengths of a batch are neighbours."""
    lengths = [(37 * number) % 100 + 1 for number in range(100)]
    for batch in plan_epoch(lengths, 10, seed=4, epoch=2):
        found = [lengths[one] for one in batch]
        assert max(found) - min(found) == 9


def test_the_seed_changes_the_order():
    """Two seeds see the examples in different company."""
    lengths = [5] * 64
    assert plan_epoch(lengths, 8, seed=1, epoch=0) != plan_epoch(lengths, 8, seed=2, epoch=0)
