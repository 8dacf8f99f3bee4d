"""Combinations of training that are hidden, and made again from the rest."""

from __future__ import annotations

import pytest

from augment.made_up_world import world
from recombine.augment import AugmentOptions, Recombiner
from recombine.augment.trial.held_out import HeldOutFold, folds, read_pairs, trial, trial_rows


@pytest.fixture(scope="module")
def recombiner() -> Recombiner:
    """Return what is learnt from the world."""
    options = AugmentOptions(source_language="en", target_language="xx", frame_support=3)
    return Recombiner.learn(world(), options)


@pytest.fixture(scope="module")
def hidden(recombiner) -> HeldOutFold:
    """Return a fold of the world."""
    readings = read_pairs(recombiner, world())
    assert sum(reading is not None for reading in readings) > 0.75 * len(world())
    return folds(world(), readings, parts=5, numbers=[1])[0]


def test_hidden_combinations_are_in_no_pair_that_is_left(recombiner, hidden):
    """A fold that shows what it hides would measure nothing."""
    uses = {use for combinations in hidden.asked.values() for use in combinations}
    assert uses
    readings = read_pairs(recombiner, hidden.train)
    assert not any(uses & set(reading.uses) for reading in readings if reading is not None)


def test_what_is_held_out_is_made_again(recombiner, hidden):
    """In a regular world nearly all hidden combinations are derived, each with its own target."""
    rows = trial_rows()
    trial(hidden, recombiner.options, rows)
    assert rows["form"].combinations + rows["word"].combinations > 0
    assert rows["head"].coverage > 0.9
    assert all(row.precision == 1.0 for row in rows.values() if row.derived)
