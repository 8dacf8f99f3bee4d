"""Sizes become hard bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsed_corpora import asked
from recombine.builders.divergent.split import (
    TEST,
    TRAIN,
    Bounds,
    random_split,
)
from recombine.errors import ConfigError


def test_the_paper_has_its_sizes() -> None:
    """At 247,487 rows: 73% used with 10-11% test for c = 1, 80% with 20% for c = 0."""
    high, low = asked(1.0).bounds(247_487), asked(0.0).bounds(247_487)
    assert high.used[1] / 247_487 == pytest.approx(0.733, abs=1e-4)
    assert high.test[0] / high.used[1] >= 0.1
    assert high.test[1] / high.used[0] <= 0.11
    assert low.used[1] / 247_487 == pytest.approx(0.8, abs=1e-4)
    assert low.test[1] / low.used[0] == pytest.approx(0.2, abs=1e-4)


@given(st.integers(40, 10**7), st.floats(0, 1))
def test_defaults_are_always_feasible(rows: int, target: float) -> None:
    """No corpus of some size makes the default bounds contradict each other."""
    asked(target).bounds(rows).require_feasible(rows)


def test_given_sizes_win() -> None:
    """Numbers are exact, pairs are least and most, shares fill in the rest."""
    bounds = asked(train_size=500, test_size=(90, 110)).bounds(1_000)
    assert (bounds.train, bounds.test, bounds.used) == ((500, 500), (90, 110), (590, 610))
    bounds = asked(used_share=1.0, test_share=(0.3, 0.3)).bounds(1_000)
    assert bounds.test[0] == 300
    bounds = asked(train_size=500).bounds(1_000)
    assert 0.09 < bounds.test[0] / bounds.used[0] < 0.12


@pytest.mark.parametrize(
    "options",
    [
        {"train_size": 0},
        {"train_size": (5, 4)},
        {"test_size": 2_000},
        {"used_share": 1.5},
        {"used_share": 0.0},
        {"test_share": (0.0, 0.2)},
        {"test_share": ()},
    ],
)
def test_nonsense_is_refused(options: dict[str, object]) -> None:
    """Sizes that mean nothing are errors."""
    with pytest.raises(ConfigError):
        asked(**options).bounds(1_000)


def test_shares_and_single_numbers_become_bounds() -> None:
    """A tenth to a fifth of test beside a hundred of train: 12 to 25; a list of one is one size."""
    bounds = asked(train_size=100, test_share=(0.1, 0.2)).bounds(1_000)
    assert bounds.test == (12, 25)
    bounds = asked(train_size=(100,), test_size=(20,)).bounds(1_000)
    assert (bounds.train, bounds.test) == ((100, 100), (20, 20))


def test_bounds_are_feasible_where_something_is_between_them() -> None:
    """The least that is used counts, not the most; what is infeasible is said with both ends."""
    Bounds(train=(1, 9), test=(1, 9), used=(2, 18)).require_feasible(5)
    with pytest.raises(ConfigError) as told:
        Bounds(train=(4, 9), test=(2, 2), used=(2, 18)).require_feasible(5)
    assert "train 4-9, test 2, together 2-18, but 5 sentences" in told.value.message


def test_a_random_split_is_as_large_as_it_may_be() -> None:
    """Test first, then train in what is left of what may be used."""
    sides = random_split(100, Bounds(train=(0, 50), test=(1, 5), used=(2, 20)), 1)
    assert ((sides == TEST).sum(), (sides == TRAIN).sum()) == (5, 15)


def test_what_is_left_open_comes_from_the_paper() -> None:
    """With a test size train has what 73.3% of the sentences leave; one share is both."""
    bounds = asked(test_size=20).bounds(1_000)
    assert (bounds.train, bounds.test, bounds.used) == ((0, 733), (20, 20), (732, 733))
    bounds = asked(used_share=1.0, test_share=(0.1, 0.3)).bounds(1_000)
    assert bounds.test == (100, 299)
    assert asked(sizes_as=0.0).bounds(1_000) == asked(0.0).bounds(1_000)


def test_a_fixed_training_set_is_all_of_train() -> None:
    """However large the recipe says; the test is a share of both."""
    bounds = asked(train_size=5).bounds(900, 100)
    assert (bounds.train, bounds.test, bounds.used) == ((100, 100), (12, 12), (112, 112))


def test_only_sequences_do_without_relations() -> None:
    """Text that is only cut into words has no dependencies."""
    assert asked(definition="ngrams", parser="words").way == "search"
    with pytest.raises(ConfigError, match="relations"):
        asked(parser="words")


def test_a_random_split_that_cannot_be_is_refused() -> None:
    """More train than there are sentences; one sentence of each is enough."""
    random_split(2, Bounds(train=(1, 1), test=(1, 1), used=(2, 2)), 1)
    with pytest.raises(ConfigError, match="infeasible"):
        random_split(10, Bounds(train=(50, 50), test=(1, 5), used=(51, 55)), 1)
