"""The non-determinism control finds what it should and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from recombine.config import to_plain
from recombine.experiment.repeatability import flip_rate
from recombine.systems.base import Failure

SOURCES = [f"sentence {number}" for number in range(20)]


class Steady:
    """Translates every sentence the same way always."""

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        yield from (source.upper() for source in sources)


class BatchBound:
    """Translates the first sentence of a batch differently, as a shared shortlist would."""

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        for place, source in enumerate(sources):
            yield source.upper() + ("!" if len(sources) > 1 and place == 0 else "")


class Unsteady(Steady):
    """Fails on one sentence the second time."""

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        for source in sources:
            yield Failure("busy") if source == "sentence 3" else source.upper()


def test_a_steady_system_never_flips():
    """Equal output gives a rate of zero both ways."""
    found = flip_rate(Steady(), SOURCES, [source.upper() for source in SOURCES])
    assert (found.alone.rate, found.shuffled.rate) == (0.0, 0.0)
    assert found.alone.sentences == found.shuffled.sentences == 20


def test_a_batch_bound_system_flips():
    """Dependence on batch-mates is counted and shown."""
    first = list(BatchBound().translate(SOURCES))
    found = flip_rate(BatchBound(), SOURCES, first, seed=1)
    assert found.alone.flipped == 1
    assert found.alone.rate == 1 / 20
    assert found.alone.shown[0].first == "SENTENCE 0!"
    assert found.shuffled.flipped == 2
    assert found == flip_rate(BatchBound(), SOURCES, first, seed=1)


def test_failures_are_counted_apart():
    """A sentence that could not be had again is no flip."""
    found = flip_rate(Unsteady(), SOURCES, [source.upper() for source in SOURCES])
    assert found.alone.failed == found.shuffled.failed == 1
    assert found.alone.flipped == 0
    assert to_plain(found)["alone"]["sentences"] == 19


def test_unequal_lengths_are_refused():
    """Sources and hypotheses must be of one run."""
    with pytest.raises(ValueError, match="1 hypotheses"):
        flip_rate(Steady(), SOURCES, ["x"])


def test_nothing_to_compare():
    """An empty sample gives an empty answer."""
    assert flip_rate(Steady(), [], []).shuffled.sentences == 0
