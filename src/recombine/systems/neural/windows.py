"""Decoding in windows: sources of like length side by side, and the order of the sources again.

What is decoded together is held back until all of it is done: seconds on a GPU, but minutes on a
CPU, where a kill would lose it and nobody would see how far it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from recombine.systems.base import Failure

_BATCHES_ON_A_GPU = 16

Tokens = list[int]


def window_of(batch: int, device: str) -> int:
    """Return how many sources are sorted by length together."""
    return batch * (_BATCHES_ON_A_GPU if device.startswith("cuda") else 1)


def decode_in_windows(
    sources: Sequence[str],
    window: int,
    *,
    encode: Callable[[Sequence[str]], Sequence[Tokens]],
    too_long: Callable[[Tokens], str],
    decode: Callable[[Mapping[int, Tokens], Sequence[str]], Mapping[int, str]],
) -> Iterator[str | Failure]:
    """Yield one translation per source, in order; a source that is `too_long` fails alone.

    `too_long` says why it has no room, or "". `decode` gets the tokens of all others, by their
    place in the window, and the window.
    """
    for start in range(0, len(sources), window):
        part = sources[start : start + window]
        tokens = dict(enumerate(encode(part)))
        refused = {place: why for place, row in tokens.items() if (why := too_long(row))}
        fitting = {place: row for place, row in tokens.items() if place not in refused}
        texts = decode(fitting, part) if fitting else {}
        for place in range(len(part)):
            yield Failure(refused[place], final=True) if place in refused else texts[place]
