"""Windows: whatever is decoded together, each source has its own translation, in order."""

from __future__ import annotations

from recombine.systems.base import Failure
from recombine.systems.neural.windows import decode_in_windows, window_of

SOURCES = ["a b c", "a", "", "a b c d e f", "b"]


def translated(window):
    """Translate into capitals, longest first; return the translations and what was decoded."""
    windows = []

    def decode(tokens, sources):
        windows.append((sorted(tokens), list(sources)))
        order = sorted(tokens, key=lambda place: -len(tokens[place]))
        return {place: "".join(map(chr, tokens[place])).upper() for place in order}

    return list(
        decode_in_windows(
            SOURCES,
            window,
            encode=lambda sources: [[*map(ord, source)] for source in sources],
            too_long=lambda tokens: f"{len(tokens)} are too many" if len(tokens) > 9 else "",
            decode=decode,
        )
    ), windows


def test_order_is_kept_and_one_too_long_fails_alone():
    """Whatever the window; a place is that of the window, which is given, too."""
    expected = ["A B C", "A", "", Failure("11 are too many", final=True), "B"]
    for window in (1, 2, 5, 100):
        assert translated(window)[0] == expected
    assert translated(2)[1] == [([0, 1], SOURCES[:2]), ([0], SOURCES[2:4]), ([0], SOURCES[4:])]


def test_a_window_with_nothing_to_decode_asks_nothing():
    """The model is not called for sources that have no room."""
    assert [sources for places, sources in translated(1)[1]] == [
        [source] for source in SOURCES if len(source) < 10
    ]


def test_a_cpu_gives_back_batch_by_batch():
    """Sixteen batches are sorted together on a GPU, where they take seconds."""
    assert (window_of(32, "cpu"), window_of(32, "cuda:1")) == (32, 512)
