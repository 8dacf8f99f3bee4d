"""Random words by counter."""

from __future__ import annotations

from itertools import islice

import pytest

from recombine.errors import GrammarError
from recombine.grammar.sampling.random_stream import MAX_WORDS, WORDS, Stream


def rows(stream: Stream, first: int = 0, count: int = 1, words: int = WORDS):
    """Some candidates with their first words."""
    return {
        number: list(islice(random, words)) for number, random in islice(stream.rows(first), count)
    }


def test_golden_words() -> None:
    """The documented stream, word for word."""
    assert rows(Stream(0, ""))[0][:3] == GOLDEN


GOLDEN = [15472904772227709158, 4759435908050242163, 1148558059898899420]


def test_random_access() -> None:
    """A candidate's words do not depend on where the walk began."""
    everything = rows(Stream(5, "x"), count=1100)
    assert rows(Stream(5, "x"), 700) == {700: everything[700]}
    assert rows(Stream(5, "x"), 511, 3)[513] == everything[513]


def test_further_words() -> None:
    """More words of a candidate are its own and repeatable."""
    long = 2 * WORDS + 200
    found = rows(Stream(1, "x"), 3, 2, long)
    assert found == rows(Stream(1, "x"), 3, 2, long)
    assert len(set(found[3]) | set(found[4])) == 2 * long


def test_no_candidate_is_endless() -> None:
    """A tree that takes more words than any sentence needs is refused."""
    with pytest.raises(GrammarError, match="more than"):
        rows(Stream(1, "x"), words=MAX_WORDS + WORDS + 64)
