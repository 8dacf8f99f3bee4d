"""Settling a batch: every item ends with an answer, and no other pays for the one to blame."""

from __future__ import annotations

import pytest

from recombine.systems.base import Failure
from recombine.systems.settle import Item, settle

ITEMS = [Item(place, f"s{place}") for place in range(32)]


def settled(answers_of, items=ITEMS):
    """Settle items; return the answers, and the places that each exchange asked for."""
    asked = []

    def exchange(part):
        asked.append([item.place for item in part])
        return answers_of(part), "broken"

    def alone(item, fault):
        return Failure(f"{item.source} {fault}")

    return dict(settle(items, exchange, alone)), asked


@pytest.mark.parametrize("bad", [0, 13, 31])
def test_halves_find_who_spoils_a_batch(bad):
    """Where nothing can be trusted, one in 32 is found in at most 11 exchanges."""

    def all_or_none(part):
        spoilt = any(item.place == bad for item in part)
        return {} if spoilt else {item.place: item.source.upper() for item in part}

    answers, asked = settled(all_or_none)
    assert answers.pop(bad) == Failure(f"s{bad} broken")
    assert answers == {item.place: item.source.upper() for item in ITEMS if item.place != bad}
    assert len(asked) <= 11


def test_the_first_without_an_answer_is_the_suspect():
    """A program that dies at the fourth sentence: three are kept, one is asked alone."""

    def up_to_the_bad_one(part):
        places = [item.place for item in part]
        whole = part if 3 not in places else part[: places.index(3)]
        return {item.place: item.source for item in whole}

    answers, asked = settled(up_to_the_bad_one, ITEMS[:8])
    assert asked == [list(range(8)), [3], [4, 5, 6, 7]]
    assert [place for place, answer in answers.items() if isinstance(answer, Failure)] == [3]


def test_no_items_ask_nothing():
    """A block of empty lines starts no exchange."""
    assert settled(lambda part: {}, []) == ({}, [])
