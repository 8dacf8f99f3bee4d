"""Rows of modifiers: one word of each set, in the order of the sets."""

from __future__ import annotations

import itertools
import random
from collections import Counter

from recombine.augment.phrases.rows import ModifierRows

SIZES, AGES, COLOURS = ("big", "small", "wide"), ("new", "old", "young"), ("red", "blue", "green")
ORIGINS = ("Welsh", "Dutch")


def rows() -> ModifierRows:
    """Learn from rows of two; big and green never met, and origins stand with persons only."""
    before = {
        ((a,), (b,)): 4
        for one, other in ((SIZES, AGES), (SIZES, COLOURS), (AGES, COLOURS))
        for a, b in itertools.product(one, other)
        if (a, b) != ("big", "green")
    }
    before |= {((a,), (b,)): 4 for a, b in itertools.product(("kind", "brave"), ORIGINS)}
    heads = {(word,): Counter({0: 24}) for word in (*SIZES, *AGES, *COLOURS)}
    heads |= {(word,): Counter({1: 8}) for word in ("kind", "brave", *ORIGINS)}
    return ModifierRows(sorted(heads), before, heads)


def drawn(size: int) -> list[list[str]]:
    """Draw rows of sizes, ages and colours."""
    words = [(word,) for word in (*SIZES, *AGES, *COLOURS)]
    learned, stream = rows(), random.Random(3)
    return [[word[0] for word in learned.draw(stream, words, size)] for _ in range(300)]


def test_a_row_has_one_word_of_each_set_in_their_order():
    """Also big and green, which never met: other sizes and colours did."""
    found = drawn(3)
    assert all(row[0] in SIZES and row[1] in AGES and row[2] in COLOURS for row in found)
    assert any(row[0] == "big" and row[2] == "green" for row in found)


def test_a_longer_row_takes_one_word_that_could_not_have_been_seen_there():
    """Four words: the fourth is none of the same sets, and stands where it stands in its rows."""
    known = {*SIZES, *AGES, *COLOURS}
    found = drawn(4)
    assert {sum(word not in known for word in row) for row in found} == {1}
    places = {row.index(word) for row in found for word in row if word in ORIGINS}
    assert places == {2, 3}
    assert len(max(drawn(6), key=len)) == 4
