"""Random numbers by counter: candidate i of a stream is the same on any machine, in any order.

The stream of (seed, name) is Philox 4x64 (Salmon et al. 2011) with the key SHA-256("recombine"
NUL seed NUL name), first 16 bytes, read as two little-endian 64-bit words. Candidate i owns the
outputs of counters 8i+1 ... 8i+8: 32 words. A candidate that needs more goes on with the key
SHA-256("recombine" NUL seed NUL name NUL "more") and the counters (1.., i, 0, 0). Choices
compare whole 64-bit words with integer thresholds, so no rounding of the machine enters.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import chain

import numpy as np

from recombine.errors import GrammarError

WORDS = 32  # per candidate
_BLOCKS = WORDS // 4  # Philox gives four words per counter
_CHUNK = 512  # candidates drawn at once
_MORE = 64  # words drawn at once when a candidate runs out; how many changes none of them
MAX_WORDS = 20_000  # of one candidate
_EMPTY = np.zeros(4, dtype=np.uint64)


class Stream:
    """The random words of (seed, name), by candidate number."""

    def __init__(self, seed: int, name: str = "") -> None:
        self._key = _key(f"recombine\0{seed}\0{name}")
        self._more_key = _key(f"recombine\0{seed}\0{name}\0more")
        # One generator is set to each place: a new one would first ask the system for entropy.
        self._more = np.random.Philox(key=self._more_key)

    def rows(self, first: int = 0) -> Iterator[tuple[int, Iterator[int]]]:
        """Yield (candidate, its words) from a candidate on, without end."""
        while True:
            generator = np.random.Philox(key=self._key, counter=first * _BLOCKS)
            block = generator.random_raw(_CHUNK * WORDS).reshape(_CHUNK, WORDS).tolist()
            for candidate, words in enumerate(block, start=first):
                yield candidate, chain(words, self._further(candidate))
            first += _CHUNK

    def _further(self, candidate: int) -> Iterator[int]:
        """The words of a candidate beyond those that all candidates have."""
        for done in range(0, MAX_WORDS, _MORE):
            self._more.state = {
                "bit_generator": "Philox",
                "state": {
                    "counter": np.array([done // 4, candidate, 0, 0], dtype=np.uint64),
                    "key": self._more_key,
                },
                "buffer": _EMPTY,
                "buffer_pos": 4,
                "has_uint32": 0,
                "uinteger": 0,
            }
            yield from self._more.random_raw(_MORE).tolist()
        raise GrammarError(
            f"a tree needs more than {MAX_WORDS} choices",
            hint="recursive rules weigh too much; lower their weights or bound their depth",
        )


def _key(text: str) -> np.ndarray:
    return np.frombuffer(hashlib.sha256(text.encode("utf-8")).digest()[:16], dtype="<u8").astype(
        np.uint64
    )
