"""Recombined pairs in training: how many, and a dev set of combinations that training lacks."""

from __future__ import annotations

from itertools import pairwise

import pytest

from recombinable import english_german
from recombine.augment.files.certificate import words_of
from recombine.augment.methods import augment
from recombine.augment.mixture import hold_out, read_mixture
from recombine.errors import ConfigError, DataError

SENTENCES = [english_german()[37 * number % 100] for number in range(100)]


def test_n_in_all_or_so_many_for_each_training_pair():
    """And what is not said has its default in the fingerprint of a model."""
    whole = read_mixture({"n": 70, "support": 3})
    assert whole.number(1000) == 70
    made_of = whole.fingerprint()
    assert (made_of["n"], made_of["copies"], made_of["choose"]) == (70, 2, "last")
    assert (made_of["track"], made_of["support"]) == ("train-only", 3)
    each = read_mixture({"ratio": 2.5, "method": "grammar"})
    assert each.number(1000) == 2500
    assert "n" not in each.fingerprint()
    assert each.fingerprint()["track"] == "grammar"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"ration": 2}, "unknown key 'augment.ration'"),
        ({"n": "many"}, "'augment.n' must be a whole number"),
        ({"n": 10, "ratio": 2}, "both n and ratio"),
        ({"choose": "best"}, "'last', 'held-out', 'dev'"),
        ({"copies": -1}, "must not be negative"),
        (250_000, "must be a table"),
    ],
)
def test_mistakes_are_found_before_any_work(given, told):
    """A key of neither the mixture nor the method, a wrong type, a contradiction."""
    with pytest.raises(ConfigError, match=told):
        read_mixture(given)


def test_what_is_held_out_shares_no_held_out_combination_with_training():
    """Every held-out pair has two neighbouring words that no pair to learn from has."""
    known = SENTENCES[:30]
    pairs = augment(known, 200, source_language="en", target_language="de", method="words")
    trained = [source for source, _ in known]
    train, held = hold_out(pairs, trained, 20, seed=1)
    assert len(held) == 20
    assert len(train) > 100
    shown = {
        two
        for source in (*trained, *(pair.source for pair in train))
        for two in pairwise(words_of(source))
    }
    for pair in held:
        assert any(two not in shown for two in pairwise(words_of(pair.source)))
    assert hold_out(pairs, trained, 20, seed=1) == (train, held)
    assert hold_out(pairs, trained, 20, seed=2).held_out != held


def test_pairs_without_new_combinations_cannot_choose():
    """Said in words, with the way out."""
    pairs = augment(SENTENCES[:60], 10, source_language="en", target_language="de")
    with pytest.raises(DataError, match="of 10 recombined pairs none has two words together"):
        hold_out(pairs, [pair.source for pair in pairs], 5)
