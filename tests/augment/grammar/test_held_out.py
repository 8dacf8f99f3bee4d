"""What is hidden of training is derived from the rest."""

from __future__ import annotations

import pytest

from augment.made_up_world import world
from recombine.augment import AugmentOptions, Pair
from recombine.augment.grammar.held_out import held_out_trial
from recombine.errors import DataError


def test_hidden_combinations_are_derived_rightly():
    """Most words, phrases and modifiers are derived in places where they were hidden."""
    options = AugmentOptions(source_language="en", target_language="xx")
    rows = {row.kind: row for row in held_out_trial(world(), options)}
    assert rows["word"].pairs >= 10
    assert rows["phrase"].pairs >= 10
    for row in rows.values():
        assert row.right <= row.derived <= row.pairs
    assert rows["phrase"].coverage >= 0.4
    assert rows["phrase"].precision > 0.95


def test_nothing_to_hide_is_said():
    """Every combination is seen too seldom to be hidden."""
    pairs = [Pair(f"The {n} ran.", f"{n} ran.", n) for n in map(str, range(2))]
    with pytest.raises(DataError, match="too few pairs"):
        held_out_trial(pairs, AugmentOptions())
