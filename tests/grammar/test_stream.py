"""Random words by counter."""

from __future__ import annotations

from itertools import islice

from recombine.grammar.stream import WORDS, Stream


def test_golden_words() -> None:
    """The documented stream, word for word."""
    _, words = next(Stream(0, "").rows())
    assert len(words) == WORDS
    assert words[:3] == GOLDEN


GOLDEN = [15472904772227709158, 4759435908050242163, 1148558059898899420]


def test_random_access() -> None:
    """A candidate's words do not depend on where the walk began."""
    everything = dict(islice(Stream(5, "x").rows(), 1100))
    assert next(Stream(5, "x").rows(700)) == (700, everything[700])
    assert dict(islice(Stream(5, "x").rows(511), 3))[513] == everything[513]


def test_extension() -> None:
    """More words of a candidate are its own and repeatable."""
    stream = Stream(1, "x")
    first, second = [0] * WORDS, [0] * WORDS
    stream.extend(3, first)
    stream.extend(4, second)
    assert first[WORDS:] != second[WORDS:]
    again = [0] * WORDS
    stream.extend(3, again)
    assert again == first
    length = len(first)
    stream.extend(3, first)
    assert first[WORDS:length] != first[length:]
